import { BEFORE_ALL, type Position } from '../../ports/event-store.js';
import { BusyShare } from '../busy-share.js';

/** A thread that is busy for no more than this share of its time is woken at once. */
const EASY_SHARE = 0.4;
/** Between two times that a thread without any time left is woken. */
const MOST_PAUSE_MS = 20;

/** How long subscriptions of a thread may rest after they were woken, if it is busy for this share of its time. */
export const pauseAt = (share: number): number =>
  Math.max(0, (Math.min(share, 1) - EASY_SHARE) / (1 - EASY_SHARE)) * MOST_PAUSE_MS;

/** How long subscriptions may rest after they were woken, as it is now, milliseconds. */
export type Rest = () => number;

/** As busy as the thread is in which it is called. */
export function restOfBusyThread(): Rest {
  const { read } = new BusyShare();
  return () => pauseAt(read());
}
const NO_REST: Rest = () => 0;

/**
 * Wakes subscriptions when something was committed: at once in a thread that has time left, and the less it has the more
 * commits at once. Each time every subscription reads, and handles what it finds in a batch: many small ones take twice as
 * long, and a thread that is behind would never get any larger ones.
 */
export class CommitSignal {
  #head: Position = BEFORE_ALL;
  #ended = false;
  #resting: NodeJS.Timeout | undefined;
  #wokenMs = Number.NEGATIVE_INFINITY;
  /** Where each is. */
  readonly #waiting = new Map<() => void, Position>();
  readonly #restMs: Rest;

  /** @param restMs default: no rest, each commit wakes them */
  constructor(restMs: Rest = NO_REST) {
    this.#restMs = restMs;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Something up to `head` has been committed. */
  announce(head: Position): void {
    if (head <= this.#head) return;
    this.#head = head;
    if (this.#resting !== undefined) return;
    // The engine's own waiting, which no clock of a test holds up.
    const leftMs = this.#wokenMs + this.#restMs() - performance.now();
    if (leftMs < 1) this.#wakeAll();
    else
      this.#resting = setTimeout(() => {
        this.#wakeAll();
      }, leftMs);
  }

  /** Wakes everyone for good. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#resting);
    for (const wake of this.#waiting.keys()) this.#wake(wake);
  }

  /** Calls `wake` once, when something beyond `position` is there; at once where it is already. */
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
