import { z } from 'zod';
import { answer } from './answer.js';
import { QueueDto } from './cache.controller.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { instantOut, named } from './shapes.js';

export const HEALTH = Symbol('HEALTH');

/** The service's health as seen by this process. Calls complete within seconds, even if engines are unavailable. */
export interface Health {
  basic(): Promise<z.output<typeof BasicHealthDto>>;
  ready(): Promise<ReadinessReport>;
  system(): Promise<z.output<typeof SystemHealthDto>>;
  /** The health report for load balancers, which have no credentials. It contains no addresses or tenant data. */
  probe(): Promise<ProbeReport>;
  /** All process metrics in the Prometheus text format. Never rejects; unknown values are omitted. */
  metrics(): Promise<{ readonly text: string; readonly type: string }>;
}

const Level = z.enum(['up', 'degraded', 'down']);

const CheckDto = z.object({
  name: z
    .string()
    .meta({ description: 'Name of the check: event-store, read-store, subscribers, read-models, broker or cache.' }),
  status: Level.meta({
    description:
      '`degraded`: the process is ready, but a projection has stopped or keeps failing. `down`: the component does not ' +
      'work. Unless it is the broker or the cache, the process is not ready.',
  }),
  latencyMs: z.number().min(0),
  reason: z.string().optional().meta({ description: 'Reason for a status other than `up`.' }),
});
export type Check = z.output<typeof CheckDto>;

const overview = {
  status: Level.meta({
    description:
      '`degraded`: an optional engine is unavailable, or a read model is not updated. `down`: the service cannot ' +
      'serve requests.',
  }),
  version: z.string().meta({ description: 'Version of the service.' }),
  uptimeSeconds: z.int().min(0).meta({ description: 'Time since the start of this process, in seconds.' }),
  timestamp: instantOut,
} as const;

const BasicHealthDto = named('BasicHealthDto', z.object(overview));
const alive = { status: 'alive' } as const;
const Alive = z.object({ status: z.literal('alive') });
const LivenessDto = named('LivenessDto', Alive);
const ReadinessDto = named(
  'ReadinessDto',
  z.object({
    status: z.enum(['ready', 'degraded', 'not-ready']).meta({
      description:
        '`degraded`: the process is ready, but an optional engine is unavailable or a read model is not updated.',
    }),
    checks: z.array(CheckDto),
  }),
);
export type ReadinessReport = z.output<typeof ReadinessDto>;

const ProbeCheck = CheckDto.omit({ latencyMs: true });
export type ProbeReport = {
  readonly status: 'ready' | 'not-ready';
  readonly checks: readonly z.output<typeof ProbeCheck>[];
};
const probeOf = (status: ProbeReport['status']) => z.object({ status: z.literal(status), checks: z.array(ProbeCheck) });

const milliseconds = z.number().min(0);
const bytes = z.int().min(0);
const SystemHealthDto = named(
  'SystemHealthDto',
  z.object({
    ...overview,
    nodeVersion: z.string(),
    roles: z.array(z.string()).meta({ description: 'Roles of this process.' }),
    checks: z.array(CheckDto),
    eventStore: z.object({
      head: z
        .int()
        .nullable()
        .meta({ description: "Position of the service's last event; null while the event store is unavailable." }),
    }),
    engines: z.array(
      z.object({
        name: z.string(),
        engine: z.string().nullable(),
        version: z.string().nullable().meta({
          description: 'Version of the engine; null if the engine is unavailable or does not report its version.',
        }),
      }),
    ),
    projections: z.array(
      QueueDto.pick({ name: true, position: true, lag: true }).extend({
        status: z.enum(['running', 'stopped', 'failed']).meta({
          description: '`stopped`: an event cannot be applied. `failed`: processing fails repeatedly and is retried.',
        }),
      }),
    ),
    policies: z.array(QueueDto.pick({ name: true, position: true, lag: true, pausedAt: true })),
    ranges: z
      .array(
        z.object({
          work: z.enum(['projections', 'policies', 'forwarder']),
          leaders: z.array(z.string().nullable()).meta({
            description: 'Host that leads each range of the history; null for a range without a leader.',
          }),
        }),
      )
      .meta({ description: 'Division of work among replicas. Empty if the service runs as a single process.' }),
    memory: z.object({ rssBytes: bytes, heapTotalBytes: bytes, heapUsedBytes: bytes, externalBytes: bytes }),
    eventLoopDelay: z
      .object({ meanMs: milliseconds, p50Ms: milliseconds, p99Ms: milliseconds, maxMs: milliseconds })
      .meta({ description: 'Event-loop delay of the serving thread over the last 30 to 60 seconds.' }),
  }),
);

const health = routesAt('/api/system/health', { who: 'any', tag: 'System Health' });

export const HealthController = controllerOf(
  health.route('Get the service status', { answers: valueOf(BasicHealthDto) }, (_call, services) =>
    services.get<Health>(HEALTH).basic(),
  ),
  health.route('Check that the process is alive', { path: '/live', answers: valueOf(LivenessDto) }, () => alive),
  health.route(
    'Check whether the process can serve requests, and list the result of each check',
    {
      path: '/ready',
      answers: {
        ...valueOf(ReadinessDto),
        also: { 503: 'The process is not ready. The body lists the reasons.' },
        bodies: { 503: ReadinessDto },
      },
    },
    async (_call, services) => {
      const report = await services.get<Health>(HEALTH).ready();
      return answer(report, { status: report.status === 'not-ready' ? 503 : 200 });
    },
  ),
  routesAt('/api/system/health/system', { who: 'platform', tag: 'System Health' }).route(
    'Get details about the process, its engines and its projections',
    { answers: { ...valueOf(SystemHealthDto), bareRefusals: true } },
    (_call, services) => services.get<Health>(HEALTH).system(),
  ),
);

/** Routes for load balancers, supervisors and Prometheus, in processes of every role. */
export const ProbeController = controllerOf(
  routesAt('/livez', { who: 'public', tag: 'Service' }).route(
    'Check that the process is alive',
    { answers: { status: 200, shape: 'plain', schema: Alive } },
    () => alive,
  ),
  routesAt('/readyz', { who: 'public', tag: 'Service' }).route(
    'Check whether the service can serve requests',
    {
      answers: {
        status: 200,
        shape: 'plain',
        schema: probeOf('ready'),
        also: { 503: 'The service is not ready.' },
        bodies: { 503: probeOf('not-ready') },
      },
    },
    async (_call, services) => {
      const report = await services.get<Health>(HEALTH).probe();
      return answer(report, { status: report.status === 'ready' ? 200 : 503 });
    },
  ),
  routesAt('/metrics', { who: 'token', tag: 'Service' }).route(
    'Get metrics in the Prometheus text format',
    { answers: { status: 200, shape: 'plain', media: ['text/plain'] } },
    async (_call, services) => {
      const { text, type } = await services.get<Health>(HEALTH).metrics();
      return answer(text, { type });
    },
  ),
);
