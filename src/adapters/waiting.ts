import type { Clock } from '../ports/time.js';

/** Abort reason. Without a reason, every abort would create an error with a stack trace. */
const DONE = 'done';

/** Rejects with `late()` if `work` takes longer than `ms`, but does not stop `work`. */
export async function withTimeout<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const done = new AbortController();
  const timeout = clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) throw late();
  }) as Promise<never>;
  try {
    return await Promise.race([work, timeout]);
  } finally {
    done.abort(DONE);
  }
}

/**
 * Creates a signal that aborts with the outer signal or when `end` is called. In Node.js 20, AbortSignal.any would leak
 * an entry on the outer signal.
 */
export function linkedSignal(outer: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
  const inner = new AbortController();
  const abort = (): void => {
    inner.abort(outer.reason);
  };
  const end = (): void => {
    outer.removeEventListener('abort', abort);
    inner.abort(DONE);
  };
  outer.addEventListener('abort', abort, { once: true });
  if (outer.aborted) abort();
  return { signal: inner.signal, end };
}

/** Limits concurrent calls to a server and reports when none are in flight. */
export class InFlight {
  private count = 0;
  private bytes = 0;
  private onIdle: (() => void) | undefined;

  constructor(private readonly limits: { readonly count: number; readonly bytes: number }) {}

  /**
   * Runs a call. Throws synchronously, so that a rejected call is not retained. @throws `tooMany()` if the call would
   * exceed a limit, unless no other call is running
   */
  run<T>(bytes: number, call: () => Promise<T>, tooMany: (count: number) => Error): Promise<T> {
    const isFull = this.count >= this.limits.count || this.bytes + bytes > this.limits.bytes;
    if (isFull && this.count > 0) throw tooMany(this.count);
    return this.counted(bytes, call);
  }

  private async counted<T>(bytes: number, call: () => Promise<T>): Promise<T> {
    this.count += 1;
    this.bytes += bytes;
    try {
      return await call();
    } finally {
      this.count -= 1;
      this.bytes -= bytes;
      if (this.count === 0) this.onIdle?.();
    }
  }

  /** Resolves when no call is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.onIdle = resolve;
      if (this.count === 0) resolve();
    });
  }
}

/** A latch that remembers whether something has happened since the last `forget`, and that wakes the waiter. */
export class Wakeup {
  hasHappened = false;
  private wake: (() => void) | undefined;
  private alarm: Promise<void> | undefined;

  readonly note = (): void => {
    this.hasHappened = true;
    this.wake?.();
  };

  forget(): void {
    this.hasHappened = false;
  }

  /**
   * Returns false if nothing has happened within `ms`. Successive calls share a timer, because a separate timer for
   * each call would cost more time than most callers spend between calls.
   */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
    const untilMs = clock.monotonicMs() + ms;
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    for (;;) {
      const leftMs = untilMs - clock.monotonicMs();
      if (this.hasHappened || leftMs <= 0 || signal.aborted) return this.hasHappened;
      this.alarm ??= clock.sleep(leftMs, signal).then(() => {
        this.alarm = undefined;
      });
      await Promise.race([woken, this.alarm]);
    }
  }
}

/** Resolves when `work` resolves or the signal aborts. */
export function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
    void work.then(done);
  });
}
