import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { catalogue } from './catalogue.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { isTransient, whenEnginesAnswer } from './patience.js';
import { createHttpApp } from './http/adapter.js';
import { ErrorRecorder } from './commands/error-recorder.js';
import { CommandGateway } from './http/command-gateway.js';
import { installConsole } from './http/console-page.js';
import { installDocs } from './http/docs-page.js';
import { ErrorObserver } from './http/error-observer.js';
import { RequestMetrics } from './http/request-metrics.js';
import { countRequests } from './http/request-pace.js';
import { DeadLetters, letterOf } from './integration/dead-letters.js';
import { JobLeader, JOBS_LEASE } from './jobs/job-leader.js';
import type { Outcome } from './http/kernel.js';
import { leadPushes, openPush } from './notifications.js';
import { AccessTokens } from './platform/access-tokens.js';
import { FilledModels } from './platform/filled-models.js';
import type { Led } from './platform/leadership.js';
import { ModelFollower } from './platform/model-follower.js';
import { Pace } from './platform/pace.js';
import type { Policy } from './platform/policy.js';
import { AUTHENTICATOR, RATE_LIMITER, type Authenticator, type RateLimiter } from './platform/principal.js';
import { PushClient } from './platform/push-client.js';
import { ReadModels } from './platform/query.js';
import { WindowedSubscriber } from './platform/windowed-subscriber.js';
import { ServiceSubscriberOffice } from './subscriber-office.js';
import { POLICIES } from './policies/policies.js';
import { RestorationWatch } from './policies/restoration-watch.js';
import { projections } from './projections/projections.js';
import { Observation } from './observation.js';
import { packageFolder, version } from './version.js';

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
  const { clock, ids, bareLogger: logger, errors } = engines;
  const tokens = await openTokens(config, engines);
  const pace = new Pace(clock, engines.busyShare);
  let openApi = () => '';
  const requests = new RequestMetrics(engines.metrics.registry);
  const module = AppModule.over(config, engines, tokens, await openPush(config, engines));
  const { app } = await createHttpApp(
    module,
    (nest) => ({
      metricsToken: config.METRICS_TOKEN,
      authenticator: nest.get<Authenticator>(AUTHENTICATOR),
      rateLimiter: nest.get<RateLimiter>(RATE_LIMITER),
      clock,
      ids,
      logger,
      observe: observing(engines, requests),
      waitForPosition: (position) => nest.get(CommandGateway).waitForPosition(position),
      asRead: nest.get(FilledModels).asRead,
    }),
    {
      trustProxy: config.TRUST_PROXY,
      beforeRoutes: (server, kernel) => {
        countRequests(server, pace);
        meterRequests(server.server, requests);
        openApi = installDocs(server, kernel, { title: 'Kontor', version });
        installConsole(server, fileURLToPath(new URL('dist/console', packageFolder)));
      },
    },
  );
  errors.attach((report) => app.get(ErrorRecorder).record(report));
  const follower = followerOf(app, engines);
  await engines.startSubscribers(app.get(ServiceSubscriberOffice));
  const tables = await whenEnginesAnswer(engines, () => follower.start());
  for (const table of tables) app.get(ReadModels).serve(table);
  // Indexes are built by those who fill the tables, when it is time.
  await whenEnginesAnswer(engines, () => engines.reads.prepare(tables, { bulk: true }));
  const filled = app.get(FilledModels);
  await whenEnginesAnswer(engines, () => filled.all());
  await app.init();
  const observation = app.get(Observation);
  for (const part of [filled, observation]) part.start();
  const policies = config.ROLES.includes('policies') ? leadPolicies(app, engines, pace) : [];
  const jobs = config.ROLES.includes('jobs') ? leadJobs(app, engines) : undefined;
  return {
    app,
    engines,
    openApi: () => openApi(),
    listen: () => app.listen(config.PORT, config.HOST).then(() => app.getUrl()),
    close: async () => {
      // Runs of jobs take their time to end: they are told first.
      const jobsEnd = jobs?.stop();
      await closeServer(app);
      const parts = [follower, filled, observation, ...policies].map((part) => part.stop());
      await Promise.all([jobsEnd, errors.close(), ...parts]);
      app.get(PushClient).close();
      await engines.close();
    },
  };
}

/** Not by Fastify's hooks: a request that the kernel's hook refuses does not come to the next ones, and ends all the same. */
function meterRequests(server: Server, requests: RequestMetrics): void {
  server.on('request', (_request, response) => {
    requests.begins();
    response.once('close', () => {
      requests.ends();
    });
  });
}

const openTokens = (config: Config, { clock, logger }: Engines): Promise<AccessTokens> =>
  AccessTokens.open(config.DATA_DIR, {
    issuer: config.JWT_ISSUER,
    audience: config.JWT_AUDIENCE,
    signingKey: config.JWT_SIGNING_KEY,
    clock,
    logger,
  });

/** What is told of every request's end. */
function observing({ errors, clock }: Engines, requests: RequestMetrics): (outcome: Outcome) => void {
  const observer = new ErrorObserver((noted) => {
    errors.note(noted);
  }, clock);
  return (outcome) => {
    requests.observe(outcome);
    observer.observe(outcome);
  };
}

/** Keeps queries at the live tables, and knows what other replicas have projected. */
function followerOf(app: NestFastifyApplication, engines: Engines): ModelFollower {
  const { reads, progress, clock, logger } = engines;
  const models = projections.map(({ model }) => model);
  const follower = new ModelFollower(reads, models, progress, clock, logger, async (table) => {
    await engines.reads.prepare([table], { bulk: true });
    app.get(ReadModels).serve(table);
  });
  app.get(ReadModels).whenKnown = () => follower.whenKnown();
  engines.onProjecting((projectsHere) => {
    follower.leads(projectsHere);
  });
  return follower;
}

/** Each policy runs where this process leads in it. */
function leadPolicies(app: NestFastifyApplication, engines: Engines, pace: Pace): Led[] {
  const deadLetters = app.get(DeadLetters);
  const led = app.get<readonly Policy[]>(POLICIES).map((policy) =>
    engines.leadership.lead(`policy:${policy.name}`, async () => {
      const subscriber = subscriberOf(policy, engines, deadLetters, pace);
      await subscriber.start();
      return subscriber;
    }),
  );
  const watch = app.get(RestorationWatch);
  const watching = engines.leadership.lead(`policy:${watch.name}`, () => Promise.resolve(watch.start()));
  return [...led, watching, leadPushes(app, engines)];
}

const leadJobs = (app: NestFastifyApplication, engines: Engines): Led =>
  engines.leadership.lead(JOBS_LEASE, (term, stale) => app.get(JobLeader).begin(term, stale));

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

function subscriberOf(policy: Policy, engines: Engines, deadLetters: DeadLetters, pace: Pace): WindowedSubscriber {
  const { events, checkpoints, clock, logger, queues } = engines;
  return new WindowedSubscriber(events, catalogue, checkpoints, clock, logger, {
    name: policy.name,
    filter: { on: 'type', prefixes: policy.types },
    handle: (event) => policy.react(event),
    pace: (event) => pace.turn(event.recordedAtMs),
    isTransient,
    ...(policy.inOrder && { maxInFlight: 1 }),
    meter: queues.meters.of(policy.name, 'policy'),
    park: (event, error) => deadLetters.park(letterOf(policy.letters ?? 'POLICY', policy.name, event, error)),
  });
}
