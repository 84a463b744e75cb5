import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  BACKWARDS,
  binaryEvent,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  type Filter,
  FORWARDS,
  jsonEvent,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import type { Like } from '../support/eventstore-server/server-version.js';

let server: EventStoreServer;
let client: EventStoreDBClient;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-server-'));
  server = await EventStoreServer.start({ directory });
  client = EventStoreDBClient.connectionString(server.url);
});
afterEach(async () => {
  await client.dispose();
  await server.stop();
  await rm(directory, { recursive: true });
});

async function restartLike(like: Like): Promise<void> {
  await client.dispose();
  await server.stop();
  server = await EventStoreServer.start({ directory, like });
  client = EventStoreDBClient.connectionString(server.url);
}

const counted = (...numbers: number[]) => numbers.map((n) => jsonEvent({ type: 'Counted', data: { n } }));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 15_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`It never came true: ${condition.toString()}`);
    await sleep(5);
  }
}

async function append(stream: string, ...numbers: number[]): Promise<Position> {
  const { position } = await client.appendToStream(stream, counted(...numbers));
  if (!position) throw new Error('The append has no position');
  return position;
}

/**
 * Collects all notifications from a subscription, in order: event numbers, `caughtUp`, `fellBehind`, `checkpoint
 * <position>`.
 */
function follow(options: { fromPosition?: Position; filter?: Filter } = {}): {
  readonly told: string[];
  readonly numbers: number[];
  readonly errors: unknown[];
  readonly subscription: AllStreamSubscription;
} {
  const { fromPosition = START, filter } = options;
  const told: string[] = [];
  const numbers: number[] = [];
  const errors: unknown[] = [];
  const checkpointReached = (_: unknown, { commit }: Position): void => {
    told.push(`checkpoint ${commit}`);
  };
  const subscription = client.subscribeToAll({
    fromPosition,
    ...(filter && { filter: { ...filter, checkpointReached } }),
  });
  subscription.on('data', ({ event }) => {
    const { n } = event?.data as { n: number };
    numbers.push(n);
    told.push(String(n));
  });
  subscription.on('caughtUp', () => told.push('caughtUp'));
  subscription.on('fellBehind', () => told.push('fellBehind'));
  subscription.on('error', (error: unknown) => errors.push(error));
  return { told, numbers, errors, subscription };
}

const positionsOf = async (stream: string): Promise<Position[]> => {
  const positions: Position[] = [];
  for await (const { event } of client.readStream(stream)) if (event?.position) positions.push(event.position);
  return positions;
};

const nothing = (maxSearchWindow: number, checkpointInterval: number): Filter =>
  streamNameFilter({ prefixes: ['nothing'], maxSearchWindow, checkpointInterval });

describe('A filtered subscription', () => {
  test('gets a checkpoint after every window × interval events, and none at the end', async () => {
    await append('other', ...upTo(50));
    const positions = (await positionsOf('other')).map(({ commit }) => `checkpoint ${commit}`);
    const { told } = follow({ filter: nothing(4, 5) });
    await until(() => told.includes('caughtUp'));
    expect(told).toEqual([positions[19], positions[39], 'caughtUp']);
  });

  test('gets each checkpoint only once, even if the end coincides with one', async () => {
    await append('other', ...upTo(40));
    const positions = (await positionsOf('other')).map(({ commit }) => `checkpoint ${commit}`);
    const { told } = follow({ filter: nothing(20, 1) });
    await until(() => told.includes('caughtUp'));
    expect(told).toEqual([positions[19], positions[39], 'caughtUp']);
  });

  test('also gets checkpoints while live', async () => {
    const { told } = follow({ fromPosition: await append('other', 0), filter: nothing(3, 2) });
    await until(() => told.includes('caughtUp'));
    for (const n of upTo(13)) await append('other', n);
    const positions = (await positionsOf('other')).map(({ commit }) => `checkpoint ${commit}`);
    await until(() => told.length === 3);
    expect(told).toEqual(['caughtUp', positions[6], positions[12]]);
  });

  test('resumes from a checkpoint without gaps or repetitions', async () => {
    await append('other', ...upTo(10));
    const first = follow({ filter: nothing(10, 1) });
    await until(() => first.told.includes('caughtUp'));
    const commit = BigInt(first.told[0]?.split(' ')[1] ?? '');
    await append('wanted', 7);
    const resumed = follow({ fromPosition: { commit, prepare: commit }, filter: streamNameFilter({ prefixes: [''] }) });
    await until(() => resumed.numbers.length > 0);
    expect(resumed.numbers).toEqual([7]);
  });
});

