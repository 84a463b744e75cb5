import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Ids } from '../../src/ports/time.js';

type Sleeper = { readonly dueMs: number; readonly wake: () => void };

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  private wallMs: number;
  private elapsedMs = 0;
  private sleepers: Sleeper[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.wallMs = startMs;
  }

  nowMs(): number {
    return this.wallMs;
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  /** Number of current sleepers. A test can use it to wait until the code under test sleeps. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper: Sleeper = { dueMs: this.elapsedMs + ms, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /**
   * Moves the wall clock and the monotonic clock forward, from the end of one sleep to the end of the next. Each
   * sleeper wakes exactly on time, in order, and then gets a turn of the event loop. A loop that sleeps repeatedly
   * therefore wakes repeatedly.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`A clock advances by 0 ms or more, not by ${ms}.`);
    const endMs = this.elapsedMs + ms;
    for (;;) {
      const next = this.sleepers.reduce<Sleeper | undefined>(
        (first, sleeper) => (first && first.dueMs <= sleeper.dueMs ? first : sleeper),
        undefined,
      );
      if (!next || next.dueMs > endMs) break;
      this.moveTo(next.dueMs);
      next.wake();
      await nextTurn();
    }
    this.moveTo(Math.max(endMs, this.elapsedMs));
    await nextTurn();
  }

  /**
   * Moves the wall clock and the monotonic clock in one step, and then wakes the sleepers. Simulates a machine that was
   * suspended.
   */
  async leap(ms: number): Promise<void> {
    this.moveTo(this.elapsedMs + ms);
    for (const { dueMs, wake } of this.sleepers) if (dueMs <= this.elapsedMs) wake();
    await nextTurn();
  }

  /** Moves only the wall clock forward or back, as an operator or NTP might. No sleeper wakes. */
  jump(ms: number): void {
    this.wallMs += ms;
  }

  private moveTo(elapsedMs: number): void {
    this.wallMs += elapsedMs - this.elapsedMs;
    this.elapsedMs = elapsedMs;
  }
}

/**
 * Ids in the form of UUIDv7. The time in each id is one millisecond later than in the id before it. The same seed
 * produces the same ids.
 */
export class SeededIds implements Ids {
  private readonly random: () => number;
  private timestampMs = Date.UTC(2026, 0, 1);

  constructor(seed: number) {
    this.random = mulberry32(seed);
  }

  next(): string {
    const hex = (digits: number): string =>
      Math.floor(this.random() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0');
    const time = (this.timestampMs++).toString(16).padStart(12, '0');
    const variant = '89ab'.charAt(Math.floor(this.random() * 4));
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
  }
}

/**
 * Numbers from 0 (inclusive) to 1 (exclusive), determined by a seed. Source: Tommy Ettinger's mulberry32 (public
 * domain).
 */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
