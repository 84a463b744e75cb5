import { MemoryCache } from '../../src/adapters/embedded/cache.js';
import { ALL_RANGES } from '../../src/eventsourcing/ranges.js';
import { QueueBoard, type BoardParts } from '../../src/observability/queue-board.js';
import type { SampleStore } from '../../src/observability/queue-history.js';
import { QueueMeters } from '../../src/observability/queue-meters.js';
import type { Cache } from '../../src/ports/cache.js';
import { silentLogger } from '../../src/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';
import { whileTimePasses } from '../support/while-time-passes.js';

const QUEUES = [
  { name: 'customers', kind: 'projection' },
  { name: 'booking', kind: 'policy' },
] as const;

/** The samples that a board has saved. */
class Samples implements SampleStore {
  constructor(public text?: string) {}

  load(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }

  save(text: string): Promise<void> {
    this.text = text;
    return Promise.resolve();
  }
}

/** A replica with separate meters. All replicas share the cache and the history. */
class Replica {
  readonly meters: QueueMeters;
  readonly board: QueueBoard;

  constructor(clock: ManualClock, shared: Cache | undefined, more: Partial<BoardParts> = {}) {
    this.meters = new QueueMeters(clock);
    this.board = new QueueBoard({
      queues: QUEUES,
      readings: () => this.meters.readings(),
      positionOf: (name) => Promise.resolve(name === 'customers' ? 90 : 40),
      head: () => Promise.resolve(100),
      shared,
      samples: new Samples(),
      clock,
      logger: silentLogger,
      ...more,
    });
  }
}

