import { validate, version } from 'uuid';
import { ManualClock, SeededIds } from './manual-clock.js';

describe('The manual clock', () => {
  test('stands still until it is advanced, and then moves both clocks', async () => {
    const clock = new ManualClock(1_000_000);
    const before = clock.monotonicMs();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.nowMs()).toBe(1_000_000);
    await clock.advance(250);
    expect(clock.nowMs()).toBe(1_000_250);
    expect(clock.monotonicMs() - before).toBe(250);
  });

  test('wakes sleepers in the order of their times, each at exactly its own', async () => {
    const clock = new ManualClock(0);
    const woken: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name} at ${clock.nowMs()}`);
    };
    const all = [sleeper('late', 300), sleeper('early', 100), sleeper('never yet', 1_000)];
    await clock.advance(300);
    expect(woken).toEqual(['early at 100', 'late at 300']);
    expect(clock.sleeping).toBe(1);
    await clock.advance(700);
    await Promise.all(all);
    expect(woken).toHaveLength(3);
  });

  test('wakes a loop as often as it goes back to sleep within one advance', async () => {
    const clock = new ManualClock(0);
    const ticks: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        await clock.sleep(100);
        ticks.push(clock.nowMs());
      }
    };
    const looping = loop();
    await clock.advance(1_000);
    await looping;
    expect(ticks).toEqual([100, 200, 300, 400]);
    expect(clock.nowMs()).toBe(1_000);
  });

  test('ends a sleep at once when its signal aborts, before or during it', async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const asleep = clock.sleep(60_000, abort.signal);
    abort.abort();
    await asleep;
    await clock.sleep(60_000, abort.signal);
    expect(clock.sleeping).toBe(0);
  });

  test('can have its wall clock set back while the monotonic one continues', async () => {
    const clock = new ManualClock(10_000_000);
    clock.jump(-3_600_000);
    await clock.advance(5);
    expect(clock.nowMs()).toBe(6_400_005);
    expect(clock.monotonicMs()).toBe(5);
  });

  test('refuses to go back', async () => {
    await expect(new ManualClock().advance(-1)).rejects.toThrow(RangeError);
    await expect(new ManualClock().advance(Number.NaN)).rejects.toThrow(RangeError);
  });
});

describe('Seeded ids', () => {
  const take = (seed: number, count: number): string[] => {
    const ids = new SeededIds(seed);
    return Array.from({ length: count }, () => ids.next());
  };

  test('are the same for the same seed and differ for another', () => {
    expect(take(7, 100)).toEqual(take(7, 100));
    expect(take(7, 100)).not.toEqual(take(8, 100));
  });

  test('are valid UUIDs of version 7, increasing and unique', () => {
    const ids = take(1, 2_000);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(2_000);
  });
});
