// node --import ./test/support/typescript.mjs bench/capacity.ts [--write] [--result FILE] [--sales 100,1000]
//
// Calculates the number of replicas required for a sales rate. The costs come from a B17 result. The program also
// compares the calculated rates with the measured ones. --write replaces the tables in docs/scaling.md, which a test
// compares with the output of this program.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** All measured values that the model uses. Replace them after a new measurement, and run this program with --write. */
export const MEASURED = {
  /** B17 result file. */
  replicas: '2026-11-27-replicas-node24.json',
  /** Result file of the `storage` benchmark. */
  storage: '2026-11-27-storage.json',
  /** CPU time of an idle replica, in microseconds per second (`docs/scaling.md`). */
  idleUs: 47_000,
  /** CPU time per sale on the serving thread and on the thread that does the divided work (`docs/performance.md`). */
  servingUs: 274,
  dividedUs: 290,
  /** Appends per second by EventStoreDB 23.10.6 on two cores (`docs/adr/0078`). */
  appendsPerSecond: 10_000,
} as const;

/** Share of a core that a replica should use, so that it can also take over another replica's tenants. */
const TARGET = 0.6;
const RANGES = 16;
/** EventStoreDB, MongoDB, NATS and Redis. */
const SERVERS = 4;
const RATES = [100, 1_000, 10_000];
const NAME = 'bench/capacity.ts';
const [FROM, TO] = [`<!-- capacity: written by ${NAME} -->`, '<!-- /capacity -->'];
const DOCUMENT = join(import.meta.dirname, '../docs/scaling.md');

/** CPU time in microseconds. A sale costs `saleUs` once, and `everywhereUs` on every replica. */
export type Costs = {
  readonly saleUs: number;
  readonly everywhereUs: number;
  readonly idleUs: number;
  /** Share of `saleUs` that only the tenant's leader can incur. */
  readonly dividedShare: number;
};
/**
 * `largestShare`: the largest tenant's share of all sales, if that tenant determines the load of the busiest replica.
 */
export type Run = { readonly replicas: number; readonly perSecond: number; readonly quota: number } & {
  readonly largestShare?: number;
};

/**
 * Highest sales rate at which no replica uses more than the given share of a core. The busiest replica handles all of
 * the largest tenant's sales, and its part of all other sales.
 */
export function throughput(costs: Costs, replicas: number, share: number, largestShare = 0): number {
  const { saleUs, everywhereUs, idleUs, dividedShare } = costs;
  const busiest = largestShare + (1 - largestShare) / Math.min(replicas, RANGES);
  const busiestUs = saleUs * ((1 - dividedShare) / replicas + dividedShare * busiest) + everywhereUs;
  return (share * 1e6 - idleUs) / busiestUs;
}

