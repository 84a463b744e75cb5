import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedEventReader } from '../src/adapters/embedded/event-store.reader.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { EventStoreDb } from '../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { silentLogger } from '../src/ports/log.js';
import type { EventReader } from '../src/ports/event-store.js';
import { historyAlone } from './history-store.js';
import { folder, options, pick } from './options.js';
import { pin } from './processes.js';
import { rebuild } from './rebuilding.js';
import { say, tell } from './report.js';
import { CountedEventStore } from './shared-servers.js';
import { round } from './statistics.js';

/**
 * B18: time to build all read models with their indexes from a history on EventStoreDB, relative to the same history in
 * the embedded store. The server runs on the other core.
 */
const EVENTS = options.sizes?.[0] ?? pick(100_000, 5_000);
const clock = new SystemClock();

/** Time until all read models are built, in seconds. */
async function build(events: EventReader): Promise<number> {
  const directory = await mkdtemp(join(folder, 'models-'));
  const reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  const { fillMs, indexMs } = await rebuild(events, reads, { upTo: await events.head() });
  await reads.close();
  await rm(directory, { recursive: true, force: true });
  return (fillMs + indexMs) / 1_000;
}

const history = await historyAlone(EVENTS, clock);
// The server adds system events to its copy of the history.
const copy = await mkdtemp(join(folder, 'eventstore-'));
await cp(history, copy, { recursive: true });
const server = await CountedEventStore.start(copy);
pin('measured', process.pid);
const embedded = EmbeddedEventReader.open({ directory: history, clock });
const remote = EventStoreDb.open({ url: server.url, clock, logger: silentLogger });
const runs: { readonly remoteS: number; readonly embeddedS: number }[] = [];
for (let n = 0; n < options.runs; n += 1) {
  const [embeddedS, remoteS] = [await build(embedded), await build(remote)];
  say(`${round(embeddedS)} s from the embedded history, ${round(remoteS)} s from EventStoreDB`);
  runs.push({ embeddedS, remoteS });
}
await Promise.all([embedded.close(), remote.close()]);
await server.stop();
await rm(copy, { recursive: true, force: true });
tell([
  {
    ...{ figure: 'B18', name: 'all read models built from EventStoreDB', unit: 's', events: EVENTS },
    runs: runs.map(({ remoteS }) => remoteS),
    ...{ operations: EVENTS * runs.length, errors: 0, concurrency: 1 },
    against: { name: 'embedded history', unit: 's', runs: runs.map(({ embeddedS }) => embeddedS) },
    goal: { of: 'ratio', atMost: 1.3 },
  },
]);
