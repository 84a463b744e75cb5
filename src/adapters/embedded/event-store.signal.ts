import { BEFORE_ALL, type Position } from '../../ports/event-store.js';

/** Wakes subscriptions when something was committed: no timers, no polling. */
export class CommitSignal {
  #head: Position = BEFORE_ALL;
  #ended = false;
  /** Where each is. */
  readonly #waiting = new Map<() => void, Position>();

  get ended(): boolean {
    return this.#ended;
  }

  /** Something up to `head` has been committed. */
  announce(head: Position): void {
    if (head <= this.#head) return;
    this.#head = head;
    for (const [wake, position] of this.#waiting) if (position < head) this.#wake(wake);
  }

  /** Wakes everyone for good. */
  end(): void {
    this.#ended = true;
    for (const wake of this.#waiting.keys()) this.#wake(wake);
  }

  /** Calls `wake` once, when something beyond `position` is there; at once where it is already. */
  onBeyond(position: Position, wake: () => void): void {
    if (this.#ended || this.#head > position) wake();
    else this.#waiting.set(wake, position);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  #wake(wake: () => void): void {
    this.#waiting.delete(wake);
    wake();
  }
}
