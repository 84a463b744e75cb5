import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDb, type EventStoreDbOptions } from '../../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  type Append,
  type Appended,
  AppendOutcomeUnknown,
  BEFORE_ALL,
  type EventBatch,
  EventStoreUnavailable,
  type EventToAppend,
  type RecordedEvent,
} from '../../src/ports/event-store.js';
import { type Logger, silentLogger } from '../../src/ports/log.js';
import { EventStoreCluster } from '../support/eventstore-server/cluster.js';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import { eventStoreRecipe } from '../support/eventstore-server/recipe.js';
import { mulberry32 } from '../support/manual-clock.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { freePort, ServerProcess } from '../support/server-process.js';

const clock = new SystemClock();
const event = (data: object = {}): EventToAppend => ({ id: randomUUID(), type: 'Counted', data, metadata: {} });
const created = (stream: string, data: object = {}): Append => ({
  stream,
  expected: 'no_stream',
  events: [event(data)],
});
const numberOf = ({ data }: RecordedEvent): unknown => (data as { n: number }).n;
/** Upper bound for operations that must end promptly. It also holds on a busy machine. */
const SOON_MS = 10_000;

/** Records the messages of all log lines, in order. */
function recorder(): { logger: Logger; said: string[] } {
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  return { logger: { info: note, warn: note, error: note }, said };
}

const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
process.stdout.write(`seed ${seed}\n`);
const random = mulberry32(seed);

/** Retries the append until a response confirms it, as the platform's appender does. */
async function appendAgainAndAgain(store: EventStoreDb, append: Append): Promise<Appended> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    try {
      return await store.append(append);
    } catch (error) {
      const mayPass = error instanceof AppendOutcomeUnknown || error instanceof EventStoreUnavailable;
      if (!mayPass || performance.now() > endMs) throw error;
      await sleep(20 + random() * 30);
    }
  }
}

async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  const endMs = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`It did not happen: ${what}`);
    await sleep(20);
  }
}

/** Returns the error with which an operation fails, and the time until the failure. */
async function failure(work: Promise<unknown>): Promise<{ error: unknown; afterMs: number }> {
  const startMs = performance.now();
  try {
    await work;
  } catch (error) {
    return { error, afterMs: performance.now() - startMs };
  }
  throw new Error('It succeeded');
}

