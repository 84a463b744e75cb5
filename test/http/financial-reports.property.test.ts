import { seed } from '../support/bookkeeping-property.js';
import { reportsProperty } from '../support/reports-property.js';
import { TestService } from '../support/service.js';

/*
 * RUNS and STEPS lengthen the test. SEED reproduces an earlier run. SHRINK=true minimizes a failing sequence before
 * reporting it.
 */

let service: TestService;
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
});
afterAll(() => service.close());

reportsProperty({ runs: 2, steps: 40, stepMs: 2_000 }, () => service);

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
