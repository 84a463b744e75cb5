// node bench/capacity.mjs --result FILE [--sales 100,1000,10000] [--idle 50000]
//
// Computes the number of replicas required for a rate of sales. Derives the costs from a result of B17, and compares
// the predicted throughput with the measured one.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    sales: { type: 'string', default: '100,1000,10000' },
    result: { type: 'string' },
    idle: { type: 'string', default: '50000' },
  },
});

if (values.result === undefined) throw new Error('--result is required: a file of bench/results with B17');
/** CPU time of a replica without load, in microseconds per second. */
const IDLE_US = Number(values.idle);
/** Share of a core that a replica should use, so that it can also take over the tenants of another replica. */
const TARGET = 0.6;

/** Throughput of `replicas` replicas in sales per second, if each uses the given share of a core. */
const throughput = ({ saleUs, everywhereUs, idleUs }, replicas, share) =>
  (share * 1e6 - idleUs) / (saleUs / replicas + everywhereUs);

/** Number of replicas required for a rate. Infinity if receiving events would take all CPU time of the replicas. */
function replicasFor({ saleUs, everywhereUs, idleUs }, perSecond) {
  const left = TARGET * 1e6 - idleUs - perSecond * everywhereUs;
  return left <= 0 ? Infinity : Math.ceil((perSecond * saleUs) / left);
}

/** Calculates the constants of the model from the cost per sale in runs with different numbers of replicas. */
function costsOf(runs) {
  const rows = runs.map(({ replicas, perSecond, cpuUs }) => {
    const ownUs = cpuUs - (replicas * IDLE_US) / perSecond;
    return [replicas, ownUs];
  });
  const mean = (of) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const [x, y] = [mean(([n]) => n), mean(([, us]) => us)];
  const slope = mean(([n, us]) => (n - x) * (us - y)) / mean(([n]) => (n - x) ** 2);
  const everywhereUs = Math.max(0, slope);
  return { saleUs: y - everywhereUs * x, everywhereUs, idleUs: IDLE_US };
}

function runsIn(file) {
  const { figures } = JSON.parse(readFileSync(file, 'utf8'));
  const [two, four] = figures.filter(({ figure, against }) => figure === 'B17' && against);
  return [
    { replicas: 1, ...two.details.one[0] },
    { replicas: 2, ...two.details.several[0] },
    { replicas: 4, ...four.details.several[0] },
  ];
}

const runs = runsIn(values.result);
const costs = costsOf(runs);
console.log(costs);
for (const { replicas, perSecond, quota } of runs) {
  const predicted = throughput(costs, replicas, quota / 100);
  console.log(`${replicas} replicas: ${perSecond.toFixed(1)}/s measured, ${predicted.toFixed(1)}/s predicted`);
}
for (const rate of values.sales.split(',').map(Number))
  console.log(`${rate} sales/s: ${replicasFor(costs, rate)} replicas`);
