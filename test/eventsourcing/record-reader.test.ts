import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { z } from 'zod';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { domain, type Aggregate, type EventOf } from '../../src/eventsourcing/aggregate.js';
import { CLAIM_FENCED, EventCatalogue, NewerEvent, UnknownEvent } from '../../src/eventsourcing/event-catalogue.js';
import { expectedAt, PATIENCE_MS, RecordReader } from '../../src/eventsourcing/record-reader.js';
import {
  EventStoreUnavailable,
  type EventToAppend,
  type StreamRead,
  type StreamSlice,
} from '../../src/ports/event-store.js';
import { appendNext } from '../support/append-next.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, SeededIds } from '../support/manual-clock.js';
import { member, memberStream, OTHER_TENANT, replica, TENANT } from '../support/member.toy.js';

/**
 * A fictional record with an event that has three versions: an amount in dollars, in cents, and in cents with a
 * currency.
 */
const priceEvents = {
  PriceSet: domain('UPDATE', 'price', z.object({ cents: z.number().int(), currency: z.string().length(3) }), {
    version: 3,
    upcasters: {
      1: (data) => ({ cents: Math.round((data as { dollars: number }).dollars * 100) }),
      2: (data) => ({ ...data, currency: (data as { euro?: boolean }).euro ? 'EUR' : 'USD' }),
    },
  }),
};
type PriceEvent = EventOf<typeof priceEvents>;
type Price = { readonly history: readonly string[] };
const price: Aggregate<Price, PriceEvent> = {
  name: 'price',
  events: priceEvents,
  initial: { history: [] },
  evolve: ({ history }, { data }) => ({ history: [...history, `${data.cents} ${data.currency}`] }),
};

/** A store whose responses to read operations can be held back. */
class SlowEventStore extends FaultyEventStore {
  /** If true, read operations fail when their held responses are released. */
  fails = false;
  private held: Promise<void> = Promise.resolve();

  holdReads(): () => void {
    let release: () => void = () => undefined;
    this.held = new Promise((resolve) => (release = resolve));
    return () => {
      release();
    };
  }

  override async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    const slice = super.readStream(stream, read);
    await this.held;
    if (this.fails) throw new EventStoreUnavailable('The line broke.');
    return slice;
  }
}

