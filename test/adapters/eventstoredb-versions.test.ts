import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDb, type EventStoreDbOptions } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  type Append,
  BEFORE_ALL,
  type EventBatch,
  InvalidPosition,
  type Position,
} from '../../src/ports/event-store.js';
import type { Logger } from '../../src/ports/log.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import type { Like } from '../support/eventstore-server/server-version.js';
import { eventually } from '../support/eventually.js';

const clock = new SystemClock();

const created = (stream: string, count = 1): Append => ({
  stream,
  expected: 'no_stream',
  events: Array.from({ length: count }, (_, n) => ({ id: randomUUID(), type: 'Counted', data: { n }, metadata: {} })),
});

const until = (condition: () => boolean): Promise<boolean> => eventually(condition, 15_000);

/** Records the messages of warnings and errors, in order. */
function complaints(): { logger: Logger; said: string[] } {
  const said: string[] = [];
  const note = (_: object, message: string): void => void said.push(message);
  return { logger: { info: () => undefined, warn: note, error: note }, said };
}

/** Collects a subscription's events in the background. */
function follow(store: EventStoreDb, after: Position = BEFORE_ALL) {
  const batches: EventBatch[] = [];
  const streams: string[] = [];
  const stop = new AbortController();
  const filter = { on: 'stream', prefixes: ['sale-'] } as const;
  const over = (async () => {
    for await (const batch of store.subscribeToAll({ after, filter, signal: stop.signal })) {
      batches.push(batch);
      streams.push(...batch.events.map(({ stream, revision }) => `${stream}@${revision}`));
    }
  })();
  return {
    batches,
    streams,
    over,
    isCaughtUp: () => batches.at(-1)?.caughtUp === true,
    end: async () => {
      stop.abort();
      await over;
    },
  };
}

describe.each(['23.10', '24.10'] as const)('The EventStoreDB adapter on a server like %s', (like: Like) => {
  let directory: string;
  let server: EventStoreServer;
  let said: string[];
  let logger: Logger;
  const stores: EventStoreDb[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-eventstoredb-'));
    server = await EventStoreServer.start({ directory, like, systemEvents: true });
    ({ said, logger } = complaints());
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server.stop();
    await rm(directory, { recursive: true });
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toEqual([]);
  });

  function open(more: Partial<EventStoreDbOptions> = {}): EventStoreDb {
    const store = EventStoreDb.open({ url: server.url, clock, logger, ...more });
    stores.push(store);
    return store;
  }

  test('follows an empty store', async () => {
    const store = open();
    const following = follow(store);
    await until(following.isCaughtUp);
    const { position } = await store.append(created('sale-1'));
    await until(() => following.streams.length > 0);
    await following.end();
    expect(following.streams).toEqual(['sale-1@0']);
    expect(following.batches.at(-1)?.position).toBe(position);
    expect(said).toEqual([]);
  });

  test('deduplicates the same append sent twice concurrently', async () => {
    const [one, other] = [open(), open()];
    await Promise.all([one.head(), other.head()]);
    for (const [first, second] of [
      [one, one],
      [one, other],
    ] as const) {
      const append = created(`sale-${randomUUID()}`);
      const beganAtMs = performance.now();
      const answers = await Promise.all([first.append(append), second.append(append)]);
      // The server would give up on the second append after two seconds.
      expect(performance.now() - beganAtMs).toBeLessThan(2_000);
      expect(answers[1]).toEqual(answers[0]);
      expect((await one.readStream(append.stream)).events).toHaveLength(1);
    }
  });

  test('delivers bursts of any size once and in order, without a warning', async () => {
    const store = open({ quietMs: 60_000 });
    const following = follow(store);
    await until(following.isCaughtUp);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => store.append(created(`sale-${round}-${n}`, 10))));
      await until(() => following.streams.length === (round + 1) * 200);
    }
    await until(following.isCaughtUp);
    await following.end();
    const stored = await store.readAll({ filter: { on: 'stream', prefixes: ['sale-'] } });
    expect(following.streams).toEqual(stored.map(({ stream, revision }) => `${stream}@${revision}`));
    expect(said).toEqual([]);
  });

  test('answers an empty append with the position of the last event', async () => {
    const store = open();
    const { position } = await store.append(created('sale-1'));
    await store.append(created('sale-2'));
    const nothing = { events: [] } as const;
    expect(await store.append({ ...nothing, stream: 'sale-1', expected: 0 })).toEqual({ revision: 0, position });
    expect(await store.append({ ...nothing, stream: 'sale-3', expected: 'no_stream' })).toEqual({
      revision: -1,
      position: BEFORE_ALL,
    });
  });

  test('ends a subscription from an invalid position with a specific error, logged once', async () => {
    const store = open();
    const { position } = await store.append(created('sale-1'));
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(follow(store, position - 1).over).rejects.toEqual(new InvalidPosition(position - 1));
    await expect(store.readAll({ from: position - 1 })).rejects.toEqual(new InvalidPosition(position - 1));
    expect(said).toEqual(['A position does not belong to this event store']);
  });
});
