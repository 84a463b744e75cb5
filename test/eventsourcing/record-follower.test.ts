import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { z } from 'zod';
import { pino } from 'pino';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { domain, type Aggregate, type EventOf } from '../../src/eventsourcing/aggregate.js';
import { CLAIM_FENCED, EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { RecordFollower } from '../../src/eventsourcing/record-follower.js';
import { RecordReader, type Loaded } from '../../src/eventsourcing/record-reader.js';
import type {
  AllRead,
  EventStore,
  EventToAppend,
  RecordedEvent,
  StreamRead,
  StreamSlice,
} from '../../src/ports/event-store.js';
import { overriding } from '../../src/ports/overriding.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { clubCatalogue, member, memberStream, TENANT, type Member } from '../support/member.toy.js';

const MAX_AGE_MS = 1_000;
/** Maximum accepted age of a state in the property test. It is so short that a single pause can exceed it. */
const SHORT_AGE_MS = 100;
const WITHIN_MS = 20_000;
const greeting = (by: string): EventToAppend => ({
  id: randomUUID(),
  type: 'MemberGreeted',
  data: { by },
  metadata: { version: 1, tenantId: TENANT },
});
const fence = (): EventToAppend => ({
  ...greeting(''),
  type: CLAIM_FENCED,
  data: { claim: 'c', attemptId: 'a' },
});

/** Behaves like a store on a server: each revision requires a read operation, and responses can be held back. */
class SlowEventStore extends FaultyEventStore {
  private held: (() => void)[] = [];
  isSlow = false;
  /** Number of history read operations whose responses are held back. */
  looksToHold = 0;

  override async readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    const events = await super.readAll(read);
    if (this.looksToHold > 0) {
      this.looksToHold -= 1;
      await new Promise<void>((resolve) => this.held.push(resolve));
    }
    return events;
  }

  override async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    const slice = await super.readStream(stream, read);
    if (this.isSlow) await new Promise<void>((resolve) => this.held.push(resolve));
    return slice;
  }

  respond(): void {
    for (const resolve of this.held.splice(0)) resolve();
  }
}

