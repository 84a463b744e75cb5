import { Pace } from '../../src/platform/pace.js';
import { ManualClock } from '../support/manual-clock.js';

const START_MS = Date.UTC(2026, 2, 1);
const BURST = 64;

/** How many of `count` background steps, for something that happened `ageMs` ago, may be taken at once. */
async function takenAtOnce(pace: Pace, clock: ManualClock, count: number, ageMs = 0): Promise<number> {
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

describe('background work beside requests', () => {
  test('goes on freely while few requests are under way', async () => {
    const clock = new ManualClock(START_MS);
    const pace = new Pace(clock);
    pace.requestBegins();
    expect(await takenAtOnce(pace, clock, 50)).toBe(50);
  });

  test('pauses again and again in a burst of requests, and goes on in the pauses', async () => {
    const clock = new ManualClock(START_MS);
    const pace = new Pace(clock);
    for (let request = 0; request < BURST; request += 1) pace.requestBegins();
    const atOnce = await takenAtOnce(pace, clock, 50);
    expect(atOnce).toBeGreaterThan(0);
    expect(atOnce).toBeLessThan(10);
    expect(clock.sleeping).toBe(1);
  });

  test('goes on freely when the burst is over', async () => {
    const clock = new ManualClock(START_MS);
    const pace = new Pace(clock);
    for (let request = 0; request < BURST; request += 1) pace.requestBegins();
    for (let request = 0; request < BURST; request += 1) pace.requestEnds();
    expect(await takenAtOnce(pace, clock, 50)).toBe(50);
  });

  test('no longer gives way when it has waited for long', async () => {
    const clock = new ManualClock(START_MS);
    const pace = new Pace(clock);
    for (let request = 0; request < BURST; request += 1) pace.requestBegins();
    expect(await takenAtOnce(pace, clock, 50, 60_000)).toBe(50);
  });
});
