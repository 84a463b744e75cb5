import { createRequire } from 'node:module';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { catalogue } from './catalogue.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { createHttpApp } from './http/adapter.js';
import { CommandGateway } from './http/command-gateway.js';
import { installDocs } from './http/docs-page.js';
import { DeadLetters, reasonOf } from './integration/dead-letters.js';
import { AccessTokens } from './platform/access-tokens.js';
import { DomainError } from './platform/domain-error.js';
import { Pace } from './platform/pace.js';
import type { Policy } from './platform/policy.js';
import { AUTHENTICATOR, RATE_LIMITER, type Authenticator, type RateLimiter } from './platform/principal.js';
import { ReadModels } from './platform/query.js';
import { WindowedSubscriber } from './platform/windowed-subscriber.js';
import { BookingPolicy } from './policies/booking.policy.js';
import { TenantSeedingPolicy } from './policies/tenant-seeding.policy.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from './ports/event-store.js';
import { ReadStoreUnavailable } from './ports/read-store.js';
import { projections } from './projections/projections.js';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export type Service = {
  readonly app: NestFastifyApplication;
  readonly engines: Engines;
  /** The bytes of /openapi.json. */
  readonly openApi: () => string;
  /** Starts to listen; answers the address. */
  listen(): Promise<string>;
  /** Takes no more requests, answers those under way, stops policies and subscribers, closes the engines. */
  close(): Promise<void>;
};

/** Composes the service over open engines, with subscribers and policies running, and not listening yet. */
export async function createService(config: Config, engines: Engines): Promise<Service> {
  const { clock, ids, logger } = engines;
  const tokens = await AccessTokens.open(config.DATA_DIR, {
    issuer: config.JWT_ISSUER,
    audience: config.JWT_AUDIENCE,
    clock,
  });
  const pace = new Pace(clock);
  let openApi = () => '';
  const { app } = await createHttpApp(
    AppModule.over(config, engines, tokens),
    (nest) => ({
      authenticator: nest.get<Authenticator>(AUTHENTICATOR),
      rateLimiter: nest.get<RateLimiter>(RATE_LIMITER),
      clock,
      ids,
      logger,
      waitForPosition: (position) => nest.get(CommandGateway).waitForPosition(position),
    }),
    {
      trustProxy: config.TRUST_PROXY,
      beforeRoutes: (server, kernel) => {
        server.addHook('onRequest', (_request, _reply, done) => {
          pace.requestBegins();
          done();
        });
        server.addHook('onResponse', (_request, _reply, done) => {
          pace.requestEnds();
          done();
        });
        openApi = installDocs(server, kernel, { title: 'Kontor', version });
      },
    },
  );
  const deadLetters = app.get(DeadLetters);
  await engines.startSubscribers((request) => deadLetters.park(request));
  await serveModels(app, engines);
  await app.init();
  const policies = [app.get(BookingPolicy), app.get(TenantSeedingPolicy)].map((policy) =>
    subscriberOf(policy, engines, deadLetters, pace),
  );
  for (const policy of policies) await policy.start();
  return {
    app,
    engines,
    openApi: () => openApi(),
    listen: async () => {
      await app.listen(config.PORT, config.HOST);
      return app.getUrl();
    },
    close: async () => {
      await closeServer(app);
      await Promise.all(policies.map((policy) => policy.stop()));
      await engines.close();
    },
  };
}

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Node closes the connections that are idle when a server closes, and then waits for the others to end. Those that become
 * idle after their last answer would be waited for until their keep-alive time is over, so they are closed too.
 */
async function closeServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, CLOSE_IDLE_EVERY_MS);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
  }
}

/** Points every read model at its live table. */
async function serveModels(app: NestFastifyApplication, { reads }: Engines): Promise<void> {
  const models = app.get(ReadModels);
  const tables = [];
  for (const { model } of projections)
    tables.push({ model, generation: (await reads.liveGeneration(model.name, model.version)) ?? 1 });
  await reads.prepare(tables);
  for (const table of tables) models.serve(table);
}

/** Faults that pass by themselves: the engine is away, or the record is changed by many at once. */
const isTransient = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable ||
  error instanceof ReadStoreUnavailable ||
  error instanceof AppendOutcomeUnknown ||
  (error instanceof DomainError && error.kind === 'unavailable');

function subscriberOf(policy: Policy, engines: Engines, deadLetters: DeadLetters, pace: Pace): WindowedSubscriber {
  const { events, checkpoints, clock, logger } = engines;
  return new WindowedSubscriber(events, catalogue, checkpoints, clock, logger, {
    name: policy.name,
    filter: { on: 'type', prefixes: policy.types },
    handle: (event) => policy.react(event),
    pace: (event) => pace.turn(event.recordedAtMs),
    isTransient,
    park: ({ id, type, stream, position }, error) =>
      deadLetters.park({
        origin: 'POLICY',
        subscriber: policy.name,
        event: { id, type, stream, position },
        reason: reasonOf(error),
      }),
  });
}
