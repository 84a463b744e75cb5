// Parameters that scripts/test-reliability.mjs passes to a test of the fault matrix, and results that the test returns
// for the table.
import { appendFileSync } from 'node:fs';
import { mulberry32 } from './manual-clock.js';

const { RELIABILITY_SCALE, RELIABILITY_SEED, RELIABILITY_NOTES } = process.env;

/** Seed of every random choice in a run. The same seed produces the same choices. */
export const SEED = Number(RELIABILITY_SEED ?? Date.now() % 1_000_000);

/** Whether this is `npm run test:soak`. */
export const IS_SOAK = RELIABILITY_SCALE === 'soak';

/** Number of cycles for CI or for the soak. */
export const cyclesOf = (short: number, soak: number): number => (IS_SOAK ? soak : short);

/** Random numbers in [0, 1), separate for each purpose, so that tests do not affect each other's numbers. */
export const chanceFor = (purpose: string): (() => number) =>
  mulberry32(Buffer.from(purpose).reduce((sum, byte) => Math.imul(sum, 31) + byte, SEED));

/** Records the number of completed cycles of a fault. `figures` appear in the same row of the table. */
export function noteCycles(fault: string, cycles: number, figures = ''): void {
  if (RELIABILITY_NOTES) appendFileSync(RELIABILITY_NOTES, `${JSON.stringify({ fault, cycles, figures })}\n`);
}