let directory: string;
let store: SlowEventStore;
beforeEach(async () => {
  directory = await mkdtemp(pathOf(tmpdir(), 'kontor-follower-'));
  store = new SlowEventStore(EmbeddedEventStore.open({ directory, clock: new SystemClock() }));
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const IDS = ['ada', 'bob'] as const;
type Id = (typeof IDS)[number];
/** A stream's revision, and the time since which the stream has had this revision. */
type Since = { readonly atMs: number; readonly revision: number };

/**
 * Two processes that write to the same records. One of the processes also reads states, and has a subscription that
 * lags and breaks.
 */
class TwoProcesses {
  readonly clock = new ManualClock();
  readonly reader = new RecordReader(store, clubCatalogue, this.clock, 1);
  readonly checks: Promise<void>[] = [];
  private readonly revisions = new Map<string, Since[]>();
  private remembered: (() => void)[] = [];
  private confirming: { readonly atMs: number; readonly last: number } | undefined;

  /** `run` distinguishes this run's records from those of other runs in the same store. */
  constructor(
    private readonly run: number,
    private delivered: number,
  ) {}

  async elsewhere(id: Id, isFence: boolean): Promise<void> {
    await this.append(id, isFence ? fence() : greeting('elsewhere'));
  }

  /** Writes as the reading process. The response to the write arrives later. */
  async here(id: Id): Promise<void> {
    const known = await this.reader.read(member, TENANT, this.idOf(id));
    const { revision, position } = await this.append(id, greeting('here'));
    if (revision !== known.revision + 1) return;
    const state = { ...known.state, greetings: [...known.state.greetings, 'here'] };
    this.remembered.push(() => {
      this.reader.remember({ stream: known.stream, state, revision, position });
    });
  }

  respond(): void {
    for (const remember of this.remembered.splice(0)) remember();
    store.respond();
  }

  async deliver(count: number): Promise<void> {
    const events = await store.inner.readAll({ from: this.delivered, maxCount: count });
    const last = events.at(-1);
    if (!last) return;
    this.delivered = last.position;
    this.reader.apply(events, last.position);
    this.confirmIfReached();
  }

  async confirm(): Promise<void> {
    this.confirming = { atMs: this.clock.monotonicMs(), last: await store.inner.head() };
    this.confirmIfReached();
  }

  /** Breaks the subscription. The next subscription begins at the end of the history. */
  async resubscribe(): Promise<void> {
    this.confirming = undefined;
    this.delivered = await store.inner.head();
    this.reader.follow(this.delivered);
  }

  /**
   * Reads a state that is at most SHORT_AGE_MS old. Checks that the record was in this state at some time within that
   * period.
   */
  read(id: Id): void {
    const fromMs = this.clock.monotonicMs() - SHORT_AGE_MS;
    const found = this.reader.read(member, TENANT, this.idOf(id), { maxAgeMs: SHORT_AGE_MS });
    this.checks.push(
      found.then(async (loaded) => {
        expect(this.revisionsSince(loaded.stream, fromMs)).toContain(loaded.revision);
        expect(loaded.state.greetings).toEqual(await this.greetingsUpTo(loaded));
      }),
    );
  }

  private idOf(id: Id): string {
    return `${id}-${this.run}`;
  }

  private confirmIfReached(): void {
    if (this.confirming && this.delivered >= this.confirming.last) this.reader.confirm(this.confirming.atMs);
  }

  private async append(id: Id, event: EventToAppend) {
    const stream = memberStream(this.idOf(id));
    const revision = store.inner.revisionOf?.(stream);
    if (revision === undefined) throw new Error('The store is closed.');
    const appended = await store.inner.append({
      stream,
      expected: revision < 0 ? 'no_stream' : revision,
      events: [event],
    });
    const since = { atMs: this.clock.monotonicMs(), revision: appended.revision };
    this.revisions.set(stream, [...(this.revisions.get(stream) ?? []), since]);
    return appended;
  }

  private revisionsSince(stream: string, fromMs: number): number[] {
    const all = [{ atMs: Number.NEGATIVE_INFINITY, revision: -1 }, ...(this.revisions.get(stream) ?? [])];
    return all.filter((_, index) => (all[index + 1]?.atMs ?? Infinity) >= fromMs).map(({ revision }) => revision);
  }

  private async greetingsUpTo({ stream, revision }: Loaded<Member>): Promise<string[]> {
    const { events } = await store.inner.readStream(stream);
    return events
      .filter((event) => event.revision <= revision && event.type === 'MemberGreeted')
      .map(({ data }) => (data as { by: string }).by);
  }
}

test('In any interleaving, states that follow the history were current within their maximum age', async () => {
  const id = fc.constantFrom(...IDS);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant('elsewhere' as const), id, fc.boolean()) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('here' as const), id) },
    { weight: 5, arbitrary: fc.tuple(fc.constant('read' as const), id) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('deliver' as const), fc.integer({ min: 1, max: 3 })) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('confirm' as const)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('respond' as const)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('slow' as const), fc.boolean()) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('wait' as const), fc.integer({ min: 1, max: 300 })) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('resubscribe' as const)) },
  );
  const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 1e9));
  console.info(`record follower: SEED=${seed}`);
  let used = 0;
  let run = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
    const both = new TwoProcesses((run += 1), await store.inner.head());
    for (const action of steps) {
      // A `here` step waits for its own read operations, so the store must not hold back their responses.
      const wasSlow = store.isSlow;
      if (action[0] === 'here') store.isSlow = false;
      if (action[0] === 'elsewhere') await both.elsewhere(action[1], action[2]);
      else if (action[0] === 'here') await both.here(action[1]);
      else if (action[0] === 'read') both.read(action[1]);
      else if (action[0] === 'deliver') await both.deliver(action[1]);
      else if (action[0] === 'confirm') await both.confirm();
      else if (action[0] === 'respond') both.respond();
      else if (action[0] === 'wait') await both.clock.advance(action[1]);
      else if (action[0] === 'resubscribe') await both.resubscribe();
      store.isSlow = action[0] === 'slow' ? action[1] : wasSlow;
      await nextTurn();
    }
    store.isSlow = false;
    both.respond();
    await Promise.all(both.checks);
    used += both.checks.length;
  });
  await fc.assert(property, { seed, numRuns: 400 });
  expect(used).toBeGreaterThan(500);
});

describe('A state stays current', () => {
  let both: TwoProcesses;
  beforeEach(() => {
    both = new TwoProcesses(0, -1);
  });

  /** Delivers all events and lets time pass until all earlier states are too old. */
  const caughtUp = async () => {
    await both.clock.advance(SHORT_AGE_MS + 1);
    await both.deliver(100);
    await both.confirm();
    both.read('ada');
    await Promise.all(both.checks);
  };

  test('if the response to a write arrives after the events that followed the write', async () => {
    await both.here('ada');
    await both.elsewhere('ada', false);
    // Reading `bob` evicts `ada`, because the cache holds only one record.
    both.read('bob');
    await Promise.all(both.checks);
    await both.deliver(100);
    both.respond();
    await caughtUp();
  });

  test('if an event is delivered while the record is read for the first time', async () => {
    store.isSlow = true;
    both.read('ada');
    await nextTurn();
    await both.elsewhere('ada', false);
    await both.deliver(100);
    both.respond();
    store.isSlow = false;
    await nextTurn();
    await caughtUp();
  });

  test('if the subscription restarts while the record is read for the first time', async () => {
    store.isSlow = true;
    both.read('ada');
    await nextTurn();
    await both.elsewhere('ada', false);
    await both.resubscribe();
    both.respond();
    store.isSlow = false;
    await nextTurn();
    await caughtUp();
  });

  test('if an event of its record was not delivered', async () => {
    both.read('ada');
    await nextTurn();
    await both.elsewhere('ada', false);
    await both.elsewhere('ada', false);
    const [, second] = await store.inner.readAll();
    both.reader.apply(second ? [second] : [], 1);
    await caughtUp();
  });
});

