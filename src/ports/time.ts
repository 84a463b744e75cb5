import { token } from './token.js';

/** Time, ids and randomness are injected so that tests can control them. */
export const CLOCK = token<Clock>('CLOCK');
/** Nest's injection token for `Ids`. */
export const IDS = token<Ids>('IDS');

export interface Clock {
  /** Returns the wall-clock time in milliseconds since 1970. The clock may jump. */
  nowMs(): number;
  /** Returns the number of milliseconds since an arbitrary origin. Never decreases. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Id generator. */
export interface Ids {
  /** Returns a new UUIDv7 (RFC 9562). */
  next(): string;
}

/**
 * Waits until the monotonic clock reaches a multiple of `everyMs`, or until the signal aborts. Loops with the same
 * interval therefore run at the same time, so that their calls to a server can be combined.
 */
export const sleepUntilNext = (clock: Clock, everyMs: number, signal: AbortSignal): Promise<void> =>
  clock.sleep(everyMs - (clock.monotonicMs() % everyMs), signal);
