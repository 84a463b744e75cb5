import type { Clock } from '../ports/time.js';

type Waiter = {
  readonly names: readonly string[];
  readonly position: number;
  readonly done: (reached: boolean) => void;
};

/**
 * How far each subscriber (by name) has come, as this process knows it, and waiting for it. A stopped subscriber is not
 * waited for: whoever asks is told at once that it is behind.
 */
export class Progress {
  private readonly positions = new Map<string, number>();
  private readonly stopped = new Set<string>();
  private readonly waiters = new Set<Waiter>();
  /** Called when somebody begins to wait. */
  onAwaited: (() => void) | undefined;

  /** `names`: subscribers that are waited for also before anything is known of them. */
  constructor(
    private readonly clock: Clock,
    names: readonly string[] = [],
  ) {
    for (const name of names) this.positions.set(name, -1);
  }

  get isAwaited(): boolean {
    return this.waiters.size > 0;
  }

  /** Tells that `name` has everything up to `position`. Positions never go back. */
  advance(name: string, position: number): void {
    this.stopped.delete(name);
    if (this.positions.has(name) && position <= this.position(name)) return;
    this.positions.set(name, position);
    this.settle();
  }

  /** Tells that `name` stands still until somebody mends it. */
  stop(name: string): void {
    this.stopped.add(name);
    this.settle();
  }

  position(name: string): number {
    return this.positions.get(name) ?? -1;
  }

  get names(): readonly string[] {
    return [...this.positions.keys()];
  }

  isStopped(name: string): boolean {
    return this.stopped.has(name);
  }

  /** Whether all of `names` (default: all known) had everything up to `position` within `timeoutMs`. */
  async reached(position: number, timeoutMs: number, names: readonly string[] = this.names): Promise<boolean> {
    const state = this.look(names, position);
    if (state !== 'waiting') return state === 'reached';
    return new Promise((resolve) => {
      const timer = new AbortController();
      const done = (reached: boolean) => {
        this.waiters.delete(waiter);
        timer.abort();
        resolve(reached);
      };
      const waiter: Waiter = { names, position, done };
      this.waiters.add(waiter);
      this.onAwaited?.();
      void this.clock.sleep(timeoutMs, timer.signal).then(() => {
        if (this.waiters.has(waiter)) done(false);
      });
    });
  }

  private look(names: readonly string[], position: number): 'reached' | 'waiting' | 'stopped' {
    const missing = names.filter((name) => this.position(name) < position);
    if (missing.length === 0) return 'reached';
    return missing.some((name) => this.stopped.has(name)) ? 'stopped' : 'waiting';
  }

  private settle(): void {
    for (const waiter of this.waiters) {
      const state = this.look(waiter.names, waiter.position);
      if (state !== 'waiting') waiter.done(state === 'reached');
    }
  }
}
