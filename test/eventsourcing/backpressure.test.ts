import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { EventLoopUtilization, ProcessLoad } from '../../src/adapters/event-loop-utilization.js';
import { Backpressure } from '../../src/eventsourcing/backpressure.js';
import { eventually } from '../support/eventually.js';
import { ManualClock } from '../support/manual-clock.js';

const START_MS = Date.UTC(2026, 2, 1);
const BURST = 64;

/**
 * Returns the number of background steps, out of `count`, that may run without a delay for an event that is `ageMs`
 * old.
 */
async function takenAtOnce(pace: Backpressure, clock: ManualClock, count: number, ageMs = 0): Promise<number> {
  let taken = 0;
  const run = async () => {
    for (let step = 0; step < count; step += 1) {
      await pace.turn(clock.nowMs() - ageMs);
      taken += 1;
    }
  };
  void run();
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
  return taken;
}

/** Creates backpressure during a burst of requests, at the given thread utilization. */
function inBurst(clock: ManualClock, eventLoopUtilization = 1): Backpressure {
  const pace = new Backpressure(clock, () => eventLoopUtilization);
  for (let request = 0; request < BURST; request += 1) pace.requestBegins();
  return pace;
}

describe('Background work', () => {
  test('runs freely while there are few requests', async () => {
    const clock = new ManualClock(START_MS);
    const pace = new Backpressure(clock, () => 1);
    pace.requestBegins();
    expect(await takenAtOnce(pace, clock, 50)).toBe(50);
  });

  test('runs freely with many requests that leave the thread idle, waiting for engines', async () => {
    const clock = new ManualClock(START_MS);
    expect(await takenAtOnce(inBurst(clock, 0.5), clock, 50)).toBe(50);
  });

  test('takes occasional steps in a burst of requests', async () => {
    const clock = new ManualClock(START_MS);
    const pace = inBurst(clock);
    let taken = 0;
    const run = async () => {
      for (;;) {
        await pace.turn(clock.nowMs());
        taken += 1;
      }
    };
    void run();
    await clock.advance(0);
    expect([taken, clock.sleeping]).toEqual([1, 1]);
    await clock.advance(1_000);
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(200);
  });

  test('shares those steps among several kinds of work', async () => {
    const clock = new ManualClock(START_MS);
    const pace = inBurst(clock);
    const taken = await Promise.all([takenAtOnce(pace, clock, 10), takenAtOnce(pace, clock, 10)]);
    expect(taken).toEqual([1, 0]);
  });

  test('runs freely after the burst', async () => {
    const clock = new ManualClock(START_MS);
    const pace = inBurst(clock);
    for (let request = 0; request < BURST; request += 1) pace.requestEnds();
    expect(await takenAtOnce(pace, clock, 50)).toBe(50);
  });

  test('stops yielding after a long wait', async () => {
    const clock = new ManualClock(START_MS);
    expect(await takenAtOnce(inBurst(clock), clock, 50, 60_000)).toBe(50);
  });
});

describe('The utilization of a thread', () => {
  const busyFor = (ms: number): void => {
    for (const endMs = performance.now() + ms; performance.now() < endMs;);
  };

  test('is high during continuous work, and low while idle', async () => {
    const share = new EventLoopUtilization();
    await sleep(150);
    share.read();
    for (let turn = 0; turn < 10; turn += 1) {
      busyFor(10);
      await nextTurn();
    }
    expect(share.read()).toBeGreaterThan(0.8);
    await eventually(() => share.read() < 0.5, 10_000);
  });

  test('is exceeded by the load of the process while another thread is busy', async () => {
    const load = new ProcessLoad();
    const busy = new Worker('for (;;);', { eval: true });
    try {
      // Other programs may use most of the core.
      await eventually(() => load.read() > 0.3, 30_000);
    } finally {
      await busy.terminate();
    }
    await eventually(() => load.read() < 0.2, 30_000);
  });
});
