// What a test of the fault matrix is told by scripts/test-reliability.mjs, and what it tells back for the table.
import { appendFileSync } from 'node:fs';
import { mulberry32 } from './manual-clock.js';

const { RELIABILITY_SCALE, RELIABILITY_SEED, RELIABILITY_NOTES } = process.env;

/** What decides every choice of a run: given again, the same moments and places are hit. */
export const SEED = Number(RELIABILITY_SEED ?? Date.now() % 1_000_000);

/** Whether this is `npm run test:soak`. */
export const IS_SOAK = RELIABILITY_SCALE === 'soak';

/** As many as CI has time for, or as the soak wants. */
export const cyclesOf = (short: number, soak: number): number => (IS_SOAK ? soak : short);

/** Numbers from 0 to 1 (exclusive), for this purpose alone, so that one test does not move another's. */
export const chanceFor = (purpose: string): (() => number) =>
  mulberry32(Buffer.from(purpose).reduce((sum, byte) => Math.imul(sum, 31) + byte, SEED));

/** Says how many cycles of a fault were gone through; `figures` stand beside them in the table. */
export function noteCycles(fault: string, cycles: number, figures = ''): void {
  if (RELIABILITY_NOTES) appendFileSync(RELIABILITY_NOTES, `${JSON.stringify({ fault, cycles, figures })}\n`);
}
