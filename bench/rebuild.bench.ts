import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { catalogue } from '../src/catalogue.js';
import type { Recorded } from '../src/platform/event-catalogue.js';
import { documentsOf, evolveWith, scopeOf, wants } from '../src/platform/projection.js';
import { project, Projector } from '../src/platform/projector.js';
import type { DocumentWrite } from '../src/ports/read-store.js';
import { projections } from '../src/projections/projections.js';
import { fillHistory } from './history-store.js';

/**
 * B4: all read models, with all their indexes, from one reading of the history into an embedded read store, as a rebuild
 * does it. Beside it, in the same run: reading and decoding the history, the same with folding into memory, and raw
 * inserts of as many documents of the same length under the same keys.
 */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const SEED = Number(process.env['BENCH_SEED'] ?? 20_260_101);
const BATCH = 200;

const clock = new SystemClock();
const report: Record<string, unknown> = { events: EVENTS, seed: SEED, node: process.version };
function note(name: string, value: unknown): void {
  report[name] = value;
  process.stdout.write(`${name} ${JSON.stringify(value)}\n`);
}
const rate = (count: number, fromMs: number, toMs = performance.now()): number =>
  Math.round(count / ((toMs - fromMs) / 1_000));
const seconds = (fromMs: number, toMs = performance.now()): number => Number(((toMs - fromMs) / 1_000).toFixed(1));
async function rssAnonMiB(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

const folder = await mkdtemp(join(tmpdir(), 'kontor-rebuild-bench-'));
const history = join(folder, 'history');
note('appended', { perSecond: await fillHistory(history, EVENTS, SEED, clock) });
const events = EmbeddedEventStore.open({ directory: history, clock });
const head = await events.head();

async function read(each: (batch: readonly Recorded[], position: number) => Promise<void> | void): Promise<void> {
  const filter = { on: 'stream', prefixes: catalogue.streamPrefixes } as const;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: BATCH })) {
    await each(
      batch.events.map((event) => catalogue.decode(event)),
      batch.position,
    );
    if (batch.position >= head) break;
  }
}

const readMs = performance.now();
await read(() => undefined);
note('read and decoded', { perSecond: rate(EVENTS, readMs) });

/** Documents of late are kept, as a projector does; an older one begins anew, which makes no difference here. */
const foldMs = performance.now();
let folds = 0;
const known = new Map<string, object>();
await read((batch) => {
  for (const projection of projections)
    for (const event of batch) {
      if (!wants(projection, event.entity)) continue;
      const scope = scopeOf(projection, event);
      for (const id of documentsOf(projection, event)) {
        const key = `${projection.model.name} ${scope} ${id}`;
        const document = evolveWith(projection, known.get(key), event, id);
        folds += 1;
        if (document) known.set(key, document);
      }
    }
  if (known.size > 50_000) known.clear();
});
note('read, decoded and folded', {
  perSecond: rate(EVENTS, foldMs),
  foldsPerEvent: Number((folds / EVENTS).toFixed(2)),
});
known.clear();

const models = join(folder, 'models');
const reads = await EmbeddedReadStore.open({ directory: models, mode: 'readwrite' });
const tables = projections.map(({ model }) => ({ model, generation: 1 }));
await reads.prepare(tables, { bulk: true });
const projectors = projections.map(
  (projection, at) => new Projector(reads, { projection, table: tables[at] as never }),
);
const rebuildMs = performance.now();
await read((batch, position) => project(reads, projectors, batch, position));
const filledMs = performance.now();
for (const table of tables) await reads.index(table);
note('rebuilt', {
  perSecond: rate(EVENTS, rebuildMs),
  fillSeconds: seconds(rebuildMs, filledMs),
  indexSeconds: seconds(filledMs),
  rssAnonMiB: await rssAnonMiB(),
});

const documents: Record<string, number> = {};
const raw = await EmbeddedReadStore.open({ directory: join(folder, 'raw'), mode: 'readwrite' });
const plain = {
  name: 'raw',
  version: 1,
  fields: {},
  filters: [],
  order: { fields: [], direction: 'ascending' },
} as const;
await raw.prepare([{ model: plain, generation: 1 }], { bulk: true });
let rawMs = 0;
for (const table of tables) {
  let count = 0;
  let writes: DocumentWrite[] = [];
  const flush = async (): Promise<void> => {
    const startedMs = performance.now();
    await raw.write({ tables: [{ table: { model: plain, generation: 1 }, writes }], checkpoints: [] });
    rawMs += performance.now() - startedMs;
    writes = [];
  };
  for await (const { scope, id, json, position } of reads.scan(table)) {
    count += 1;
    const document = json === null ? null : (JSON.parse(json) as object);
    writes.push({ scope, id: `${table.model.name} ${id}`, document, position, expected: null });
    if (writes.length === 1_000) await flush();
  }
  if (writes.length > 0) await flush();
  if (count > 0) documents[table.model.name] = count;
}
const total = Object.values(documents).reduce((sum, count) => sum + count, 0);
note('documents', documents);
note('raw inserts', {
  documentsPerSecond: Math.round(total / (rawMs / 1_000)),
  eventsPerSecond: Math.round(EVENTS / (rawMs / 1_000)),
});
await Promise.all([reads.close(), raw.close(), events.close()]);
await rm(folder, { recursive: true, force: true });
note('machine', { cores: cpus().length, load: loadavg().map((one) => Number(one.toFixed(1))) });
const day = new Date().toISOString().slice(0, 10);
await writeFile(new URL(`results/${day}-rebuild.json`, import.meta.url), `${JSON.stringify(report, null, 1)}\n`);
