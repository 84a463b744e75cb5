import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ErrorRecorder } from '../commands/error-recorder.js';
import type { Config } from '../config.js';
import { Backpressure } from '../eventsourcing/backpressure.js';
import { whenEnginesAnswer } from '../eventsourcing/transient-errors.js';
import { createHttpApp } from '../http/adapter.js';
import type { AdmissionOptions } from '../http/admission.js';
import { ReadYourWrites } from '../http/read-your-writes.js';
import { installConsole } from '../http/console-page.js';
import { installDocs } from '../http/docs-page.js';
import { Draining } from '../http/draining.js';
import { ErrorObserver } from '../http/error-observer.js';
import type { Outcome } from '../http/kernel.js';
import { KeyedCreations } from '../http/keyed-creations.js';
import { countRequests } from '../http/request-backpressure.js';
import { meterInFlight, requestMetrics } from '../http/request-metrics.js';
import { JobLeader, JOBS_LEASE } from '../jobs/job-leader.js';
import { AUTHENTICATOR, RATE_LIMITER, type Authenticator, type RateLimiter } from '../security/principal.js';
import { PushClient } from '../security/push-client.js';
import { WebhookSender } from '../security/webhook-sender.js';
import type { Logger } from '../ports/log.js';
import { AppModule, controllersOf, openParts } from './app.module.js';
import { coreOf, type Core } from './core.js';
import type { Engines } from './engines.js';
import { leadPolicies } from './lead-policies.js';
import { Observation } from './observation.js';
import { FIXED_TABLES } from './subscribers.js';
import { packageFolder, version } from './version.js';

export type Service = {
  readonly app: NestFastifyApplication;
  readonly engines: Engines;
  /** Returns the text of /openapi.json. */
  readonly openApi: () => string;
  /** Starts listening and returns the address. */
  listen(): Promise<string>;
  /**
   * Stops accepting connections and continues to serve open ones for `graceMs` (default: 0). Then completes requests in
   * progress, within REQUESTS_WITHIN_MS, stops policies and subscribers, and closes the engines.
   */
  close(graceMs?: number): Promise<void>;
};

/**
 * Composes the service from engines that are already open, and starts subscribers and policies, without listening. With
 * `early`, the service listens immediately, even while engines are unavailable. It then responds only to probes and
 * metrics requests until `listen` is called.
 */
export async function createService(config: Config, engines: Engines, { early = false } = {}): Promise<Service> {
  const { errors } = engines;
  const core = coreOf(engines);
  // The subscribers' thread loads its code while the rest of the service is composed.
  const subscribers = engines.startSubscribers(core.callbacks);
  subscribers.catch(() => undefined);
  const backpressure = new Backpressure(engines.clock, engines.eventLoopUtilization);
  const { app, openApi, draining } = await composeApp(config, engines, core, backpressure);
  errors.attach((report) => app.get(ErrorRecorder).record(report));
  const observation = app.get(Observation);
  const listen = () => app.listen(config.PORT, config.HOST);
  observation.readiness.isOpen = !early;
  if (early) await listen();
  await engines.whenSettled();
  await subscribers;
  const tables = await whenEnginesAnswer(engines, () => core.follower.start());
  // Skip the indexes here. The subscribers build them when they fill the tables.
  await whenEnginesAnswer(engines, () => engines.reads.prepare([...tables, ...FIXED_TABLES], { bulk: true }));
  // Determine which read models are complete. Reading any other model waits until it is complete, or fails with 503
  // READ_MODEL_BEHIND.
  await whenEnginesAnswer(engines, () => core.readiness.all());
  await app.init();
  const watching = [core.readiness, observation];
  for (const part of watching) part.start();
  core.recordFollower?.start();
  const policies = config.ROLES.includes('policies') ? leadPolicies(app, engines, backpressure) : [];
  const jobs = config.ROLES.includes('jobs')
    ? engines.leadership.lead(JOBS_LEASE, (term, stale) => app.get(JobLeader).begin(term, stale))
    : undefined;
  return {
    app,
    engines,
    openApi,
    listen: async () => {
      if (!early) await listen();
      observation.readiness.isOpen = true;
      return app.getUrl();
    },
    close: async (graceMs = 0) => {
      // Stop the jobs first, because their runs take time to stop.
      const jobsEnd = jobs?.stop();
      await closeServer(app, draining, graceMs, engines.bareLogger);
      const parts = [core.follower, ...watching, ...policies].map((part) => part.stop());
      await Promise.all([jobsEnd, errors.close(), core.recordFollower?.stop(), ...parts]);
      app.get(PushClient).close();
      app.get(WebhookSender).close();
      await engines.close();
    },
  };
}