describe('A record that is read', () => {
  let directory: string;
  let store: SlowEventStore;
  let clock: ManualClock;
  let reader: RecordReader;
  const catalogue = new EventCatalogue([price, member]);
  const stream = `price-${TENANT}_p1`;

  const stored = (type: string, data: object, version: number): EventToAppend => ({
    id: randomUUID(),
    type,
    data,
    metadata: { version, tenantId: TENANT },
  });
  const priced = (cents: number): EventToAppend => stored('PriceSet', { cents, currency: 'USD' }, 3);
  const fence = (): EventToAppend => stored(CLAIM_FENCED, { claim: 'c', attemptId: 'a' }, 1);
  /** Appends an event as if from another writer. */
  const write = (...events: EventToAppend[]) => appendNext(store.inner, stream, ...events);
  const read = (maxAgeMs?: number) => reader.read(price, TENANT, 'p1', maxAgeMs === undefined ? {} : { maxAgeMs });

  beforeEach(async () => {
    directory = await mkdtemp(pathOf(tmpdir(), 'kontor-reader-'));
    clock = new ManualClock();
    store = new SlowEventStore(EmbeddedEventStore.open({ directory, clock }));
    reader = new RecordReader(store, catalogue, clock);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('matches its stream, with its revision and position', async () => {
    expect(await read()).toEqual({ stream, state: { history: [] }, revision: -1, position: -1 });
    const { position } = await write(priced(100), priced(200));
    expect(await read()).toEqual({ stream, state: { history: ['100 USD', '200 USD'] }, revision: 1, position });
  });

  test('is found only in its own tenant', async () => {
    await write(priced(100));
    expect((await reader.read(price, OTHER_TENANT, 'p1')).revision).toBe(-1);
  });

  test('is complete if its stream exceeds a page', async () => {
    await write(...Array.from({ length: 1_200 }, (_, cents) => priced(cents)));
    await write(...Array.from({ length: 1_050 }, (_, cents) => priced(cents)));
    expect(await read()).toMatchObject({ revision: 2_249 });
    expect((await read()).state.history).toHaveLength(2_250);
  });

  test('is never older than requested: by default it is current, even after a concurrent write', async () => {
    await read();
    for (let cents = 0; cents < 5; cents += 1) {
      await write(priced(cents));
      expect((await read()).revision).toBe(cents);
    }
  });

  test('can be as old as the reader allows', async () => {
    await write(priced(1));
    await read();
    await write(priced(2));
    await clock.advance(1_000);
    expect((await read(1_000)).revision).toBe(0);
    await clock.advance(1);
    expect((await read(1_000)).revision).toBe(1);
  });

  test('is not considered fresh merely because this process wrote it', async () => {
    await write(priced(1));
    const loaded = await read();
    await clock.advance(5_000);
    reader.remember({ ...loaded, state: { history: ['1 USD', '2 USD'] }, revision: 1 });
    await write(priced(2), priced(3));
    expect((await read(1_000)).revision).toBe(2);
  });

  test('uses the last write of this process if any age is allowed', async () => {
    reader.remember({ stream, state: { history: ['x'] }, revision: 4, position: 9 });
    await clock.advance(5_000);
    expect((await read(Number.MAX_SAFE_INTEGER)).state.history).toEqual(['x']);
    expect(store.streamReads).toEqual([]);
  });

  test('is not read again while the store knows that its revision is unchanged', async () => {
    store.revisionOf = (name) => store.inner.revisionOf?.(name);
    reader = new RecordReader(store, catalogue, clock);
    await write(priced(1));
    const loaded = await read();
    store.away = true;
    expect(await read()).toBe(loaded);
    store.away = false;
    await write(priced(2));
    expect((await read()).revision).toBe(1);
  });

  test('is read from its tail only, once known', async () => {
    await write(priced(1));
    const first = await read();
    expect(await read()).toBe(first);
    await write(priced(2));
    await read();
    expect(store.streamReads.map(({ from }) => from)).toEqual([0, 1, 1]);
    expect(reader.cached(price, TENANT, 'p1')).toMatchObject({ revision: 1 });
  });

  test('is never replaced in memory by an older state', async () => {
    await write(priced(1), priced(2));
    const newer = await read();
    reader.remember({ ...newer, state: { history: ['1 USD'] }, revision: 0 });
    expect(reader.cached(price, TENANT, 'p1')).toBe(newer);
  });

  test('counts fences as revisions, not as state', async () => {
    await write(fence());
    expect(await read()).toMatchObject({ state: { history: [] }, revision: 0 });
    await write(priced(1), fence());
    expect(await read()).toMatchObject({ state: { history: ['1 USD'] }, revision: 2 });
    expect(expectedAt((await read()).revision)).toBe(2);
    expect(expectedAt(-1)).toBe('no_stream');
  });

  test('is limited in memory to the configured number', async () => {
    reader = new RecordReader(store, catalogue, clock, 2);
    for (const id of ['a', 'b', 'c']) await reader.read(price, TENANT, id);
    expect(['a', 'b', 'c'].map((id) => reader.cached(price, TENANT, id) !== undefined)).toEqual([false, true, true]);
  });

  test('is the same for many concurrent readers during writes (property)', async () => {
    const step = fc.constantFrom('write', 'read', 'read old', 'remember', 'remember late');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const id = randomUUID();
        const name = `price-${TENANT}_${id}`;
        const written: string[] = [];
        const writeNext = async () => {
          const events = [priced(written.length)];
          const { position } = await store.inner.append({
            stream: name,
            expected: expectedAt(written.length - 1),
            events,
          });
          written.push(`${written.length} USD`);
          return { stream: name, state: { history: [...written] }, revision: written.length - 1, position };
        };
        const check = async (what: string, least: number) => {
          const freshness = what === 'read old' ? { maxAgeMs: 1_000_000 } : {};
          const { state, revision } = await reader.read(price, TENANT, id, freshness);
          expect(state.history).toEqual(written.slice(0, revision + 1));
          if (what === 'read') expect(revision + 1).toBeGreaterThanOrEqual(least);
        };
        const work: Promise<void>[] = [];
        for (const what of steps)
          if (what === 'write') await writeNext();
          else if (what === 'remember') reader.remember(await writeNext());
          else if (what === 'remember late') {
            const loaded = await writeNext();
            work.push(
              delay(1).then(() => {
                reader.remember(loaded);
              }),
            );
          } else work.push(check(what, written.length));
        await Promise.all(work);
        await check('read', written.length);
      }),
      { numRuns: 50 },
    );
  });

  describe('while the event store is unavailable', () => {
    const whileAway = { maxAgeMs: 500, maxAgeWhileAwayMs: 5_000 };
    const lenient = () => reader.read(price, TENANT, 'p1', whileAway);

    test('is the last known state within the allowed age, and rejected afterwards', async () => {
      await write(priced(1));
      const seen = await lenient();
      store.away = true;
      for (const ms of [501, 2_000, 2_499]) {
        await clock.advance(ms);
        expect(await lenient()).toBe(seen);
      }
      await clock.advance(1);
      await expect(lenient()).rejects.toBeInstanceOf(EventStoreUnavailable);
    });

    test('is rejected if a current state is required, or if it was never read', async () => {
      await write(priced(1));
      await read();
      store.away = true;
      await clock.advance(501);
      await expect(read()).rejects.toBeInstanceOf(EventStoreUnavailable);
      await expect(read(500)).rejects.toBeInstanceOf(EventStoreUnavailable);
      const other = reader.read(price, TENANT, 'p2', whileAway);
      await expect(other).rejects.toBeInstanceOf(EventStoreUnavailable);
    });

    test('is also the last known state if the store does not respond within a second', async () => {
      await write(priced(1));
      const seen = await lenient();
      await clock.advance(1_000);
      const answer = store.holdReads();
      const reading = lenient();
      await clock.advance(PATIENCE_MS - 1);
      expect(await Promise.race([reading, Promise.resolve('waits')])).toBe('waits');
      await clock.advance(1);
      expect(await reading).toBe(seen);
      answer();
    });

    test.each([4_500, 6_000])('is waited for if the last known state is too old by then: %d ms', async (ms) => {
      await write(priced(1));
      await lenient();
      await write(priced(2));
      await clock.advance(ms);
      const answer = store.holdReads();
      const reading = lenient();
      await clock.advance(PATIENCE_MS * 3);
      answer();
      expect((await reading).state.history).toHaveLength(2);
    });

    test('is rejected if the last known state expires before the store reports its failure', async () => {
      await write(priced(1));
      await lenient();
      await clock.advance(4_500);
      const answer = store.holdReads();
      const reading = lenient();
      store.fails = true;
      await clock.advance(PATIENCE_MS - 1);
      answer();
      await expect(reading).rejects.toBeInstanceOf(EventStoreUnavailable);
    });

    test('is current once the store is available', async () => {
      await write(priced(1));
      await lenient();
      await write(priced(2));
      store.away = true;
      await clock.advance(501);
      await lenient();
      store.away = false;
      expect((await lenient()).state.history).toHaveLength(2);
      expect(clock.sleeping).toBe(0);
    });
  });

  test('is read once for all readers who can share the result, and again for others', async () => {
    await write(priced(1));
    const before = store.streamReads.length;
    const answer = store.holdReads();
    const sharing = Array.from({ length: 10 }, () => read(500));
    await clock.advance(500);
    sharing.push(read(500));
    expect(store.streamReads.length - before).toBe(1);
    await clock.advance(1);
    const alone = [read(500), read(), read()];
    expect(store.streamReads.length - before).toBe(4);
    answer();
    expect((await Promise.all([...sharing, ...alone])).every(({ revision }) => revision === 0)).toBe(true);
  });

  describe('with events of older versions', () => {
    test('is the same as if they had been written today', async () => {
      await write(
        stored('PriceSet', { dollars: 12.34 }, 1),
        stored('PriceSet', { cents: 500, euro: true }, 2),
        priced(700),
      );
      expect((await read()).state.history).toEqual(['1234 USD', '500 EUR', '700 USD']);
    });

    test('is rejected if the upcast events are invalid', async () => {
      await write(stored('PriceSet', { dollars: 'many' }, 1));
      await expect(read()).rejects.toThrow();
    });

    test('is rejected if no upcaster knows a version', async () => {
      await write(stored('PriceSet', { cents: 1 }, 0));
      await expect(read()).rejects.toThrow('No upcaster from version 0');
    });
  });

  describe('with an unknown event', () => {
    test.each([
      ['of another type', () => stored('PriceForgotten', {}, 1)],
      ['of a newer version', () => stored('PriceSet', { cents: 1, currency: 'USD' }, 4)],
    ])('%s is rejected, and not served from memory either', async (_, unknown) => {
      await write(priced(1));
      await read();
      await write(unknown());
      await expect(read()).rejects.toBeInstanceOf(NewerEvent);
      await expect(read()).rejects.toBeInstanceOf(NewerEvent);
    });
  });

  describe('and the event catalogue', () => {
    test('has unique event types and names', () => {
      expect(() => new EventCatalogue([price, { ...member, name: 'price' }])).toThrow('Two aggregates');
      expect(() => new EventCatalogue([price, { ...price, name: 'other' }])).toThrow('Two event types');
    });

    test('rejects events that do not match their schemas', () => {
      expect(() => catalogue.encode({ type: 'PriceSet', data: { cents: 1.5, currency: 'USD' } })).toThrow();
      expect(() => catalogue.encode({ type: 'Unheard', data: {} })).toThrow('declared by no aggregate');
      const { data, version } = catalogue.encode({
        type: 'PriceSet',
        data: { cents: 1, currency: 'USD', note: 'dropped' },
      });
      expect({ data, version }).toEqual({ data: { cents: 1, currency: 'USD' }, version: 3 });
    });

    test('has the parts of its stream', async () => {
      await write(priced(1));
      const [event] = await store.readAll();
      if (!event) throw new Error('Nothing was stored');
      expect(catalogue.decode(event)).toMatchObject({ entity: 'price', tenantId: TENANT, recordId: 'p1', revision: 0 });
      expect(() => catalogue.decode({ ...event, stream: 'not-one_of-ours' })).toThrow(UnknownEvent);
    });

    test('attributes unknown events to a newer release only if the service writes their streams', async () => {
      await write(priced(1));
      const [event] = await store.readAll();
      if (!event) throw new Error('Nothing was stored');
      const failureOf = (changes: Partial<typeof event>): unknown => {
        try {
          return catalogue.decode({ ...event, ...changes });
        } catch (error) {
          return error;
        }
      };
      expect(failureOf({ type: 'PriceForgotten' })).toBeInstanceOf(NewerEvent);
      expect(failureOf({ metadata: { ...event.metadata, version: 4 } })).toBeInstanceOf(NewerEvent);
      for (const stream of [`parcel-${TENANT}_p1`, 'not-one_of-ours']) {
        const failure = failureOf({ type: 'ParcelLost', stream });
        expect(failure).toBeInstanceOf(UnknownEvent);
        expect(failure).not.toBeInstanceOf(NewerEvent);
      }
    });
  });

  test('of a member is absent until it joins (the same for a process that never saw it)', async () => {
    const process = replica(store, clock, new SeededIds(1));
    expect(process.reader.absent(member, TENANT, 'ada')).toEqual(await process.read('ada'));
    await process.join('ada');
    expect((await process.read('ada')).stream).toBe(memberStream('ada'));
  });
});
