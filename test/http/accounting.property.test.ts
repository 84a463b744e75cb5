import { bookkeepingProperty, seed } from '../support/bookkeeping-property.js';
import { BooksAudit } from '../support/books-audit.js';
import { TestService } from '../support/service.js';

/*
 * Performs random bookkeeping through HTTP in tenants with three different currencies, and compares the books with a
 * model that is only a list of postings. RUNS and STEPS lengthen the test. SEED reproduces an earlier run. SHRINK=true
 * minimizes a failing sequence before reporting it.
 */

/** Minimum number of steps between two audits. */
const AUDIT_STEPS = 8;

let service: TestService;
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
});
afterAll(() => service.close());

bookkeepingProperty(
  'Whatever is booked in %s, all figures equal the sum of their postings',
  { runs: 3, steps: 50, stepMs: 1_000 },
  () => service,
  async (keeper, steps) => {
    let audited = 0;
    for (const [index, step] of steps.entries()) {
      await keeper.take(step);
      const records = await keeper.compare();
      if (step.kind !== 'audit' || index - audited < AUDIT_STEPS) continue;
      await new BooksAudit(keeper, records).all();
      audited = index;
    }
    await new BooksAudit(keeper, await keeper.compare()).all();
  },
);

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
