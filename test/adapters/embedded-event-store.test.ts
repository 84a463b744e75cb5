import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { EmbeddedEventReader } from '../../src/adapters/embedded/event-store.reader.js';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { HistoryState } from '../../src/eventsourcing/history-state.js';
import { reportingDamage } from '../../src/observability/instrumented-engines.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  BEFORE_ALL,
  CorruptEvent,
  DamagedStore,
  type EventBatch,
  EventStoreUnavailable,
  type EventToAppend,
  type Position,
  WrongExpectedRevision,
} from '../../src/ports/event-store.js';
import { forgeHistory } from '../support/forged-history.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';
import { ManualClock } from '../support/manual-clock.js';
import { onLinux } from '../support/on-linux.js';

const clock = new SystemClock();
const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'kontor-events-'));
const event = (data: object = {}): EventToAppend => ({ id: randomUUID(), type: 'Counted', data, metadata: {} });
const counted = (count: number): EventToAppend[] => Array.from({ length: count }, (_, n) => event({ n }));

eventStoreContract('The embedded event store', async () => {
  const directory = await newDirectory();
  let store = EmbeddedEventStore.open({ directory, clock });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = EmbeddedEventStore.open({ directory, clock });
      return store;
    },
    cleanup: async () => {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});

describe('The embedded event store', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  const file = (): string => join(directory, 'history.sqlite');

  beforeEach(async () => {
    directory = await newDirectory();
    store = EmbeddedEventStore.open({ directory, clock });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test.each(['', '-wal'])('acknowledges no append once history.sqlite%s was deleted while open', async (ending) => {
    await store.append({ stream: 'sale-1', expected: 'no_stream', events: [event()] });
    expect(store.fault()).toBeUndefined();
    await rm(file() + ending);
    const append = store.append({ stream: 'sale-2', expected: 'no_stream', events: [event()] });
    await expect(append).rejects.toMatchObject({ reason: 'history.sqlite was deleted or replaced' });
    await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
    expect(store.fault()).toEqual({ setting: 'DATA_DIR', reason: 'history.sqlite was deleted or replaced' });
    // A new file does not contain the history.
    writeFileSync(file() + ending, '');
    const later = store.append({ stream: 'sale-3', expected: 'no_stream', events: [event()] });
    await expect(later).rejects.toBeInstanceOf(EventStoreUnavailable);
  });

  test('reports damage to an index, which belongs to no single event', async () => {
    for (let n = 0; n < 300; n += 1)
      await store.append({ stream: `sale-${n}`, expected: 'no_stream', events: counted(3) });
    await reopen(() => {
      const pages = readFileSync(file());
      // Index pages begin with one of these bytes.
      for (let at = 4_096; at < pages.length; at += 4_096)
        if ([2, 10].includes(pages[at] ?? 0)) pages.fill(0xff, at, at + 4_096);
      writeFileSync(file(), pages);
    });
    const damages: number[] = [];
    const watched = reportingDamage(store, (position) => damages.push(position));
    await expect(watched.readStream('sale-7')).rejects.toBeInstanceOf(DamagedStore);
    expect(() => watched.revisionOf('sale-8')).toThrow(DamagedStore);
    expect(damages).toEqual([BEFORE_ALL, BEFORE_ALL]);
    const state = new HistoryState();
    state.noteDamage(BEFORE_ALL);
    expect(state.fault).toBe('The history is damaged. Restore a backup');
  });

  const reopen = async (meanwhile: () => void = () => undefined): Promise<void> => {
    await store.close();
    meanwhile();
    store = EmbeddedEventStore.open({ directory, clock });
  };
  /** Changes the file while the store is closed, as another program might. */
  const alter = (sql: string): Promise<void> =>
    reopen(() => {
      const db = new DatabaseSync(file());
      db.exec(sql);
      db.close();
    });
  const create = (stream: string, ...events: EventToAppend[]) =>
    store.append({ stream, expected: 'no_stream', events });

  describe('group commits', () => {
    test('share one flush among the appends of one turn', async () => {
      await store.close();
      // With a manual clock, the time limit for a group commit never expires, even on a slow machine.
      store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
      const commits: Position[] = [];
      const stop = store.onCommit((head) => commits.push(head));
      await Promise.all(Array.from({ length: 50 }, (_, n) => create(`s-${n}`, event())));
      await store.appendInOrder([
        { stream: 'claim', expected: 'no_stream', events: [event()] },
        { stream: 'sale', expected: 'no_stream', events: [event()] },
      ]);
      expect(commits).toEqual([49, 51]);
      stop();
      await create('later', event());
      expect(commits).toHaveLength(2);
    });

    test('are not affected by a rejected append in the group', async () => {
      const all = await Promise.allSettled([
        create('one', event()),
        store.append({ stream: 'none', expected: 5, events: [event()] }),
        create('two', event()),
        create('one', event()),
        store.append({ stream: 'bad', expected: 'no_stream', events: [{ ...event(), id: 'not a UUID' }] }),
        create('three', event()),
      ]);
      expect(all.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, false, true]);
      const stored = await store.readAll();
      expect(stored.map(({ stream, position }) => [stream, position])).toEqual([
        ['one', 0],
        ['two', 1],
        ['three', 2],
      ]);
    });

    test('send a rejection only after the append it depends on is durable', async () => {
      const order: string[] = [];
      const stop = store.onCommit(() => order.push('committed'));
      const winner = create('one', event()).then(() => order.push('winner'));
      const loser = create('one', event()).catch(() => order.push('loser'));
      await Promise.all([winner, loser]);
      stop();
      expect(order).toEqual(['committed', 'winner', 'loser']);
    });

    test('split more appends than one group can contain, in order', async () => {
      await store.close();
      store = EmbeddedEventStore.open({ directory, clock: new ManualClock() });
      const commits: Position[] = [];
      store.onCommit((head) => commits.push(head));
      const appends = Array.from({ length: 1_500 }, (_, n) => ({
        stream: `s-${n}`,
        expected: 'no_stream' as const,
        events: [event()],
      }));
      const appended = await store.appendInOrder(appends);
      expect(appended.map(({ position }) => position)).toEqual(appends.map((_, n) => n));
      const text = 'x'.repeat(900_000);
      await Promise.all([1, 2, 3, 4].map((n) => create(`large-${n}`, event({ text }))));
      expect(commits).toEqual([511, 1_023, 1_499, 1_502, 1_503]);
    });

    test('roll back an append that fails to write, without affecting later ones', async () => {
      await create('one', event());
      const intruder = new DatabaseSync(file());
      intruder.exec(`INSERT INTO events VALUES (1, 'two', 0, 'x', 'X', '{}', '{}', 0, 0)`);
      await expect(create('three', event())).rejects.toBeInstanceOf(EventStoreUnavailable);
      intruder.exec('DELETE FROM events WHERE position = 1');
      intruder.close();
      await expect(create('three', event())).resolves.toEqual({ revision: 0, position: 1 });
    });

    test('reject more appends than the queue can hold, and accept appends afterwards', async () => {
      const large = () => [event({ text: 'x'.repeat(1_000_000) })];
      const all = await Promise.allSettled(Array.from({ length: 70 }, (_, n) => create(`large-${n}`, ...large())));
      const refused = all.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
      expect(refused).toHaveLength(3);
      for (const reason of refused) expect(reason).toBeInstanceOf(EventStoreUnavailable);
      await expect(create('next', event())).resolves.toMatchObject({ revision: 0 });
    });
  });

  test('returns the text of events without decoding it if only text is requested', async () => {
    await store.append({ stream: 'a', expected: 'no_stream', events: [event({ n: 1 })] });
    for await (const { events } of store.subscribeToAll({ after: BEFORE_ALL, textOnly: true })) {
      expect(events).toMatchObject([{ data: {}, metadata: {}, storedText: ['{"n":1}', '{}'] }]);
      expect(events[0]?.data).toEqual({});
      break;
    }
    expect((await store.readStream('a')).events[0]?.data).toEqual({ n: 1 });
  });

  test('uses the time of the injected clock', async () => {
    await store.close();
    const manual = new ManualClock(1_000_000);
    store = EmbeddedEventStore.open({ directory, clock: manual });
    await create('s', event());
    manual.jump(6_000);
    await store.append({ stream: 's', expected: 0, events: [event()] });
    const { events } = await store.readStream('s');
    expect(events.map(({ recordedAtMs }) => recordedAtMs)).toEqual([1_000_000, 1_006_000]);
  });

  describe('rejects invalid input', () => {
    test.each([
      ['a stream name with NUL', { stream: 'a\0b' }],
      ['a stream name with half of a surrogate pair', { stream: 'a\ud83d' }],
      ['an endless stream name', { stream: 'a'.repeat(1_001) }],
      ['a negative revision', { expected: -1 }],
      ['a fractional revision', { expected: 0.5 }],
      ['an id that is not a UUID', { events: [{ ...event(), id: 'x' }] }],
      ['data that is not an object', { events: [{ ...event(), data: new Date(0) }] }],
      ['data that refers to itself', { events: [{ ...event(), data: circular() }] }],
    ])('%s', async (_, given) => {
      await expect(store.append({ stream: 's', expected: 'no_stream', events: [event()], ...given })).rejects.toThrow(
        /^(?!.*neither stored nor)/,
      );
      expect(await store.head()).toBe(BEFORE_ALL);
    });

    test.each([
      ['zero events', () => store.readStream('s', { maxCount: 0 })],
      ['from a negative revision', () => store.readStream('s', { from: -1 })],
      ['from a fractional position', () => store.readAll({ from: 0.5 })],
    ])('a read of %s', async (_, read) => {
      await create('s', event());
      await expect(read()).rejects.toBeInstanceOf(RangeError);
    });

    test('a subscription with an invalid batch size or position', () => {
      expect(() => store.subscribeToAll({ after: BEFORE_ALL, maxBatchSize: 0 })).toThrow(RangeError);
      expect(() => store.subscribeToAll({ after: -2 })).toThrow(RangeError);
    });
  });

  describe('keeps other work responsive', () => {
    test('while a subscription scans a long history without matches', async () => {
      for (let n = 0; n < 40; n += 1) await create(`s-${n}`, ...counted(500));
      let turns = 0;
      let counting = true;
      const count = (): void => {
        turns += 1;
        if (counting) setImmediate(count);
      };
      setImmediate(count);
      const filter = { on: 'type', prefixes: ['Nothing'] } as const;
      let caughtUpAt = BEFORE_ALL;
      for await (const batch of store.subscribeToAll({ after: BEFORE_ALL, filter })) {
        expect(batch.events).toEqual([]);
        caughtUpAt = batch.position;
        if (batch.caughtUp) break;
      }
      counting = false;
      expect(caughtUpAt).toBe(19_999);
      expect(turns).toBeGreaterThanOrEqual(4);
    });

    test('while subscriptions pause, and wakes them once for all commits in the meantime', async () => {
      await store.close();
      store = EmbeddedEventStore.open({ directory, clock, rest: () => 100 });
      const batches: number[] = [];
      const reading = (async () => {
        for await (const { events } of store.subscribeToAll({ after: BEFORE_ALL })) {
          if (events.length > 0) batches.push(events.length);
          if (batches.reduce((sum, length) => sum + length, 0) === 10) return;
        }
      })();
      for (let n = 0; n < 10; n += 1) await create(`account-${n}`, event());
      await reading;
      // The bound is loose, because on a slow disk an append may take longer than the pause.
      expect(batches.length).toBeLessThan(8);
    });

    describe('while its write-ahead log is checkpointed', () => {
      let observer: InstanceType<typeof DatabaseSync>;
      beforeEach(() => {
        observer = new DatabaseSync(file(), { readOnly: true });
      });
      afterEach(() => {
        observer.close();
      });
      const pages = (): { log: number; checkpointed: number } =>
        observer.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number };

      test('once appends pause', async () => {
        await Promise.all(Array.from({ length: 500 }, (_, n) => create(`s-${n}`, event())));
        expect(pages().checkpointed).toBe(0);
        while (pages().checkpointed < pages().log) await clock.sleep(20);
        await expect(create('next', event())).resolves.toMatchObject({ revision: 0 });
      });

      test('with a new log, even if appends never pause', async () => {
        const text = 'x'.repeat(200_000);
        let longest = 0;
        for (let n = 0; pages().log >= longest; n += 1) {
          longest = Math.max(longest, pages().log);
          await Promise.all([1, 2, 3].map((each) => create(`s-${n}-${each}`, event({ text }))));
        }
        expect(longest).toBeGreaterThan(2_000);
        const all = await store.readAll({ maxCount: 10_000 });
        expect(all.map(({ position }) => position)).toEqual(all.map((_, n) => n));
      });
    });
  });

  describe('never returns a damaged record', () => {
    const fill = async (): Promise<void> => {
      for (const n of [0, 1, 2, 3, 4]) await create(`s-${n}`, event({ text: `text ${n}` }), event({ n }));
    };

    async function assertRefused(position: Position): Promise<void> {
      const stream = `s-${Math.floor(position / 2)}`;
      const refused = new CorruptEvent(position);
      await expect(store.readStream(stream)).rejects.toEqual(refused);
      await expect(store.readStream(stream, { direction: 'backwards' })).rejects.toEqual(refused);
      await expect(store.readAll()).rejects.toEqual(refused);
      await expect(store.readAll({ direction: 'backwards' })).rejects.toEqual(refused);
      const delivered: Position[] = [];
      const following = (async () => {
        for await (const { events } of store.subscribeToAll({ after: BEFORE_ALL }))
          delivered.push(...events.map((each) => each.position));
      })();
      await expect(following).rejects.toEqual(refused);
      expect(delivered).toEqual(Array.from({ length: position }, (_, n) => n));
    }

    test.each([
      ['data', `'{"text":"text 9"}'`],
      ['data', `'not JSON'`],
      ['metadata', `'{"tenantId":"another"}'`],
      ['type', `'Invented'`],
      ['id', `'${randomUUID()}'`],
      ['recorded_at_ms', '1'],
      ['crc', 'crc + 1'],
    ])('whose %s became %s', async (column, value) => {
      await fill();
      await alter(`UPDATE events SET ${column} = ${value} WHERE position = 6`);
      await assertRefused(6);
      expect((await store.readAll({ from: 6 })).map(({ position }) => position)).toEqual([7, 8, 9]);
      await expect(create('next', event())).resolves.toMatchObject({ position: 10 });
    });

    test('that was moved to another stream or position', async () => {
      await fill();
      await alter(`UPDATE events SET stream = 's-9' WHERE position = 4`);
      await expect(store.readStream('s-9')).rejects.toEqual(new CorruptEvent(4));
      await expect(store.readStream('s-2')).rejects.toBeInstanceOf(CorruptEvent);
      await alter(`UPDATE events SET position = 99 WHERE position = 9`);
      await expect(store.readStream('s-4')).rejects.toEqual(new CorruptEvent(99));
    });

    test.each([
      ['stream', `'$-2'`],
      ['stream', `'x-2'`],
      ['type', `'$Counted'`],
      ['type', `'Xounted'`],
    ])('that a filter would exclude because its %s became %s', async (column, value) => {
      await fill();
      await alter(`UPDATE events SET ${column} = ${value} WHERE position = 4`);
      const filter = { on: column as 'stream' | 'type', prefixes: [column === 'stream' ? 's-' : 'Counted'] };
      for (const read of [{ filter }, { filter, direction: 'backwards' }, {}] as const)
        await expect(store.readAll(read)).rejects.toEqual(new CorruptEvent(4));
      const batches = store.subscribeToAll({ after: BEFORE_ALL, filter })[Symbol.asyncIterator]();
      const { value: first } = (await batches.next()) as { value: EventBatch };
      expect(first.events.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
      expect(first.position).toBe(3);
      await expect(batches.next()).rejects.toEqual(new CorruptEvent(4));
    });

    test('that a filter would exclude, even long before a subscription read it', async () => {
      await store.close();
      const manual = new ManualClock();
      store = EmbeddedEventStore.open({ directory, clock: manual });
      await fill();
      const filter = { on: 'type', prefixes: ['Counted'] } as const;
      const batches = store.subscribeToAll({ after: BEFORE_ALL, filter })[Symbol.asyncIterator]();
      await batches.next();
      await create('s-5', ...counted(5));
      const db = new DatabaseSync(file());
      db.exec("UPDATE events SET type = 'Xounted' WHERE position = 12");
      db.close();
      await manual.advance(600_000);
      const { value } = (await batches.next()) as { value: EventBatch };
      expect(value.events.map(({ position }) => position)).toEqual([10, 11]);
      await expect(batches.next()).rejects.toEqual(new CorruptEvent(12));
    });

    test('that was removed from the middle of a stream', async () => {
      await create('s', ...counted(5));
      await alter('DELETE FROM events WHERE revision = 2');
      await expect(store.readStream('s')).rejects.toEqual(new CorruptEvent(3));
      await expect(store.readStream('s', { maxCount: 3 })).rejects.toEqual(new CorruptEvent(3));
      await expect(store.readStream('s', { from: 4, direction: 'backwards', maxCount: 3 })).rejects.toEqual(
        new CorruptEvent(1),
      );
      expect((await store.readStream('s', { from: 3 })).events).toHaveLength(2);
    });

    test('that was removed from the end of a stream while the store was running', async () => {
      await create('s', ...counted(3));
      const db = new DatabaseSync(file());
      db.exec('DELETE FROM events WHERE revision = 2');
      db.close();
      await expect(store.readStream('s')).rejects.toEqual(new CorruptEvent(1));
    });

    /**
     * Overwrites the last `lengthBytes` bytes of the header of the record for `s-3`. The header contains the size, the
     * position and the field lengths of the record, and precedes the stream name.
     */
    const overwriteHeader = (lengthBytes: number): Promise<void> =>
      reopen(() => {
        const bytes = readFileSync(file());
        const name = bytes.lastIndexOf('s-3', bytes.indexOf('text 3'));
        bytes.fill(0xff, name - lengthBytes, name);
        writeFileSync(file(), bytes);
      });

    test('that SQLite itself cannot read', async () => {
      await fill();
      await overwriteHeader(8);
      await assertRefused(6);
    });

    test('nor skips records hidden by a damaged structure', async () => {
      await fill();
      await overwriteHeader(11);
      await expect(store.readStream('s-3')).rejects.toEqual(new CorruptEvent(6));
      await expect(store.readAll()).rejects.toBeInstanceOf(CorruptEvent);
      await expect(store.readAll({ direction: 'backwards' })).rejects.toEqual(new CorruptEvent(6));
      const batches = store.subscribeToAll({ after: BEFORE_ALL })[Symbol.asyncIterator]();
      await expect(batches.next()).rejects.toBeInstanceOf(CorruptEvent);
    });

    test('with any byte flipped on disk', async () => {
      await fill();
      const written = await store.readAll();
      await store.close();
      // Damage to some bytes, such as the key in a row, has no effect on reads, because SQLite ignores these bytes.
      let refused = 0;
      const sound = readFileSync(file());
      const begin = sound.indexOf('text 3') - 150;
      const ofStreams = { on: 'stream', prefixes: ['s-'] } as const;
      const ofTypes = { on: 'type', prefixes: ['C'] } as const;
      await fc.assert(
        fc.asyncProperty(fc.nat(300), fc.integer({ min: 1, max: 255 }), async (offset, change) => {
          const damaged = Buffer.from(sound);
          damaged[begin + offset] = (damaged[begin + offset] as number) ^ change;
          const copy = await newDirectory();
          writeFileSync(join(copy, 'history.sqlite'), damaged);
          const refusals: unknown[] = [];
          try {
            const opened = EmbeddedEventStore.open({ directory: copy, clock });
            for (const n of [0, 1, 2, 3, 4]) {
              const [read] = await Promise.allSettled([opened.readStream(`s-${n}`)]);
              if (read.status === 'rejected') refusals.push(read.reason);
              else expect(read.value.events).toEqual(written.filter(({ stream }) => stream === `s-${n}`));
            }
            for (const read of [{}, { filter: ofStreams }, { filter: ofTypes }]) {
              const [all] = await Promise.allSettled([opened.readAll(read)]);
              if (all.status === 'rejected') refusals.push(all.reason);
              else expect(all.value).toEqual(written);
            }
            await opened.close();
            if (refusals.length > 0) refused += 1;
          } catch (error) {
            // The structure that marks the end of the history is damaged, so the store cannot append any events.
            if (!(error instanceof EventStoreUnavailable)) throw error;
            refused += 1;
          }
          for (const reason of refusals)
            expect([CorruptEvent, EventStoreUnavailable]).toContain((reason as Error).constructor);
          await rm(copy, { recursive: true });
        }),
        { numRuns: 100 },
      );
      expect(refused).toBeGreaterThan(80);
      store = EmbeddedEventStore.open({ directory, clock });
      expect(await store.readAll()).toEqual(written);
    });
  });

  describe('allows one writer', () => {
    test('rejecting a second one in the same process', () => {
      expect(() => EmbeddedEventStore.open({ directory, clock })).toThrow(
        `${join(directory, 'history.lock')} is locked: process ${process.pid} already writes`,
      );
    });

    test('rejecting a second process, with the file and the first process in the message', async () => {
      const lines = await linesOf(start('until-killed', directory, 'x'));
      expect(lines).toEqual([
        `failed ${join(directory, 'history.lock')} is locked: process ${process.pid} already writes to the event ` +
          `history in ${directory}`,
      ]);
    });

    test('although another program holds a write lock when the service starts', async () => {
      await store.append({ stream: 's', expected: 'no_stream', events: [event()] });
      await store.close();
      const other = new DatabaseSync(file());
      other.exec('BEGIN IMMEDIATE');
      store = EmbeddedEventStore.open({ directory, clock });
      expect(statSync(`${file()}-wal`).size).toBe(0);
      other.exec('ROLLBACK');
      other.close();
    });

    test('rejecting a file written by a newer version', async () => {
      await store.close();
      const db = new DatabaseSync(file());
      db.exec('PRAGMA user_version = 3');
      expect(() => EmbeddedEventStore.open({ directory, clock })).toThrow(/schema version 3.*newer version of Kontor/);
      expect(() => EmbeddedEventReader.open({ directory, clock })).toThrow(/schema version 3.*newer version of Kontor/);
      db.exec('PRAGMA user_version = 2');
      db.close();
      store = EmbeddedEventStore.open({ directory, clock });
    });
  });

  test('reads the unpacked events of release 0.1.0 and packs only new ones', async () => {
    const data = { customerId: randomUUID(), date: '2026-03-04', amount: '119.00' };
    const first = await store.append({ stream: 's', expected: 'no_stream', events: [event(data), event(data)] });
    await reopen(() => {
      forgeHistory(directory, (events) => events);
      const db = new DatabaseSync(file());
      db.exec('PRAGMA user_version = 1');
      db.close();
    });
    await store.append({ stream: 's', expected: first.revision, events: [event(data)] });
    await reopen();
    const { events } = await store.readStream('s', { from: 0, maxCount: 9 });
    expect(events.map((each) => [each.data, each.storedText])).toEqual(
      Array.from({ length: 3 }, () => [data, [JSON.stringify(data), '{}']]),
    );
    const db = new DatabaseSync(file(), { readOnly: true });
    const stored = db.prepare('SELECT data FROM events ORDER BY position', { returnArrays: true }).all();
    expect((stored as unknown as string[][]).map(([text]) => text === JSON.stringify(data))).toEqual([
      true,
      true,
      false,
    ]);
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    db.close();
  });

  describe('survives its process', () => {
    test('killed at any moment: every acknowledged append is stored completely, and the next start needs no repair', async () => {
      await store.close();
      const acked = new Set<string>();
      for (let cycle = 0; cycle < 3; cycle += 1) {
        const child = start('until-killed', directory, String(cycle));
        const killAfter = acked.size + 100 + 37 * cycle;
        for await (const line of linesFrom(child)) {
          acked.add(line);
          if (acked.size === killAfter) child.kill('SIGKILL');
        }
        store = EmbeddedEventStore.open({ directory, clock });
        const all = await store.readAll({ maxCount: 100_000 });
        const streams = new Map<string, string[]>();
        for (const { stream, revision, type } of all)
          streams.set(stream, [...(streams.get(stream) ?? []), `${revision} ${type}`]);
        expect([...acked].filter((stream) => !streams.has(stream))).toEqual([]);
        for (const events of streams.values()) expect(events).toEqual(['0 Opened', '1 Filled', '2 Closed']);
        await store.close();
      }
      expect(acked.size).toBeGreaterThan(400);
      store = EmbeddedEventStore.open({ directory, clock });
    });

    onLinux(
      'refuses appends while the disk is full, continues to read, and accepts appends again when there is space',
      async () => {
        await store.close();
        const child = start('under-limit', directory, 'full', ['prlimit', '--fsize=400000:unlimited']);
        const lines = await linesOf(child);
        const acked = lines.filter((line) => line.startsWith('acked'));
        const refused = lines.find((line) => line.startsWith('refused'));
        expect(refused).toBe(`refused run-full-${acked.length - 1} EventStoreUnavailable`);
        expect(lines).toContain('stored false');
        expect(lines).toContain(`readable ${3 * (acked.length - 1)}`);
        expect(lines.at(-1)).toBe(`acked run-full-${acked.length - 1} 2`);
        expect(acked.length).toBeGreaterThan(10);
        store = EmbeddedEventStore.open({ directory, clock });
        const all = await store.readAll({ maxCount: 100_000 });
        expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 3 * acked.length }, (_, n) => n));
      },
    );
  });

  describe('has concurrent readers', () => {
    let reader: EmbeddedEventReader;
    let stop: () => void;
    beforeEach(() => {
      reader = EmbeddedEventReader.open({ directory, clock });
      stop = store.onCommit((head) => {
        reader.notify(head);
      });
    });
    afterEach(async () => {
      stop();
      await reader.close();
    });

    test('that read commits immediately', async () => {
      expect(await reader.head()).toBe(BEFORE_ALL);
      expect((await reader.readStream('s')).exists).toBe(false);
      await create('s', ...counted(2));
      expect(await reader.readStream('s')).toEqual(await store.readStream('s'));
      await store.append({ stream: 's', expected: 1, events: [event()] });
      expect((await reader.readStream('s', { from: 2 })).revision).toBe(2);
      expect(await reader.readAll()).toEqual(await store.readAll());
      expect(await reader.head()).toBe(await store.head());
    });

    test('that follow the history, and go live on commit signals', async () => {
      await create('before', event({ n: 0 }));
      const seen: unknown[] = [];
      const caughtUp: boolean[] = [];
      const following = (async () => {
        for await (const batch of reader.subscribeToAll({ after: BEFORE_ALL, maxBatchSize: 10 })) {
          seen.push(...batch.events.map(({ data }) => (data as { n: number }).n));
          caughtUp.push(batch.caughtUp);
          if (seen.length === 301) return;
        }
      })();
      for (let first = 1; first <= 300; first += 20)
        await Promise.all(Array.from({ length: 20 }, (_, n) => create(`s-${first + n}`, event({ n: first + n }))));
      await following;
      expect(seen).toEqual(Array.from({ length: 301 }, (_, n) => n));
      expect(caughtUp).toContain(true);
    });

    test('that end when closed, and do not block the store', async () => {
      const batches: EventBatch[] = [];
      const following = (async () => {
        for await (const batch of reader.subscribeToAll({ after: BEFORE_ALL })) batches.push(batch);
      })();
      await create('s', event());
      await reader.close();
      await following;
      await expect(reader.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
      await expect(create('s', event())).rejects.toBeInstanceOf(WrongExpectedRevision);
    });

    test('but none without a history', async () => {
      const empty = await newDirectory();
      expect(() => EmbeddedEventReader.open({ directory: empty, clock })).toThrow(EventStoreUnavailable);
      await rm(empty, { recursive: true });
    });
  });
});

function circular(): object {
  const self: { self?: object } = {};
  self.self = self;
  return self;
}

/** Runs test/support/event-store-process.ts, optionally as the child of another program. */
function start(mode: string, directory: string, run: string, under: readonly string[] = []): ChildProcess {
  const support = new URL('../support/', import.meta.url);
  const command = [
    ...under,
    process.execPath,
    '--no-warnings',
    '--import',
    new URL('typescript.mjs', support).href,
    fileURLToPath(new URL('event-store-process.ts', support)),
    mode,
    directory,
    run,
  ];
  return spawn(command[0] as string, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function* linesFrom(child: ChildProcess): AsyncGenerator<string> {
  const ended = once(child, 'exit');
  if (child.stdout) yield* createInterface({ input: child.stdout });
  await ended;
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesFrom(child)) lines.push(line);
  return lines;
}
