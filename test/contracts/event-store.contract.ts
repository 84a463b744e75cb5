import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  type AllSubscription,
  type Append,
  BEFORE_ALL,
  EventStoreUnavailable,
  EventTooLarge,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
  WrongExpectedRevision,
} from '../../src/ports/event-store.js';
import type { Pipelined } from '../../src/ports/append-pipeline.js';
import { fieldsOf } from '../support/event-fields.js';

export type EventStoreUnderTest = {
  /**
   * The store under test. It may contain events from other writers, because the contract tests use only streams that
   * they have created.
   */
  readonly store: EventStore & Pipelined;
  /** Closes the store and reopens the same history. Omitted for stores on a server. */
  readonly reopen?: () => Promise<EventStore & Pipelined>;
  /** Called after each test, when the store may already be closed. */
  readonly cleanup: () => Promise<void>;
};

const event = (type: string, data: object = {}, metadata: object = {}): EventToAppend => ({
  id: randomUUID(),
  type,
  data,
  metadata,
});
const numbered = (...numbers: number[]): EventToAppend[] => numbers.map((n) => event('Counted', { n }));
const numbersOf = (events: readonly RecordedEvent[]): unknown[] => events.map(({ data }) => (data as { n: number }).n);

/** Declares tests of the guarantees that every EventStore adapter must provide. */
export function eventStoreContract(name: string, open: () => Promise<EventStoreUnderTest>): void {
  describe(`${name} as an event store`, () => {
    let store: EventStore & Pipelined;
    let reopen: (() => Promise<EventStore & Pipelined>) | undefined;
    let cleanup: () => Promise<void>;
    let own: string;

    beforeEach(async () => {
      ({ store, reopen, cleanup } = await open());
      own = `contract${randomUUID().slice(0, 13)}`;
    });
    afterEach(() => cleanup());

    const stream = (entity: string): string => `${own}-${entity}`;
    const create = (entity: string, ...events: EventToAppend[]) =>
      store.append({ stream: stream(entity), expected: 'no_stream', events });
    const numbersIn = async (entity: string): Promise<unknown[]> =>
      numbersOf((await store.readStream(stream(entity))).events);
    const ownEvents = () => ({ on: 'stream', prefixes: [own] }) as const;

    /** Returns the batches of a subscription, up to and including the first that satisfies `enough`. */
    async function follow(
      subscription: AllSubscription,
      enough: (events: readonly RecordedEvent[], batch: EventBatch) => boolean,
    ): Promise<{ events: RecordedEvent[]; batches: EventBatch[] }> {
      const events: RecordedEvent[] = [];
      const batches: EventBatch[] = [];
      for await (const batch of store.subscribeToAll(subscription)) {
        batches.push(batch);
        events.push(...batch.events);
        if (enough(events, batch)) break;
      }
      return { events, batches };
    }

    describe('appending', () => {
      test('numbers the events of a stream from 0 without gaps', async () => {
        expect(await create('sale', event('A'))).toMatchObject({ revision: 0 });
        const appended = await store.append({
          stream: stream('sale'),
          expected: 0,
          events: [event('B'), event('C')],
        });
        expect(appended.revision).toBe(2);
        const { events } = await store.readStream(stream('sale'));
        expect(events.map(({ type, revision }) => [type, revision])).toEqual([
          ['A', 0],
          ['B', 1],
          ['C', 2],
        ]);
        expect(appended.position).toBe(events[2]?.position);
      });

      test('returns an event as it was written, in any script', async () => {
        const written = event(
          'Ödeme.Yapıldı',
          { s: 'ığüşöç İ 漢字 🎉 \u0000 \ud83d', n: 1.5, nested: { a: [1, null, true] }, empty: '' },
          { tenantId: 't1', $correlationId: 'c1' },
        );
        await create('müşteri-🧾', written);
        const { events } = await store.readStream(stream('müşteri-🧾'));
        expect(events).toEqual([
          {
            ...written,
            stream: stream('müşteri-🧾'),
            revision: 0,
            position: expect.any(Number) as number,
            recordedAtMs: expect.any(Number) as number,
          },
        ]);
      });

      test('stores the content that an event had at the time of the call', async () => {
        const data = { amount: 1 };
        const appending = create('sale', event('A', data));
        data.amount = 2;
        await appending;
        expect((await store.readStream(stream('sale'))).events[0]?.data).toEqual({ amount: 1 });
      });

      test('rejects a new stream that already exists, and reports its revision', async () => {
        await create('sale', event('A'), event('B'));
        await expect(create('sale', event('C'))).rejects.toEqual(
          new WrongExpectedRevision(stream('sale'), 'no_stream', 1),
        );
      });

      test.each([
        ['too low', 0],
        ['too high', 9],
      ])('rejects an expected revision that is %s', async (_, expected) => {
        await create('sale', event('A'), event('B'));
        await expect(store.append({ stream: stream('sale'), expected, events: [event('C')] })).rejects.toEqual(
          new WrongExpectedRevision(stream('sale'), expected, 1),
        );
        expect((await store.readStream(stream('sale'))).events).toHaveLength(2);
      });

      test('rejects an exact revision of a stream that was never written', async () => {
        await expect(store.append({ stream: stream('none'), expected: 0, events: [event('A')] })).rejects.toEqual(
          new WrongExpectedRevision(stream('none'), 0, 'no_stream'),
        );
      });

      test('lets one of twenty concurrent creators of a stream win', async () => {
        const all = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => create('race', ...numbered(n))));
        const refused = all.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
        expect(refused).toHaveLength(19);
        for (const reason of refused) expect(reason).toBeInstanceOf(WrongExpectedRevision);
        const winner = all.findIndex(({ status }) => status === 'fulfilled');
        expect(await numbersIn('race')).toEqual([winner]);
      });

      test('loses no updates by writers that read, append at the revision read, and retry when they lose', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 5 }),
            async (writers) => {
              const counter = stream(`counter_${randomUUID()}`);
              await store.append({ stream: counter, expected: 'no_stream', events: numbered(0) });
              const countUp = async (): Promise<void> => {
                const { events, revision } = await store.readStream(counter, { direction: 'backwards', maxCount: 1 });
                const n = (numbersOf(events)[0] as number) + 1;
                try {
                  await store.append({ stream: counter, expected: revision, events: numbered(n) });
                } catch (error) {
                  if (!(error instanceof WrongExpectedRevision)) throw error;
                  await countUp();
                }
              };
              await Promise.all(
                writers.map(async (times) => {
                  for (let time = 0; time < times; time += 1) await countUp();
                }),
              );
              const total = writers.reduce((sum, times) => sum + times, 0);
              const { events } = await store.readStream(counter);
              expect(numbersOf(events)).toEqual(Array.from({ length: total + 1 }, (_, n) => n));
            },
          ),
          { numRuns: 10 },
        );
      });

      test('writes nothing for an append without events, but checks its revision', async () => {
        const { position } = await create('sale', event('A'));
        const nothing = (expected: Append['expected']) =>
          store.append({ stream: stream('sale'), expected, events: [] });
        expect(await nothing(0)).toEqual({ revision: 0, position });
        await expect(nothing(5)).rejects.toBeInstanceOf(WrongExpectedRevision);
        await store.append({ stream: stream('none'), expected: 'no_stream', events: [] });
        expect((await store.readStream(stream('none'))).exists).toBe(false);
      });

      test('accepts a large event and rejects one over the limit', async () => {
        await create('large', event('Imported', { text: 'x'.repeat(900_000) }));
        const { events } = await store.readStream(stream('large'));
        expect((events[0]?.data as { text: string }).text).toHaveLength(900_000);
        await expect(create('larger', event('Imported', { text: 'x'.repeat(2_000_000) }))).rejects.toBeInstanceOf(
          EventTooLarge,
        );
        expect((await store.readStream(stream('larger'))).exists).toBe(false);
      });

      test('rejects a stream or an event without a name', async () => {
        await expect(store.append({ stream: '', expected: 'no_stream', events: [event('A')] })).rejects.toThrow(Error);
        await expect(create('sale', event(''))).rejects.toThrow(Error);
      });
    });

    describe('a stream whose name is invalid', () => {
      const names = (): string[] => ['', stream('sale\0'), stream('sale\0x'), stream('\ud83d'), 'x'.repeat(1_001)];
      beforeEach(() => create('sale', ...numbered(1)));

      test('does not exist, even if another stream has a name with the same beginning', async () => {
        for (const name of names())
          expect(await store.readStream(name)).toEqual({ exists: false, revision: -1, events: [] });
      });

      test('accepts no append, and no other stream receives it instead', async () => {
        for (const name of names())
          for (const expected of ['no_stream', 0] as const)
            await expect(store.append({ stream: name, expected, events: numbered(2) })).rejects.toBeInstanceOf(
              RangeError,
            );
        expect(await numbersIn('sale')).toEqual([1]);
      });
    });

    describe('repeating an earlier append', () => {
      test('returns the original result and writes nothing, even after appends by others', async () => {
        const sale = event('A');
        const first = await create('sale', sale);
        expect(await create('sale', sale)).toEqual(first);
        const second: Append = { stream: stream('sale'), expected: 0, events: [event('B'), event('C')] };
        const appended = await store.append(second);
        await store.append({ stream: stream('sale'), expected: 2, events: [event('D')] });
        expect(await store.append(second)).toEqual(appended);
        expect(await create('sale', sale)).toEqual(first);
        expect((await store.readStream(stream('sale'))).events).toHaveLength(4);
      });

      test('returns the same result to two concurrent attempts', async () => {
        const sale = event('A');
        const [one, other] = await Promise.all([create('sale', sale), create('sale', sale)]);
        expect(one).toEqual(other);
        expect((await store.readStream(stream('sale'))).events).toHaveLength(1);
      });

      test('is a new event at another expected revision', async () => {
        const sale = event('A');
        await create('sale', sale);
        const again = await store.append({ stream: stream('sale'), expected: 0, events: [sale] });
        expect(again.revision).toBe(1);
        expect((await store.readStream(stream('sale'))).events).toHaveLength(2);
      });

      test('rejects a batch that was only partly stored', async () => {
        const sale = event('A');
        await create('sale', sale);
        await expect(create('sale', sale, event('B'))).rejects.toBeInstanceOf(WrongExpectedRevision);
        expect((await store.readStream(stream('sale'))).events).toHaveLength(1);
      });

      test('treats the same id in two streams as two events', async () => {
        const both = event('A');
        expect((await create('one', both)).revision).toBe(0);
        expect((await create('two', both)).revision).toBe(0);
      });
    });

    describe('appending in order', () => {
      const claim = (entity: string, ...numbers: number[]): Append => ({
        stream: stream(entity),
        expected: 'no_stream',
        events: numbered(...numbers),
      });

      test('returns a result for each, in the given order', async () => {
        const appended = await store.appendInOrder([
          claim('claim', 1),
          claim('sale', 2, 3),
          { ...claim('claim', 4), expected: 0 },
        ]);
        expect(appended.map(({ revision }) => revision)).toEqual([0, 1, 1]);
        const stored = await store.readAll({ filter: ownEvents() });
        expect(numbersOf(stored)).toEqual([1, 2, 3, 4]);
        expect(appended.map(({ position }) => position)).toEqual([0, 2, 3].map((n) => stored[n]?.position));
        expect(await store.appendInOrder([])).toEqual([]);
      });

      test('stops at the first rejection: earlier ones are stored, later ones are not attempted', async () => {
        await create('taken', ...numbered(0));
        await expect(
          store.appendInOrder([claim('before', 1), claim('taken', 2), claim('after', 3)]),
        ).rejects.toMatchObject({ name: 'WrongExpectedRevision', stream: stream('taken') });
        expect(await numbersIn('before')).toEqual([1]);
        expect(await numbersIn('taken')).toEqual([0]);
        expect((await store.readStream(stream('after'))).exists).toBe(false);
      });

      test('stops in the same way at an append that is too large', async () => {
        const large: Append = { ...claim('large'), events: [event('A', { text: 'x'.repeat(2_000_000) })] };
        await expect(store.appendInOrder([claim('before', 1), large, claim('after', 3)])).rejects.toBeInstanceOf(
          EventTooLarge,
        );
        expect(await numbersIn('before')).toEqual([1]);
        expect((await store.readStream(stream('after'))).exists).toBe(false);
      });
    });

    describe('a pipeline', () => {
      const entities = Array.from({ length: 200 }, (_, n) => `piped${n}`);
      const claim = (entity: string, n: number): Append => ({
        stream: stream(entity),
        expected: 'no_stream',
        events: numbered(n),
      });

      test('stores appends in call order, without waiting for responses', async () => {
        const pipeline = store.pipeline();
        const appended = await Promise.all(entities.map((entity, n) => pipeline.append(claim(entity, n))));
        const stored = await store.readAll({ filter: ownEvents() });
        expect(numbersOf(stored)).toEqual(entities.map((_, n) => n));
        expect(appended.map(({ position }) => position)).toEqual(stored.map(({ position }) => position));
      });

      test('stores nothing after a rejected append', async () => {
        const large: Append = { ...claim('large', 1), events: [event('A', { text: 'x'.repeat(2_000_000) })] };
        for (const rejected of [large, claim('before', 2)]) {
          const pipeline = store.pipeline();
          await pipeline.append({ ...claim('before', 0), expected: rejected === large ? 'no_stream' : 0 });
          await expect(pipeline.append(rejected)).rejects.toThrow();
          await expect(pipeline.append(claim('after', 3))).rejects.toBeInstanceOf(EventStoreUnavailable);
        }
        expect(await numbersIn('before')).toEqual([0, 0]);
        expect((await store.readStream(stream('after'))).exists).toBe(false);
        // Other appends are not affected.
        expect((await create('after', ...numbered(4))).revision).toBe(0);
      });
    });

    describe('reading a stream', () => {
      test('reports that a stream that was never written does not exist', async () => {
        expect(await store.readStream(stream('none'))).toEqual({ exists: false, revision: -1, events: [] });
        expect(await store.readStream(stream('none'), { direction: 'backwards', maxCount: 1 })).toEqual({
          exists: false,
          revision: -1,
          events: [],
        });
      });

      test('returns its last revision without reading, or returns undefined', async () => {
        const known = (): number | undefined => store.revisionOf?.(stream('known'));
        expect(known() ?? -1).toBe(-1);
        await create('known', ...numbered(1, 2));
        expect(known() ?? 1).toBe(1);
        await store.close();
        expect(known()).toBeUndefined();
      });

      test('works forwards and backwards, from a revision, up to a limit', async () => {
        await create('sale', ...numbered(1, 2, 3, 4, 5));
        const read = async (options: Parameters<EventStore['readStream']>[1]) =>
          numbersOf((await store.readStream(stream('sale'), options)).events);
        expect(await read({})).toEqual([1, 2, 3, 4, 5]);
        expect(await read({ from: 2 })).toEqual([3, 4, 5]);
        expect(await read({ maxCount: 2 })).toEqual([1, 2]);
        expect(await read({ from: 1, maxCount: 2 })).toEqual([2, 3]);
        expect(await read({ direction: 'backwards' })).toEqual([5, 4, 3, 2, 1]);
        expect(await read({ direction: 'backwards', from: 2 })).toEqual([3, 2, 1]);
        expect(await read({ direction: 'backwards', maxCount: 1 })).toEqual([5]);
        expect(await read({ direction: 'backwards', from: 99 })).toEqual([5, 4, 3, 2, 1]);
      });

      test('past its end returns an existing stream without events, and later the events appended since', async () => {
        await create('sale', ...numbered(1, 2));
        const tail = () => store.readStream(stream('sale'), { from: 2 });
        expect(await tail()).toMatchObject({ exists: true, events: [] });
        await store.append({ stream: stream('sale'), expected: 1, events: numbered(3) });
        const { revision, events } = await tail();
        expect([revision, numbersOf(events)]).toEqual([2, [3]]);
      });

      test('returns a stream of thousands of events completely', async () => {
        for (let first = 0; first < 3_000; first += 500)
          await store.append({
            stream: stream('long'),
            expected: first === 0 ? 'no_stream' : first - 1,
            events: numbered(...Array.from({ length: 500 }, (_, n) => first + n)),
          });
        expect(await numbersIn('long')).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
      });
    });

    describe('reading the whole history', () => {
      test('is in commit order, whatever the stream', async () => {
        for (const n of [1, 2, 3])
          await store.append({ stream: stream(`s${n % 2}`), expected: n < 3 ? 'no_stream' : 0, events: numbered(n) });
        const all = await store.readAll({ filter: ownEvents() });
        expect(numbersOf(all)).toEqual([1, 2, 3]);
        const positions = all.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
        expect(positions.every((position) => position > BEFORE_ALL && Number.isSafeInteger(position))).toBe(true);
      });

      test('starts after or before a position, and ends at its limit', async () => {
        const at = [];
        for (const n of [1, 2, 3, 4]) at.push((await create(`s${n}`, ...numbered(n))).position);
        const read = async (options: Parameters<EventStore['readAll']>[0]) =>
          numbersOf(await store.readAll({ filter: ownEvents(), ...options }));
        expect(await read({ from: at[1] as number })).toEqual([3, 4]);
        expect(await read({ from: at[1] as number, maxCount: 1 })).toEqual([3]);
        expect(await read({ from: BEFORE_ALL, maxCount: 2 })).toEqual([1, 2]);
        expect(await read({ direction: 'backwards' })).toEqual([4, 3, 2, 1]);
        expect(await read({ direction: 'backwards', from: at[2] as number })).toEqual([2, 1]);
        expect(await read({ direction: 'backwards', maxCount: 2 })).toEqual([4, 3]);
      });

      test('filters by prefixes of the stream or of the type', async () => {
        const { position } = await create('before', event('Old'));
        const sale = stream('sale');
        await store.append({
          stream: sale,
          expected: 'no_stream',
          events: [event(`${own}New`, { n: 1 }), event('Z', { n: 2 })],
        });
        await create('customer', event(`${own}Other`, { n: 3 }));
        const read = async (filter: AllSubscription['filter'] & object) =>
          numbersOf(await store.readAll({ from: position, filter }));
        expect(await read({ on: 'stream', prefixes: [sale] })).toEqual([1, 2]);
        expect(await read({ on: 'stream', prefixes: [stream('cust'), sale] })).toEqual([1, 2, 3]);
        expect(await read({ on: 'type', prefixes: [own] })).toEqual([1, 3]);
        expect(await read({ on: 'type', prefixes: [] })).toEqual([]);
        expect(await read({ on: 'stream', prefixes: [stream('%'), stream('_')] })).toEqual([]);
      });

      test('selects among the streams that begin with a prefix by one character of their names', async () => {
        const { position } = await create('before', event('Old'));
        const [narrow, other] = [stream('sa+le.'), stream('other')];
        const names = [`${narrow}a1`, `${narrow}b1`, `${other}a1`, `${narrow}c1`, narrow, `${narrow}]1`];
        for (const [n, name] of names.entries())
          await store.append({ stream: name, expected: 'no_stream', events: [event(own, { n })] });
        const read = async (on: 'stream' | 'type', characters: string) => {
          const prefixes = on === 'type' ? [own] : [narrow, other];
          const filter = { on, prefixes, narrowing: { prefix: narrow, at: narrow.length, characters } };
          const found = await store.readAll({ from: position, filter });
          let caughtUp: () => void = () => undefined;
          const isLive = new Promise<void>((resolve) => (caughtUp = resolve));
          const following = follow({ after: position, filter }, ({ length }, batch) => {
            if (batch.caughtUp) caughtUp();
            return length > found.length;
          });
          await isLive;
          for (const name of [`${narrow}x${on}${characters}`, `${other}${on}${characters}`])
            await store.append({ stream: name, expected: 'no_stream', events: [event(own, { n: 9 })] });
          const { events } = await following;
          expect(events.map((each) => each.stream)).toEqual([
            ...found.map((each) => each.stream),
            `${other}${on}${characters}`,
          ]);
          return numbersOf(found).filter((n) => n !== 9);
        };
        expect(await read('stream', 'ac')).toEqual([0, 2, 3]);
        expect(await read('stream', ']')).toEqual([2, 5]);
        expect(await read('stream', '')).toEqual([2]);
        expect(await read('type', 'b')).toEqual([1, 2]);
      });

      test('returns the position of the last event', async () => {
        const { position } = await create('sale', event('A'), event('B'));
        expect(await store.head()).toBe(position);
      });
    });

    describe('subscribing', () => {
      test('delivers stored, then new events, without gaps or repeats, during appends', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 60, maxLength: 120 }),
            fc.integer({ min: 1, max: 50 }),
            fc.integer({ min: 0, max: 40 }),
            async (sizes, maxBatchSize, before) => {
              const prefix = stream(`run_${randomUUID()}`);
              let n = 0;
              const append = (size: number) =>
                store.append({
                  stream: `${prefix}_${n}`,
                  expected: 'no_stream',
                  events: numbered(...Array.from({ length: size }, () => n++)),
                });
              const after = await store.head();
              await Promise.all(sizes.slice(0, before).map(append));
              const total = sizes.reduce((sum, size) => sum + size, 0);
              const filter = { on: 'stream', prefixes: [prefix] } as const;
              const following = follow({ after, filter, maxBatchSize }, ({ length }) => length >= total);
              for (let first = before; first < sizes.length; first += 5)
                await Promise.all(sizes.slice(first, first + 5).map(append));
              const { events, batches } = await following;
              expect(numbersOf(events)).toEqual(Array.from({ length: total }, (_, index) => index));
              expect(batches.every((batch) => batch.events.length <= maxBatchSize)).toBe(true);
              assertCheckpoints(after, batches);
            },
          ),
          { numRuns: 5 },
        );
      });

      test('resumes after the given position', async () => {
        const { position } = await create('sale', ...numbered(1, 2));
        await create('other', ...numbered(3));
        const { events } = await follow({ after: position, filter: ownEvents() }, ({ length }) => length === 1);
        expect(numbersOf(events)).toEqual([3]);
      });

      test('delivers the rest from any checkpoint of another subscription', async () => {
        const after = await store.head();
        await Promise.all(Array.from({ length: 40 }, (_, n) => create(`s${n}`, ...numbered(n))));
        const first = await follow({ after, filter: ownEvents(), maxBatchSize: 7 }, ({ length }) => length === 40);
        for (const { position } of first.batches.slice(0, -1)) {
          const seen = first.events.filter((each) => each.position <= position).length;
          const rest = await follow({ after: position, filter: ownEvents() }, ({ length }) => length === 40 - seen);
          expect([...first.events.slice(0, seen), ...rest.events]).toEqual(first.events);
        }
      });

      test('delivers old and new events in order if the caller permits a delay', async () => {
        const after = await store.head();
        for (let n = 0; n < 10; n += 1) await create(`s${n}`, ...numbered(n));
        const subscription = { after, filter: ownEvents(), maxBatchSize: 7, maxDelayMs: 20 };
        const following = follow(subscription, ({ length }, { caughtUp }) => length === 30 && caughtUp);
        for (let n = 10; n < 30; n += 1) await create(`s${n}`, ...numbered(n));
        const { events, batches } = await following;
        expect(numbersOf(events)).toEqual(Array.from({ length: 30 }, (_, n) => n));
        expect(Math.max(...batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(7);
      });

      test('delivers only events that match its filter, and advances its checkpoint over the others', async () => {
        const after = await store.head();
        const last = await create('other', ...numbered(1, 2, 3));
        const { events } = await follow(
          { after, filter: { on: 'stream', prefixes: [stream('sale')] } },
          (_, { position }) => position >= last.position,
        );
        expect(events).toEqual([]);
        const following = follow({ after, filter: { on: 'type', prefixes: [own] } }, ({ length }) => length === 1);
        await create('sale', event('Other'), event(`${own}Booked`, { n: 4 }));
        expect(numbersOf((await following).events)).toEqual([4]);
      });

      test('reports when it has caught up, and not before', async () => {
        const after = await store.head();
        const { position } = await create('sale', ...numbered(1, 2, 3, 4, 5));
        const { batches } = await follow(
          { after, filter: ownEvents(), maxBatchSize: 2 },
          (_, { caughtUp }) => caughtUp,
        );
        expect(batches.flatMap(({ events }) => numbersOf(events))).toEqual([1, 2, 3, 4, 5]);
        expect(batches.at(-1)?.position).toBeGreaterThanOrEqual(position);
        expect(batches.slice(0, 2).map(({ caughtUp }) => caughtUp)).toEqual([false, false]);
      });

      test('serves several consumers at their own pace', async () => {
        const after = await store.head();
        const fast = follow({ after, filter: ownEvents() }, ({ length }) => length === 30);
        const slow = follow({ after, filter: ownEvents(), maxBatchSize: 1 }, ({ length }) => length === 30);
        for (let n = 0; n < 30; n += 1) await create(`s${n}`, ...numbered(n));
        expect((await slow).events.map(fieldsOf)).toEqual((await fast).events.map(fieldsOf));
      });

      test('delivers events that arrived while its consumer was busy with the previous batch', async () => {
        const { position } = await create('sale', ...numbered(1));
        const filter = { on: 'stream', prefixes: [stream('')] } as const;
        const batches = store.subscribeToAll({ after: position, filter })[Symbol.asyncIterator]();
        const first = (await batches.next()).value as EventBatch;
        expect([first.events, first.caughtUp]).toEqual([[], true]);
        await create('other', ...numbered(2));
        const next = (await batches.next()).value as EventBatch;
        expect(numbersOf(next.events)).toEqual([2]);
        await batches.return?.();
      });

      test('ends when its signal aborts, even while it waits', async () => {
        const ending = new AbortController();
        const after = await store.head();
        const following = follow({ after, filter: ownEvents(), signal: ending.signal }, () => false);
        await create('sale', ...numbered(1));
        ending.abort();
        expect((await following).events.length).toBeLessThanOrEqual(1);
        const late = await follow({ after, signal: ending.signal }, () => false);
        expect(late.batches).toEqual([]);
      });

      test('ends when its consumer stops while it waits for more', async () => {
        const batches = store
          .subscribeToAll({ after: await store.head(), filter: ownEvents() })
          [Symbol.asyncIterator]();
        await batches.next();
        const waiting = batches.next();
        await batches.return?.();
        expect((await waiting).done).toBe(true);
      });
    });

    describe('closing', () => {
      test('completes pending appends, ends subscriptions, and rejects later calls', async () => {
        const following = follow({ after: await store.head(), filter: ownEvents() }, () => false);
        const appending = Promise.all(Array.from({ length: 20 }, (_, n) => create(`s${n}`, ...numbered(n))));
        await store.close();
        await store.close();
        expect((await appending).map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, () => 0));
        expect(numbersOf((await following).events).length).toBeLessThanOrEqual(20);
        await expect(create('late', event('A'))).rejects.toBeInstanceOf(EventStoreUnavailable);
        await expect(store.readStream(stream('s0'))).rejects.toBeInstanceOf(EventStoreUnavailable);
        await expect(store.head()).rejects.toBeInstanceOf(EventStoreUnavailable);
      });

      test('keeps everything for the next start', async () => {
        if (!reopen) return;
        const first = event('A', { n: 1 });
        const appended = await create('sale', first, ...numbered(2));
        const before = await store.readAll({ filter: ownEvents() });
        store = await reopen();
        expect(await store.readAll({ filter: ownEvents() })).toEqual(before);
        const next = await store.append({ stream: stream('sale'), expected: 1, events: numbered(4) });
        expect(next.revision).toBe(2);
        expect(next.position).toBeGreaterThan(appended.position);
        await expect(create('sale', ...numbered(5))).rejects.toBeInstanceOf(WrongExpectedRevision);
      });

      test('reports its engine until it is closed', async () => {
        const { engine, version } = await store.facts();
        expect(['sqlite', 'eventstoredb']).toContain(engine);
        expect(version).toMatch(/^\d+\.\d+/);
        await store.close();
        await expect(store.facts()).rejects.toBeInstanceOf(EventStoreUnavailable);
      });
    });
  });
}

/** Asserts that checkpoints never decrease, and that each covers exactly the events delivered so far. */
function assertCheckpoints(after: number, batches: readonly EventBatch[]): void {
  let checkpoint = after;
  for (const { events, position } of batches) {
    for (const event of events) {
      expect(event.position).toBeGreaterThan(checkpoint);
      expect(event.position).toBeLessThanOrEqual(position);
    }
    expect(position).toBeGreaterThanOrEqual(checkpoint);
    checkpoint = position;
  }
}
