import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../ports/time.js';

/** Turns missed within this period are made up. Turns missed earlier are dropped. */
const CATCH_UP_MS = 20;
/** Work that becomes ready within this interval continues together, so that its events share commits. */
const TOGETHER_MS = 10;

/**
 * Spreads the work of a bulk run evenly over time. Each turn runs in a separate iteration of the event loop, so that a
 * request waits for at most one item.
 */
export class BulkPace {
  private dueMs = Number.NEGATIVE_INFINITY;
  private last: Promise<void> = Promise.resolve();
  private next = { atMs: Number.NEGATIVE_INFINITY, reached: Promise.resolve() };

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
  ) {}

  /** Resolves when the next turn is due. @throws the reason of the signal */
  async turn(signal: AbortSignal): Promise<void> {
    await (this.last = this.last.then(() => this.one(signal)));
    signal.throwIfAborted();
  }

  /**
   * Resolves at the end of the current TOGETHER_MS interval, for all of its callers together, or when the signal is
   * aborted. Never rejects.
   */
  together(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const atMs = (Math.floor(nowMs / TOGETHER_MS) + 1) * TOGETHER_MS;
    if (this.next.atMs !== atMs) this.next = { atMs, reached: this.clock.sleep(atMs - nowMs, signal) };
    return this.next.reached;
  }

  private async one(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const dueMs = Math.max(this.dueMs, nowMs - CATCH_UP_MS);
    this.dueMs = dueMs + 1_000 / this.perSecond;
    if (dueMs > nowMs) await this.clock.sleep(dueMs - nowMs, signal);
    await nextTurn();
  }
}