/** Fits the costs to the measured rates, by least squares. No cost is negative, even if the rates are inexact. */
export function costsOf(runs: readonly Run[]): Costs {
  const { idleUs, servingUs, dividedUs } = MEASURED;
  // Each replica uses saleUs / replicas + everywhereUs of CPU time per sale.
  const points = runs.map(({ replicas, perSecond, quota }) => ({
    x: 1 / replicas,
    y: (quota * 1e4 - idleUs) / perSecond,
  }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  const steepest = mean((point) => point.x * point.y) / mean((point) => point.x ** 2);
  const saleUs = y < slope * x ? steepest : slope;
  const everywhereUs = Math.max(0, y - slope * x);
  return { saleUs, everywhereUs, idleUs, dividedShare: dividedUs / (servingUs + dividedUs) };
}

export type Plan = { readonly installations: number; readonly replicas: number };

/**
 * Finds the installations that can handle a rate with the fewest replicas and servers in total. An installation has at
 * least two replicas, so that one may fail.
 */
export function planFor(costs: Costs, rate: number): Plan {
  const limit = throughput(costs, RANGES, TARGET);
  const plans: Plan[] = [];
  const most = Math.max(1, Math.ceil(rate / throughput(costs, 2, TARGET)));
  for (let installations = Math.ceil(rate / limit); installations <= most; installations += 1) {
    let replicas = 2;
    while (throughput(costs, replicas, TARGET) < rate / installations) replicas += 1;
    plans.push({ installations, replicas });
  }
  const processes = ({ installations, replicas }: Plan): number => installations * (replicas + SERVERS);
  return plans.toSorted((a, b) => processes(a) - processes(b))[0] as Plan;
}

type Measured = { readonly perSecond: number; readonly quota: number };
type Figure = {
  readonly figure: string;
  readonly name: string;
  readonly median: number;
  readonly against?: object;
  readonly details: unknown;
};

const figuresIn = (file: string): readonly Figure[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { figures: readonly Figure[] }).figures;
const resultOf = (name: string): string => join(import.meta.dirname, 'results', name);

/** Runs with 1, 2 and 4 replicas, and the run in which one tenant makes half of all sales. */
export function runsIn(file: string): readonly [Run, Run, Run, Run] {
  const some = figuresIn(file).filter(({ figure }) => figure === 'B17');
  const [two, four] = some.filter(({ against }) => against).map(({ details }) => details) as {
    readonly one: readonly Measured[];
    readonly several: readonly Measured[];
  }[];
  const large = some.find(({ against }) => !against)?.details as Measured | undefined;
  const runOf = (replicas: number, runs: readonly (Measured | undefined)[] = []): Run => {
    const [{ perSecond, quota } = { perSecond: NaN, quota: NaN }] = runs;
    return { replicas, perSecond, quota };
  };
  return [
    runOf(1, two?.one),
    runOf(2, two?.several),
    runOf(4, four?.several),
    { ...runOf(4, [large]), largestShare: 0.5 },
  ];
}

type Cells = readonly (string | number)[];

/** Returns a Markdown table, formatted as by Prettier. */
function table(head: Cells, rows: readonly Cells[]): string {
  const all = [head, ...rows].map((cells) => cells.map(String));
  const widths = head.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [first, ...others] = all.map(line);
  return [first, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n');
}

const grouped = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Returns the generated part of docs/scaling.md. */
export function report(file: string, rates: readonly number[] = RATES): string {
  const runs = runsIn(file);
  const [one, two, four] = runs;
  const costs = costsOf([one, two, four]);
  const checks = runs.map(({ replicas, perSecond, quota, largestShare }) => {
    const calculated = throughput(costs, replicas, quota / 100, largestShare);
    const what = largestShare === undefined ? `${replicas}` : `${replicas}, half of the sales of one tenant`;
    return [what, perSecond.toFixed(1), calculated.toFixed(1), `${((calculated / perSecond - 1) * 100).toFixed(1)}%`];
  });
  const plans = rates.map((rate) => {
    const { installations, replicas } = planFor(costs, rate);
    const appends = (rate / installations / MEASURED.appendsPerSecond) * 100;
    const each = [installations, installations * replicas, installations * SERVERS];
    return [grouped(rate), ...each, `${appends.toFixed(0)}%`];
  });
  const limits = [1, 2, 4, RANGES].map((replicas) => [
    replicas,
    grouped(throughput(costs, replicas, TARGET)),
    grouped(throughput(costs, replicas, TARGET, 1)),
  ]);
  const stored = figuresIn(resultOf(MEASURED.storage)).map(({ name, median, details }) => {
    const { perSale } = details as { perSale: number };
    return [name, perSale.toFixed(2), grouped(median), (median / 1_000).toFixed(2)];
  });
  return [
    `A sale costs ${grouped(costs.saleUs)} µs once and ${grouped(costs.everywhereUs)} µs on every replica. A replica ` +
      `without load uses ${grouped(costs.idleUs / 1_000)} ms of CPU time per second.`,
    table(['replicas', 'measured sales/s', 'calculated', 'difference'], checks),
    table(['sales/s', 'installations', 'replicas', 'servers', 'utilization of each EventStoreDB'], plans),
    table(['replicas', 'sales/s of all tenants', 'sales/s if all belong to one tenant'], limits),
    table(['storage', 'number per sale', 'bytes per sale', 'GB per million sales'], stored),
  ].join('\n\n');
}

/** Replaces the generated part of the document. */
export function withReport(document: string): string {
  const [start, end] = [document.indexOf(FROM), document.indexOf(TO)];
  if (start < 0 || end < start) throw new Error('docs/scaling.md does not contain the markers of the tables.');
  const file = resultOf(MEASURED.replicas);
  return `${document.slice(0, start)}${FROM}\n\n${report(file)}\n\n${document.slice(end)}`;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { write: { type: 'boolean' }, result: { type: 'string' }, sales: { type: 'string' } },
  });
  const file = values.result ?? resultOf(MEASURED.replicas);
  if (values.write) writeFileSync(DOCUMENT, withReport(readFileSync(DOCUMENT, 'utf8')));
  else console.log(report(file, values.sales?.split(',').map(Number)));
}
