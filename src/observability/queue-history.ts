import { z } from 'zod';
import { InstantText } from '../aggregates/fields.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import type { QueueState } from './queue-board.js';
import type { QueueKind } from './queue-meters.js';

const lag = z.int().min(0).optional();
const lags = z.object({ projection: lag, policy: lag, forwarder: lag, push: lag, integrity: lag });
/** The state of the queues at a point in time. */
export const QueueSample = z.object({
  at: InstantText,
  head: z.int().nullable().meta({ description: "Position of the service's last event." }),
  lags: lags.meta({ description: 'Largest lag for each kind of queue. Kinds without a known lag are omitted.' }),
});
export type QueueSample = z.output<typeof QueueSample>;

/** Where the samples are kept while the service is stopped. Samples may be lost. */
export type SampleStore = {
  /** Returns the text that was saved last; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
};

export type QueueHistoryParts = {
  readonly list: () => Promise<readonly QueueState[]>;
  readonly store: SampleStore;
  readonly clock: Clock;
  readonly logger: Logger;
};

const SAMPLE_EVERY_MS = 10_000;
/** Number of samples between two saves: a minute. */
const SAVE_EVERY = 6;
/** Number of recent samples to keep, covering one hour. */
const MAX_SAMPLES = 360;
/** Number of older samples that are combined into one, which covers five minutes. */
const COMBINED = 30;
/** Number of combined samples to keep, covering 23 hours. */
const MAX_COMBINED = 276;
export const KEPT_FOR_MS = 24 * 60 * 60_000;

const Samples = z.object({ recent: z.array(QueueSample), older: z.array(QueueSample) }).readonly();
type Samples = z.output<typeof Samples>;

/** Samples the queues, and keeps the samples across restarts, so that operators also see what preceded a restart. */
export class QueueHistory {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private samples: Samples = { recent: [], older: [] };

  constructor(private readonly parts: QueueHistoryParts) {}

  start(): void {
    this.running = this.run();
  }

  /**
   * Returns the samples from the last 24 hours, oldest first. Samples older than an hour cover five minutes each. Times
   * at which the service was stopped have no samples.
   */
  list(): readonly QueueSample[] {
    const since = new Date(this.parts.clock.nowMs() - KEPT_FOR_MS).toISOString();
    return [...this.samples.older, ...this.samples.recent].filter(({ at }) => at >= since);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, list } = this.parts;
    const { signal } = this.stopping;
    // Saving waits for this, so that it does not replace the earlier samples.
    const loading = this.attempt(() => this.load());
    for (let count = 1; ; count += 1) {
      await clock.sleep(SAMPLE_EVERY_MS, signal);
      if (signal.aborted) break;
      this.keep(sampleOf(await list(), clock.nowMs()));
      if (count % SAVE_EVERY !== 0) continue;
      await loading;
      await this.attempt(() => this.save());
    }
    await loading;
    await this.attempt(() => this.save());
  }

  private keep(sample: QueueSample): void {
    const recent = [...this.samples.recent, sample];
    if (recent.length < MAX_SAMPLES + COMBINED) {
      this.samples = { ...this.samples, recent };
      return;
    }
    const older = [...this.samples.older.slice(1 - MAX_COMBINED), together(recent.slice(0, COMBINED))];
    this.samples = { older, recent: recent.slice(COMBINED) };
  }

  private async load(): Promise<void> {
    const text = await this.parts.store.load();
    if (text === undefined) return;
    const { recent, older } = Samples.parse(JSON.parse(text));
    this.samples = { older, recent: [...recent, ...this.samples.recent] };
  }

  private save(): Promise<void> {
    return this.parts.store.save(JSON.stringify(this.samples));
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Not a warning, because only charts are affected.
      this.parts.logger.info({ err: error }, 'the samples of the queues could not be kept');
    }
  }
}

const sampleOf = (queues: readonly QueueState[], nowMs: number): QueueSample => ({
  at: new Date(nowMs).toISOString(),
  head: queues[0]?.head ?? null,
  lags: largest(queues.map(({ kind, lag }) => [kind, lag])),
});

/** Returns the last sample with the largest lags of all samples. */
const together = (samples: readonly QueueSample[]): QueueSample => ({
  ...(samples.at(-1) as QueueSample),
  lags: largest(samples.flatMap(({ lags }) => Object.entries(lags) as [QueueKind, number][])),
});

function largest(of: readonly (readonly [QueueKind, number | null])[]): QueueSample['lags'] {
  const lags: Partial<Record<QueueKind, number>> = {};
  for (const [kind, lag] of of) if (lag !== null) lags[kind] = Math.max(lag, lags[kind] ?? 0);
  return lags;
}
