import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import type { Append, RecordedEvent } from '../src/ports/event-store.js';
import { parkedLetter } from '../test/support/parked-letter.js';
import { isReplay, messagesIn } from '../test/support/stored-messages.js';
import { ApiClient } from './api-client.js';
import type { Measurement } from './figure.js';
import { LagWatch } from './lag-watch.js';
import { LiveSales } from './live-sales.js';
import { options, pick } from './options.js';
import { folderOf } from './prepared-history.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { BenchService, type Books } from './service-client.js';
import type { Latencies } from './statistics.js';

/**
 * Runs two bulk operations on one tenant while another tenant makes sales. The first is the replay of 100,000 dead
 * letters, which is paused, killed and resumed. The second is the rewind of 100,000 messages.
 */
const LETTERS = pick(100_000, 2_000);
const PER_SECOND = Number(process.env['BULK_PER_SECOND'] ?? 500);
/** The replay alternately runs and pauses, so that sales are measured in both states on the same service. */
const PERIODS = pick(5, 2);
const PERIOD_MS = pick(20_000, 1_000);
/** Pause before each period, so that starting and pausing the replay are not part of it. */
const SETTLE_MS = pick(2_000, 100);
const LOOK_EVERY_MS = 200;
/** Access tokens expire after fifteen minutes. */
const SIGN_IN_EVERY_MS = 10 * 60_000;
const AT_ONCE = 500;
const FORWARDER = '/api/platform/forwarders/integration-events';

/**
 * Creates a live tenant and a large tenant. Appends copies of the large tenant's customer, each with a dead letter.
 * Returns the live tenant's books.
 */
async function prepare(directory: string): Promise<Books & { readonly large: string; readonly letters: number }> {
  const service = await BenchService.start({ directory });
  const books = await service.createTenant();
  const owner = { fullName: 'Owner', email: 'large@bench.example', password: 'bench-password-3' };
  const tenant = { name: 'Large', slug: 'large', currency: 'EUR', timeZone: 'Europe/Berlin', owner };
  const { data } = await service.operator.json<{ data: { id: string } }>('POST', '/api/platform/tenants', tenant);
  const client = await new ApiClient(service.url).signIn(owner);
  await client.json('POST', '/api/customers', { name: 'Template' });
  client.close();
  await service.stop();
  const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  const isLarge = ({ metadata }: RecordedEvent) => (metadata as { tenantId?: string }).tenantId === data.id;
  const customers = () => store.readAll({ filter: { on: 'type', prefixes: ['CustomerCreated'] }, maxCount: 1_000_000 });
  const appendAll = async (appends: readonly Append[]): Promise<void> => {
    for (let at = 0; at < appends.length; at += AT_ONCE) await store.appendInOrder(appends.slice(at, at + AT_ONCE));
  };
  const template = (await customers()).filter(isLarge).at(-1);
  if (!template) throw new Error('No customer was created');
  const copies = Array.from({ length: LETTERS }, (_, n): Append => {
    const content = { ...template.data, name: `Customer ${n}`, code: `L-${n}` };
    return {
      stream: `customer-${data.id}_${randomUUID()}`,
      expected: 'no_stream',
      events: [{ id: randomUUID(), type: template.type, data: content, metadata: template.metadata }],
    };
  });
  await appendAll(copies);
  const made = (await customers()).filter((event) => isLarge(event) && event.id !== template.id);
  await appendAll(made.map((event) => parkedLetter(event, data.id)));
  await store.close();
  return { ...books, large: data.id, letters: made.length };
}

type Run = { readonly id: string; readonly status: string; readonly progress: number; readonly message: string | null };

const runOf = async ({ operator }: BenchService): Promise<Run> => {
  const logs = '/api/platform/jobs/logs?pageNumber=1&pageSize=1&search=dead-letter-replay';
  return (await operator.json<{ items: Run[] }>('GET', logs)).items[0] as Run;
};
const change = async (service: BenchService, what: string): Promise<unknown> =>
  service.operator.json('POST', `/api/platform/jobs/execution/${(await runOf(service)).id}/${what}`, {});

/** Waits until the bulk run has a status that `isReached` accepts, without a time limit. */
async function reached(service: BenchService, isReached: (status: string) => boolean): Promise<Run> {
  let signedInMs = performance.now();
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    if (performance.now() - signedInMs > SIGN_IN_EVERY_MS) {
      await service.signIn();
      signedInMs = performance.now();
    }
    const run = await runOf(service);
    if (isReached(run.status)) return run;
  }
}

