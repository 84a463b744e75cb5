// Parameters that scripts/test-reliability.mjs passes to a test in the fault matrix, and results that the test returns
// for the table.
import { appendFileSync } from 'node:fs';
import { mulberry32 } from './manual-clock.js';

const { RELIABILITY_SCALE, RELIABILITY_SEED, RELIABILITY_NOTES } = process.env;

/** Seed of every random choice in a run. The same seed produces the same choices. */
export const SEED = Number(RELIABILITY_SEED ?? Date.now() % 1_000_000);

/** Whether `npm run test:soak` started this run. */
export const IS_SOAK = RELIABILITY_SCALE === 'soak';

/** Returns the number of cycles: `short` in CI, and `soak` in the soak test. */
export const cyclesOf = (short: number, soak: number): number => (IS_SOAK ? soak : short);

/**
 * Returns a generator of random numbers in [0, 1). Each purpose has a separate sequence, so that tests do not affect
 * each other.
 */
export const chanceFor = (purpose: string): (() => number) =>
  mulberry32(Buffer.from(purpose).reduce((sum, byte) => Math.imul(sum, 31) + byte, SEED));

/** Records the number of cycles completed for a fault. The table shows `figures` in the same row. */
export function noteCycles(fault: string, cycles: number, figures = ''): void {
  if (RELIABILITY_NOTES) appendFileSync(RELIABILITY_NOTES, `${JSON.stringify({ fault, cycles, figures })}\n`);
}