async function composeApp(config: Config, engines: Engines, core: Core, backpressure: Backpressure) {
  const { clock, ids, bareLogger: logger } = engines;
  let openApi = () => '';
  const requests = requestMetrics(engines.metrics.registry);
  const module = AppModule.over(config, engines, await openParts(config, engines, core));
  const { app } = await createHttpApp(
    module,
    (nest) => {
      const { readiness } = nest.get(Observation);
      const writes = nest.get(ReadYourWrites);
      return {
        ...admissionOf(config),
        authenticator: nest.get<Authenticator>(AUTHENTICATOR),
        rateLimiter: nest.get<RateLimiter>(RATE_LIMITER),
        ...{ clock, ids, logger, creations: nest.get(KeyedCreations) },
        observe: observing(engines, requests),
        waitForPosition: (position, tenantId) => writes.waitForPosition(position, tenantId),
        asRead: core.readiness.asRead,
        assertWritable: engines.history.assertSound,
        isOpen: () => readiness.isOpen,
      };
    },
    {
      trustProxy: config.TRUST_PROXY,
      controllers: controllersOf(config),
      beforeRoutes: (server, kernel) => {
        countRequests(server, backpressure);
        openApi = installDocs(server, kernel, { title: 'Kontor', version });
        installConsole(server, fileURLToPath(new URL('dist/console', packageFolder)));
      },
    },
  );
  const draining = new Draining(app.getHttpServer());
  meterInFlight(engines.metrics.registry, () => draining.inFlight);
  return { app, openApi: () => openApi(), draining };
}

const admissionOf = (config: Config): Pick<AdmissionOptions, 'metricsToken' | 'limits' | 'allowedHosts'> => ({
  metricsToken: config.METRICS_TOKEN,
  allowedHosts: config.ALLOWED_HOSTS,
  limits: {
    address: config.ADDRESS_REQUESTS_PER_MINUTE,
    user: config.USER_REQUESTS_PER_MINUTE,
    userWrites: config.USER_WRITES_PER_MINUTE,
    tenant: config.TENANT_REQUESTS_PER_MINUTE,
  },
});

function observing(
  { errors, clock }: Engines,
  requests: ReturnType<typeof requestMetrics>,
): (outcome: Outcome) => void {
  const observer = new ErrorObserver(errors.note, clock);
  return (outcome) => {
    requests.observe(outcome);
    observer.observe(outcome);
  };
}

const CLOSE_IDLE_EVERY_MS = 50;
/**
 * Maximum time for requests in progress after the grace period. The process's drain time must leave enough time to
 * release the leases and close the engines afterwards.
 */
const REQUESTS_WITHIN_MS = 5_000;

/**
 * When a server closes, Node.js closes idle connections and waits for the others. Connections that become idle later
 * would remain open until their keep-alive timeout, and connections without a request until their own timeout, so they
 * are closed here. So are connections whose clients read their responses too slowly.
 */
async function closeServer(
  app: NestFastifyApplication,
  draining: Draining,
  graceMs: number,
  logger: Logger,
): Promise<void> {
  await draining.begin(graceMs);
  const idle = setInterval(() => {
    draining.closeIdle();
  }, CLOSE_IDLE_EVERY_MS);
  const limit = setTimeout(() => {
    logger.warn({ requests: draining.inFlight }, 'requests took too long to drain; closing their connections');
    app.getHttpServer().closeAllConnections();
  }, REQUESTS_WITHIN_MS);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(limit);
  }
}
