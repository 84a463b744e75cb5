import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SharedSubscription, sharingSubscription, type Sharing } from '../../src/adapters/event-store.sharing.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  BEFORE_ALL,
  EventStoreUnavailable,
  type AllSubscription,
  type EventBatch,
  type EventFilter,
  type EventStore,
  type LiveAfter,
} from '../../src/ports/event-store.js';
import type { Pipelined } from '../../src/ports/append-pipeline.js';
import { overriding } from '../../src/ports/overriding.js';
import { eventStoreContract } from '../contracts/event-store.contract.js';
import { eventually } from '../support/eventually.js';

const clock = new SystemClock();

eventStoreContract('The embedded event store with a shared subscription', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-shared-'));
  let store = EmbeddedEventStore.open({ directory, clock });
  return {
    store: sharingSubscription<EventStore & Pipelined>(store),
    reopen: async () => {
      await store.close();
      store = EmbeddedEventStore.open({ directory, clock });
      return sharingSubscription<EventStore & Pipelined>(store);
    },
    cleanup: async () => {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});

/** Counts the events that the subscriptions of an event store read, and makes the subscriptions fail on request. */
class WatchedStore {
  read = 0;
  open = 0;
  failNext = false;
  /** If true, the first thread provides no live events to the second. */
  isSilent = false;

  constructor(private readonly store: EventStore) {}

  sharing(sharing?: Sharing): EventStore {
    return this.thread(sharing).store;
  }

  /** Returns the store as one thread of the process sees it. */
  thread(sharing?: Sharing) {
    const watched = overriding<EventStore, EventStore>(this.store, {
      subscribeToAll: (given) => this.subscribe(given),
    });
    const shared = new SharedSubscription(watched, sharing);
    return { store: sharingSubscription<EventStore>(watched, shared), liveAfter: shared.liveAfter };
  }

  /** Returns the store as two threads see it. The second thread receives its live events from the first. */
  threads(sharing?: Sharing): [EventStore, EventStore] {
    const first = this.thread(sharing);
    const liveAfter: LiveAfter = async (told, narrowing) => {
      await turn();
      if (this.isSilent) return undefined;
      return structuredClone(await first.liveAfter(told, narrowing));
    };
    return [first.store, this.sharing({ ...sharing, liveAfter })];
  }

  private subscribe(subscription: AllSubscription): AsyncIterable<EventBatch> {
    const inner = this.store.subscribeToAll(subscription)[Symbol.asyncIterator]();
    this.open += 1;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.open -= 1;
      isOpen = false;
    };
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const result = await inner.next();
          if (result.done) end();
          if (this.failNext) {
            this.failNext = false;
            end();
            await inner.return?.();
            throw new EventStoreUnavailable('failed on request');
          }
          this.read += result.done ? 0 : result.value.events.length;
          return result;
        },
        return: async () => {
          end();
          return (await inner.return?.()) ?? { done: true, value: undefined };
        },
      }),
    };
  }
}

/** A consumer that restarts after an error, from the last position that it received. */
class Consumer {
  /** Running consumers, which would otherwise continue after a failed test. */
  private static readonly started = new Set<Consumer>();
  readonly positions: number[] = [];
  batches = 0;
  position = BEFORE_ALL;
  caughtUp = false;
  failures = 0;
  private ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly subscription: Pick<AllSubscription, 'filter' | 'maxBatchSize' | 'maxDelayMs'> = {},
  ) {}

  start(after = BEFORE_ALL): this {
    this.position = after;
    Consumer.started.add(this);
    this.running = this.run();
    return this;
  }

  block(): void {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.gate ??= { opened, open };
  }

  unblock(): void {
    this.gate?.open();
    this.gate = undefined;
  }

  restart(): void {
    this.ending = new AbortController();
    this.start(this.position);
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.unblock();
    await this.running;
    Consumer.started.delete(this);
  }

  static async stopAll(): Promise<void> {
    await Promise.all([...Consumer.started].map((one) => one.stop()));
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted)
      try {
        for await (const batch of this.store.subscribeToAll({ ...this.subscription, after: this.position, signal })) {
          await this.gate?.opened;
          if (batch.position < this.position) throw new Error('the position moved back');
          this.positions.push(...batch.events.map(({ position }) => position));
          this.batches += 1;
          this.position = batch.position;
          this.caughtUp = batch.caughtUp;
        }
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable)) throw error;
        this.failures += 1;
        await turn();
      }
  }
}

