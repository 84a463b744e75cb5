import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { leafHashOf } from '../../src/integrity/leaf.js';
import { rootOf } from '../../src/integrity/merkle.js';
import { TileStore } from '../../src/integrity/tile-store.js';
import { lagOf } from '../../src/observability/queue-board.js';
import { TREE_STREAM } from '../../src/integrity/tree-follower.js';
import type { EventStore } from '../../src/ports/event-store.js';
import { overriding } from '../../src/ports/overriding.js';
import { appendAll, backupOf, restored } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { EVERY_MS, plausibleEvents, TreeStage } from '../support/tree-stage.js';

const SEED = 7;
const PATIENCE_MS = 20_000;
const clock = new SystemClock();

let directory: string;
let events: EmbeddedEventStore;
let reads: EmbeddedReadStore;
const stages: TreeStage[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-tree-'));
  events = EmbeddedEventStore.open({ directory, clock });
  reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
});
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.stop()));
  await Promise.all([events.close(), reads.close()]);
  await rm(directory, { recursive: true });
});

async function leader(name = 'a', store: EventStore = events, models = reads): Promise<TreeStage> {
  const stage = await TreeStage.open(store, join(directory, name), models);
  stages.push(stage);
  return stage;
}
const rootOver = async (store: EventStore, size: number): Promise<string> =>
  rootOf((await store.readAll({ maxCount: 100_000 })).slice(0, size).map(leafHashOf)).toString('hex');

test('A history from before the tree gets one, and the first checkpoint covers all of it', async () => {
  const history = plausibleEvents(1_300, SEED);
  await appendAll(events, history);
  const stage = await leader();
  stage.lead();
  const { size, rootHash } = await stage.signed();
  expect(size).toBe(history.length);
  expect(rootHash).toBe(await rootOver(events, size));
});

test('The verification accepts events and checkpoints that are stored while it runs', async () => {
  const history = plausibleEvents(120, SEED);
  await appendAll(events, history.slice(0, 100));
  const stage = await leader();
  stage.lead();
  await stage.signed();
  const busy = overriding<EventStore, Pick<EventStore, 'readStream'>>(events, {
    readStream: async (...given) => {
      await appendAll(events, history.slice(100));
      await stage.signed();
      return events.readStream(...given);
    },
  });
  const size = history.length + 1;
  const found = `${size + 1} events match 4 checkpoints, the last of which covers ${size} events.`;
  expect(await stage.verify(busy)).toBe(found);
});

test('Nothing is signed while nothing but the last checkpoint is new', async () => {
  await appendAll(events, plausibleEvents(20, SEED));
  const stage = await leader();
  stage.lead();
  await stage.signed();
  for (let minute = 0; minute < 10; minute += 1) await stage.clock.advance(EVERY_MS);
  await stage.stop();
  stage.lead();
  for (let minute = 0; minute < 10; minute += 1) await stage.clock.advance(EVERY_MS);
  expect(await stage.checkpoints()).toHaveLength(1);
});

test('A process that continues the stored tree signs the same roots as one that derives it again', async () => {
  const history = plausibleEvents(1_500, SEED);
  await appendAll(events, history.slice(0, 900));
  const first = await leader();
  first.lead();
  await first.signed();
  await first.stop();
  await appendAll(events, history.slice(900));
  const next = await leader('b');
  next.lead();
  const { size, rootHash } = await next.signed();
  expect(rootHash).toBe(await rootOver(events, size));
  const fresh = await EmbeddedReadStore.open({ directory: join(directory, 'fresh'), mode: 'readwrite' });
  try {
    const again = await leader('c', events, fresh);
    again.lead();
    const tiles = new TileStore(fresh);
    await tiles.prepare();
    await eventually(async () => {
      await again.clock.advance(EVERY_MS);
      return (await tiles.reached()).size >= size;
    }, PATIENCE_MS);
    expect((await tiles.view().root(size)).toString('hex')).toBe(rootHash);
    await again.stop();
  } finally {
    await fresh.close();
  }
});

test('Of two leaders that sign at once, one checkpoint is appended and published', async () => {
  await appendAll(events, plausibleEvents(50, SEED));
  const [one, other] = [await leader('one'), await leader('other')];
  // Both leaders sign before either of them appends.
  let waiting = 0;
  const release = new AbortController();
  const both = async (): Promise<void> => {
    waiting += 1;
    if (waiting >= 2) release.abort();
    await new Promise<void>((resolve) => {
      if (release.signal.aborted) resolve();
      else
        release.signal.addEventListener('abort', () => {
          resolve();
        });
    });
  };
  for (const stage of [one, other]) stage.lead(both);
  const published = await eventually(async () => {
    await Promise.all([one.clock.advance(EVERY_MS), other.clock.advance(EVERY_MS)]);
    const [a, b] = await Promise.all([one.files.last(), other.files.last()]);
    return a && b && waiting >= 2 ? [a, b] : undefined;
  }, PATIENCE_MS);
  const recorded = await one.checkpoints();
  expect(recorded).toHaveLength(1);
  expect(published.map(({ note }) => note)).toEqual([recorded[0]?.note, recorded[0]?.note]);
});

