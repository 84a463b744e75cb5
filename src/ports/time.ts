/** Time, ids and randomness come from outside, so that tests decide them. */
export const CLOCK = Symbol('CLOCK');
/** Nest's token of `Ids`. */
export const IDS = Symbol('IDS');

/** The time, and waiting. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It may jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`; at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Where new ids come from. */
export interface Ids {
  /** A fresh UUIDv7 (RFC 9562). */
  next(): string;
}