describe('A shared subscription', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let watched: WatchedStore;
  const stream = (entity: string): string => `${entity}-${randomUUID()}`;
  const append = async (entity: string, count = 1, data: object = {}): Promise<number> => {
    const events = Array.from({ length: count }, () => ({
      id: randomUUID(),
      type: `${entity}Made`,
      data,
      metadata: {},
    }));
    return (await store.append({ stream: stream(entity), expected: 'no_stream', events })).position;
  };
  const everyPosition = async (): Promise<number[]> => (await store.readAll()).map(({ position }) => position);
  const reached = (consumers: readonly Consumer[], position: number): Promise<true> =>
    eventually(
      () => consumers.every((one) => one.position === position && one.caughtUp),
      5_000,
      () => JSON.stringify([position, ...consumers.map((one) => [one.position, one.caughtUp, one.failures])]),
    );

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-shared-'));
    store = EmbeddedEventStore.open({ directory, clock });
    watched = new WatchedStore(store);
  });
  afterEach(async () => {
    await Consumer.stopAll();
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('reads each new event once for all consumers that have caught up', async () => {
    const shared = watched.sharing();
    const consumers = [undefined, { on: 'stream', prefixes: ['a-'] }, { on: 'type', prefixes: ['bMade'] }].map(
      (filter) => new Consumer(shared, filter ? { filter: filter as EventFilter } : {}).start(),
    );
    await reached(consumers, await append('a', 5));
    const before = watched.read;
    for (let n = 0; n < 10; n += 1) await reached(consumers, await append(n % 2 ? 'a' : 'b', 2));
    expect(watched.read - before).toBe(20);
    expect(watched.open).toBe(1);
    expect(consumers.map(({ positions }) => positions.length)).toEqual([25, 15, 10]);
    await Promise.all(consumers.map((one) => one.stop()));
    expect(watched.open).toBe(0);
  });

  test('receives each live event once for two threads', async () => {
    const [first, second] = watched.threads();
    const consumers = [first, second, second].map((one) => new Consumer(one).start());
    await reached(consumers, await append('a', 5));
    const before = watched.read;
    for (let n = 0; n < 10; n += 1) await reached(consumers, await append('a', 2));
    expect(watched.read - before).toBe(20);
    expect(watched.open).toBe(1);
    expect(consumers.map(({ positions }) => positions.length)).toEqual([25, 25, 25]);
    await Promise.all(consumers.map((one) => one.stop()));
    await eventually(() => watched.open === 0, 5_000);
  });

  test('receives live events itself while the other thread has none', async () => {
    const [first, second] = watched.threads();
    const own = new Consumer(second).start();
    await reached([own], await append('a'));
    const other = new Consumer(first).start();
    watched.isSilent = true;
    await reached([own, other], await append('a'));
    watched.isSilent = false;
    // After one second, the second thread asks the first thread for live events again.
    await eventually(async () => {
      await reached([own, other], await append('a'));
      return watched.open === 1;
    }, 5_000);
    expect(own.positions).toEqual(await everyPosition());
    await Promise.all([own.stop(), other.stop()]);
    await eventually(() => watched.open === 0, 5_000);
  });

  test('does not wait for a blocked consumer, which reads separately once it is too far behind', async () => {
    const shared = watched.sharing({ keptEvents: 10 });
    const [fast, slow] = [new Consumer(shared).start(), new Consumer(shared).start()];
    await reached([fast, slow], await append('a'));
    slow.block();
    let head = 0;
    for (let n = 0; n < 30; n += 1) await reached([fast], (head = await append('a')));
    slow.unblock();
    await reached([slow], head);
    expect(slow.positions).toEqual(fast.positions);
    const before = watched.read;
    await reached([fast, slow], await append('a'));
    expect(watched.read - before).toBe(1);
    await Promise.all([fast.stop(), slow.stop()]);
  });

  test('waits for a slow consumer during a burst, so that each event is read once', async () => {
    const shared = watched.sharing({ keptEvents: 10, patienceMs: 60_000 });
    const [fast, slow] = [new Consumer(shared).start(), new Consumer(shared).start()];
    await reached([fast, slow], await append('a'));
    const before = watched.read;
    slow.block();
    const head = await append('a', 40);
    // The fast consumer has received as many events as can be kept for the slow one.
    await eventually(() => fast.positions.length >= 9, 5_000);
    slow.unblock();
    await reached([fast, slow], head);
    expect(watched.read - before).toBe(40);
    await Promise.all([fast.stop(), slow.stop()]);
  });

  test('waits only once for a blocked consumer', async () => {
    const shared = watched.sharing({ keptEvents: 10, patienceMs: 2_000 });
    const [fast, slow] = [new Consumer(shared).start(), new Consumer(shared).start()];
    await reached([fast, slow], await append('a'));
    slow.block();
    const beganMs = clock.monotonicMs();
    for (let n = 0; n < 20; n += 1) await reached([fast], await append('a'));
    // A single wait lasts two seconds. If the subscription waited again at later events, the total wait would exceed
    // this limit.
    expect(clock.monotonicMs() - beganMs).toBeLessThan(6_000);
    slow.unblock();
    await Promise.all([fast.stop(), slow.stop()]);
  });

  test('buffers no more characters than its limit', async () => {
    const shared = watched.sharing();
    const [fast, slow] = [new Consumer(shared).start(), new Consumer(shared).start()];
    await reached([fast, slow], await append('a'));
    slow.block();
    const before = watched.read;
    let head = 0;
    for (let n = 0; n < 12; n += 1) await reached([fast], (head = await append('a', 1, { text: 'x'.repeat(900_000) })));
    slow.unblock();
    await reached([slow], head);
    // The shared subscription has read each event once for both consumers. The slow consumer has reread the events that
    // were no longer in memory.
    expect(watched.read - before).toBeGreaterThan(12);
    await Promise.all([fast.stop(), slow.stop()]);
  });

  test('reads alone for a filter that needs events of other streams', async () => {
    const shared = watched.sharing({ filter: { on: 'stream', prefixes: ['a-'] } });
    const everything = new Consumer(shared).start();
    const some = new Consumer(shared, { filter: { on: 'stream', prefixes: ['a-'] } }).start();
    const head = await append('b', 3);
    await reached([everything], head);
    expect(everything.positions).toEqual([head - 2, head - 1, head]);
    expect(some.positions).toEqual([]);
    await Promise.all([everything.stop(), some.stop()]);
  });

  test.each([
    ['shares', false, 3],
    ['reads alone for', true, 6],
  ])('%s a consumer that permits a delay, as the engine prefers', async (_, keepsLateApart, read) => {
    const shared = watched.sharing({ keepsLateApart });
    const consumers = [new Consumer(shared).start(), new Consumer(shared, { maxDelayMs: 1 }).start()];
    await reached(consumers, await append('a', 1));
    const before = watched.read;
    await reached(consumers, await append('a', 3));
    await Promise.all(consumers.map((each) => each.stop()));
    expect(watched.read - before).toBe(read);
  });

  test('reports to a new consumer that it has caught up only after the separate read of that consumer', async () => {
    const shared = watched.sharing();
    const waiting = new Consumer(shared).start();
    await reached([waiting], await append('a'));
    waiting.block();
    await append('a');
    const head = await append('a', 3);
    const seen: number[] = [];
    for await (const batch of shared.subscribeToAll({ after: BEFORE_ALL })) {
      seen.push(...batch.events.map(({ position }) => position));
      if (batch.caughtUp) break;
    }
    expect(seen.at(-1)).toBe(head);
    await waiting.stop();
  });

  const NEVER_MS = 1_000_000;
  const selecting: Sharing = { keptEvents: 8, filter: { on: 'stream', prefixes: ['a-', 'b-', 'c-', 'z-'] } };
  const narrowingTo = (characters: string) => ({ narrowing: { prefix: 'c-', at: 37, characters } });

  test('reads only the streams that its consumers need', async () => {
    const shared = watched.sharing({ ...selecting, narrowEveryMs: 0 });
    const filter = { on: 'stream', prefixes: ['a-', 'c-'] } as const;
    const some = [new Consumer(shared, { filter: { ...filter, ...narrowingTo('') } }).start()];
    await reached(some, await append('a'));
    const before = watched.read;
    for (let n = 0; n < 20; n += 1) await append('c');
    await reached(some, await append('a'));
    expect(watched.read - before).toBe(1);
    const all = new Consumer(shared, { filter }).start();
    await reached([...some, all], await append('c'));
    expect(all.positions).toHaveLength(23);
    expect(some[0]?.positions).toHaveLength(2);
    await all.stop();
    await reached(some, await append('a'));
    const after = watched.read;
    await append('c');
    await reached(some, await append('a'));
    expect(watched.read - after).toBe(1);
    await some[0]?.stop();
  });

  test.each([
    ['one thread', () => [watched.sharing({ keptEvents: 8 })]],
    ['two threads', () => watched.threads({ keptEvents: 8 })],
    ['one thread that selects streams', () => [watched.sharing({ ...selecting, narrowEveryMs: NEVER_MS })]],
    ['two threads that select streams', () => watched.threads({ ...selecting, narrowEveryMs: NEVER_MS })],
    ['two threads that often select other streams', () => watched.threads({ ...selecting, narrowEveryMs: 0 })],
  ])('delivers to each consumer of %s exactly its events, in order, in any interleaving', async (_, open) => {
    const seed = Number(process.env['SEED'] ?? fc.sample(fc.nat(1_000_000), 1)[0]);
    process.stderr.write(`shared subscription: SEED=${seed}\n`);
    const consumer = fc.record({
      entities: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
      on: fc.constantFrom('stream' as const, 'type' as const),
      digits: fc.option(
        fc.subarray(Array.from('0123456789abcdef')).map((some) => some.join('')),
        { nil: undefined },
      ),
      isLate: fc.boolean(),
      maxBatchSize: fc.integer({ min: 1, max: 7 }),
    });
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('append'),
          count: fc.integer({ min: 1, max: 6 }),
          of: fc.constantFrom('a', 'b', 'c'),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('block', 'unblock', 'restart'), at: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('fail', 'silent', 'heard') }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('turn'), turns: fc.integer({ min: 1, max: 4 }) }) },
    );
    type Spec = {
      readonly entities: string[];
      readonly on: EventFilter['on'];
      readonly digits: string | undefined;
      readonly isLate: boolean;
      readonly maxBatchSize: number;
    };
    const run = async (specs: Spec[], steps: object[]): Promise<void> => {
      const stores = open();
      const from = await store.head();
      const consumers = specs.map(({ entities, on, digits, isLate, maxBatchSize }, at) => {
        const made = new Consumer(stores[at % stores.length] as EventStore, {
          filter: {
            ...{ on, prefixes: entities.map((entity) => (on === 'type' ? `${entity}Made` : `${entity}-`)) },
            ...(digits !== undefined && narrowingTo(digits)),
          },
          maxBatchSize,
        });
        made.position = from;
        if (!isLate) made.restart();
        return made;
      });
      for (const given of steps) {
        const one = given as { kind: string; count: number; of: string; at: number; turns: number };
        const chosen = consumers[one.at % consumers.length];
        if (one.kind === 'append') await append(one.of, one.count);
        else if (one.kind === 'block') chosen?.block();
        else if (one.kind === 'unblock') chosen?.unblock();
        else if (one.kind === 'fail') watched.failNext = true;
        else if (one.kind === 'silent' || one.kind === 'heard') watched.isSilent = one.kind === 'silent';
        else if (one.kind === 'restart') {
          await chosen?.stop();
          chosen?.restart();
        } else for (let n = 0; n < one.turns; n += 1) await turn();
      }
      for (const [at, one] of consumers.entries()) {
        one.unblock();
        // A consumer that starts late may not have started yet.
        if (specs[at]?.isLate) await one.stop();
        if (specs[at]?.isLate) one.restart();
      }
      await reached(consumers, await append('z'));
      for (const [at, { entities, digits }] of specs.entries()) {
        const expected: number[] = [];
        const isNarrowed = (name: string): boolean => digits !== undefined && name.startsWith('c-');
        for (const { stream: name, position } of await store.readAll({ from }))
          if (entities.includes(name.charAt(0)) && (!isNarrowed(name) || digits?.includes(name.at(-1) ?? '') === true))
            expected.push(position);
        expect(consumers[at]?.positions).toEqual(expected);
      }
      await Promise.all(consumers.map((one) => one.stop()));
      await eventually(() => watched.open === 0, 5_000);
      watched.failNext = watched.isSilent = false;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(consumer, { minLength: 1, maxLength: 4 }), fc.array(step, { maxLength: 40 }), run),
      {
        seed,
        numRuns: 60,
      },
    );
  });

  test('ends every consumer when the store closes', async () => {
    const shared = watched.sharing();
    const endings = [1, 2].map(async () => {
      for await (const { position } of shared.subscribeToAll({ after: BEFORE_ALL })) expect(position).toBeDefined();
    });
    await append('a');
    await turn();
    await store.close();
    await Promise.all(endings);
  });
});
