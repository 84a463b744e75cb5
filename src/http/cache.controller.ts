import type { Query } from '@nestjs/cqrs';
import { z } from 'zod';
import { RewindStart } from '../aggregates/forwarder.aggregate.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';
import { Progress } from '../projecting/progress.js';
import { QueueBoard, type QueueState } from '../observability/queue-board.js';
import { QueueSample } from '../observability/queue-history.js';
import { GetForwarder, ListPauses } from '../queries/operation.queries.js';
import { CACHE, type Cache } from '../ports/cache.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { answer } from './answer.js';
import { queryBooleanOr } from './input.js';
import { parsed } from './request-input.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';
import { CommandResponseDto, instantOut, named } from './shapes.js';

/** Response time above which the cache is reported as degraded, because every partner request waits for the cache. */
const SLOW_MS = 100;
const ANSWER_WITHIN_MS = 2_000;
const MAX_PATTERN_LENGTH = 256;

const CacheStatusDto = named(
  'CacheStatusDto',
  z.object({
    store: z.enum(['redis', 'memory']),
    connected: z.boolean(),
    latencyMs: z.number().min(0),
    version: z.string().nullable(),
    uptimeSeconds: z.int().min(0),
    usedMemoryBytes: z
      .int()
      .min(0)
      .meta({ description: 'Memory used by the Redis server or, if the cache is in memory, by this process.' }),
    keyCount: z.int().min(0).meta({
      description: 'Number of entries, excluding counters. If there are more than 100,000 keys, this is an estimate.',
    }),
    hitRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: "Fraction of this process's lookups that were hits; null before the first lookup." }),
  }),
);

const CacheHealthDto = named(
  'CacheHealthDto',
  z.object({
    status: z.enum(['up', 'degraded', 'down']).meta({
      description: '`degraded`: responses take more than 100 ms. `down`: the cache does not respond.',
    }),
    latencyMs: z.number().min(0),
  }),
);

const rewindRequest = {
  from: RewindStart,
  upTo: z.int().meta({
    description: 'Position of the last event to republish: the end of the history when the rewind was requested.',
  }),
  requestedAt: instantOut,
  tenantId: z.string().nullable().meta({ description: 'Tenant whose messages are republished; null for all tenants.' }),
  types: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Glob patterns for the message types to republish; null for all types.' }),
} as const;
const ForwarderDto = named(
  'ForwarderDto',
  z.object({
    state: z.enum(['RUNNING', 'PAUSED', 'WAITING_FOR_RESUME']).meta({
      description:
        '`WAITING_FOR_RESUME`: no checkpoint exists, because the history was restored or the read models were lost.',
    }),
    pausedAt: instantOut.nullable().meta({ description: 'Time at which the forwarder was paused or began to wait.' }),
    rewind: z
      .object({
        ...rewindRequest,
        position: z.int().min(-1).meta({ description: 'Position of the last republished event.' }),
        published: z.int().min(0).meta({ description: 'Number of events republished so far.' }),
        progress: z.int().min(0).max(100).meta({ description: 'Progress in percent.' }),
      })
      .nullable()
      .meta({ description: 'The rewind in progress; null if there is none.' }),
    waitingRewinds: z.int().min(0).meta({ description: 'Number of rewinds waiting for the current one to finish.' }),
    lastRewind: z
      .object({
        ...rewindRequest,
        status: z.enum(['DONE', 'CANCELLED']),
        published: z
          .int()
          .min(0)
          .nullable()
          .meta({ description: 'Number of republished events; null if the rewind was cancelled.' }),
        endedAt: instantOut,
      })
      .nullable(),
  }),
);

