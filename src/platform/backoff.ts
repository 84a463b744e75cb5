/** Growing pauses with full jitter: anything from nothing to the pause, so that those who wait do not come back at once. */
export class Backoff {
  constructor(
    private readonly limits: { readonly baseMs: number; readonly maxMs: number },
    private readonly random: () => number = Math.random,
  ) {}

  /** The pause after so many failures in a row, from 1. */
  pauseMs(failures: number): number {
    const { baseMs, maxMs } = this.limits;
    return this.random() * Math.min(maxMs, baseMs * 2 ** (failures - 1));
  }
}
