import { validate, version } from 'uuid';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';

describe('The system clock', () => {
  const clock = new SystemClock();

  test('returns the wall clock in milliseconds since 1970', () => {
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1_000);
  });

  test('sleeps for the given time', async () => {
    const startMs = clock.monotonicMs();
    await clock.sleep(30);
    expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(29);
  });

  test('ends a sleep immediately when its signal aborts, even one longer than a timer supports', async () => {
    const abort = new AbortController();
    const startMs = clock.monotonicMs();
    let woken = false;
    const asleep = clock.sleep(90 * 86_400_000, abort.signal).then(() => (woken = true));
    await clock.sleep(20);
    expect(woken).toBe(false);
    abort.abort();
    await asleep;
    await clock.sleep(60_000, abort.signal);
    expect(clock.monotonicMs() - startMs).toBeLessThan(5_000);
  });
});

describe('Ids', () => {
  test('are UUIDs of version 7, unique and increasing', () => {
    const ids = new Uuid7Ids();
    const made = Array.from({ length: 5_000 }, () => ids.next());
    expect(made.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });
});
