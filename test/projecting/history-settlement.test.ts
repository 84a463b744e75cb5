import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';

import { HistoryReadStore } from '../../src/projecting/history-read-store.js';
import { foundAt, HistoryRegister, REGISTER_TABLE } from '../../src/projecting/history-register.js';
import { settleHistory } from '../../src/projecting/history-settlement.js';
import type { HistorySpace } from '../../src/eventsourcing/history-state.js';
import { dropOthers, HistoryWatch } from '../../src/projecting/history-watch.js';
import { silentLogger } from '../../src/ports/log.js';
import { PLATFORM, type ReadModel } from '../../src/ports/read-store.js';
import { eventually } from '../support/eventually.js';
import { catalogue } from '../../src/app/catalogue.js';

const note: ReadModel<{ text: string }> = {
  name: 'notes',
  version: 1,
  fields: { text: { type: 'text', of: ({ text }) => text } },
  filters: ['text'],
  order: { fields: ['text'], direction: 'ascending' },
};
const people: ReadModel<{ name: string }> = {
  name: 'people',
  version: 1,
  fields: { name: { type: 'text', of: ({ name }) => name } },
  filters: [],
  order: { fields: ['name'], direction: 'ascending' },
};
const TABLE = { model: note as unknown as ReadModel, generation: 1 };
const clock = new SystemClock();
const ids = new Uuid7Ids();

let directory: string;
let reads: EmbeddedReadStore;
const opened: EmbeddedEventStore[] = [];
let warnings: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-settlement-'));
  reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  warnings = [];
});
afterEach(async () => {
  for (const events of opened.splice(0)) await events.close();
  await reads.close();
  await rm(directory, { recursive: true, force: true });
});

/** Creates a separate event store with `count` events. */
async function history(name: string, count: number): Promise<EmbeddedEventStore> {
  const events = EmbeddedEventStore.open({ directory: join(directory, name), clock });
  opened.push(events);
  await grow(events, count);
  return events;
}

async function grow(events: EmbeddedEventStore, count: number): Promise<void> {
  const [prefix = ''] = catalogue.streamPrefixes;
  for (let n = 0; n < count; n += 1) {
    const event = { id: ids.next(), type: 'MemberJoined', data: {}, metadata: {} };
    await events.append({ stream: `${prefix}platform_${event.id}`, expected: 'no_stream', events: [event] });
  }
}

const settle = (events: EmbeddedEventStore): Promise<HistorySpace> =>
  settleHistory({
    ...{ identity: events, events, store: reads, catalogue, clock, ids },
    models: [TABLE.model],
    subscribers: ['booking', 'push'],
    skipping: ['push'],
    witness: () => Promise.resolve(undefined),
    logger: { ...silentLogger, warn: (_, message) => warnings.push(message) },
  });

const storeOf = ({ space }: HistorySpace): HistoryReadStore => new HistoryReadStore(reads, { space });

const checkpoint = (store: HistoryReadStore, position: number) =>
  store.write({ tables: [], checkpoints: [{ key: 'subscriber:booking', position }] });

function watchOf(events: EmbeddedEventStore, settled: HistorySpace, isShared = false) {
  const reasons: string[] = [];
  const watch = new HistoryWatch({
    ...{ events, identity: events, store: storeOf(settled), catalogue, clock, logger: silentLogger },
    ...{ historyId: settled.historyId, isShared, models: [], fixedTables: [] },
    onReplaced: (reason) => reasons.push(reason),
  });
  return { watch, reasons };
}

async function watched(events: EmbeddedEventStore, settled: HistorySpace): Promise<string[]> {
  const { watch, reasons } = watchOf(events, settled);
  await watch.stop();
  return reasons;
}