/** A fictional record in a sale's stream. */
const saleEvents = { SaleNoted: domain('UPDATE', 'sale', z.object({})) };
const sale: Aggregate<{ readonly notes: number }, EventOf<typeof saleEvents>> = {
  name: 'sale',
  events: saleEvents,
  initial: { notes: 0 },
  evolve: ({ notes }) => ({ notes: notes + 1 }),
};

test('Sales of other replicas, which are not delivered, neither age other states nor appear current', async () => {
  const both = new EventCatalogue([member, sale]);
  const clock = new SystemClock();
  const reader = new RecordReader(store, both, clock);
  const silent = overriding<EventStore, EventStore>(store, {
    subscribeToAll: ({ signal }) => ({
      [Symbol.asyncIterator]: async function* () {
        if (signal && !signal.aborted) await once(signal, 'abort');
      },
    }),
  });
  const follower = new RecordFollower({
    events: silent,
    reader,
    catalogue: both,
    clock,
    logger: pino({ level: 'silent' }),
  });
  follower.start();
  try {
    await eventually(() => reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    const notes = async () => (await reader.read(sale, TENANT, 'x', { maxAgeMs: MAX_AGE_MS })).state.notes;
    expect(await notes()).toBe(0);
    const noted = { ...greeting(''), type: 'SaleNoted', data: {} };
    await store.inner.append({ stream: `sale-${TENANT}_x`, expected: 'no_stream', events: [noted] });
    const sinceMs = clock.monotonicMs();
    await eventually(() => reader.isFollowing(clock.monotonicMs() - sinceMs), WITHIN_MS);
    await eventually(async () => (await notes()) === 1, WITHIN_MS);
    await store.inner.append({ stream: memberStream('ada'), expected: 'no_stream', events: [greeting('elsewhere')] });
    await eventually(() => !reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
  } finally {
    await follower.stop();
  }
});

describe('A process that follows the history', () => {
  let reader: RecordReader;
  let follower: RecordFollower;
  const clock = new SystemClock();
  beforeEach(() => {
    reader = new RecordReader(store, clubCatalogue, clock);
    const logger = pino({ level: 'silent' });
    follower = new RecordFollower({ events: store, reader, catalogue: clubCatalogue, clock, logger });
    follower.start();
  });
  afterEach(() => follower.stop());

  const write = async (by: string) => {
    const revision = store.inner.revisionOf?.(memberStream('ada')) ?? -1;
    const expected = revision < 0 ? 'no_stream' : revision;
    await store.inner.append({ stream: memberStream('ada'), expected, events: [greeting(by)] });
  };
  const read = () => reader.read(member, TENANT, 'ada', { maxAgeMs: MAX_AGE_MS });
  const greetings = async () => (await read()).state.greetings;

  test('learns of the writes of other processes without reading their records', async () => {
    await write('first');
    await eventually(() => reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    await read();
    const readsBefore = store.streamReads.length;
    for (const by of ['second', 'third']) await write(by);
    await eventually(async () => (await greetings()).length === 3, WITHIN_MS);
    expect(store.streamReads).toHaveLength(readsBefore);
  });

  test('reads records again while its subscription is broken, and then follows again', async () => {
    await eventually(() => reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    await read();
    store.batchesUntilBreak = 0;
    await write('lost');
    await eventually(async () => (await greetings()).length === 1, WITHIN_MS);
    await eventually(() => store.subscribedAfter.length === 2 && reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    await write('next');
    await eventually(async () => (await greetings()).length === 2, WITHIN_MS);
  });

  test('remains current if one look at the end of the history is not answered', async () => {
    await eventually(() => reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    store.looksToHold = 1;
    await eventually(() => store.looksToHold === 0, WITHIN_MS);
    const heldAtMs = clock.monotonicMs();
    await eventually(() => reader.isFollowing(clock.monotonicMs() - heldAtMs), WITHIN_MS);
    store.respond();
  });

  test('is no longer current soon after the event store becomes unavailable', async () => {
    await eventually(() => reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
    store.away = true;
    await eventually(() => !reader.isFollowing(MAX_AGE_MS), WITHIN_MS);
  });
});
