import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { catalogue } from '../../src/app/catalogue.js';
import { EventStream } from '../../src/http/event-stream.js';
import { LiveFeed } from '../../src/projecting/live-feed.js';
import { silentLogger } from '../../src/ports/log.js';
import { appendNext } from '../support/append-next.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { ManualClock, mulberry32 } from '../support/manual-clock.js';
import { until } from '../support/while-time-passes.js';

const CAPACITY = 8;
const STREAM = 'job-platform_toy';

let directory: string;
let store: EmbeddedEventStore;
let faulty: FaultyEventStore;
let clock: ManualClock;
let feed: LiveFeed;
let streams: Set<EventStream>;
/** Positions of the visible events, in order. */
let positions: number[];
let written = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
  clock = new ManualClock();
  store = EmbeddedEventStore.open({ directory, clock });
  faulty = new FaultyEventStore(store);
  [streams, positions, written] = [new Set(), [], 0];
  feed = new LiveFeed(faulty, catalogue, clock, silentLogger, {
    name: 'test',
    prefixes: ['job-platform_'],
    frameOf: ({ position, type }) => (type === 'JobStarted' ? Buffer.from(`${position}\n`) : undefined),
    onEvent: () => undefined,
    onAdvance: () => {
      for (const stream of streams) stream.flow();
    },
    capacity: CAPACITY,
  });
});
afterEach(async () => {
  for (const stream of streams) stream.destroy();
  await feed.stop();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** Writes `count` visible events, mixed with other events in followed streams and with events in other streams. */
async function write(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    for (const [type, stream] of [
      ['JobStarted', STREAM],
      ['JobClaimed', STREAM],
      ['JobStarted', 'other-platform_toy'],
    ] as const) {
      written += 1;
      const id = `00000000-0000-4000-8000-${String(written).padStart(12, '0')}`;
      const { position } = await appendNext(store, stream, { id, type, data: {}, metadata: { version: 1 } });
      if (type === 'JobStarted' && stream === STREAM) positions.push(position);
    }
  }
}

/** A connection that accepts only as much as a test allows. */
class Client extends Writable {
  received = '';
  private waiting: (() => void)[] = [];
  isReading = true;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = () => {
      this.received += chunk.toString();
      done();
    };
    if (this.isReading) take();
    else this.waiting.push(take);
  }

  read(): void {
    this.isReading = true;
    for (const take of this.waiting.splice(0)) take();
  }

  get positions(): number[] {
    return this.received.split('\n').flatMap((line) => (/^\d+$/.test(line) ? [Number(line)] : []));
  }
}

function watch(after: number): { client: Client; stream: EventStream } {
  const client = new Client();
  const stream = new EventStream({
    feed,
    after,
    first: Buffer.from('hello\n'),
    inTurn: (read) => read(),
    monotonicMs: () => clock.monotonicMs(),
  });
  streams.add(stream);
  stream.once('close', () => streams.delete(stream));
  stream.on('error', () => undefined);
  stream.pipe(client);
  return { client, stream };
}
const caughtUp = (): Promise<void> => until(clock, () => feed.position >= (positions.at(-1) ?? -1));
const has = (client: Client, expected: readonly number[]): Promise<void> =>
  until(clock, () => client.positions.length >= expected.length);

