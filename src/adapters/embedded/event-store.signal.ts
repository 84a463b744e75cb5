import { BEFORE_ALL, type Position } from '../../ports/event-store.js';

/** Wakes subscriptions when something was committed: no timers, no polling. */
export class CommitSignal {
  #head: Position = BEFORE_ALL;
  #ended = false;
  readonly #waiting = new Set<() => void>();

  get ended(): boolean {
    return this.#ended;
  }

  /** Something up to `head` has been committed. */
  announce(head: Position): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.#wakeAll();
  }

  /** Wakes everyone for good. */
  end(): void {
    this.#ended = true;
    this.#wakeAll();
  }

  /** Calls `wake` once, when something beyond `position` is there; at once where it is already. */
  onBeyond(position: Position, wake: () => void): void {
    if (this.#ended || this.#head > position) wake();
    else this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  #wakeAll(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }
}
