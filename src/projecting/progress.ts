import { DONE } from '../eventsourcing/with-timeout.js';
import type { Clock } from '../ports/time.js';
import { RANGES, rangeOf } from '../eventsourcing/ranges.js';

type Waiter = {
  readonly names: readonly string[];
  /** The range to wait for; undefined for all ranges. */
  readonly range: number | undefined;
  readonly position: number;
  readonly done: (reached: boolean) => void;
};

/** Progress of one subscriber: a position for each range of the history, or one for the whole history. */
type Standing = { readonly positions: number[]; readonly stopped: Set<number> };

/**
 * The positions of all subscribers, as known to this process. Callers can wait for a position. If a subscriber stops,
 * callers that wait for it fail immediately.
 */
export class Progress {
  private readonly standings = new Map<string, Standing>();
  /** Number of consecutive failed attempts. */
  private readonly failures = new Map<string, number>();
  private readonly waiters = new Set<Waiter>();
  private isSettling = false;
  /** Names of the subscribers whose ranges are tracked separately. */
  divided: readonly string[] = [];
  /** Whether all projections run in this process, which then need not poll for progress made elsewhere. */
  isReportedHere = false;
  /** Called when a caller starts waiting. */
  onAwaited: (() => void) | undefined;

  /** `names`: subscribers to wait for even before their first report. */
  constructor(
    private readonly clock: Clock,
    names: readonly string[] = [],
  ) {
    for (const name of names) this.standings.set(name, { positions: [-1], stopped: new Set() });
  }

  /** Tracks the ranges of these subscribers separately, because several processes lead them. */
  divide(names: readonly string[]): void {
    this.divided = names;
    for (const name of names)
      this.standings.set(name, { positions: new Array<number>(RANGES).fill(-1), stopped: new Set() });
  }

  isDivided(name: string): boolean {
    return (this.standings.get(name)?.positions.length ?? 1) > 1;
  }

  get isAwaited(): boolean {
    return this.waiters.size > 0;
  }

  /**
   * Reports that this process has processed everything up to and including `position` for `name`, in the given ranges
   * or in all ranges. Resets the count of failed attempts. Positions never decrease.
   */
  advance(name: string, position: number, ranges?: readonly number[]): void {
    this.failures.delete(name);
    this.observe(name, position, ranges);
  }

  /** Reports the stored position of `name`. Another process may have reached this position. */
  observe(name: string, position: number, ranges?: readonly number[]): void {
    const { positions, stopped } = this.standingOf(name);
    let hasMoved = false;
    for (const range of ranges ?? positions.keys()) {
      stopped.delete(range);
      if (position <= (positions[range] ?? -1)) continue;
      positions[range] = position;
      hasMoved = true;
    }
    if (hasMoved) this.settleSoon();
  }

  /** Reports that `name` has stopped until an operator intervenes, in the given ranges or in all ranges. */
  readonly stop = (name: string, ranges?: readonly number[]): void => {
    const { positions, stopped } = this.standingOf(name);
    for (const range of ranges ?? positions.keys()) stopped.add(range);
    this.settleSoon();
  };

  /** Reports that an attempt by each of `names` failed and will be retried. */
  readonly fail = (names: readonly string[]): void => {
    for (const name of names) this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  };

  /**
   * Returns the state of `name`. A subscriber is considered failed after two consecutive failures, because a single
   * failure may merely be a lost connection.
   */
  standing(name: string): 'running' | 'stopped' | 'failed' {
    if (this.isStopped(name)) return 'stopped';
    return (this.failures.get(name) ?? 0) > 1 ? 'failed' : 'running';
  }

  /** Resets all subscribers, because their data is gone and they start from the beginning. */
  reset(): void {
    for (const { positions, stopped } of this.standings.values()) {
      positions.fill(-1);
      stopped.clear();
    }
    this.failures.clear();
  }

  /** Returns the position of a subscriber, in all ranges or in one. */
  position(name: string, range?: number): number {
    const positions = this.standings.get(name)?.positions ?? [-1];
    return positionAt(positions, range);
  }

  get names(): readonly string[] {
    return [...this.standings.keys()];
  }

  isStopped(name: string, range?: number): boolean {
    const standing = this.standings.get(name);
    if (!standing) return false;
    const { stopped, positions } = standing;
    return range === undefined || positions.length === 1 ? stopped.size > 0 : stopped.has(range);
  }

  /**
   * Whether all of `names` (default: all known subscribers) reach `position` within `timeoutMs`. With a `tenantId`,
   * only the range of that tenant is considered.
   */
  async reached(
    position: number,
    timeoutMs: number,
    names: readonly string[] = this.names,
    tenantId?: string,
  ): Promise<boolean> {
    const range = tenantId === undefined ? undefined : rangeOf(tenantId);
    const state = this.look({ names, range, position });
    if (state !== 'waiting') return state === 'reached';
    return new Promise((resolve) => {
      const timer = new AbortController();
      const done = (reached: boolean) => {
        this.waiters.delete(waiter);
        timer.abort(DONE);
        resolve(reached);
      };
      const waiter: Waiter = { names, range, position, done };
      this.waiters.add(waiter);
      this.onAwaited?.();
      void this.clock.sleep(timeoutMs, timer.signal).then(() => {
        if (this.waiters.has(waiter)) done(false);
      });
    });
  }

  private look({ names, range, position }: Omit<Waiter, 'done'>): 'reached' | 'waiting' | 'stopped' {
    const missing = names.filter((name) => this.position(name, range) < position);
    if (missing.length === 0) return 'reached';
    return missing.some((name) => this.isStopped(name, range)) ? 'stopped' : 'waiting';
  }

  /** Settles once for all positions that are reported together. */
  private settleSoon(): void {
    if (this.isSettling || !this.isAwaited) return;
    this.isSettling = true;
    queueMicrotask(() => {
      this.isSettling = false;
      this.settle();
    });
  }

  private settle(): void {
    for (const waiter of this.waiters) {
      const state = this.look(waiter);
      if (state !== 'waiting') waiter.done(state === 'reached');
    }
  }

  private standingOf(name: string): Standing {
    const known = this.standings.get(name);
    if (known) return known;
    const standing = { positions: [-1], stopped: new Set<number>() };
    this.standings.set(name, standing);
    return standing;
  }
}

/** Subscribers whose work is not divided have one position for all ranges. */
function positionAt(positions: readonly number[], range: number | undefined): number {
  if (positions.length === 1) return positions[0] ?? -1;
  return range === undefined ? Math.min(...positions) : (positions[range] ?? -1);
}
