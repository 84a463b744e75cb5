import fc from 'fast-check';
import { Bookkeeper } from '../support/bookkeeper.js';
import { someSteps, type Step } from '../support/bookkeeping-steps.js';
import { BooksAudit } from '../support/books-audit.js';
import type { Currency } from '../support/naive-money.js';
import { TestService } from '../support/service.js';

/*
 * Random bookkeeping through HTTP in tenants of three currencies, compared with a model that is only a list of
 * postings. RUNS and STEPS lengthen the test, SEED repeats a run, and SHRINK=true first shortens a failing sequence.
 */

const RUNS = Number(process.env['RUNS'] ?? 3);
const STEPS = Number(process.env['STEPS'] ?? 50);
const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
const endOnFailure = process.env['SHRINK'] !== 'true';
/** Minimum number of steps between two audits. */
const AUDIT_STEPS = 8;

let service: TestService;
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
});
afterAll(() => service.close());

async function keepBooks(currency: Currency, steps: readonly Step[]): Promise<void> {
  const keeper = await Bookkeeper.open(service, currency);
  let audited = 0;
  try {
    for (const [index, step] of steps.entries()) {
      await keeper.take(step);
      const records = await keeper.compare();
      if (step.kind !== 'audit' || index - audited < AUDIT_STEPS) continue;
      await new BooksAudit(keeper, records).all();
      audited = index;
    }
    await new BooksAudit(keeper, await keeper.compare()).all();
  } catch (error) {
    process.stdout.write(`${currency}, SEED=${seed}\n${keeper.log.join('\n')}\n`);
    throw error;
  }
}

test.each<[Currency, number]>([
  ['EUR', seed],
  ['JPY', seed + 1],
  ['KWD', seed + 2],
])(
  'Whatever is booked in %s, all figures equal the sum of their postings (property, seed %i)',
  async (currency, own) => {
    await fc.assert(
      fc.asyncProperty(someSteps(STEPS / 2, STEPS), (steps) => keepBooks(currency, steps)),
      { numRuns: RUNS, seed: own, endOnFailure },
    );
  },
  RUNS * STEPS * 1_000,
);

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