describe('A subscription to $all', () => {
  test('reports that it has caught up between the history and later events, with or without a history', async () => {
    const position = await append('s', 1, 2);
    const fromStart = follow();
    const fromEnd = follow({ fromPosition: position });
    await until(() => fromStart.told.includes('caughtUp') && fromEnd.told.includes('caughtUp'));
    await append('s', 3);
    await until(() => fromStart.numbers.length === 3 && fromEnd.numbers.length === 1);
    expect([fromStart.told, fromEnd.told]).toEqual([
      ['1', '2', 'caughtUp', '3'],
      ['caughtUp', '3'],
    ]);
  });

  test('ends when its live buffer overflows', async () => {
    const { told, errors } = follow();
    await until(() => told.includes('caughtUp'));
    await append('s', ...upTo(32));
    await until(() => told.length === 33);
    await append('s', ...upTo(33));
    await until(() => errors.length > 0);
    expect(errors).toMatchObject([{ code: 10, message: expect.stringContaining('Consumer too slow') as unknown }]);
  });

  test('of a newer server falls behind instead, and catches up again', async () => {
    await restartLike('24.10');
    const { told, numbers } = follow();
    await until(() => told.includes('caughtUp'));
    await append('s', ...upTo(100));
    await until(() => told.filter((what) => what === 'caughtUp').length === 2);
    expect(told).toEqual(['caughtUp', 'fellBehind', ...upTo(100).map(String), 'caughtUp']);
    expect(numbers).toEqual(upTo(100));
  });

  test('delivers in order and once during continuous appends', async () => {
    const first = append('race', 0);
    const { numbers, errors } = follow();
    await first;
    // At most 32 events are undelivered at any time, because the server would end the subscription if there were more.
    for (let from = 0; from < 400; from += 16) {
      await Promise.all(upTo(16).map((n) => append(`s-${(from + n) % 40}`, from + n + 1)));
      await until(() => numbers.length > from || errors.length > 0);
    }
    await until(() => numbers.length === 401 || errors.length > 0);
    expect(errors).toEqual([]);
    const order: number[] = [];
    for await (const { event } of client.readAll()) order.push((event?.data as { n: number }).n);
    expect(numbers).toEqual(order);
  });

  test('receives only a few events more than a slow consumer has processed', async () => {
    const text = 'x'.repeat(100_000);
    const events = upTo(200).map((n) => jsonEvent({ type: 'Long', data: { n, text } }));
    for (let n = 0; n < events.length; n += 10) await client.appendToStream('long', events.slice(n, n + 10));
    let confirmed = false;
    let seen = 0;
    const subscription = client.subscribeToAll({ fromPosition: START }, { highWaterMark: 1 });
    subscription.on('data', () => (seen += 1));
    subscription.on('confirmation', () => {
      confirmed = true;
      subscription.pause();
    });
    await until(() => confirmed);
    await sleep(500);
    expect(server.sent).toBeLessThan(100);
    subscription.resume();
    await until(() => seen === 200);
  });

  test('is rejected at a position without an event, and so is a read', async () => {
    const { commit } = await append('s', 1, 2);
    const fromPosition = { commit: commit - 1n, prepare: commit - 1n };
    const { errors } = follow({ fromPosition });
    await until(() => errors.length > 0);
    const read = async () => {
      for await (const _ of client.readAll({ fromPosition })) throw new Error('It was read');
    };
    await expect(read()).rejects.toMatchObject({ code: 2, message: '2 UNKNOWN: Unexpected ReadAllResult: Error' });
    expect(errors).toMatchObject([{ code: 2, message: '2 UNKNOWN: Exception was thrown by handler.' }]);
  });
});

