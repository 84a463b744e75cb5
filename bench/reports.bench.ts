import { ApiClient } from './api-client.js';
import { Beside } from './beside.js';
import { groundOf } from './b6-ground.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { folderOf } from './prepared-history.js';
import { cpuMs, pin, rssAnonMiB } from './processes.js';
import { say, tell } from './report.js';
import { BenchService, OWNER } from './service-client.js';
import { median } from './statistics.js';

/**
 * Reports for one tenant with a very large number of transactions. Each report is requested several times. Meanwhile, a
 * second connection sends a small request every few milliseconds. Its latency shows how much a report delays other
 * requests.
 */
const SIZES = options.sizes ?? [pick(1_000_000, 20_000)];
const CUSTOMERS = 10_000;
const REQUESTS = pick(3, 2);
const AT_MOST_MS = 1_000;
const KNOWN_AT_MOST_MS = 3_000;

const PATHS: Readonly<Record<string, string>> = {
  'trial balance': '/api/reports/trial-balance',
  'trial balance of a date': '/api/reports/trial-balance?asOf=2025-06-30',
  'trial balance of a year': '/api/reports/trial-balance?from=2025-01-01&to=2025-12-31&zero=false',
  'profit and loss by month': '/api/reports/profit-and-loss?from=2023-01-01&to=2025-12-31&by=month',
  'balance sheet': '/api/reports/balance-sheet?asOf=2025-12-31',
  ageing: '/api/reports/ageing?asOf=2025-12-31',
  tax: '/api/reports/tax?from=2025-01-01&to=2025-12-31',
  'general ledger of a day': '/api/reports/general-ledger?from=2025-06-30&to=2025-06-30',
};
const KNOWN_AT = '2025-06-30T12:00:00.000Z';

async function measure(service: BenchService, beside: ApiClient, path: string) {
  const latencies: number[] = [];
  let errors = 0;
  const others = new Beside(beside);
  await service.owner.ask('GET', path);
  others.forget();
  const cpuBefore = await cpuMs(service.pid);
  for (let n = 0; n < REQUESTS; n += 1) {
    const { ms, status, body } = await service.owner.ask('GET', path);
    latencies.push(ms);
    if (status !== 200) say(`${status} ${path} ${body.slice(0, 300)}`);
    errors += Number(status !== 200);
  }
  const cpu = Math.round(((await cpuMs(service.pid)) - cpuBefore) / REQUESTS);
  const small = await others.end();
  errors += small.errors;
  return { ms: median(latencies), cpu, errors, othersMaxMs: Math.round(small.maxMs) };
}

async function reportsAt(size: number): Promise<Measurement[]> {
  const directory = folderOf('reports', size);
  const { customers } = await groundOf(directory, { transactions: size, customers: Math.min(CUSTOMERS, size / 10) });
  const service = await BenchService.start({ directory });
  const beside = new ApiClient(service.url);
  const figures: Measurement[] = [];
  const paths = { ...PATHS, 'open items of the busiest customer': `/api/customers/${customers[0] ?? ''}/open-items` };
  for (const [name, path] of Object.entries(paths))
    for (const known of [false, true]) {
      await service.owner.signIn(OWNER);
      await beside.signIn(OWNER);
      const before = await rssAnonMiB(service.pid);
      const asked = known ? `${path}${path.includes('?') ? '&' : '?'}knownAt=${KNOWN_AT}` : path;
      const { ms, cpu, errors, othersMaxMs } = await measure(service, beside, asked);
      const after = await rssAnonMiB(service.pid);
      say(
        `${name}${known ? ', knownAt' : ''}: ${Math.round(ms)} ms, ${cpu} ms of CPU, others ${othersMaxMs} ms, ${before} to ${after} MiB`,
      );
      figures.push({
        ...{ figure: 'reports', name: known ? `${name}, knownAt` : name, unit: 'ms', events: size, concurrency: 1 },
        ...{
          runs: [ms],
          operations: REQUESTS,
          errors,
          details: { cpuMs: cpu, othersMaxMs, memoryMiB: [before, after] },
        },
        goal: { of: 'value', atMost: known ? KNOWN_AT_MOST_MS : AT_MOST_MS },
      });
    }
  beside.close();
  await service.stop();
  return figures;
}

pin('load', process.pid);
const figures: Measurement[] = [];
for (const size of SIZES) figures.push(...(await reportsAt(size)));
tell(figures);
