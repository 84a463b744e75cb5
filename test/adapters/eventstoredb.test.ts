import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import fc from 'fast-check';
import { isName, serializeAppend } from '../../src/adapters/event-store.input.js';
import { Appends } from '../../src/adapters/eventstoredb/event-store.appends.js';
import { Connection } from '../../src/adapters/eventstoredb/event-store.connection.js';
import { EventStoreDb, type EventStoreDbOptions } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  type AllSubscription,
  BEFORE_ALL,
  CorruptEvent,
  type EventBatch,
  EventStoreUnavailable,
  type EventToAppend,
  StreamTombstoned,
  WrongExpectedRevision,
} from '../../src/ports/event-store.js';
import { silentLogger } from '../../src/ports/log.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';
import { appendNext } from '../support/append-next.js';
import { eventually } from '../support/eventually.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';

const clock = new SystemClock();
const event = (data: object = {}): EventToAppend => ({ id: randomUUID(), type: 'Counted', data, metadata: {} });
const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'kontor-eventstoredb-'));
const open = (url: string, more: Partial<EventStoreDbOptions> = {}): EventStoreDb =>
  EventStoreDb.open({ url, clock, logger: silentLogger, ...more });

/** A connection that invokes `onCalling` once, when it is first ready for calls. */
class TellingConnection extends Connection {
  onCalling: (() => void) | undefined;

  override async calling(): ReturnType<Connection['calling']> {
    const calling = await super.calling();
    this.onCalling?.();
    this.onCalling = undefined;
    return calling;
  }
}

