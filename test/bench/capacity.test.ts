import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costsOf, MEASURED, planFor, runsIn, throughput, withReport, type Costs } from '../../bench/capacity.js';

const ROOT = join(import.meta.dirname, '../..');
const RESULT = join(ROOT, 'bench/results', MEASURED.replicas);
/** Maximum relative difference between a calculated and a measured rate. Repeated measurements differ by more. */
const WITHIN = 0.1;
const TARGET = 0.6;

describe('The capacity model', () => {
  const [one, two, four, large] = runsIn(RESULT);
  const costs = costsOf([one, two, four]);

  test.each([one, two, four, large])('is close to the measured rate of $replicas replicas', (run) => {
    const calculated = throughput(costs, run.replicas, run.quota / 100, run.largestShare);
    expect(Math.abs(calculated / run.perSecond - 1)).toBeLessThan(WITHIN);
  });

  test('finds the costs from which rates result', () => {
    const known: Costs = { ...costs, saleUs: 400, everywhereUs: 100 };
    const runs = [1, 2, 4].map((replicas) => ({ replicas, quota: 24, perSecond: throughput(known, replicas, 0.24) }));
    const found = costsOf(runs);
    expect(found.saleUs).toBeCloseTo(400, 6);
    expect(found.everywhereUs).toBeCloseTo(100, 6);
  });

  test('finds no negative cost if rates grow faster than the number of replicas', () => {
    const found = costsOf([1, 2, 4].map((replicas) => ({ replicas, quota: 24, perSecond: 200 * replicas ** 1.1 })));
    expect(found.everywhereUs).toBe(0);
    expect(throughput(found, 2, 0.24)).toBeCloseTo(2 * throughput(found, 1, 0.24), 6);
  });

  test.each([
    [{ saleUs: 400, everywhereUs: 100 }, 100, 1, 2],
    // 2,000 sales/s use 0.8 cores once, plus 0.2 cores on each replica. A replica can use 0.6 − 0.05 cores.
    [{ saleUs: 400, everywhereUs: 100 }, 2_000, 1, 3],
    // A single installation cannot handle 6,000 sales/s, whatever its number of replicas. Two installations can handle
    // 3,000 sales/s each.
    [{ saleUs: 400, everywhereUs: 100 }, 6_000, 2, 5],
    [{ saleUs: 400, everywhereUs: 0 }, 6_000, 1, 5],
  ])('plans %j for %d sales per second', (given, rate, installations, replicas) => {
    const some: Costs = { ...given, idleUs: 50_000, dividedShare: 0.5 };
    expect(planFor(some, rate)).toEqual({ installations, replicas });
    expect(throughput(some, replicas, TARGET)).toBeGreaterThanOrEqual(rate / installations);
  });

  test('limits one tenant to what a single replica can do for it', () => {
    const some: Costs = { saleUs: 400, everywhereUs: 0, idleUs: 0, dividedShare: 0.5 };
    expect(throughput(some, 4, 1)).toBeCloseTo(10_000, 6);
    // Per sale, one replica spends 50 µs on its quarter of the requests, and 200 µs on all other work.
    expect(throughput(some, 4, 1, 1)).toBeCloseTo(4_000, 6);
  });

  test('is the source of the tables in docs/scaling.md', () => {
    const document = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
    expect(withReport(document)).toBe(document);
  });
});
