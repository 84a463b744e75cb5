import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { figureOf, type Measurement } from '../../bench/figure.js';
import { median, percentile, slope } from '../../bench/statistics.js';

const root = join(import.meta.dirname, '../..');

const measured = (given: Partial<Measurement>): Measurement => ({
  figure: 'B1',
  name: 'sales accepted',
  unit: '/s',
  runs: [100, 300, 200],
  operations: 600,
  errors: 0,
  concurrency: 64,
  ...given,
});
const bare = (runs: readonly number[]) => ({ name: 'bare', unit: '/s', runs });

describe('A figure', () => {
  test('is the median of its runs, with their range', () => {
    expect(figureOf(measured({}))).toMatchObject({ median: 200, min: 100, max: 300, met: null });
  });

  test('is compared run by run with its baseline', () => {
    const { ratio } = figureOf(measured({ against: bare([100, 600, 1_000]) }));
    expect(ratio).toEqual({ runs: [1, 0.5, 0.2], median: 0.5, min: 0.2, max: 1 });
  });

  test.each<[string, Partial<Measurement>, boolean]>([
    ['a rate that reaches it', { goal: { of: 'value', atLeast: 200 } }, true],
    ['no rate below it', { goal: { of: 'value', atLeast: 201 } }, false],
    ['a duration up to it', { goal: { of: 'value', atMost: 200 } }, true],
    ['no duration above it', { goal: { of: 'value', atMost: 199 } }, false],
    ['a ratio that reaches it', { goal: { of: 'ratio', atLeast: 0.5 }, against: bare([200, 600, 400]) }, true],
    ['no ratio below it', { goal: { of: 'ratio', atLeast: 0.5 }, against: bare([201, 601, 401]) }, false],
    ['no ratio to nothing', { goal: { of: 'ratio', atLeast: 0 } }, false],
    ['no figure with an error', { goal: { of: 'value', atLeast: 1 }, errors: 1 }, false],
  ])('meets its goal with %s', (_, given, met) => {
    expect(figureOf(measured(given)).met).toBe(met);
  });
});

describe('Of many values', () => {
  test('the median of an even number lies between the middle two', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('of a hundred values, one is above the p99', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([50, 99, 100]);
  });

  test('the slope is the slope of the least-squares line', () => {
    expect(slope([0, 1, 2, 3].map((x) => ({ x, y: 2 * x + 1 })))).toBeCloseTo(2, 9);
    // Calculated by hand: x̄ = 1, ȳ = 4/3; Σ(x−x̄)(y−ȳ) = 1, Σ(x−x̄)² = 2.
    expect(slope([1, 1, 2].map((y, x) => ({ x, y })))).toBeCloseTo(0.5, 9);
  });
});

describe('npm run bench', () => {
  const script = (code: string): unknown =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root }).toString());

  test('has a program for every figure of the goals', () => {
    const code = `import { figures } from './scripts/bench-figures.mjs'; console.log(JSON.stringify(figures))`;
    const figures = script(code) as { ids: string[]; program: string }[];
    const numbered = figures.flatMap(({ ids }) => ids).filter((id) => id.startsWith('B'));
    const goals = ['B1b', 'B1c', 'B1d', 'B1e', ...Array.from({ length: 18 }, (_, n) => `B${n + 1}`)];
    expect(new Set(numbered)).toEqual(new Set(goals));
    for (const { program } of figures) expect(existsSync(join(root, 'bench', `${program}.bench.ts`))).toBe(true);
  });

  test('reports degradation with size: of durations, of rates, and of rates relative to the baseline', () => {
    const beside = { ratio: { median: 0.5 }, against: { name: 'bare' } };
    const at = (unit: string, medians: readonly number[]) =>
      medians.map((value, n) => ({ figure: 'B1', name: unit, unit, events: 10 ** (n + 4), median: value }));
    const rates = at('/s', [100, 90, 30]).map((point) => ({ ...point, ...beside, figure: 'B3' }));
    const points = [...at('ms', [10, 12, 20]), ...at('/s', [100, 90, 85]), ...rates];
    const code = `import { curves } from './scripts/bench-table.mjs'; console.log(JSON.stringify(curves(${JSON.stringify(points)})))`;
    expect(script(code)).toMatchObject([
      { unit: 'ms', timesWorse: 2, flat: false },
      { unit: '/s', timesWorse: 1.18, flat: true },
      { unit: '× bare', timesWorse: 1, flat: true },
    ]);
  });

  test('reports the requirements of a figure that could not be measured', () => {
    const figure = { figure: 'B10', name: 'forwarder to NATS', notRun: 'needs nats-server' };
    const code = `import { table } from './scripts/bench-table.mjs'; console.log(JSON.stringify(table(${JSON.stringify([figure])})))`;
    expect(script(code)).toContain('B10');
    expect(script(code)).toContain('not run: needs nats-server');
  });
});
