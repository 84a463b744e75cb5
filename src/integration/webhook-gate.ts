import { setMaxListeners } from 'node:events';
import type { Backoff } from '../eventsourcing/backoff.js';
import type { Clock } from '../ports/time.js';

/**
 * Limits on concurrent attempts. FIRST_LIMIT applies initially and after an outage, SLOW_LIMIT while the receiver is
 * slow.
 */
const FIRST_LIMIT = 8;
const MAX_LIMIT = 64;
const SLOW_LIMIT = 4;
const SLOW_MS = 1_000;
/** Maximum delay of a retry. */
export const MAX_WAIT_MS = 60 * 60_000;
/** Number of consecutive failures after which a receiver is considered to be down. */
const DOWN_AFTER = 3;
/** Number of first attempts for each retry, while both wait. */
const FIRSTS_PER_RETRY = 3;

/** `rejected`: the receiver is up, but does not accept this message. */
export type AttemptResult = 'accepted' | 'rejected' | 'failed';

/** What the gate needs to know about an entry; see SavedEntry. */
type Waiting = { readonly dueMs: number; readonly failedAtMs: number | null };

/**
 * Limits the concurrent attempts to deliver to one receiver, so that no receiver uses up the connections available to
 * others. While the receiver is down, allows one attempt at a time, with increasing pauses. While the receiver is slow,
 * allows only a few attempts at a time. As soon as the receiver has recovered, all waiting attempts are due. When not
 * all waiting attempts can begin, first attempts precede retries.
 */
export class WebhookGate {
  /** Number of failures since the receiver last responded to a message. */
  failures = 0;
  /** Time of the first failed or rejected attempt since the last success. */
  failingSinceMs: number | null = null;
  private running = 0;
  private limit = FIRST_LIMIT;
  private averageMs = 0;
  /** Start and end of the last pause, in monotonic time. */
  private pausedAtMs = -1;
  private pausedUntilMs = 0;
  private isPausing = false;
  private isClosed = false;
  private recoveries = 0;
  /** Aborted whenever waiting attempts may have become due. */
  private changed = new AbortController();
  private readonly firsts: (() => void)[] = [];
  private readonly retries: (() => void)[] = [];
  /** Number of first attempts that have begun since the last retry left the queue. */
  private firstsInARow = 0;

  constructor(
    private readonly clock: Clock,
    private readonly backoff: Backoff,
  ) {
    setMaxListeners(0, this.changed.signal);
  }

  private get isDown(): boolean {
    return this.failures >= DOWN_AFTER;
  }

  private get isIdle(): boolean {
    return this.firsts.length + this.retries.length === 0;
  }

  /**
   * Waits until an attempt may begin: not before `dueMs`, unless the receiver recovers. Resolves to false if the gate
   * closes.
   */
  async enter(entry: Waiting): Promise<boolean> {
    const { recoveries } = this;
    for (let isOver = false; !isOver;) {
      const { signal } = this.changed;
      // The upper limit matters only if the clock has been set back.
      const waitMs = Math.min(MAX_WAIT_MS, entry.dueMs - this.clock.nowMs());
      if (waitMs > 0) await this.clock.sleep(waitMs, signal);
      isOver = waitMs <= 0 || !signal.aborted || this.isClosed || this.recoveries > recoveries;
    }
    if (this.closed()) return false;
    if (this.isIdle && this.hasRoom()) this.running += 1;
    else
      await new Promise<void>((enter) => {
        (entry.failedAtMs === null ? this.firsts : this.retries).push(enter);
        this.admit();
      });
    return !this.closed();
  }

  /**
   * Returns the time at which an attempt that is due at `dueMs` can begin; undefined if that depends on other attempts.
   */
  opensAtMs(dueMs: number): number | undefined {
    if (!this.isDown) return dueMs;
    if (!this.isIdle) return undefined;
    return Math.max(dueMs, this.clock.nowMs() + this.pausedUntilMs - this.clock.monotonicMs());
  }