describe('A live feed', () => {
  test('gives every watcher all events from its position, once and in order, buffered or not', async () => {
    await write(20);
    feed.start(positions[4] ?? -1);
    await caughtUp();
    const clients = [-1, 0, 3, 4, 5, 11, 12, 19].map((index) => ({
      index,
      ...watch(index < 0 ? -1 : (positions[index] ?? -1)),
    }));
    await write(5);
    for (const { client, index } of clients) {
      await has(client, positions.slice(index + 1));
      expect([index, client.positions]).toEqual([index, positions.slice(index + 1)]);
    }
    // Only the feed's own subscription remains. No watcher has a separate subscription.
    await until(clock, () => faulty.subscriptions === 1);
  });

  test('gives nothing to a watcher that is up to date, whatever else happens', async () => {
    await write(3);
    feed.start(await store.head());
    const { client } = watch(positions.at(-1) ?? -1);
    await until(clock, () => client.received === 'hello\n');
    await write(1);
    await has(client, positions.slice(-1));
    expect(client.positions).toEqual(positions.slice(-1));
    await until(clock, () => faulty.subscriptions === 1);
    expect(faulty.subscribedAfter.length).toBeLessThanOrEqual(2);
  });

  test('stays within its capacity', async () => {
    feed.start(-1);
    await write(100);
    await caughtUp();
    expect(feed.after(feed.position)).toEqual([]);
    expect(feed.after(positions[50] ?? -1)).toBeUndefined();
    expect(feed.after(positions.at(-4) ?? -1)?.map(({ position }) => position)).toEqual(positions.slice(-3));
    let kept = 0;
    while (feed.after(positions.at(-2 - kept) ?? -1)) kept += 1;
    expect(kept).toBeLessThanOrEqual(CAPACITY);
  });

  test.each([1, 2, 3])(
    'has no gaps or repetitions with pausing readers and an unreliable store (seed %d)',
    async (seed) => {
      const random = mulberry32(seed);
      feed.start(-1);
      const clients = Array.from({ length: 6 }, () => watch(-1));
      for (let round = 0; round < 40; round += 1) {
        await write(Math.floor(random() * 12));
        if (random() < 0.2) faulty.batchesUntilBreak = 1;
        for (const { client } of clients) {
          if (random() < 0.5) client.isReading = false;
          else client.read();
        }
        if (random() < 0.3) clients.push(watch(positions[Math.floor(random() * positions.length)] ?? -1));
        for (let turn = 0; turn < 5; turn += 1) await nextTurn();
        if (clock.sleeping > 0) await clock.advance(500);
        faulty.batchesUntilBreak = Number.POSITIVE_INFINITY;
      }
      await caughtUp();
      for (const { client, stream } of clients) {
        client.read();
        if (stream.destroyed) {
          // The connection has broken during the catch-up. The events received until then must have no gaps.
          const from = positions.indexOf(client.positions[0] ?? -1);
          if (from >= 0) expect(client.positions).toEqual(positions.slice(from, from + client.positions.length));
          continue;
        }
        await until(clock, () => client.positions.at(-1) === positions.at(-1));
        const from = positions.indexOf(client.positions[0] ?? -1);
        expect(client.positions).toEqual(positions.slice(from));
      }
      expect(clients.filter(({ stream }) => !stream.destroyed).length).toBeGreaterThan(3);
    },
  );

  test('uses no memory for watchers that do not read, and reports their delay', async () => {
    feed.start(-1);
    const silent = Array.from({ length: 50 }, () => watch(-1));
    const reader = watch(-1);
    for (const { client } of silent) client.isReading = false;
    await clock.advance(1_000);
    await write(60);
    await has(reader.client, positions);
    await clock.advance(30_000);
    expect(reader.stream.stalledForMs()).toBe(0);
    for (const { stream, client } of silent) {
      expect(stream.stalledForMs()).toBeGreaterThanOrEqual(30_000);
      // At most one frame may be buffered on each side, regardless of the number of written events.
      expect(stream.readableLength + client.writableLength).toBeLessThan(64);
    }
    // A watcher that resumes reading must not miss any events.
    const [first] = silent;
    first?.client.read();
    await has(first?.client ?? reader.client, positions);
    expect(first?.client.positions).toEqual(positions);
    expect(first?.stream.stalledForMs()).toBe(0);
  });

  test('can be left immediately by a stalled watcher, and in order by others', async () => {
    feed.start(-1);
    const [reader, silent] = [watch(-1), watch(-1)];
    silent.client.isReading = false;
    await write(3);
    await has(reader.client, positions);
    reader.stream.finish();
    silent.stream.finish();
    await until(clock, () => reader.client.writableFinished && silent.stream.destroyed);
    expect(reader.client.positions).toEqual(positions);
    silent.stream.cut();
    expect([silent.client.destroyed, silent.stream.isGone, reader.stream.isGone]).toEqual([true, true, true]);
    await write(1);
    await caughtUp();
    expect(reader.client.positions).toHaveLength(3);
  });

  test('skips events of newer versions, and continues', async () => {
    feed.start(-1);
    const { client } = watch(-1);
    await write(1);
    const event = { id: '00000000-0000-4000-8000-aaaaaaaaaaaa', type: 'JobPostponed', data: {}, metadata: {} };
    await appendNext(store, STREAM, event);
    await write(1);
    await has(client, positions);
    expect(client.positions).toEqual(positions);
  });
});
