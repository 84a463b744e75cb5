import type { Clock } from '../ports/time.js';

/** What kind of subscriber works on a queue. */
export type QueueKind = 'projection' | 'policy' | 'forwarder' | 'push';

/** How a queue of this process is doing. Plain data: it crosses threads and the shared cache. */
export type QueueReading = {
  readonly name: string;
  readonly kind: QueueKind;
  /** Everything up to and including it is done. */
  readonly position: number;
  /** Nothing that concerns the queue was outstanding when it was last looked for, though later events may be others'. */
  readonly isIdle: boolean;
  readonly inFlight: number;
  /** Since the process began to work on it. */
  readonly handled: number;
  /** Attempts that failed, since then. */
  readonly failures: number;
  /** Handled in the last 60 seconds. */
  readonly perMinute: number;
  /** ISO 8601 UTC; null before the first. */
  readonly lastProcessedAt: string | null;
};

const WINDOW_SECONDS = 60;

/** Measures one queue. A few additions an event: it stands in the way of every one. */
export class QueueMeter {
  private begun = false;
  private position = -1;
  private caughtUp = false;
  private inFlight = 0;
  private handledCount = 0;
  private failures = 0;
  private lastMs: number | undefined;
  /** Handled in each of the last seconds, at the second's number modulo the window. */
  private readonly seconds = new Array<number>(WINDOW_SECONDS).fill(0);
  /** The second that was counted last. */
  private second = 0;

  constructor(
    readonly name: string,
    readonly kind: QueueKind,
    private readonly clock: Clock,
  ) {}

  get isBegun(): boolean {
    return this.begun;
  }

  /** This process works on the queue from now on, from `position` on. */
  begin(position: number): void {
    this.begun = true;
    this.caughtUp = false;
    this.inFlight = 0;
    this.position = position;
  }

  /** Another process may work on it now. What was counted stays. */
  end(): void {
    this.begun = false;
  }

  /** So many events were taken in hand and are not done yet. */
  took(inFlight: number): void {
    this.inFlight = inFlight;
  }

  /** `count` more are done; `position`: everything up to it is. */
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

  /** The store told how far it has delivered, and whether that was all there is. */
  reached(position: number, caughtUp: boolean): void {
    this.position = position;
    this.caughtUp = caughtUp;
  }

  /** An attempt failed. */
  failed(): void {
    this.failures += 1;
  }

  /** Something was delivered that is not in hand yet, or nothing is delivered for now: what is outstanding is not known. */
  lostSight(): void {
    this.caughtUp = false;
  }

  read(): QueueReading {
    this.forget();
    const { name, kind, position, inFlight, failures, handledCount: handled, lastMs } = this;
    const perMinute = this.seconds.reduce((sum, count) => sum + count, 0);
    const lastProcessedAt = lastMs === undefined ? null : new Date(lastMs).toISOString();
    const isIdle = this.caughtUp && inFlight === 0;
    return { name, kind, position, isIdle, inFlight, handled, failures, perMinute, lastProcessedAt };
  }

  /** Empties the slots of the seconds that have passed since the last count. */
  private forget(): void {
    const now = Math.floor(this.clock.monotonicMs() / 1_000);
    const passed = Math.min(WINDOW_SECONDS, now - this.second);
    for (let back = 0; back < passed; back += 1) this.seconds[(now - back) % WINDOW_SECONDS] = 0;
    this.second = now;
  }
}

/** The meters of a thread's queues, by name. */
export class QueueMeters {
  private readonly meters = new Map<string, QueueMeter>();

  constructor(private readonly clock: Clock) {}

  /** The meter of that name, made when there is none. */
  of(name: string, kind: QueueKind): QueueMeter {
    const known = this.meters.get(name);
    if (known) return known;
    const meter = new QueueMeter(name, kind, this.clock);
    this.meters.set(name, meter);
    return meter;
  }

  /** Of the queues that are worked on here now. */
  readings(): QueueReading[] {
    return [...this.meters.values()].filter(({ isBegun }) => isBegun).map((meter) => meter.read());
  }
}