export const QueueDto = named(
  'QueueDto',
  z.object({
    name: z.string(),
    kind: z.enum(['projection', 'policy', 'forwarder', 'push', 'integrity']),
    position: z.int().nullable().meta({ description: 'Position of the last processed event.' }),
    head: z.int().nullable().meta({ description: "Position of the service's last event." }),
    lag: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          '0 if no relevant event is outstanding; otherwise head − position. On the embedded engine, this is an ' +
          'upper bound on the number of events. On EventStoreDB, the lag is measured in bytes of the log.',
      }),
    inFlight: z.int().min(0),
    failures: z.int().min(0).meta({ description: 'Number of failed attempts since the leading process started.' }),
    perMinute: z.int().min(0).meta({ description: 'Number of events processed in the last 60 seconds.' }),
    lastProcessedAt: instantOut.nullable(),
    pausedAt: instantOut.nullable().meta({
      description:
        'Time at which an operator paused the policy or forwarder. Null while it runs, and while the event store is ' +
        'unavailable.',
    }),
    forwarder: ForwarderDto.nullable().meta({
      description: "The forwarder's state and rewinds. Null for other queues and while the event store is unavailable.",
    }),
  }),
);
const QueueSampleDto = named('QueueSampleDto', QueueSample);
const QueueMetricsDto = named(
  'QueueMetricsDto',
  z.object({
    queues: z.array(QueueDto),
    history: z
      .array(QueueSampleDto)
      .optional()
      .meta({
        description:
          'With `history=true`: samples from the last 24 hours, oldest first. Samples are taken every 10 seconds. ' +
          'Samples older than an hour are combined into one for each five minutes, with the largest lags.',
      }),
  }),
);
const queuesQuery = z.strictObject({ history: queryBooleanOr(false) });
const ClearCacheResultDto = named(
  'ClearCacheResultDto',
  CommandResponseDto.extend({
    id: z.string().meta({ description: 'The requested pattern.' }),
    revision: z.literal(-1),
    cleared: z.int().min(0).meta({ description: 'Number of deleted entries.' }),
  }),
);

const clearParams = z.object({ pattern: z.string().min(1).max(MAX_PATTERN_LENGTH) });
const routes = routesAt('/api/platform/redis', { who: 'platform', tag: 'Platform Cache Management' });

export const CacheController = controllerOf(
  routes.route(
    'Get cache statistics',
    {
      path: '/status',
      description: '`connected` is false while the cache is unavailable.',
      answers: valueOf(CacheStatusDto),
    },
    async (_call, services) => {
      const status = await services.get<Cache>(CACHE).status();
      return { ...status, latencyMs: rounded(status.latencyMs) };
    },
  ),
  routes.route(
    'List the queues of all replicas with their lag and processing rate',
    { path: '/queues', query: queuesQuery, answers: valueOf(QueueMetricsDto) },
    async ({ query }, services): Promise<z.output<typeof QueueMetricsDto>> => {
      const look = <T>(wanted: Query<T>) =>
        withTimeout(services.get<Clock>(CLOCK), ANSWER_WITHIN_MS, () => services.queries.execute(wanted));
      const board = services.get(QueueBoard);
      const [queues, forwarder = null, pauses] = await Promise.all([
        board.list(),
        look(new GetForwarder()),
        look(new ListPauses()),
      ]);
      const own = ({ name, kind }: QueueState) =>
        kind === 'forwarder'
          ? { pausedAt: forwarder?.pausedAt ?? null, forwarder }
          : { pausedAt: (kind === 'policy' && pauses?.get(name)) || null, forwarder: null };
      return {
        queues: queues.map((queue) => ({ ...queue, ...own(queue) })),
        ...(query.history && { history: [...board.history()] }),
      };
    },
  ),
  routes.route(
    'Check whether the cache responds',
    { path: '/health', answers: valueOf(CacheHealthDto) },
    (_call, services): Promise<z.output<typeof CacheHealthDto>> => {
      const clock = services.get<Clock>(CLOCK);
      const beganAtMs = clock.monotonicMs();
      const elapsed = () => rounded(clock.monotonicMs() - beganAtMs);
      return services
        .get<Cache>(CACHE)
        .facts()
        .then(
          () => ({ status: elapsed() > SLOW_MS ? 'degraded' : 'up', latencyMs: elapsed() }),
          () => ({ status: 'down', latencyMs: elapsed() }),
        );
    },
  ),
  routes.route(
    'Delete the cache entries whose keys match a glob, except rate limit counters',
    {
      method: 'DELETE',
      path: '/cache/:pattern',
      description:
        'The glob uses Redis syntax: `*`, `?`, `[a-z]`, `[^a-z]`, and `\\` before a literal character. Deleted ' +
        'entries are recomputed when needed. Returns 503 if the cache is unavailable or fails after deleting some ' +
        'entries.',
      ifMatch: false,
      answers: { ...receipt(200), schema: ClearCacheResultDto },
    },
    async ({ caller, params }, services) => {
      const { pattern } = parsed(clearParams, params);
      const cleared = await services.get<Cache>(CACHE).clear(pattern);
      // Clearing the cache changes no record, so no event contains the operator. Log the operator instead.
      services.get<Logger>(LOGGER).info({ userId: caller.userId, pattern, cleared }, 'the cache was cleared');
      const progress = services.get(Progress);
      const position = Math.max(0, ...progress.names.map((name) => progress.position(name)));
      return answer({ success: true, id: pattern, revision: -1, cleared }, { position });
    },
  ),
);

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