/** Returns the reasons that a watch of a shared read store reports after the change. */
async function reasonsAfter(
  events: EmbeddedEventStore,
  settled: HistorySpace,
  change: () => Promise<unknown>,
): Promise<string[]> {
  await watched(events, settled);
  await grow(events, 1);
  const { watch, reasons } = watchOf(events, settled, true);
  const isAnchored = async () => (await registerOf(settled).find(settled.historyId))?.version === 3;
  await eventually(isAnchored, 10_000);
  await change();
  await eventually(() => reasons.length > 0, 10_000);
  await watch.stop();
  return reasons;
}

const registerOf = (settled: HistorySpace): HistoryRegister => new HistoryRegister(storeOf(settled));
const empty = (settled: HistorySpace): Promise<void> => storeOf(settled).drop(REGISTER_TABLE);

test('The first history of a read store adopts it, and is known at the next start', async () => {
  const events = await history('a', 3);
  const settled = await settle(events);
  await checkpoint(storeOf(settled), 2);
  expect(await settle(events)).toEqual(settled);
  expect([settled.space, warnings]).toEqual(['', []]);
});

test('Replicas that find a changed history agree on its part of the read store, and one logs it', async () => {
  await checkpoint(storeOf(await settle(await history('a', 5))), 4);
  const other = await history('b', 2);
  const settled = await Promise.all([settle(other), settle(other), settle(other)]);
  expect(new Set(settled.map(({ space }) => space)).size).toBe(1);
  expect(settled[0].space).not.toBe('');
  expect(warnings).toEqual([expect.stringContaining('they belong to the history')]);
});

test('A checkpoint beyond the end of the history gives the history a new id', async () => {
  const events = await history('a', 5);
  const first = await settle(events);
  await checkpoint(storeOf(first), 9);
  const second = await settle(events);
  expect(second.historyId).not.toBe(first.historyId);
  expect(warnings).toEqual([expect.stringContaining('contain events up to position 9, but the history ends at 4')]);
  expect(await settle(events)).toEqual(second);
});

test('Subscribers of a changed history restart, except those that would repeat old messages', async () => {
  await settle(await history('a', 5));
  const store = storeOf(await settle(await history('b', 3)));
  expect(await store.checkpoints(['subscriber:booking', 'subscriber:push'])).toEqual([-1, 2]);
});

test('A forwarder without a checkpoint learns which events it may publish again', async () => {
  const [fresh, found] = [await history('fresh', 0), await history('found', 4)];
  const first = await settle(fresh);
  await grow(fresh, 2);
  expect(await foundAt(storeOf(await settle(fresh)), first.historyId)).toBeNull();
  const second = await settle(found);
  expect(await foundAt(storeOf(second), second.historyId)).toBe(3);
});

test('A watch stores the last event, which identifies a diverged history', async () => {
  const events = await history('a', 5);
  const settled = await settle(events);
  await checkpoint(storeOf(settled), 4);
  expect(await watched(events, settled)).toEqual([]);
  // Creates another history, which has the same id but is longer.
  const copy = await history('b', 20);
  await copy.renew(await copy.current(), settled.historyId);
  const second = await settle(copy);
  expect(second.historyId).not.toBe(settled.historyId);
  expect(warnings).toEqual([expect.stringContaining('the history lacks the event')]);
});

test('A watch registers its history again in a recreated read store', async () => {
  await settle(await history('a', 2));
  const events = await history('b', 4);
  const settled = await settle(events);
  await reads.close();
  await rm(join(directory, 'models.sqlite'));
  reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  expect(await watched(events, settled)).toEqual([]);
  expect(await settle(events)).toEqual(settled);
});

test('A watch reports once that the history of a running process was replaced', async () => {
  const events = await history('a', 2);
  const settled = await settle(events);
  const reasons = await reasonsAfter(events, settled, () => events.renew(settled.historyId, 'another'));
  expect(reasons).toEqual([
    `The event store was replaced: it contains the history another instead of ${settled.historyId}`,
  ]);
});

