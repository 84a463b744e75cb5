import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BackupArchive } from '../backup/backup-archive.js';
import * as commandHandlers from '../commands/handlers.js';
import { SESSION_RULES, type SessionRules } from '../commands/session-tokens.js';
import type { Config } from '../config.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { StreamAuthenticator } from '../http/authenticator.js';
import { resourceControllers } from '../http/controllers.js';
import { JobFeed } from '../http/job-feed.js';
import { KeyedCreations } from '../http/keyed-creations.js';
import { ProbeController } from '../http/health.controller.js';
import { CacheRateLimiter } from '../http/rate-limiter.js';
import { IntakeBackpressure } from '../http/intake-backpressure.js';
import { SaleBatches } from '../http/sale-batches.js';
import { ReadYourWrites, SETTINGS, type HttpSettings } from '../http/read-your-writes.js';
import { Services } from '../http/routes.js';
import { AcceptingBooking } from '../integration/accepting-booking.js';
import { manualSaleProviders } from '../integration/manual-sales.js';
import { TakeSaleHandler } from '../integration/sale-intake.js';
import { WebhookRedelivery } from '../integration/webhook-redelivery.js';
import { TileStore } from '../integrity/tile-store.js';
import { jobProviders } from '../jobs/jobs.js';
import { policyProviders } from '../policies/policies.js';
import { BROKER } from '../ports/broker.js';
import { CACHE } from '../ports/cache.js';
import { EVENT_STORE } from '../ports/event-store.js';
import { LOGGER } from '../ports/log.js';
import { CLOCK, IDS } from '../ports/time.js';
import { MARKS, marksIn } from '../projecting/marks.js';
import { DEAD_LETTER_REPLAYER } from '../queries/dead-letter.queries.js';
import * as queryHandlers from '../queries/handlers.js';
import { AccessTokens } from '../security/access-tokens.js';
import { OidcTokens } from '../security/oidc.js';
import { passwords } from '../security/passwords.js';
import { IntegrityKeys } from '../security/integrity-keys.js';
import { FactorTokens } from '../security/factor-tokens.js';
import { SecretBox } from '../security/secret-box.js';
import { AUTHENTICATOR, RATE_LIMITER } from '../security/principal.js';
import { catalogue } from './catalogue.js';
import { coreOf, type Core } from './core.js';
import { ServiceDeadLetterReplayer } from './dead-letter-replayer.js';
import type { Engines } from './engines.js';
import { backupDirectory, historyJobs } from './history-jobs.js';
import { observationProviders } from './observation.js';
import { openPush, pushProviders, type PushParts } from './notifications.js';
import { openWebhookParts, type WebhookParts, webhookProviders } from './webhooks.js';

export const allControllers = [ProbeController, ...resourceControllers];
/** Processes without the `http` role respond only to probes. */
export const controllersOf = ({ ROLES }: Pick<Config, 'ROLES'>) =>
  ROLES.includes('http') ? allControllers : [ProbeController];

/** The module's dependencies, in addition to its engines. */
export type ServiceParts = {
  readonly core: Core;
  readonly tokens: AccessTokens;
  readonly box: SecretBox;
  readonly push: PushParts;
  readonly webhooks: WebhookParts;
  readonly integrity: IntegrityKeys;
};

export const openParts = async (config: Config, engines: Engines, core = coreOf(engines)): Promise<ServiceParts> => {
  const { clock, logger } = engines;
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_SIGNING_KEY: signingKey } = config;
  const tokens = await AccessTokens.open(config.DATA_DIR, { issuer, audience, signingKey, clock, logger });
  const box = await SecretBox.open(config.DATA_DIR, config.ENCRYPTION_KEY);
  const integrity = await IntegrityKeys.open(config.DATA_DIR, config.INTEGRITY_KEY);
  const push = await openPush(config, engines);
  return { core, tokens, box, integrity, push, webhooks: await openWebhookParts(config, clock) };
};

/** The Nest module that composes the service. The engines are already open. */
@Module({})
export class AppModule {
  static over(config: Config, engines: Engines, parts: ServiceParts): DynamicModule {
    const { core, tokens, box, push, webhooks, integrity } = parts;
    const { reader, appender, claims, runner, deadLetters, status, readiness, readModels } = core;
    const { clock, ids } = engines;
    const shared = [reader, appender, claims, runner, deadLetters, status, readiness, readModels, engines.progress];
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      providers: [
        ...[...shared, tokens, box, integrity, passwords, oidcOf(config, engines)].map(instance),
        { provide: EventCatalogue, useValue: catalogue },
        ...values(config, engines),
        ...httpProviders,
        { provide: DEAD_LETTER_REPLAYER, useClass: ServiceDeadLetterReplayer },
        TakeSaleHandler,
        ...manualSaleProviders,
        AcceptingBooking,
        WebhookRedelivery,
        ...Object.values(commandHandlers).flat(),
        ...Object.values(queryHandlers).flat(),
        ...policyProviders,
        ...pushProviders(push),
        ...webhookProviders(webhooks, engines),
        ...jobProviders(
          { runner, models: readModels, clock, ids, logger: engines.logger },
          historyJobs(config, engines),
          config.JOB_SCHEDULES,
        ),
        ...observationProviders(config, engines),
      ],
    };
  }
}

const DAY_MS = 24 * 3_600_000;

/** Provides an object, with its class as the injection token. */
const instance = (value: object): Provider => ({ provide: value.constructor, useValue: value });

const oidcOf = (config: Config, { clock, logger }: Engines): OidcTokens => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience = config.JWT_AUDIENCE, OIDC_TOKEN_TYPE: tokenType } = config;
  return new OidcTokens({ issuer, audience, tokenType, clock, logger });
};

const values = (config: Config, { events, reads, broker, cache, clock, ids, logger }: Engines): Provider[] => {
  const { READ_WAIT_MS: readWaitMs, SESSION_STREAMS: sessionStreams, USER_STREAMS: userStreams } = config;
  const settings: HttpSettings = { readWaitMs, sessionStreams, userStreams };
  const sessionRules: SessionRules = {
    lifetime: { idleMs: config.SESSION_IDLE_DAYS * DAY_MS, maxMs: config.SESSION_MAX_DAYS * DAY_MS },
    mustOperatorsHaveFactor: config.OPERATOR_FACTOR === 'required',
  };
  return [
    { provide: EVENT_STORE, useValue: events },
    { provide: BROKER, useValue: broker },
    { provide: CACHE, useValue: cache },
    { provide: CLOCK, useValue: clock },
    { provide: IDS, useValue: ids },
    { provide: LOGGER, useValue: logger },
    { provide: MARKS, useValue: marksIn(reads) },
    { provide: TileStore, useValue: new TileStore(reads) },
    { provide: SETTINGS, useValue: settings },
    { provide: SESSION_RULES, useValue: sessionRules },
    { provide: BackupArchive, useValue: new BackupArchive(backupDirectory(config)) },
  ];
};

const httpProviders: Provider[] = [
  { provide: AUTHENTICATOR, useClass: StreamAuthenticator },
  { provide: RATE_LIMITER, useClass: CacheRateLimiter },
  ReadYourWrites,
  IntakeBackpressure,
  SaleBatches,
  Services,
  KeyedCreations,
  JobFeed,
  FactorTokens,
];
