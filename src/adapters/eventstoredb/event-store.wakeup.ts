import type { Clock } from '../../ports/time.js';

/** Latch: remembers whether something has happened since the last `forget`, and wakes the waiter. */
export class Wakeup {
  hasHappened = false;
  private wake: (() => void) | undefined;

  readonly note = (): void => {
    this.hasHappened = true;
    this.wake?.();
  };

  forget(): void {
    this.hasHappened = false;
  }

  /** Returns false on timeout. */
  async wait(clock: Clock, ms: number): Promise<boolean> {
    if (this.hasHappened) return true;
    const waiting = new AbortController();
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    await Promise.race([woken, clock.sleep(ms, waiting.signal)]);
    waiting.abort();
    this.wake = undefined;
    return this.hasHappened;
  }
}