test('Checkpoints of leaders that take turns under load never contradict each other', async () => {
  const history = plausibleEvents(1_200, SEED);
  const pair = [await leader('one'), await leader('other')];
  for (const stage of pair) stage.lead();
  for (let from = 0; from < history.length; from += 150) {
    await appendAll(events, history.slice(from, from + 150));
    await Promise.all(pair.map((stage) => stage.clock.advance(EVERY_MS)));
    // The two leaders' terms overlap. Each leader in turn stops and starts again.
    const turn = pair[(from / 150) % 2];
    await turn?.stop();
    await turn?.clock.advance(EVERY_MS);
    turn?.lead();
  }
  const stage = pair[0] as TreeStage;
  await appendAll(
    events,
    plausibleEvents(10, SEED + 1_000).map((event) => ({ ...event, stream: `${event.stream}.late` })),
  );
  await stage.signed();
  const recorded = await stage.checkpoints();
  expect(recorded.length).toBeGreaterThan(2);
  for (const { size, rootHash } of recorded) expect(rootHash).toBe(await rootOver(events, size));
  const everyFile = (await Promise.all(pair.map(({ files }) => files.all()))).flat();
  const notes = new Set(recorded.map(({ note }) => note));
  expect(everyFile.every(({ note }) => notes.has(note))).toBe(true);
});

test('The queue of the tree shows a lag while the tree cannot follow the history, and none afterwards', async () => {
  const faulty = new FaultyEventStore(events);
  const history = plausibleEvents(300, SEED);
  await appendAll(events, history.slice(0, 100));
  const stage = await leader('a', faulty);
  stage.lead();
  const lag = async () => lagOf(stage.meter.read(), await events.head());
  const caughtUp = async () => {
    await stage.clock.advance(EVERY_MS);
    const { position, isIdle } = stage.meter.read();
    return isIdle && position === (await events.head());
  };
  // Waits for the first checkpoint. Otherwise, it might be appended during the fault, and would add to the lag.
  await stage.signed();
  await eventually(caughtUp, PATIENCE_MS);
  const { handled } = stage.meter.read();
  expect(handled).toBe((await events.head()) + 1);

  faulty.away = true;
  faulty.batchesUntilBreak = 0;
  await appendAll(events, history.slice(100));
  await eventually(async () => (await lag()) === history.length - 100, PATIENCE_MS);
  expect(stage.meter.read().failures).toBeGreaterThan(0);

  faulty.away = false;
  faulty.batchesUntilBreak = Number.POSITIVE_INFINITY;
  await eventually(caughtUp, PATIENCE_MS);
  expect(await lag()).toBe(0);
  await stage.stop();
  expect(stage.meter.isBegun).toBe(false);
});

test('A restore of a backup preserves the root', async () => {
  await appendAll(events, plausibleEvents(400, SEED));
  const stage = await leader();
  stage.lead();
  const { size, rootHash } = await stage.signed();
  const path = await backupOf(events, join(directory, 'backups'));
  const copy = EmbeddedEventStore.open({ directory: join(directory, 'copy'), clock });
  try {
    await restored(path, copy);
    expect(await rootOver(copy, size)).toBe(rootHash);
  } finally {
    await copy.close();
  }
});

test('A checkpoint that could not be published is published after a restart', async () => {
  await appendAll(events, plausibleEvents(50, SEED));
  const stage = await leader();
  const day = new Date(stage.clock.nowMs()).toISOString().slice(0, 10);
  const obstacle = join(stage.files.directory, `${day}.ndjson`);
  // The checkpoint can be appended, but not written to its file.
  stage.lead(async () => {
    await mkdir(obstacle, { recursive: true });
  });
  await eventually(async () => {
    await stage.clock.advance(EVERY_MS / 10);
    return stage.complaints.length > 0;
  }, PATIENCE_MS);
  await stage.stop();
  const [recorded, ...others] = await stage.checkpoints();
  expect([recorded?.size, others]).toEqual([await events.head(), []]);
  await rm(obstacle, { recursive: true });
  stage.lead();
  await eventually(async () => {
    await stage.clock.advance(EVERY_MS);
    return (await stage.files.last())?.note === recorded?.note;
  }, PATIENCE_MS);
});

test('A history without events that a published checkpoint covers gets no further checkpoint', async () => {
  const history = plausibleEvents(300, SEED);
  await appendAll(events, history);
  const stage = await leader();
  stage.lead();
  await stage.signed();
  await stage.stop();
  const shorter = EmbeddedEventStore.open({ directory: join(directory, 'shorter'), clock });
  const empty = await EmbeddedReadStore.open({ directory: join(directory, 'empty'), mode: 'readwrite' });
  try {
    await appendAll(shorter, history.slice(0, 200));
    const truncated = await leader('a', shorter, empty);
    truncated.lead();
    await eventually(async () => {
      await truncated.clock.advance(EVERY_MS);
      return truncated.complaints.length > 0;
    }, PATIENCE_MS);
    expect(truncated.complaints).toEqual([
      `checkpoints are no longer signed: a checkpoint covers ${history.length} events, but the history has only 200`,
    ]);
    expect((await shorter.readStream(TREE_STREAM)).exists).toBe(false);
    await truncated.stop();
  } finally {
    await Promise.all([shorter.close(), empty.close()]);
  }
});