/** Collects a subscription's events in the background. */
function follow(store: EventStoreDb, prefix: string, after = BEFORE_ALL) {
  const numbers: unknown[] = [];
  const batches: EventBatch[] = [];
  const stop = new AbortController();
  const filter = { on: 'stream', prefixes: [prefix] } as const;
  const done = (async () => {
    for await (const batch of store.subscribeToAll({ after, filter, signal: stop.signal })) {
      batches.push(batch);
      numbers.push(...batch.events.map(numberOf));
    }
  })();
  return {
    numbers,
    batches,
    end: async () => {
      stop.abort();
      await done;
    },
  };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('The EventStoreDB adapter, when its server fails', () => {
  let directory: string;
  let server: EventStoreServer;
  const stores: EventStoreDb[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-eventstoredb-'));
    server = await EventStoreServer.start({ directory });
  });
  afterEach(async () => {
    server.faults.clear();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server.stop();
    await rm(directory, { recursive: true });
  });

  function open(more: Partial<EventStoreDbOptions> = {}): EventStoreDb {
    const store = EventStoreDb.open({ url: server.url, clock, logger: silentLogger, ...more });
    stores.push(store);
    return store;
  }

  test('reports an unknown outcome of an append, and resolves it by appending again', async () => {
    const store = open();
    await store.append(created('sale-0'));
    server.faults.dropAfterCommit(1);
    const append = created('sale-1', { n: 1 });
    await expect(store.append(append)).rejects.toEqual(new AppendOutcomeUnknown('sale-1', expect.anything()));
    const { revision, position } = await appendAgainAndAgain(store, append);
    const { events } = await store.readStream('sale-1');
    expect(events.map(({ id }) => id)).toEqual(append.events.map(({ id }) => id));
    expect({ revision, position }).toEqual({ revision: 0, position: events[0]?.position });
  });

  test('times out on a silent server, and works again afterwards', async () => {
    const store = open({ timeoutMs: 300 });
    await store.append(created('sale-0'));
    expect(await store.facts()).toMatchObject({ engine: 'eventstoredb' });
    server.faults.hang();
    const append = created('sale-1');
    const [appending, reading, looking, asking] = await Promise.all([
      failure(store.append(append)),
      failure(store.readStream('sale-0')),
      failure(store.head()),
      failure(store.facts()),
    ]);
    expect(appending.error).toBeInstanceOf(AppendOutcomeUnknown);
    expect(reading.error).toBeInstanceOf(EventStoreUnavailable);
    expect(looking.error).toBeInstanceOf(EventStoreUnavailable);
    expect(asking.error).toBeInstanceOf(EventStoreUnavailable);
    for (const { afterMs } of [appending, reading, looking, asking]) expect(afterMs).toBeLessThan(SOON_MS);
    // The server now stores the first attempt, but the adapter is no longer waiting for the response.
    server.faults.resume();
    expect(await appendAgainAndAgain(store, append)).toMatchObject({ revision: 0 });
    expect((await store.readStream('sale-1')).events).toHaveLength(1);
    expect(await store.head()).toBeGreaterThan(BEFORE_ALL);
  });

  test('receives responses on a new call while another one is waiting', async () => {
    const store = open({ timeoutMs: 500 });
    await store.append(created('sale-0'));
    server.faults.slow(900);
    const append = created('sale-1');
    await expect(store.append(append)).rejects.toBeInstanceOf(AppendOutcomeUnknown);
    const again = store.append(append);
    again.catch(() => undefined);
    server.faults.slow(0);
    expect(await appendAgainAndAgain(store, append)).toMatchObject({ revision: 0 });
    expect((await store.readStream('sale-1')).events).toHaveLength(1);
  });

  test('is rejected by a node that is not ready, and accepted once it is', async () => {
    const store = open();
    server.faults.refuse();
    await expect(store.readStream('sale-1')).rejects.toBeInstanceOf(EventStoreUnavailable);
    const { error } = await failure(store.append(created('sale-1')));
    expect([AppendOutcomeUnknown, EventStoreUnavailable]).toContain((error as Error).constructor);
    server.faults.accept();
    expect(await appendAgainAndAgain(store, created('sale-1'))).toMatchObject({ revision: 0 });
  });

  test('starts without a server, reports it as unavailable, and works once it is available', async () => {
    const { logger, said } = recorder();
    const port = await freePort();
    const store = open({ url: `esdb://127.0.0.1:${port}?tls=false`, logger });
    const append = created('sale-1');
    for (const work of [store.append(append), store.readStream('sale-1'), store.readAll(), store.head()]) {
      const { error, afterMs } = await failure(work);
      expect(error).toBeInstanceOf(EventStoreUnavailable);
      expect(afterMs).toBeLessThan(SOON_MS);
    }
    const late = await EventStoreServer.start({ directory: join(directory, 'late'), port });
    expect(await appendAgainAndAgain(store, append)).toMatchObject({ revision: 0 });
    expect(said).toEqual(['The event store is unavailable', 'The event store is back']);
    await store.close();
    await late.stop();
  });

  test('fails immediately while it is known to be unavailable, without connecting for every call', async () => {
    let knocks = 0;
    const door = createServer((socket) => {
      knocks += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const store = open({ url: `esdb://127.0.0.1:${(door.address() as AddressInfo).port}?tls=false` });
    const endMs = performance.now() + 2_000;
    let refused = 0;
    for (; performance.now() < endMs; refused += 1)
      await expect(store.append(created('sale-1'))).rejects.toBeInstanceOf(EventStoreUnavailable);
    expect(refused).toBeGreaterThan(100);
    // The pauses between connection attempts grow from 25 ms to one second.
    expect(knocks).toBeLessThan(20);
    expect(knocks).toBeGreaterThan(1);
    door.close();
  });

  test('separates the appends of two stores in one process', async () => {
    const [one, other] = [open(), open({ url: server.url })];
    const proxy = await FaultProxy.start(server);
    const broken = open({ url: `esdb://127.0.0.1:${proxy.port}?tls=false` });
    await Promise.all([one, other, broken].map((store, n) => store.append(created(`sale-${n}`))));
    server.faults.hang();
    const before = proxy.taken.client;
    const answers = Promise.all([one.append(created('sale-3')), other.append(created('sale-4'))]);
    const unanswered = broken.append(created('sale-5'));
    const unknown = expect(unanswered).rejects.toBeInstanceOf(AppendOutcomeUnknown);
    await until('the append is on its way', () => proxy.taken.client > before);
    proxy.reset();
    await unknown;
    server.faults.resume();
    expect((await answers).map(({ revision }) => revision)).toEqual([0, 0]);
    await broken.close();
    await proxy.close();
  });

  test('delivers everything once to a subscription across repeated restarts', async () => {
    const store = open({ quietMs: 200 });
    const following = follow(store, 'sale-');
    const restarting = (async () => {
      for (let time = 0; time < 4; time += 1) {
        await sleep(150);
        await server.restart();
      }
    })();
    for (let n = 0; n < 120; n += 1) {
      const expected = n < 7 ? 'no_stream' : Math.floor(n / 7) - 1;
      await appendAgainAndAgain(store, { stream: `sale-${n % 7}`, expected, events: [event({ n })] });
      await sleep(5);
    }
    await restarting;
    await until('all have come', () => following.numbers.length >= 120);
    await following.end();
    expect(following.numbers).toEqual(upTo(120));
    const positions = following.batches.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  test('detects a silently dead subscription, and resumes it', async () => {
    const { logger, said } = recorder();
    const store = open({ quietMs: 100, logger });
    const following = follow(store, 'sale-');
    for (const n of upTo(5)) await store.append(created(`sale-${n}`, { n }));
    await until('it has begun', () => following.numbers.length === 5);
    server.faults.silenceSubscriptions();
    for (const n of [5, 6, 7]) await store.append(created(`sale-${n}`, { n }));
    await until('the silence is noticed', () => following.numbers.length === 8);
    await following.end();
    expect(following.numbers).toEqual(upTo(8));
    expect(said).toEqual(['Restarting a silent subscription']);
  });

  test('continues after the server has ended a subscription', async () => {
    const store = open({ quietMs: 60_000 });
    const following = follow(store, 'sale-');
    await store.append(created('sale-0', { n: 0 }));
    await until('it has begun', () => following.numbers.length === 1);
    server.faults.abortSubscriptions();
    await store.append(created('sale-1', { n: 1 }));
    await until('it goes on', () => following.numbers.length === 2);
    await following.end();
    expect(following.numbers).toEqual([0, 1]);
  });

  test('immediately ends a subscription that waits for a silent server', async () => {
    const store = open({ timeoutMs: 60_000, quietMs: 50 });
    const following = follow(store, 'sale-');
    await store.append(created('sale-0', { n: 0 }));
    await until('it has begun', () => following.numbers.length === 1);
    server.faults.hang();
    // By the end of this pause, the subscription has requested the head.
    await sleep(300);
    const startMs = performance.now();
    await following.end();
    expect(performance.now() - startMs).toBeLessThan(SOON_MS);
  });

  test('ends subscriptions and closes in time while the server is silent', async () => {
    const store = open({ timeoutMs: 300 });
    const following = follow(store, 'sale-');
    await store.append(created('sale-0', { n: 0 }));
    await until('it has begun', () => following.numbers.length === 1);
    server.faults.hang();
    const appending = failure(store.append(created('sale-1')));
    const startMs = performance.now();
    await store.close();
    await following.end();
    expect(performance.now() - startMs).toBeLessThan(SOON_MS);
    expect((await appending).error).toBeInstanceOf(AppendOutcomeUnknown);
  });

  test('applies backpressure for a slow consumer: hardly anything is prefetched', async () => {
    const store = open();
    const text = 'x'.repeat(20_000);
    for (let n = 0; n < 2_000; n += 40)
      await store.append({
        stream: 'sale-1',
        expected: n === 0 ? 'no_stream' : n - 1,
        events: Array.from({ length: 40 }, (_, index) => event({ n: n + index, text })),
      });
    const proxy = await FaultProxy.start(server);
    let fetched = 0;
    const take = proxy.take.bind(proxy);
    proxy.take = (side, bytes) => {
      if (side === 'server') fetched += bytes;
      return take(side, bytes);
    };
    const distant = open({ url: `esdb://127.0.0.1:${proxy.port}?tls=false` });
    const numbers: unknown[] = [];
    let slow = true;
    for await (const { events, caughtUp } of distant.subscribeToAll({ after: BEFORE_ALL })) {
      numbers.push(...events.map(numberOf));
      if (slow) {
        // Waits until no more data arrives. About 40 MB are still pending on the server.
        for (let before = -1; before < fetched;) {
          before = fetched;
          await sleep(500);
        }
        expect(fetched).toBeLessThan(15_000_000);
        // The stalled stream must not block the other streams of the connection.
        expect(await distant.head()).toBeGreaterThan(BEFORE_ALL);
        slow = false;
      }
      if (caughtUp) break;
    }
    expect(numbers).toEqual(upTo(2_000));
    expect(fetched).toBeGreaterThan(40_000_000);
    await distant.close();
    await proxy.close();
  });

  test('stores each of 5,000 appends exactly once across server outages', async () => {
    const store = open({ timeoutMs: 2_000 });
    const following = follow(store, 'sale-');
    const state = { isOver: false };
    const flapping = (async () => {
      for (let round = 0; !state.isOver; round += 1) {
        await sleep(150 + random() * 150);
        if (round % 3 === 0) await server.restart(50 + random() * 100);
        else if (round % 3 === 1) server.faults.dropAfterCommit(5);
        else server.disconnectAll();
      }
    })();
    let next = 0;
    let failures = 0;
    const writer = async (): Promise<void> => {
      for (let n = next++; n < 5_000; n = next++) {
        const append = created(`sale-${n}`, { n });
        await store.append(append).catch(async () => {
          failures += 1;
          await appendAgainAndAgain(store, append);
        });
      }
    };
    await Promise.all(Array.from({ length: 64 }, writer));
    state.isOver = true;
    await flapping;
    // The connection has just been lost. The adapter reopens it after a pause.
    await until('the server answers', () =>
      store.head().then(
        () => true,
        () => false,
      ),
    );
    const stored = await store.readAll({ maxCount: 10_000 });
    expect(stored).toHaveLength(5_000);
    expect(new Set(stored.map(({ stream }) => stream)).size).toBe(5_000);
    expect(failures).toBeGreaterThan(0);
    await until('all have been delivered', () => following.numbers.length >= 5_000);
    await following.end();
    expect(following.numbers).toEqual(stored.map(numberOf));
  });
});

describe('The EventStoreDB adapter, when its server process', () => {
  let server: ServerProcess;
  let store: EventStoreDb;

  beforeAll(async () => {
    server = await ServerProcess.start(eventStoreRecipe);
  });
  beforeEach(() => {
    store = EventStoreDb.open({ url: server.url, clock, logger: silentLogger, timeoutMs: 1_000, quietMs: 200 });
  });
  afterEach(async () => {
    server.resume();
    await store.close();
  });
  afterAll(() => server.dispose());

  test('is suspended before it is reached, reports that nothing was sent', async () => {
    await server.hang();
    const append = created(`sale-${randomUUID()}`);
    const { error, afterMs } = await failure(store.append(append));
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(afterMs).toBeLessThan(SOON_MS);
    server.resume();
    await until('it is back', () =>
      store.head().then(
        () => true,
        () => false,
      ),
    );
    expect((await store.readStream(append.stream)).exists).toBe(false);
    expect(await appendAgainAndAgain(store, append)).toMatchObject({ revision: 0 });
  });

  test('is suspended with pending appends, learns their outcome later', async () => {
    await store.head();
    await store.append(created(`sale-${randomUUID()}`));
    await server.hang();
    const appends = upTo(20).map((n) => created(`sale-${randomUUID()}`, { n }));
    for (const { error } of await Promise.all(appends.map((append) => failure(store.append(append)))))
      expect(error).toBeInstanceOf(AppendOutcomeUnknown);
    await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
    server.resume();
    for (const append of appends) expect(await appendAgainAndAgain(store, append)).toMatchObject({ revision: 0 });
    for (const { stream } of appends) expect((await store.readStream(stream)).events).toHaveLength(1);
  });

  test('is killed and restarted, continues appends and subscriptions', async () => {
    const prefix = `run${randomUUID()}-`;
    const following = follow(store, prefix, await store.head());
    let n = 0;
    const writing = (async () => {
      for (; n < 300; n += 1) await appendAgainAndAgain(store, created(`${prefix}${n}`, { n }));
    })();
    await until('it has begun', () => n > 20);
    await server.kill();
    await expect(store.readAll()).rejects.toBeInstanceOf(EventStoreUnavailable);
    await server.start();
    await writing;
    await until('all have come', () => following.numbers.length >= 300);
    await following.end();
    expect(following.numbers).toEqual(upTo(300));
  });
});

describe('The EventStoreDB adapter on a cluster', () => {
  let directory: string;
  let cluster: EventStoreCluster;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-eventstoredb-'));
    cluster = await EventStoreCluster.start({ directory });
  });
  afterEach(async () => {
    await cluster.stop();
    await rm(directory, { recursive: true });
  });

  const node = (n: number): EventStoreServer => {
    const found = cluster.nodes[n];
    if (!found) throw new Error(`No node ${n}`);
    return found;
  };

  test.each([
    ['the addresses of all nodes', () => cluster.url],
    ['one address to discover them from', () => node(2).discoveryUrl],
  ])('finds the leader by %s, follows leader changes, and finds a new leader', async (_, url) => {
    const store = EventStoreDb.open({ url: url(), clock, logger: silentLogger, quietMs: 200 });
    const following = follow(store, 'sale-');
    await appendAgainAndAgain(store, created('sale-0', { n: 0 }));
    cluster.elect(node(1));
    // Reads are redirected to the new leader automatically, but the caller must retry an append that reached the old
    // leader.
    expect((await store.readStream('sale-0')).events).toHaveLength(1);
    await appendAgainAndAgain(store, created('sale-1', { n: 1 }));
    await cluster.stopNode(node(1));
    const append = appendAgainAndAgain(store, created('sale-2', { n: 2 }));
    await sleep(200);
    cluster.elect(node(2));
    expect(await append).toMatchObject({ revision: 0 });
    await until('all have come', () => following.numbers.length >= 3);
    await following.end();
    expect(following.numbers).toEqual([0, 1, 2]);
    await store.close();
  });

  test('survives a failed discovery while a connection to a previous leader breaks', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    const url = `${cluster.url}&maxDiscoverAttempts=2&gossipTimeout=1`;
    const store = EventStoreDb.open({ url, clock, logger: silentLogger, quietMs: 60_000, timeoutMs: 1_000 });
    const following = follow(store, 'sale-');
    await appendAgainAndAgain(store, created('sale-0', { n: 0 }));
    await until('it is subscribed to the first leader', () => following.numbers.length === 1);
    cluster.elect(node(1));
    await store.readStream('sale-0');
    // The previous leader keeps its connection but does not respond to gossip. The other nodes are down.
    node(0).faults.hang();
    await cluster.stopNode(node(2));
    await cluster.stopNode(node(1));
    process.on('unhandledRejection', note);
    try {
      await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
      const looking = failure(store.head());
      node(0).disconnectAll();
      expect((await looking).error).toBeInstanceOf(EventStoreUnavailable);
      // Waits long enough for discovery to give up, because the client does not report when it gives up.
      await sleep(4_000);
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
    node(0).faults.resume();
    cluster.elect(node(0));
    await appendAgainAndAgain(store, created('sale-1', { n: 1 }));
    await until('all have come', () => following.numbers.length >= 2);
    await following.end();
    await store.close();
  });

  test('survives while no node responds, and fails in time', async () => {
    const ports = await Promise.all([freePort(), freePort()]);
    const url = `esdb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false&maxDiscoverAttempts=2`;
    const store = EventStoreDb.open({ url, clock, logger: silentLogger, timeoutMs: 1_000 });
    for (let time = 0; time < 3; time += 1) {
      const { error, afterMs } = await failure(store.append(created('sale-1')));
      expect(error).toBeInstanceOf(EventStoreUnavailable);
      expect(afterMs).toBeLessThan(SOON_MS);
      await sleep(100);
    }
    await store.close();
  });
});