  /** `beganMs`: monotonic time at which the attempt began. `afterMs`: delay that the receiver requested. */
  leave(result: AttemptResult, beganMs: number, afterMs = 0): void {
    this.running -= 1;
    if (result === 'failed') this.failed(beganMs, afterMs);
    else this.answered(this.clock.monotonicMs() - beganMs);
    this.failingSinceMs = result === 'accepted' ? null : (this.failingSinceMs ?? this.clock.nowMs());
    this.admit();
  }

  /** Leaves without an attempt. */
  skip(): void {
    this.running -= 1;
    this.admit();
  }

  /** Ends the pause of a receiver that is down, and lets waiting attempts check whether they have become due. */
  hasten(): void {
    this.pausedUntilMs = 0;
    this.wake();
    this.admit();
  }

  /** Forgets how the previous receiver responded. All waiting attempts are due. */
  reset(): void {
    this.failures = 0;
    this.failingSinceMs = null;
    this.averageMs = 0;
    this.limit = FIRST_LIMIT;
    this.pausedAtMs = -1;
    this.recoveries += 1;
    this.hasten();
  }

  /** Ends all waits. */
  close(): void {
    this.isClosed = true;
    this.changed.abort();
    for (const enter of [...this.firsts.splice(0), ...this.retries.splice(0)]) enter();
  }

  private closed(): boolean {
    return this.isClosed;
  }

  private hasRoom(): boolean {
    const isSlow = this.averageMs > SLOW_MS;
    const limit = this.isDown ? 1 : Math.min(this.limit, isSlow ? SLOW_LIMIT : MAX_LIMIT);
    return this.running < limit && this.pausedUntilMs <= this.clock.monotonicMs();
  }

  private admit(): void {
    while (!this.isIdle && this.hasRoom()) {
      this.running += 1;
      this.next()?.();
    }
    const pauseMs = this.pausedUntilMs - this.clock.monotonicMs();
    if (this.isIdle || pauseMs <= 0 || this.isPausing) return;
    this.isPausing = true;
    void this.clock.sleep(pauseMs, this.changed.signal).then(() => {
      this.isPausing = false;
      if (!this.isClosed) this.admit();
    });
  }

  private next(): (() => void) | undefined {
    const isRetry = this.firsts.length === 0 || (this.retries.length > 0 && this.firstsInARow >= FIRSTS_PER_RETRY);
    this.firstsInARow = isRetry ? 0 : this.firstsInARow + 1;
    return (isRetry ? this.retries : this.firsts).shift();
  }

  private answered(tookMs: number): void {
    const wasDown = this.isDown;
    this.averageMs += (tookMs - this.averageMs) / 8;
    this.limit = wasDown ? FIRST_LIMIT : Math.min(MAX_LIMIT, this.limit + 1);
    this.failures = 0;
    this.pausedUntilMs = 0;
    if (!wasDown) return;
    this.recoveries += 1;
    this.wake();
  }

  private wake(): void {
    this.changed.abort();
    this.changed = new AbortController();
    setMaxListeners(0, this.changed.signal);
  }

  /** Attempts that began before the pause failed for the same reason, so they do not lengthen the backoff. */
  private failed(beganMs: number, afterMs: number): void {
    const nowMs = this.clock.monotonicMs();
    const isCounted = beganMs > this.pausedAtMs && nowMs >= this.pausedUntilMs;
    if (isCounted) {
      this.failures += 1;
      this.limit = Math.max(1, Math.floor(this.limit / 2));
    }
    if (!this.isDown) return;
    if (isCounted) this.pausedAtMs = nowMs;
    const pauseMs = isCounted ? this.backoff.pauseMs(this.failures - DOWN_AFTER + 1) : 0;
    const untilMs = nowMs + Math.min(MAX_WAIT_MS, Math.max(pauseMs, afterMs));
    this.pausedUntilMs = Math.max(this.pausedUntilMs, untilMs);
  }
}
