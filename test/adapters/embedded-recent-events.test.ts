import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import {
  CorruptEvent,
  type EventFilter,
  EventStoreUnavailable,
  type EventToAppend,
  type RecordedEvent,
} from '../../src/ports/event-store.js';
import { fieldsOf } from '../support/event-fields.js';

const clock = new SystemClock();
const event = (data: object, type = 'Counted'): EventToAppend => ({ id: randomUUID(), type, data, metadata: {} });

describe('Events that the thread itself has just appended', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let file: DatabaseSyncInstance;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-recent-'));
    store = EmbeddedEventStore.open({ directory, clock });
    file = new DatabaseSync(join(directory, 'history.sqlite'));
  });
  afterEach(async () => {
    file.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const create = (stream: string, ...events: EventToAppend[]) =>
    store.append({ stream, expected: 'no_stream', events });
  /** Makes the stored records unreadable, so that their events can come only from memory. */
  const damage = (from: number): void => {
    file.exec(`UPDATE events SET crc = crc + 1 WHERE position >= ${from}`);
  };
  /** Subscribes at the end of the history, and consumes the first batch, which is empty. */
  const following = async (filter?: EventFilter) => {
    const subscription = { after: await store.head(), ...(filter && { filter }) };
    const batches = store.subscribeToAll(subscription)[Symbol.asyncIterator]();
    const next = async (): Promise<readonly RecordedEvent[]> => {
      const next = await batches.next();
      return next.done ? [] : next.value.events;
    };
    expect(await next()).toEqual([]);
    return next;
  };

  test('reach a subscription without being read from the file', async () => {
    const next = await following({ on: 'type', prefixes: ['Counted'] });
    const metadata = { tenantId: 't' };
    await create('a', event({ n: 1 }), event({ n: 2 }, 'Other'), { ...event({ n: 3, text: 'Fünf 🥨' }), metadata });
    damage(0);
    const events = await next();
    expect(events.map(({ position, data }) => ({ position, ...data }))).toEqual([
      { position: 0, n: 1 },
      { position: 2, n: 3, text: 'Fünf 🥨' },
    ]);
    expect(events[1]).toMatchObject({ metadata, storedText: ['{"n":3,"text":"Fünf 🥨"}', '{"tenantId":"t"}'] });
  });

  test('equal those in the file, whatever subscriptions and sizes there are', async () => {
    const filters: fc.Arbitrary<EventFilter | undefined> = fc.constantFrom(
      undefined,
      { on: 'stream', prefixes: ['a', 'c'] } as const,
      { on: 'type', prefixes: ['Even', 'Nothing'] } as const,
      { on: 'stream', prefixes: ['a', 'b'], narrowing: { prefix: 'a', at: 2, characters: '02468' } } as const,
    );
    const consumers = fc.array(fc.record({ filter: filters, maxBatchSize: fc.integer({ min: 1, max: 40 }) }), {
      minLength: 1,
      maxLength: 4,
    });
    const appends = fc.array(
      fc.record({ entity: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 9 }), pause: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    let total = 0;
    await fc.assert(
      fc.asyncProperty(consumers, appends, async (asked, made) => {
        const after = await store.head();
        const ending = new AbortController();
        const { signal } = ending;
        const seen = asked.map((one) => follow({ ...one, after }, signal));
        for (const { entity, count, pause } of made) {
          const events = Array.from({ length: count }, () => event({ total }, total++ % 2 ? 'Odd' : 'Even'));
          const appended = create(`${entity}-${total}`, ...events);
          if (pause) await appended;
        }
        await create('last', event({}, 'Nothing')).catch(() => undefined);
        const end = await store.head();
        for (const [n, { filter }] of asked.entries()) {
          const stored = await store.readAll({ from: after, ...(filter && { filter }) });
          const { events, reached } = seen[n] as Following;
          await reached(end);
          expect(events.map(fieldsOf)).toEqual(stored.map(fieldsOf));
          expect(events.map(({ storedText }) => storedText)).toEqual(stored.map(({ storedText }) => storedText));
        }
        ending.abort();
      }),
      { numRuns: 60 },
    );
  });

  test('are read from the file if more than 2,000 later ones have been appended', async () => {
    const [next, failing] = [await following(), await following()];
    for (let stream = 0; stream < 30; stream += 1)
      await create(`s-${stream}`, ...Array.from({ length: 100 }, (_, n) => event({ n: 100 * stream + n })));
    damage(0);
    await expect(failing()).rejects.toEqual(new CorruptEvent(0));
    file.exec('UPDATE events SET crc = crc - 1 WHERE position < 2000');
    const numbers: unknown[] = [];
    while (numbers.length < 3_000) numbers.push(...(await next()).map(({ data }) => (data as { n: number }).n));
    expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
  });

  test('do not include those of a failed commit', async () => {
    const next = await following();
    file.exec(`INSERT INTO events VALUES (1, 'two', 0, 'x', 'X', '{}', '{}', 0, 0)`);
    await expect(create('three', event({ n: 1 }), event({ n: 2 }))).rejects.toBeInstanceOf(EventStoreUnavailable);
    file.exec('DELETE FROM events WHERE position = 1');
    await create('three', event({ n: 3 }), event({ n: 4 }));
    damage(0);
    expect((await next()).map(({ data }) => data)).toEqual([{ n: 3 }, { n: 4 }]);
  });

  type Following = { readonly events: RecordedEvent[]; readonly reached: (position: number) => Promise<void> };

  /** Collects the events of a subscription. */
  function follow(
    { filter, ...asked }: { after: number; maxBatchSize: number; filter: EventFilter | undefined },
    signal: AbortSignal,
  ): Following {
    const events: RecordedEvent[] = [];
    let position = asked.after;
    let moved = (): void => undefined;
    const run = async (): Promise<void> => {
      for await (const batch of store.subscribeToAll({ ...asked, ...(filter && { filter }), signal })) {
        events.push(...batch.events);
        position = batch.position;
        moved();
      }
    };
    const running = run();
    const reached = async (goal: number): Promise<void> => {
      while (position < goal) await Promise.race([new Promise<void>((resolve) => (moved = resolve)), running]);
    };
    return { events, reached };
  }
});