test.each([
  ['emptied', empty],
  [
    'emptied and registered again',
    (settled: HistorySpace, events: EmbeddedEventStore) => empty(settled).then(() => settle(events)),
  ],
])('A watch abandons the read models of a shared read store that was %s', async (_, change) => {
  const events = await history('a', 2);
  const settled = await settle(events);
  const reasons = await reasonsAfter(events, settled, () => change(settled, events));
  expect(reasons).toEqual(['The read models were removed from the read store']);
  const next = await settle(events);
  expect(next.historyId).not.toBe(settled.historyId);
  expect(next.space).not.toBe(settled.space);
  expect(warnings).toEqual([expect.stringContaining('they were removed')]);
});

test('Tables of other histories are dropped once, and a history that returns gets new ones', async () => {
  const old = await history('a', 3);
  const first = await settle(old);
  const ofFirst = storeOf(first);
  const fixed = { model: people as unknown as ReadModel, generation: 1 };
  const both = [TABLE, fixed];
  await ofFirst.prepare(both);
  const write = { scope: PLATFORM, id: 'x', document: { text: 'old', name: 'old' }, position: 1, expected: null };
  await ofFirst.write({ tables: both.map((table) => ({ table, writes: [write] })), checkpoints: [] });
  await checkpoint(ofFirst, 2);
  const second = await settle(await history('b', 3));
  const theirs = { models: [TABLE.model], fixedTables: [fixed] };
  const dropped = await Promise.all([1, 2].map(() => dropOthers(storeOf(second), second.historyId, theirs)));
  expect(dropped.flat()).toEqual([first.space]);
  await ofFirst.prepare(both);
  expect(await Promise.all(both.map((table) => ofFirst.get(table, PLATFORM, 'x')))).toEqual([undefined, undefined]);
  const third = storeOf(await settle(old));
  expect(await third.checkpoint('subscriber:booking')).toBe(-1);
  expect(third.space).not.toBe(first.space);
});

test('Documents, lists and conflicts of a history use the table names of the caller', async () => {
  await settle(await history('a', 1));
  const store = storeOf(await settle(await history('b', 1)));
  await store.prepare([TABLE]);
  const write = { scope: PLATFORM, id: 'x', document: { text: 'new' }, position: 0, expected: null };
  const batch = { tables: [{ table: TABLE, writes: [write] }], checkpoints: [] };
  expect((await store.write(batch)).conflicts).toEqual([]);
  expect((await store.write(batch)).conflicts).toEqual([{ scope: PLATFORM, id: 'x', table: TABLE }]);
  expect((await store.list(TABLE, PLATFORM, { offset: 0, limit: 5 })).items).toEqual(['{"text":"new"}']);
});

test('A search of a history covers the joined documents of the same history', async () => {
  const joining = { ...note, name: 'joining', searchJoins: [{ field: 'text', model: 'people', texts: ['name'] }] };
  const person: ReadModel<{ name: string }> = { ...people, search: { name: ({ name }) => name } };
  const tables = [joining, person].map((model) => ({ model: model, generation: 1 }));
  await settle(await history('a', 1));
  const first = storeOf(await settle(await history('b', 1)));
  const second = storeOf(await settle(await history('c', 1)));
  for (const [store, name] of [
    [first, 'Ada'],
    [second, 'Grace'],
  ] as const) {
    await store.prepare(tables);
    for (const { model } of tables) await store.setLiveGeneration(model.name, model.version, 1);
    const documents = [{ text: 'p' }, { name }];
    const writes = tables.map((table, n) => {
      const document = documents[n] ?? {};
      return { table, writes: [{ scope: PLATFORM, id: 'p', document, position: 0, expected: null }] };
    });
    await store.write({ tables: writes, checkpoints: [] });
  }
  const found = async (store: HistoryReadStore, search: string): Promise<number> => {
    const [table] = tables;
    return table ? (await store.list(table, PLATFORM, { search, offset: 0, limit: 5 })).totalCount : -1;
  };
  expect([await found(first, 'ada'), await found(first, 'grace')]).toEqual([1, 0]);
  expect([await found(second, 'ada'), await found(second, 'grace')]).toEqual([0, 1]);
});
