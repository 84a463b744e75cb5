import { z } from 'zod';
import { RewindStart } from '../aggregates/forwarder.aggregate.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';
import { Progress } from '../projecting/progress.js';
import { QueueBoard } from '../observability/queue-board.js';
import { GetForwarder } from '../queries/operation.queries.js';
import { CACHE, type Cache } from '../ports/cache.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { answer } from './answer.js';
import { parsed } from './request-input.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';
import { CommandResponseDto, instantOut, named } from './shapes.js';

/** A slower cache is reported as degraded, because every partner request waits for it. */
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
    usedMemoryBytes: z.int().min(0).meta({ description: "Of the whole server; of this process's cache in memory." }),
    keyCount: z.int().min(0).meta({ description: 'Entries, without counters; an estimate beyond 100,000 keys.' }),
    hitRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Of this process; null before the first look-up.' }),
  }),
);

const CacheHealthDto = named(
  'CacheHealthDto',
  z.object({
    status: z.enum(['up', 'degraded', 'down']).meta({ description: '`degraded`: it takes over 100 ms to answer.' }),
    latencyMs: z.number().min(0),
  }),
);

const rewindRequest = {
  from: RewindStart,
  upTo: z.int().meta({ description: 'The end of the history when the rewind was requested: the last position.' }),
  requestedAt: instantOut,
} as const;
const ForwarderDto = named(
  'ForwarderDto',
  z.object({
    state: z.enum(['RUNNING', 'PAUSED', 'WAITING_FOR_RESUME']).meta({
      description: '`WAITING_FOR_RESUME`: it has no checkpoint, after a restore or the loss of the read models.',
    }),
    pausedAt: instantOut.nullable().meta({ description: 'Since when it is paused or waits.' }),
    rewind: z
      .object({
        ...rewindRequest,
        position: z.int().min(-1).meta({ description: 'Everything up to it is published again.' }),
        published: z.int().min(0).meta({ description: 'Events published again so far.' }),
        progress: z.int().min(0).max(100).meta({ description: 'Percent of the positions.' }),
      })
      .nullable()
      .meta({ description: 'The one under way.' }),
    waitingRewinds: z.int().min(0).meta({ description: 'Rewinds that begin after the one under way.' }),
    lastRewind: z
      .object({
        ...rewindRequest,
        status: z.enum(['DONE', 'CANCELLED']),
        published: z.int().min(0).nullable().meta({ description: 'Events published again; null where cancelled.' }),
        endedAt: instantOut,
      })
      .nullable(),
  }),
);

export const QueueDto = named(
  'QueueDto',
  z.object({
    name: z.string(),
    kind: z.enum(['projection', 'policy', 'forwarder', 'push']),
    position: z.int().nullable().meta({ description: 'Everything up to it is done.' }),
    head: z.int().nullable().meta({ description: "Position of the service's last event." }),
    lag: z.int().min(0).nullable().meta({
      description:
        '0 where nothing that concerns the queue is outstanding, else head − position: on the embedded engine at most so many events, on EventStoreDB bytes of its log.',
    }),
    inFlight: z.int().min(0),
    failures: z.int().min(0).meta({ description: 'Attempts that failed, since the process that leads in it began.' }),
    perMinute: z.int().min(0).meta({ description: 'Events handled in the last 60 seconds.' }),
    lastProcessedAt: instantOut.nullable(),
    forwarder: ForwarderDto.nullable().meta({
      description:
        'Of the forwarder: whether it is paused, and its rewinds. Null for other queues, and while the event store does not answer.',
    }),
  }),
);
const QueueMetricsDto = named('QueueMetricsDto', z.object({ queues: z.array(QueueDto) }));
const ClearCacheResultDto = named(
  'ClearCacheResultDto',
  CommandResponseDto.extend({
    id: z.string().meta({ description: 'The pattern.' }),
    revision: z.literal(-1),
    cleared: z.int().min(0).meta({ description: 'Entries removed.' }),
  }),
);

const clearParams = z.object({ pattern: z.string().min(1).max(MAX_PATTERN_LENGTH) });
const routes = routesAt('/api/platform/redis', { who: 'platform', tag: 'Platform Cache Management' });

export const CacheController = controllerOf(
  routes.route(
    'Get the figures of the cache; `connected` is false while it is away',
    { path: '/status', answers: valueOf(CacheStatusDto) },
    async (_call, services) => {
      const status = await services.get<Cache>(CACHE).status();
      return { ...status, latencyMs: rounded(status.latencyMs) };
    },
  ),
  routes.route(
    'List the queues of projections, policies and the forwarder, of all replicas, with lag and rate',
    { path: '/queues', answers: valueOf(QueueMetricsDto) },
    async (_call, services): Promise<z.output<typeof QueueMetricsDto>> => {
      const look = () => services.queries.execute(new GetForwarder());
      const [queues, forwarder = null] = await Promise.all([
        services.get(QueueBoard).list(),
        withTimeout(services.get<Clock>(CLOCK), ANSWER_WITHIN_MS, look),
      ]);
      return {
        queues: queues.map((queue) => ({ ...queue, forwarder: queue.kind === 'forwarder' ? forwarder : null })),
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
    'Delete the cache entries whose keys match a glob; rate limit counters stay',
    {
      method: 'DELETE',
      path: '/cache/:pattern',
      description:
        'The glob is as in Redis: `*`, `?`, `[a-z]`, `[^a-z]`, and `\\` before a literal character. Deleted entries are ' +
        'recomputed when they are needed. 503 if the cache is away, or failed after some entries were deleted.',
      ifMatch: false,
      answers: { ...receipt(200), schema: ClearCacheResultDto },
    },
    async ({ caller, params }, services) => {
      const { pattern } = parsed(clearParams, params);
      const cleared = await services.get<Cache>(CACHE).clear(pattern);
      // Clearing changes no record, so there is no event; the log records who did it.
      services.get<Logger>(LOGGER).info({ userId: caller.userId, pattern, cleared }, 'the cache was cleared');
      const progress = services.get(Progress);
      const position = Math.max(0, ...progress.names.map((name) => progress.position(name)));
      return answer({ success: true, id: pattern, revision: -1, cleared }, { position });
    },
  ),
);

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
