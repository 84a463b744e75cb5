/** Exponential backoff with full jitter (from 0 to the full delay), so that clients do not retry at the same moment. */
export class Backoff {
  constructor(
    private readonly limits: { readonly baseMs: number; readonly maxMs: number },
    private readonly random: () => number = Math.random,
  ) {}

  /** Returns the delay, in milliseconds, after this number of consecutive failures (1 or more). */
  pauseMs(failures: number): number {
    const { baseMs, maxMs } = this.limits;
    return this.random() * Math.min(maxMs, baseMs * 2 ** (failures - 1));
  }
}