describe('The queues of the service', () => {
  test('are reported by the replica that leads in them, whichever replica is asked', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 4));
    const cache = new MemoryCache({ clock });
    const [leader, other] = [new Replica(clock, cache), new Replica(clock, cache)];
    const booking = leader.meters.of('booking', 'policy');
    booking.begin(60);
    booking.handled(5, 70, 1);
    booking.failed();
    leader.board.start();
    other.board.start();
    await clock.advance(2_000);
    const expected = {
      ...{ name: 'booking', kind: 'policy', position: 70, head: 100, lag: 30, inFlight: 1, failures: 1, perMinute: 5 },
      lastProcessedAt: '2026-03-04T00:00:00.000Z',
    };
    expect((await leader.board.list())[1]).toEqual(expected);
    expect((await other.board.list())[1]).toEqual(expected);
    booking.handled(1, 70, 0);
    booking.reached(80, true);
    await clock.advance(2_000);
    expect((await other.board.list())[1]).toMatchObject({ position: 80, head: 100, lag: 0, inFlight: 0 });
    await Promise.all([leader.board.stop(), other.board.stop()]);
  });

  test('do not count the progress of a projection since its last reading as lag', async () => {
    const clock = new ManualClock();
    let position = 99;
    const { board, meters } = new Replica(clock, undefined, { positionOf: () => Promise.resolve(position) });
    meters.of('customers', 'projection').begin(99);
    expect((await board.list())[0]).toMatchObject({ position: 99, lag: 1 });
    position = 100;
    expect((await board.list())[0]).toMatchObject({ position: 100, lag: 0 });
  });

  test('are remembered every ten seconds for an hour, so that a chart shows what happened before it was opened', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 4));
    let head = 100;
    const { board } = new Replica(clock, undefined, { head: () => Promise.resolve(head) });
    board.start();
    await clock.advance(10_000);
    head = 140;
    await clock.advance(10_000);
    expect(board.history()).toEqual([
      { at: '2026-03-04T00:00:10.000Z', head: 100, lags: { projection: 10, policy: 60 } },
      { at: '2026-03-04T00:00:20.000Z', head: 140, lags: { projection: 50, policy: 100 } },
    ]);
    for (let sample = 3; sample < 390; sample += 1) await clock.advance(10_000);
    expect(board.history()).toHaveLength(389);
    await clock.advance(10_000);
    expect(board.history()).toHaveLength(361);
    expect(board.history().slice(0, 2)).toEqual([
      { at: '2026-03-04T00:05:00.000Z', head: 140, lags: { projection: 50, policy: 100 } },
      { at: '2026-03-04T00:05:10.000Z', head: 140, lags: { projection: 50, policy: 100 } },
    ]);
    await board.stop();
  });

  test('are remembered for a day, with the largest lags of each five minutes', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 4));
    let head = 100;
    const { board } = new Replica(clock, undefined, { head: () => Promise.resolve(head) });
    board.start();
    for (let sample = 1; sample <= 25 * 360; sample += 1) {
      head = sample === 1_085 ? 900 : 100;
      await clock.advance(10_000);
    }
    const history = board.history();
    expect(history).toHaveLength(276 + 360);
    expect(history[0]?.at).toBe('2026-03-04T01:05:00.000Z');
    expect(history.filter(({ lags }) => lags.projection !== 10)).toEqual([
      { at: '2026-03-04T03:05:00.000Z', head: 100, lags: { projection: 810, policy: 860 } },
    ]);
    await board.stop();
  });

  describe('after a restart', () => {
    /** Samples for the given number of seconds. Unless `isKilled`, then stops like a service. */
    async function runs(clock: ManualClock, samples: Samples, seconds: number, isKilled = false): Promise<QueueBoard> {
      const { board } = new Replica(clock, undefined, { samples });
      board.start();
      await clock.advance(seconds * 1_000);
      if (!isKilled) await board.stop();
      return board;
    }
    const times = (board: QueueBoard): string[] => board.history().map(({ at }) => at.slice(11, 19));

    test('include the samples from before a stop', async () => {
      const clock = new ManualClock(Date.UTC(2026, 2, 4));
      const samples = new Samples();
      await runs(clock, samples, 20);
      await clock.advance(3_600_000);
      expect(times(await runs(clock, samples, 10))).toEqual(['00:00:10', '00:00:20', '01:00:30']);
    });

    test('include the samples until the last minute before a crash', async () => {
      const clock = new ManualClock(Date.UTC(2026, 2, 4));
      const samples = new Samples();
      await runs(clock, samples, 70, true);
      const after = await runs(clock, new Samples(samples.text), 10);
      expect(times(after)).toEqual([
        '00:00:10',
        '00:00:20',
        '00:00:30',
        '00:00:40',
        '00:00:50',
        '00:01:00',
        '00:01:20',
      ]);
    });

    test('exclude samples that are older than a day', async () => {
      const clock = new ManualClock(Date.UTC(2026, 2, 4));
      const samples = new Samples();
      await runs(clock, samples, 20);
      await clock.advance(24 * 3_600_000 - 15_000);
      expect(times(await runs(clock, samples, 10))).toEqual(['00:00:20', '00:00:15']);
    });

    test.each(['{', '{"recent":[{"at":1}],"older":[]}'])('begin anew if the saved samples are %s', async (text) => {
      const clock = new ManualClock(Date.UTC(2026, 2, 4));
      const samples = new Samples(text);
      expect(times(await runs(clock, samples, 10))).toEqual(['00:00:10']);
      expect(JSON.parse(samples.text ?? '')).toMatchObject({ recent: [{ at: '2026-03-04T00:00:10.000Z' }] });
    });
  });

  test('have only their checkpoint when their leader has not reported for ten seconds', async () => {
    const clock = new ManualClock();
    const cache = new MemoryCache({ clock });
    const [leader, other] = [new Replica(clock, cache), new Replica(clock, cache)];
    leader.meters.of('booking', 'policy').begin(60);
    leader.board.start();
    await clock.advance(2_000);
    await leader.board.stop();
    expect((await other.board.list())[1]).toMatchObject({ position: 60 });
    await clock.advance(10_001);
    expect((await other.board.list())[1]).toEqual({
      ...{ name: 'booking', kind: 'policy', position: 40, head: 100, lag: 60 },
      ...{ inFlight: 0, failures: 0, perMinute: 0, lastProcessedAt: null },
    });
  });

  test('are reported by the new leader of a range immediately after a replica is killed', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 4));
    const cache = new MemoryCache({ clock });
    const [killed, heir, other] = [0, 1, 2].map(() => new Replica(clock, cache)) as [Replica, Replica, Replica];
    const lead = ({ meters }: Replica, ranges: readonly number[], position: number) => {
      const booking = meters.of('booking', 'policy');
      booking.ranges = ranges;
      booking.begin(position);
    };
    lead(heir, ALL_RANGES.slice(0, 6), 60);
    lead(killed, ALL_RANGES.slice(6), 50);
    killed.board.start();
    heir.board.start();
    await clock.advance(2_000);
    const shown = async ({ board }: Replica) => (await board.list())[1];
    for (const replica of [heir, other]) expect(await shown(replica)).toMatchObject({ position: 50, lag: 50 });
    await killed.board.stop();
    lead(heir, ALL_RANGES, 80);
    await clock.advance(2_000);
    for (const replica of [heir, other]) expect(await shown(replica)).toMatchObject({ position: 80, lag: 20 });
    await heir.board.stop();
  });

  test('are not shared without a shared cache', async () => {
    const clock = new ManualClock();
    const replica = new Replica(clock, undefined);
    replica.meters.of('customers', 'projection').begin(100);
    replica.board.start();
    await clock.advance(5_000);
    // The only sleep is the board's wait for the next sample.
    expect(clock.sleeping).toBe(1);
    expect((await replica.board.list()).map(({ name, position, lag }) => [name, position, lag])).toEqual([
      ['customers', 100, 0],
      ['booking', 40, 60],
    ]);
    await replica.board.stop();
  });

  test('are listed in bounded time, as far as they are known, while engines do not respond', async () => {
    const clock = new ManualClock();
    const silent = new Promise<never>(() => undefined);
    const replica = new Replica(clock, undefined, {
      head: () => silent,
      positionOf: () => Promise.reject(new Error('away')),
    });
    replica.meters.of('customers', 'projection').begin(12);
    const list = await whileTimePasses(clock, replica.board.list(), 100);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(4_000);
    expect(list.map(({ position, head, lag }) => [position, head, lag])).toEqual([
      [12, null, null],
      [null, null, null],
    ]);
  });
});