type Forwarding = {
  readonly forwarder: { readonly rewind: object | null; readonly lastRewind: { status: string } | null } | null;
};

async function rewound({ operator }: BenchService): Promise<string> {
  for (;;) {
    await sleep(LOOK_EVERY_MS);
    const queues = (await operator.queues()) as unknown as readonly Forwarding[];
    const forwarder = queues.find((queue) => queue.forwarder)?.forwarder;
    if (forwarder && !forwarder.rewind) return forwarder.lastRewind?.status ?? 'none';
  }
}

type Period = Latencies & { readonly sales: number };

/** Measures the latencies of sales for one period. */
async function salesOf(prefix: string): Promise<Period> {
  await sleep(SETTLE_MS);
  const sales = new LiveSales(service, books, prefix);
  await sleep(PERIOD_MS);
  return sales.end();
}

pin('load', process.pid);
const directory = folderOf('bulk', LETTERS);
const books = await prepare(directory);
let service = await BenchService.start({ directory });
await service.settled();
say(`${books.letters} letters are parked`);
const replay = { filter: { code: 'REFUSED' }, dryRun: false, perSecond: PER_SECOND };
const during: Period[] = [];
const between: Period[] = [];
for (let n = 1; n <= PERIODS; n += 1) {
  await service.signIn();
  if (n === 1) await service.operator.json('POST', '/api/platform/dead-letters/replay', replay);
  else await change(service, 'resume');
  during.push(await salesOf(`during-${n}`));
  await change(service, 'pause');
  await reached(service, (status) => status === 'PAUSED');
  between.push(await salesOf(`between-${n}`));
}
const paused = await runOf(service);
process.kill(service.pid, 'SIGKILL');
await service.stop();
service = await BenchService.start({ directory });
await change(service, 'resume');
const second = new LiveSales(service, books, 'second');
const resumedMs = performance.now();
const done = await reached(service, (status) => status !== 'RUNNING');
const replaySeconds = (performance.now() - resumedMs) / 1_000;
const after = await second.end();
const repeats = new Map<string, number>();
for (const { id } of messagesIn(directory).filter(isReplay)) repeats.set(id, (repeats.get(id) ?? 0) + 1);
const isOnce = repeats.size === books.letters && [...repeats.values()].every((count) => count === 1);
const p99sOf = (periods: readonly Period[]) => periods.map(({ p99Ms }) => p99Ms);
say(`p99 with the replay ${p99sOf(during).join(', ')}; paused ${p99sOf(between).join(', ')}, at ${paused.progress}%`);
say(
  `${done.status}: ${done.message ?? ''} ${repeats.size} messages, each once: ${isOnce}, ${Math.round(replaySeconds)} s`,
);

await service.signIn();
await service.settled();
const lags = await LagWatch.begin(service, books, 'rewind');
const third = new LiveSales(service, books, 'third');
await service.operator.json('POST', `${FORWARDER}/rewind`, { position: 0, tenantId: books.large });
const rewindMs = performance.now();
const outcome = await rewound(service);
const rewindSeconds = (performance.now() - rewindMs) / 1_000;
const [lag, sales] = [await lags.end(), await third.end()];
say(
  `rewind ${outcome} in ${Math.round(rewindSeconds)} s; live sales ${JSON.stringify(sales)}, lag ${JSON.stringify(lag)}`,
);
await service.stop();

const replayErrors = Number(!isOnce) + Number(done.status !== 'SUCCEEDED');
const figures: Measurement[] = [
  {
    ...{ figure: 'bulk', name: 'p99 of sales during a bulk replay', unit: 'ms', concurrency: 1 },
    runs: p99sOf(during),
    ...{ operations: during.reduce((sum, period) => sum + period.sales, after.sales), errors: replayErrors },
    against: { name: 'while the replay is paused', unit: 'ms', runs: p99sOf(between) },
    details: { letters: LETTERS, perSecond: PER_SECOND, during, between, after, replaySeconds, message: done.message },
  },
  {
    ...{ figure: 'bulk', name: 'slowest message of another tenant during a rewind', unit: 'ms', concurrency: 1 },
    runs: [lag.forwardedMs],
    ...{ operations: sales.sales, errors: Number(outcome !== 'DONE') },
    goal: { of: 'value', atMost: 100 },
    details: { messages: LETTERS, rewindSeconds, sales, lag, outcome },
  },
];
if (options.runs > 1) say('This figure is measured once.');
tell(figures);
