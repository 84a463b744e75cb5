import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import type { Measurement } from './figure.js';
import { foldAll } from './folding.js';
import { decoded, historyAlone, readHistory } from './history-store.js';
import { folder, options, pick } from './options.js';
import { Peer, PEER_NAME } from './peer.js';
import { pin, rssAnonMiB } from './processes.js';
import { copyDocuments, into, RAW } from './raw-documents.js';
import { rebuild } from './rebuilding.js';
import { say, tell } from './report.js';
import { median, round } from './statistics.js';

/**
 * B4: builds all read models with all indexes in an embedded read store, in one pass over the history, as in a rebuild.
 * The same run measures three baselines. The first is reading, decoding and folding alone. The second is raw inserts of
 * as many documents of the same length under the same keys. The third is the peer's rebuild of its single read model.
 */
const EVENTS = pick(1_000_000, 15_000);
const PEER_EVENTS = pick(50_000, 3_000);
const clock = new SystemClock();

type Run = {
  readonly decode: number;
  readonly fold: number;
  readonly rebuilt: number;
  readonly raw: number;
  readonly documents: number;
  readonly foldsPerEvent: number;
  readonly indexShare: number;
  readonly mostMiB: number;
};
const rate = (ms: number): number => EVENTS / (ms / 1_000);

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedMs = performance.now();
  const result = await work();
  return [result, performance.now() - startedMs];
}

async function measure(events: EmbeddedEventStore): Promise<Run> {
  const upTo = await events.head();
  const [, decodeMs] = await timed(() => readHistory(events, { upTo }, (batch) => void decoded(batch)));
  const [folds, foldMs] = await timed(() => foldAll(events, upTo));
  const models = await mkdtemp(join(folder, 'models-'));
  const reads = await EmbeddedReadStore.open({ directory: join(models, 'all'), mode: 'readwrite' });
  const { tables, fillMs, indexMs } = await rebuild(events, reads, { upTo });
  const mostMiB = await rssAnonMiB('self');
  const raw = await EmbeddedReadStore.open({ directory: join(models, 'raw'), mode: 'readwrite' });
  await raw.prepare([RAW], { bulk: true });
  const copied = await copyDocuments(reads, tables, into(raw));
  await Promise.all([reads.close(), raw.close()]);
  await rm(models, { recursive: true, force: true });
  const done = {
    ...{ decode: rate(decodeMs), fold: rate(foldMs), rebuilt: rate(fillMs + indexMs), raw: rate(copied.ms) },
    ...{ documents: copied.documents, foldsPerEvent: round(folds / EVENTS) },
    ...{ indexShare: round(indexMs / (fillMs + indexMs)), mostMiB },
  };
  say(`rebuilt ${round(done.rebuilt)}/s, folded alone ${round(done.fold)}/s, raw inserts ${round(done.raw)}/s`);
  return done;
}

pin('measured', process.pid);
const history = await historyAlone(EVENTS, clock);
const events = EmbeddedEventStore.open({ directory: history, clock });
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure(events));
await events.close();
const peer = await Peer.start();
const peerRuns = (await peer?.rebuild(PEER_EVENTS, options.runs)) ?? [];
if (peer) say(`the peer: ${peerRuns.map((one) => round(one)).join(' ')}/s`);
await peer?.stop();

const shared = { figure: 'B4', unit: 'events/s', errors: 0, concurrency: 1, events: EVENTS } as const;
const rebuilt = { ...shared, runs: runs.map((one) => one.rebuilt), operations: EVENTS * options.runs };
const one = runs[0];
const figures: Measurement[] = [
  {
    ...rebuilt,
    name: 'all read models rebuilt, with indexes',
    against: { name: 'read, decoded and folded alone', unit: 'events/s', runs: runs.map(({ fold }) => fold) },
    goal: { of: 'value', atLeast: 12_000 },
    details: {
      decodedPerSecond: runs.map(({ decode }) => round(decode)),
      ...{ documents: one?.documents, foldsPerEvent: one?.foldsPerEvent, indexShare: one?.indexShare },
      rssAnonMiB: median(runs.map(({ mostMiB }) => mostMiB)),
    },
  },
  {
    ...rebuilt,
    name: 'all read models rebuilt, compared with plain inserts',
    against: { name: 'plain inserts of the same documents', unit: 'events/s', runs: runs.map(({ raw }) => raw) },
  },
];
if (peerRuns.length > 0)
  figures.push({
    ...rebuilt,
    name: 'all read models rebuilt, compared with the peer',
    against: { name: PEER_NAME, unit: 'events/s', runs: peerRuns },
    notes: [`The peer rebuilds one read model with two indexes, from ${PEER_EVENTS} events.`],
  });
tell(figures);
