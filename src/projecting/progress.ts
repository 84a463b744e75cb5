import { DONE } from '../eventsourcing/with-timeout.js';
import type { Clock } from '../ports/time.js';

type Waiter = {
  readonly names: readonly string[];
  readonly position: number;
  readonly done: (reached: boolean) => void;
};

/**
 * The positions of all subscribers, as known to this process. Callers can wait for a position. If a subscriber stops,
 * waiting for it fails at once.
 */
export class Progress {
  private readonly positions = new Map<string, number>();
  private readonly stopped = new Set<string>();
  /** Consecutive failed attempts. */
  private readonly failures = new Map<string, number>();
  private readonly waiters = new Set<Waiter>();
  /** Whether the projections run in this process. If so, it need not poll for progress made elsewhere. */
  isReportedHere = false;
  /** Called when a caller starts to wait. */
  onAwaited: (() => void) | undefined;

  /** `names`: subscribers to wait for even before their first report. */
  constructor(
    private readonly clock: Clock,
    names: readonly string[] = [],
  ) {
    for (const name of names) this.positions.set(name, -1);
  }

  get isAwaited(): boolean {
    return this.waiters.size > 0;
  }

  /** Reports that `name` has processed everything up to `position`. Positions never decrease. */
  advance(name: string, position: number): void {
    this.stopped.delete(name);
    this.failures.delete(name);
    if (this.positions.has(name) && position <= this.position(name)) return;
    this.positions.set(name, position);
    this.settle();
  }

  /** Reports that `name` has stopped until an operator intervenes. */
  readonly stop = (name: string): void => {
    this.stopped.add(name);
    this.settle();
  };

  /** Reports that an attempt of `names` failed and will be retried. */
  readonly fail = (names: readonly string[]): void => {
    for (const name of names) this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  };

  /**
   * Returns the state of `name`. A single failure may be just a lost connection, so a subscriber counts as failed only
   * after two in a row.
   */
  standing(name: string): 'running' | 'stopped' | 'failed' {
    if (this.stopped.has(name)) return 'stopped';
    return (this.failures.get(name) ?? 0) > 1 ? 'failed' : 'running';
  }

  /** Resets all subscribers: their data is gone and they start from the beginning. */
  reset(): void {
    for (const name of this.names) this.positions.set(name, -1);
    for (const known of [this.stopped, this.failures]) known.clear();
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

  /** Whether all of `names` (default: all known subscribers) reach `position` within `timeoutMs`. */
  async reached(position: number, timeoutMs: number, names: readonly string[] = this.names): Promise<boolean> {
    const state = this.look(names, position);
    if (state !== 'waiting') return state === 'reached';
    return new Promise((resolve) => {
      const timer = new AbortController();
      const done = (reached: boolean) => {
        this.waiters.delete(waiter);
        timer.abort(DONE);
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