describe('A subscription to a stream', () => {
  test('ends with a tombstone, and is rejected afterwards', async () => {
    await append('s', 1);
    const errors: unknown[] = [];
    const subscribe = () => client.subscribeToStream('s').on('error', (error: unknown) => errors.push(error));
    let live = false;
    subscribe().on('caughtUp', () => (live = true));
    await until(() => live);
    await client.tombstoneStream('s');
    await until(() => errors.length === 1);
    subscribe();
    await until(() => errors.length === 2);
    expect(errors).toMatchObject([{ type: 'stream-deleted' }, { type: 'stream-deleted' }]);
  });

  test('skips hidden events while catching up, but none later', async () => {
    await append('s', 1, 2, 3);
    await client.setStreamMetadata('s', { maxCount: 1 });
    const seen: unknown[] = [];
    const subscription = client.subscribeToStream('s');
    subscription.on('data', ({ event }) => seen.push((event?.data as { n: number }).n));
    subscription.on('caughtUp', () => seen.push('caughtUp'));
    await until(() => seen.includes('caughtUp'));
    await append('s', 4, 5);
    await until(() => seen.length === 4);
    expect(seen).toEqual([3, 'caughtUp', 4, 5]);
  });
});

describe('A read', () => {
  test('of a long stream returns everything or the requested number, in either direction', async () => {
    await append('long', ...upTo(300));
    const read = async (options: Parameters<typeof client.readStream>[1]) => {
      const numbers: number[] = [];
      for await (const { event } of client.readStream('long', options)) numbers.push((event?.data as { n: number }).n);
      return numbers;
    };
    expect(await read({})).toEqual(upTo(300));
    expect(await read({ direction: BACKWARDS, fromRevision: END })).toEqual(upTo(300).reverse());
    expect(await read({ maxCount: 130, fromRevision: 100n })).toEqual(upTo(230).slice(100));
  });

  test('of $all returns every event in either direction, including system events', async () => {
    await append('s', 1, 2);
    await client.setStreamMetadata('s', { maxCount: 9 });
    await server.addNoise(2);
    await client.deleteStream('s');
    await client.tombstoneStream('s');
    const read = async (direction: typeof FORWARDS | typeof BACKWARDS) => {
      const seen: string[] = [];
      const fromPosition = direction === FORWARDS ? START : END;
      for await (const { event } of client.readAll({ direction, fromPosition }))
        seen.push(`${event?.streamId ?? ''} ${event?.revision ?? ''} ${event?.type ?? ''}`);
      return seen;
    };
    const all = [
      's 0 Counted',
      's 1 Counted',
      '$$s 0 $metadata',
      '$stats-127.0.0.1:2113 0 $statsCollected',
      '$ce-noise 0 $>',
      '$$s 1 $metadata',
      `s ${2n ** 63n - 1n} $streamDeleted`,
    ];
    expect(await read(FORWARDS)).toEqual(all);
    expect(await read(BACKWARDS)).toEqual(all.reverse());
  });

  test('past either end of $all returns nothing', async () => {
    await append('s', 1);
    const count = async (options: Parameters<typeof client.readAll>[0]) => {
      let read = 0;
      for await (const _ of client.readAll(options)) read += 1;
      return read;
    };
    expect(await count({ direction: FORWARDS, fromPosition: END })).toBe(0);
    expect(await count({ direction: BACKWARDS, fromPosition: START })).toBe(0);
  });
});

describe('System events', () => {
  test("can be excluded by the client's filter", async () => {
    await append('s', 1);
    await server.addNoise(40);
    await append('s', 2);
    const { told, numbers } = follow({ filter: excludeSystemEvents() });
    await until(() => told.includes('caughtUp'));
    expect(numbers).toEqual([1, 2]);
  });

  test('mark a soft-deleted stream as hidden', async () => {
    await append('s', 1);
    await client.deleteStream('s');
    const { metadata } = await client.getStreamMetadata('s');
    expect(metadata).toEqual({ truncateBefore: Number(2n ** 63n - 1n) });
  });
});

