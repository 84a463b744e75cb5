import { Controller, Inject, Param } from '@nestjs/common';
import { z } from 'zod';
import { faultsOf } from '../platform/faults.js';
import type { OperatorPrincipal } from '../platform/principal.js';
import { Progress } from '../platform/progress.js';
import { QueueBoard } from '../platform/queue-board.js';
import { CACHE, type Cache, type CacheStatus } from '../ports/cache.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { answer, type Answer } from './answer.js';
import { Caller, Endpoint } from './endpoint.js';
import { refuse } from './request-input.js';
import { CommandResponseDto, instantOut, named } from './shapes.js';

/** A cache that takes longer is told as degraded: every request of a partner waits for it. */
const SLOW_MS = 100;
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

const params = z.object({ pattern: z.string().min(1).max(MAX_PATTERN_LENGTH) });
const declared = { who: 'platform', tag: 'Platform Cache Management' } as const;

/** The cache that REDIS_URL names (or the process's own), and the queues of the service. */
@Controller()
export class CacheController {
  constructor(
    @Inject(CACHE) private readonly cache: Cache,
    @Inject(QueueBoard) private readonly board: QueueBoard,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/redis/status',
    summary: 'The cache and its figures; while it is away `connected` is false',
    answers: { status: 200, shape: 'envelope', schema: CacheStatusDto },
  })
  async status(): Promise<CacheStatus> {
    const status = await this.cache.status();
    return { ...status, latencyMs: rounded(status.latencyMs) };
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/redis/queues',
    summary: 'How far projections, policies and the forwarder are, and how fast, whichever replica works on them',
    answers: { status: 200, shape: 'envelope', schema: QueueMetricsDto },
  })
  async queues(): Promise<z.output<typeof QueueMetricsDto>> {
    return { queues: await this.board.list() };
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/redis/health',
    summary: 'Whether the cache answers',
    answers: { status: 200, shape: 'envelope', schema: CacheHealthDto },
  })
  async health(): Promise<z.output<typeof CacheHealthDto>> {
    const beganAtMs = this.clock.monotonicMs();
    const elapsed = () => rounded(this.clock.monotonicMs() - beganAtMs);
    return this.cache.facts().then(
      () => ({ status: elapsed() > SLOW_MS ? ('degraded' as const) : ('up' as const), latencyMs: elapsed() }),
      () => ({ status: 'down' as const, latencyMs: elapsed() }),
    );
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path: '/api/platform/redis/cache/:pattern',
    summary: 'Remove the entries of the cache whose keys match a glob; counters (rate limits) stay',
    description:
      'A glob as Redis has it: `*`, `?`, `[a-z]`, `[^a-z]`, and `\\` before what is meant literally. Whatever is removed is made anew when it is needed. 503 where the cache is away, or went away when only some were removed.',
    ifMatch: false,
    answers: { status: 200, shape: 'command', schema: ClearCacheResultDto },
  })
  async clear(@Param() given: unknown, @Caller() caller: OperatorPrincipal): Promise<Answer> {
    const { pattern } = patternOf(given);
    const cleared = await this.cache.clear(pattern);
    // No record changes, so there is no event; who did it is told by the log.
    this.logger.info({ userId: caller.userId, pattern, cleared }, 'the cache was cleared');
    const position = Math.max(0, ...this.progress.names.map((name) => this.progress.position(name)));
    return answer({ success: true, id: pattern, revision: -1, cleared }, { position });
  }
}

function patternOf(given: unknown): z.output<typeof params> {
  const result = params.safeParse(given);
  if (!result.success) throw refuse(faultsOf(result.error));
  return result.data;
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