eventStoreContract('The EventStoreDB adapter', async () => {
  const directory = await newDirectory();
  let server = await EventStoreServer.start({ directory });
  let store = open(server.url);
  return {
    store,
    reopen: async () => {
      await store.close();
      await server.stop();
      server = await EventStoreServer.start({ directory });
      return (store = open(server.url));
    },
    cleanup: async () => {
      await store.close();
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
});

describe('The EventStoreDB adapter', () => {
  let directory: string;
  let server: EventStoreServer;
  let store: EventStoreDb;
  /** Represents other programs that write to the same server. */
  let official: EventStoreDBClient;

  beforeEach(async () => {
    directory = await newDirectory();
    server = await EventStoreServer.start({ directory });
    store = open(server.url);
    official = EventStoreDBClient.connectionString(server.url);
  });
  afterEach(async () => {
    await store.close();
    await official.dispose();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const appendTo = (stream: string, ...events: EventToAppend[]) => appendNext(store, stream, ...events);

  /** Returns the batches of a subscription, up to and including the first batch with `caughtUp`. */
  async function catchUp(subscription: AllSubscription): Promise<EventBatch[]> {
    const batches: EventBatch[] = [];
    for await (const batch of store.subscribeToAll(subscription)) {
      batches.push(batch);
      if (batch.caughtUp) break;
    }
    return batches;
  }

  test('rejects reads and writes of a permanently deleted stream', async () => {
    await appendTo('sale-1', event());
    await official.tombstoneStream('sale-1');
    await expect(store.readStream('sale-1')).rejects.toEqual(new StreamTombstoned('sale-1'));
    const again = { stream: 'sale-1', expected: 0, events: [event()] };
    await expect(store.append(again)).rejects.toEqual(new StreamTombstoned('sale-1'));
  });

  test('reads a stream whose events are hidden by its metadata as existing', async () => {
    await appendTo('sale-1', event({ n: 1 }), event({ n: 2 }), event({ n: 3 }));
    await official.setStreamMetadata('sale-1', { truncateBefore: 2 });
    expect(await store.readStream('sale-1')).toMatchObject({ exists: true, revision: 2, events: [{ revision: 2 }] });
    await official.setStreamMetadata('sale-1', { truncateBefore: 99 });
    expect(await store.readStream('sale-1')).toMatchObject({ exists: true, events: [] });
  });

  test.each([['as a new stream', 'no_stream'] as const, ['at its last revision', 1] as const])(
    'appends to a stream that was soft-deleted %s, and continues its revisions',
    async (_, expected) => {
      await appendTo('sale-1', event({ n: 1 }), event({ n: 2 }));
      const head = await store.head();
      await official.deleteStream('sale-1');
      expect(await store.readStream('sale-1')).toMatchObject({ exists: false, events: [] });
      expect(await store.head()).toBe(head);
      await expect(store.append({ stream: 'sale-1', expected: 0, events: [event()] })).rejects.toBeInstanceOf(
        WrongExpectedRevision,
      );
      const appended = await store.append({ stream: 'sale-1', expected, events: [event({ n: 3 })] });
      expect(await store.readStream('sale-1')).toMatchObject({ exists: true, events: [{ revision: 2 }] });
      const all = await store.readAll();
      expect(all.map(({ type }) => type)).toEqual(['Counted', 'Counted', 'Counted']);
      expect(all.at(-1)?.position).toBe(appended.position);
    },
  );

  test.each([
    ['bytes', () => binaryEvent({ type: 'Imported', data: Buffer.from('no JSON') })],
    ['a text', () => jsonEvent({ type: 'Imported', data: 'only text' })],
    ['metadata in bytes', () => jsonEvent({ type: 'Imported', data: {}, metadata: Buffer.from('{"half":') })],
  ])('returns no event with %s instead of a JSON object, but all events before it', async (_, foreign) => {
    const batches = store.subscribeToAll({ after: BEFORE_ALL })[Symbol.asyncIterator]();
    await batches.next();
    const { position } = await appendTo('sale-1', event({ n: 1 }));
    await official.appendToStream('sale-1', foreign());
    await appendTo('sale-2', event({ n: 2 }));
    await expect(store.readStream('sale-1')).rejects.toBeInstanceOf(CorruptEvent);
    await expect(store.readAll()).rejects.toBeInstanceOf(CorruptEvent);
    // All three events have arrived by the time the next batch is requested.
    await sleep(300);
    const { value } = (await batches.next()) as { value: EventBatch };
    expect(value).toMatchObject({ events: [{ data: { n: 1 } }], position, caughtUp: false });
    await expect(batches.next()).rejects.toBeInstanceOf(CorruptEvent);
  });

  test('finds the head behind hundreds of system events, and new events among them', async () => {
    const first = await appendTo('sale-1', event());
    await server.addNoise(700);
    const other = open(server.url);
    expect(await other.head()).toBe(first.position);
    expect(await store.head()).toBe(first.position);
    const second = await appendTo('sale-2', event());
    await server.addNoise(30);
    expect(await other.head()).toBe(second.position);
    expect(await other.readAll()).toHaveLength(2);
    await other.close();
  });

  test('has no head if there are only system events', async () => {
    expect(await store.head()).toBe(BEFORE_ALL);
    await server.addNoise(20);
    expect(await store.head()).toBe(BEFORE_ALL);
    expect(await store.readAll()).toEqual([]);
  });

  test('has caught up if only system events follow', async () => {
    const { position } = await appendTo('sale-1', event());
    await server.addNoise(50);
    const batches = await catchUp({ after: position });
    expect(batches.flatMap(({ events }) => events)).toEqual([]);
    expect(batches.at(-1)?.position).toBeGreaterThanOrEqual(position);
  });

  test('excludes events of plain types in system streams', async () => {
    await official.appendToStream('$settings', jsonEvent({ type: 'Changed', data: {} }));
    const { position } = await appendTo('sale-1', event());
    expect(await store.readAll()).toHaveLength(1);
    const batches = await catchUp({ after: BEFORE_ALL });
    expect(batches.flatMap(({ events }) => events.map(({ stream }) => stream))).toEqual(['sale-1']);
    await official.appendToStream('$settings', jsonEvent({ type: 'Changed', data: {} }));
    expect(await store.head()).toBe(position);
  });

  test('advances a checkpoint over thousands of filtered events', async () => {
    for (let n = 0; n < 30; n += 1) await appendTo(`other-${n}`, ...Array.from({ length: 100 }, () => event()));
    const head = await store.head();
    const filter = { on: 'stream', prefixes: ['sale-'] } as const;
    const batches = await catchUp({ after: BEFORE_ALL, filter });
    expect(batches.flatMap(({ events }) => events)).toEqual([]);
    const positions = batches.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(new Set(positions).size).toBeGreaterThan(5);
    expect(positions.at(-1)).toBe(head);
  });

  test('reads the history once for subscriptions that catch up at the same time', async () => {
    for (let n = 0; n < 30; n += 1) await appendTo(`sale-${n}`, ...Array.from({ length: 100 }, () => event()));
    const before = server.asked.read;
    const alone = (await catchUp({ after: BEFORE_ALL })).flatMap(({ events }) => events);
    const reads = server.asked.read - before;
    const together = await Promise.all(Array.from({ length: 5 }, () => catchUp({ after: BEFORE_ALL })));
    for (const batches of together) expect(batches.flatMap(({ events }) => events)).toEqual(alone);
    // Each subscription reads only the last page separately.
    expect(server.asked.read - before - reads).toBeLessThan(reads + 5);
    expect(reads).toBeGreaterThan(3_000 / 501);
  });

  test('gives a slow consumer no checkpoint beyond its delivered events', async () => {
    await appendTo('sale-1', ...Array.from({ length: 60 }, (_, n) => event({ n })));
    await server.addNoise(300);
    const stored = await store.readAll();
    const seen: number[] = [];
    for await (const batch of store.subscribeToAll({ after: BEFORE_ALL, maxBatchSize: 25 })) {
      seen.push(...batch.events.map(({ position }) => position));
      expect(stored.filter(({ position }) => position <= batch.position)).toHaveLength(seen.length);
      if (batch.caughtUp) break;
      // The remaining events and the final checkpoint arrive during this pause.
      await sleep(200);
    }
    expect(seen).toEqual(stored.map(({ position }) => position));
  });

  test.each([
    ['an idle', 0],
    ['a busy', 4],
  ])('delivers the events of an append together in %s thread, although they arrive one by one', async (_, busyMs) => {
    // Makes each turn of the event loop take `busyMs`.
    const occupied = setInterval(() => {
      for (const endMs = performance.now() + busyMs; performance.now() < endMs;);
    }, 1);
    const gathering = open(server.url, { gatherMs: () => 0 });
    let [batches, events] = [0, 0];
    const following = (async () => {
      for await (const batch of gathering.subscribeToAll({ after: BEFORE_ALL })) {
        if (batch.events.length > 0) batches += 1;
        events += batch.events.length;
        if (events === 100) return;
      }
    })();
    for (let n = 1; n <= 20; n += 1) {
      await store.append({
        stream: `sale-${n}`,
        expected: 'no_stream',
        events: Array.from({ length: 5 }, () => event()),
      });
      await eventually(() => events === n * 5, 5_000);
    }
    await following;
    clearInterval(occupied);
    await gathering.close();
    // On a busy machine, some events may arrive too late to share a batch.
    expect(batches).toBeLessThan(30);
  });

  test('reads pages at intervals, without a subscription on the server, if the caller permits a delay', async () => {
    const seen: number[] = [];
    const following = (async () => {
      for await (const { events } of store.subscribeToAll({ after: BEFORE_ALL, maxDelayMs: 50 })) {
        seen.push(...events.map(({ position }) => position));
        if (seen.length === 200) return;
      }
    })();
    const beganAtMs = performance.now();
    for (let n = 0; n < 200; n += 1)
      await store.append({ stream: `sale-${n}`, expected: 'no_stream', events: [event()] });
    await following;
    const intervals = Math.ceil((performance.now() - beganAtMs) / 50);
    const { read, subscription } = server.asked;
    expect(seen).toEqual((await store.readAll()).map(({ position }) => position));
    expect(subscription).toBe(0);
    // If many events arrive in an interval, reading them takes a second page.
    expect(read).toBeLessThanOrEqual(2 * (intervals + 1));
  });

  test('decodes every event like the official client', async () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((one) => isName(one) && !one.startsWith('$'));
    const json = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 5 });
    const foreign = fc.record({ stream: text, type: text, data: json, metadata: json });
    await fc.assert(
      fc.asyncProperty(fc.array(foreign, { minLength: 1, maxLength: 5 }), async (some) => {
        for (const { stream, type, data, metadata } of some)
          await official.appendToStream(stream, jsonEvent({ type, data: data as Record<string, string>, metadata }));
        const expected: unknown[] = [];
        for await (const { event: one } of official.readAll({
          direction: 'backwards',
          fromPosition: 'end',
          maxCount: some.length,
        }))
          if (one)
            expected.push({
              ...{ id: one.id, stream: one.streamId, revision: Number(one.revision), type: one.type, data: one.data },
              ...{
                position: Number(one.position.commit),
                metadata: one.metadata,
                recordedAtMs: one.created.getTime(),
              },
            });
        expect(await store.readAll({ direction: 'backwards', maxCount: some.length })).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  test('uses the user and password of the connection string, even without TLS', async () => {
    const named = open(server.url.replace('esdb://', 'esdb://admin:changeit@'));
    await named.append({ stream: 'sale-1', expected: 'no_stream', events: [event()] });
    expect((await named.readStream('sale-1')).events).toHaveLength(1);
    await named.close();
  });

  test('reads nothing backwards from the start or forwards from the end', async () => {
    const { position } = await appendTo('sale-1', event());
    expect(await store.readAll({ direction: 'backwards', from: BEFORE_ALL })).toEqual([]);
    expect(await store.readAll({ from: position })).toEqual([]);
  });

  test('sends appends in order, including those made while their call opens', async () => {
    const connection = new TellingConnection({ url: server.url, clock, logger: silentLogger, timeoutMs: 5_000 });
    const limits = { timeoutMs: 5_000, maxInFlight: 1_000, maxInFlightBytes: 1_000_000 };
    const appends = new Appends(connection, clock, limits);
    const appended: Promise<{ readonly position: number }>[] = [];
    const make = (): void => {
      const append = { stream: `order-${appended.length}`, expected: 'no_stream', events: [event()] } as const;
      appended.push(appends.append(serializeAppend(append)));
    };
    // Makes one further append in each microtask while the waiting appends are sent.
    connection.onCalling = () => {
      void (async () => {
        for (let turn = 0; turn < 30; turn += 1) {
          await Promise.resolve();
          make();
        }
      })();
    };
    for (let n = 0; n < 20; n += 1) make();
    await appended[0];
    const positions = (await Promise.all(appended)).map(({ position }) => position);
    expect([positions.length, positions]).toEqual([50, positions.toSorted((one, other) => one - other)]);
    await appends.drained();
    connection.close();
    await connection.release();
  });

  test('rejects appends beyond the queue limit immediately, and accepts others afterwards', async () => {
    const narrow = open(server.url, { maxInFlight: 3 });
    server.faults.hang();
    const append = (n: number) => narrow.append({ stream: `sale-${n}`, expected: 'no_stream', events: [event()] });
    const waiting = [1, 2, 3].map(append);
    await expect(append(4)).rejects.toBeInstanceOf(EventStoreUnavailable);
    server.faults.resume();
    await Promise.all(waiting);
    await append(5);
    expect((await store.readStream('sale-4')).exists).toBe(false);
    await narrow.close();
  });

  test('reports an invalid connection string without its password', () => {
    const secret = 'hunter2';
    for (const url of [
      `http://admin:${secret}@localhost:2113`,
      `esdb://admin:${secret}@localhost:port`,
      `esdb://admin:${secret}@localhost:2113?unheardOf=true`,
      `esdb://admin:${secret}@localhost:2113?tls=perhaps`,
      `esdb://admin:${secret}@localhost:2113?tlsVerifyCert=false`,
      `esdb://admin:${secret}@localhost:2113?tlsCAFile=/nowhere/ca.pem`,
    ]) {
      const opening = (): unknown => open(url);
      expect(opening).toThrow(/connection string of EventStoreDB/);
      try {
        opening();
      } catch (error) {
        expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secret);
      }
    }
  });
});
