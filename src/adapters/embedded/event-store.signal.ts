import { BEFORE_ALL, type Position } from '../../ports/event-store.js';
import { EventLoopUtilization } from '../event-loop-utilization.js';

/** Maximum event loop utilization at which a thread's subscriptions are woken immediately. */
const EASY_SHARE = 0.4;
/** Pause between wake-ups on a fully utilized thread. */
const MOST_PAUSE_MS = 20;

/** Returns the pause between wake-ups, in milliseconds, at the given event loop utilization. */
export const pauseAt = (share: number): number =>
  Math.max(0, (Math.min(share, 1) - EASY_SHARE) / (1 - EASY_SHARE)) * MOST_PAUSE_MS;

/** Returns the current pause between subscription wake-ups, in milliseconds. */
export type Rest = () => number;

/**
 * Creates a function that returns the current pause between wake-ups, based on the calling thread's event loop
 * utilization.
 */
export function restOfBusyThread(): Rest {
  const { read } = new EventLoopUtilization();
  return () => pauseAt(read());
}
const NO_REST: Rest = () => 0;

/**
 * Wakes subscriptions after every commit in an idle thread, and after several commits in a busy one. On every wake-up,
 * each subscription reads a batch, and many small batches take twice as long as a few large ones. Without a pause, a
 * lagging thread would never receive larger batches.
 */
export class CommitSignal {
  #head: Position = BEFORE_ALL;
  #ended = false;
  #resting: NodeJS.Timeout | undefined;
  #wokenMs = Number.NEGATIVE_INFINITY;
  /** Positions of waiting subscriptions, keyed by wake function. */
  readonly #waiting = new Map<() => void, Position>();
  readonly #restMs: Rest;

  /** @param restMs default: no pause, so that every commit wakes the subscriptions */
  constructor(restMs: Rest = NO_REST) {
    this.#restMs = restMs;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Announces that all events up to and including `head` have been committed. */
  announce(head: Position): void {
    if (head <= this.#head) return;
    this.#head = head;
    if (this.#resting !== undefined) return;
    // The pause is measured with the real clock, which tests cannot stop.
    const leftMs = this.#wokenMs + this.#restMs() - performance.now();
    if (leftMs < 1) this.#wakeAll();
    else
      this.#resting = setTimeout(() => {
        this.#wakeAll();
      }, leftMs);
  }

  /** Wakes all subscriptions, so that they end. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#resting);
    for (const wake of this.#waiting.keys()) this.#wake(wake);
  }

  /** Calls `wake` once an event beyond `position` has been committed, or immediately if this has already happened. */
  onBeyond(position: Position, wake: () => void): void {
    if (this.#ended || (this.#head > position && this.#resting === undefined)) wake();
    else this.#waiting.set(wake, position);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  #wakeAll(): void {
    this.#resting = undefined;
    this.#wokenMs = performance.now();
    for (const [wake, position] of this.#waiting) if (position < this.#head) this.#wake(wake);
  }

  #wake(wake: () => void): void {
    this.#waiting.delete(wake);
    wake();
  }
}
