import type { Clock } from '../ports/time.js';
import type { PublishResult } from './engine-metrics.js';

/** Kind of subscriber that consumes a queue. */
export type QueueKind = 'projection' | 'policy' | 'forwarder' | 'push' | 'integrity';

/**
 * State of one of this process's queues. It is plain data, because it is passed between threads and through the shared
 * cache.
 */
export type QueueReading = {
  readonly name: string;
  readonly kind: QueueKind;
  /** Every event up to and including this position has been processed. */
  readonly position: number;
  /** Whether no event was outstanding for this queue at the last check. Later events may belong to other queues. */
  readonly isIdle: boolean;
  readonly inFlight: number;
  /** Number of events handled since this process started consuming the queue. */
  readonly handled: number;
  /** Number of failed attempts since this process started consuming the queue. */
  readonly failures: number;
  /** Number of events processed in the last 60 seconds. */
  readonly perMinute: number;
  /** ISO 8601 UTC; null before the first event. */
  readonly lastProcessedAt: string | null;
  /** Ranges of the history on which this process works; absent if the queue is not divided. */
  readonly ranges?: readonly number[];
  /** Time of the reading; absent in readings by older releases. */
  readonly readAtMs?: number;
};

const WINDOW_SECONDS = 60;

/** Measures one queue. Runs for every event, so it performs only a few additions. */
export class QueueMeter {
  /** Whether this process consumes the queue. */
  isBegun = false;
  /** Ranges of the history on which this process works; undefined for the whole history. */
  ranges: readonly number[] | undefined;
  private position = -1;
  private caughtUp = false;
  private inFlight = 0;
  private handledCount = 0;
  private failures = 0;
  private lastMs: number | undefined;
  /** Number of events handled in each second, indexed by the second modulo WINDOW_SECONDS. */
  private readonly seconds = new Array<number>(WINDOW_SECONDS).fill(0);
  /** The last second for which the slots have been updated. */
  private second = 0;

  constructor(
    readonly name: string,
    readonly kind: QueueKind,
    private readonly clock: Clock,
  ) {}

  /** Called when this process starts consuming the queue with the first event after `position`. */
  begin(position: number): void {
    this.isBegun = true;
    this.caughtUp = false;
    this.inFlight = 0;
    this.position = position;
  }

  /** Called when this process stops consuming the queue. The counts are retained. */
  end(): void {
    this.isBegun = false;
  }

  took(inFlight: number): void {
    this.inFlight = inFlight;
  }

  /**
   * Called when `count` more events have been processed, so that every event up to and including `position` has been
   * processed.
   */
  handled(count: number, position: number, inFlight = 0): void {
    this.position = position;
    this.inFlight = inFlight;
    if (count === 0) return;
    this.handledCount += count;
    this.lastMs = this.clock.nowMs();
    this.forget();
    const slot = this.second % WINDOW_SECONDS;
    this.seconds[slot] = (this.seconds[slot] ?? 0) + count;
  }

  /**
   * Called when the store has delivered every event up to and including `position`. `caughtUp`: no later event had been
   * stored at that time.
   */
  reached(position: number, caughtUp: boolean): void {
    this.position = position;
    this.caughtUp = caughtUp;
  }

  failed(): void {
    this.failures += 1;
  }

  /** Marks the backlog as unknown, because the subscription failed or delivered events that are not yet in flight. */
  markUnknown(): void {
    this.caughtUp = false;
  }

  read(): QueueReading {
    this.forget();
    const { name, kind, position, inFlight, failures, handledCount: handled, lastMs } = this;
    const perMinute = this.seconds.reduce((sum, count) => sum + count, 0);
    const lastProcessedAt = lastMs === undefined ? null : new Date(lastMs).toISOString();
    const isIdle = this.caughtUp && inFlight === 0;
    const { ranges } = this;
    const readAtMs = this.clock.nowMs();
    const figures = { inFlight, handled, failures, perMinute, lastProcessedAt, readAtMs };
    return { name, kind, position, isIdle, ...figures, ...(ranges && { ranges }) };
  }

  /** Clears the slots of the seconds that have passed since the last count. */
  private forget(): void {
    const now = Math.floor(this.clock.monotonicMs() / 1_000);
    const passed = Math.min(WINDOW_SECONDS, now - this.second);
    for (let back = 0; back < passed; back += 1) this.seconds[(now - back) % WINDOW_SECONDS] = 0;
    this.second = now;
  }
}

/** A report that the subscribers' thread sends about once a second. */
export type ThreadReport = {
  readonly queues: readonly QueueReading[];
  /** Messages sent to the broker since the last report, by result. */
  readonly published: Readonly<Partial<Record<PublishResult, number>>>;
};

/**
 * The meters of a thread's queues, by name. The serving thread also stores the readings from the subscribers' thread.
 */
export class QueueMeters {
  /** Latest readings from the subscribers' thread; empty if there is no such thread. */
  reported: readonly QueueReading[] = [];
  private readonly meters = new Map<string, QueueMeter>();

  constructor(private readonly clock: Clock) {}

  /** Returns the meter with this name, creating it if necessary. */
  of(name: string, kind: QueueKind): QueueMeter {
    const known = this.meters.get(name);
    if (known) return known;
    const meter = new QueueMeter(name, kind, this.clock);
    this.meters.set(name, meter);
    return meter;
  }

  /** Returns the readings of the queues that this process currently consumes. */
  readings(): QueueReading[] {
    const here = [...this.meters.values()].filter(({ isBegun }) => isBegun).map((meter) => meter.read());
    return [...this.reported, ...here];
  }
}