describe('An event is returned with the bytes as sent', () => {
  const onlyEventOf = async (stream: string) => {
    const events = [];
    // Reads to the end, because the client cannot be disposed while a read is unfinished.
    for await (const { event } of client.readStream(stream)) events.push(event);
    return events[0];
  };

  test.each([
    ['an object', { a: [1, { b: null }] }],
    ['a list', [1, 2]],
    ['a text', 'text'],
    ['a number', 5],
    ['what looks as if the server had wrapped it', { $bytes: 'AAAA', contentType: 'text' }],
  ])('when it is %s', async (_what, data) => {
    await client.appendToStream('s', jsonEvent({ type: 'Any', data: data as Record<string, unknown> }));
    expect(await onlyEventOf('s')).toMatchObject({ data, isJson: true, metadata: undefined });
  });

  test('when it is not JSON', async () => {
    const data = Uint8Array.from([0, 1, 2, 254, 255]);
    const metadata = Uint8Array.from([9, 8, 7]);
    await client.appendToStream('s', binaryEvent({ type: 'Raw', data, metadata }));
    const event = await onlyEventOf('s');
    expect(event).toMatchObject({ isJson: false });
    expect(Buffer.from(event?.data as Uint8Array)).toEqual(Buffer.from(data));
    expect(Buffer.from(event?.metadata as Uint8Array)).toEqual(Buffer.from(metadata));
  });

  test('when its metadata is an empty object, which differs from none', async () => {
    await client.appendToStream('s', jsonEvent({ type: 'Any', data: {}, metadata: {} }));
    expect((await onlyEventOf('s'))?.metadata).toEqual({});
  });

  test('when its JSON is damaged, or formatted unusually', async () => {
    await server.addBytes('damaged', { type: 'Damaged', data: '{"a":' });
    await server.addBytes('unusual', { type: 'Unusual', data: '{ "a": 1.0 }' });
    expect((await onlyEventOf('damaged'))?.data).toBe('{"a":');
    expect((await onlyEventOf('unusual'))?.data).toEqual({ a: 1 });
  });
});

describe('An append', () => {
  test('after its deadline is rejected and not stored', async () => {
    const late = client.appendToStream('s', counted(1), { deadline: -1_000 });
    await expect(late).rejects.toMatchObject({ type: 'deadline-exceeded' });
    await expect(positionsOf('s')).rejects.toMatchObject({ type: 'stream-not-found' });
  });

  test('is answered independently of hundreds of others in the same call', async () => {
    const appends = upTo(500).map(async (n) => client.appendToStream(`s-${n}`, counted(n)));
    const commits = (await Promise.all(appends)).map(({ position }) => position?.commit);
    expect(new Set(commits).size).toBe(500);
  });

  test('of many events in several messages is atomic', async () => {
    const text = 'x'.repeat(10_000);
    const events = upTo(60).map((n) => jsonEvent({ type: 'Long', data: { n, text } }));
    const appended = await client.appendToStream('s', events, { batchAppendSize: 50_000 });
    expect(appended.nextExpectedRevision).toBe(59n);
    expect(await positionsOf('s')).toHaveLength(60);
  });

  test('over the limit in several messages is rejected once', async () => {
    const text = 'x'.repeat(100_000);
    const events = upTo(20).map((n) => jsonEvent({ type: 'Long', data: { n, text } }));
    const appended = client.appendToStream('s', events, { batchAppendSize: 150_000 });
    await expect(appended).rejects.toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 });
    await expect(append('s', 1)).resolves.toBeDefined();
  });

  test('uses a separate call on a server without batches', async () => {
    await append('gone', 1);
    await client.tombstoneStream('gone');
    const refused = { type: 'stream-deleted', streamName: 'gone' };
    await expect(append('gone', 2)).rejects.toMatchObject({ ...refused, code: undefined });
    await client.dispose();
    await server.stop();
    server = await EventStoreServer.start({ directory, batchAppend: false });
    client = EventStoreDBClient.connectionString(server.url);
    // An append sent as a separate call fails with that call's gRPC status.
    await expect(append('gone', 2)).rejects.toMatchObject({ ...refused, code: 9 });
  });
});
