import { retryForever } from '../../src/eventsourcing/retry-forever.js';
import { ManualClock } from '../support/manual-clock.js';
import { whileTimePasses } from '../support/while-time-passes.js';

describe('A persistent retry', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const ending = new AbortController();
    const attemptedAtMs: number[] = [];
    const complaints: unknown[] = [];
    /** Fails on every attempt before attempt `until`. Reports progress during the attempts listed in `getsOnAt`. */
    const attempt =
      (until: number, getsOnAt: readonly number[] = []) =>
      (gotOn: () => void): Promise<string> => {
        attemptedAtMs.push(clock.monotonicMs());
        if (getsOnAt.includes(attemptedAtMs.length)) gotOn();
        if (attemptedAtMs.length === until) return Promise.resolve('done');
        return Promise.reject(new Error('not yet'));
      };
    const run = (work: (gotOn: () => void) => Promise<string>) =>
      retryForever(clock, ending.signal, work, (error) => complaints.push(error));
    return { clock, ending, attemptedAtMs, complaints, attempt, run };
  };

  test('returns the result once it succeeds, and logs one failure until then', async () => {
    const { clock, complaints, attempt, run } = setUp();
    expect(await whileTimePasses(clock, run(attempt(4)))).toBe('done');
    expect(complaints).toEqual([new Error('not yet')]);
  });

  test('logs another failure for another reason, and after progress', async () => {
    const { clock, complaints, run } = setUp();
    const reasons = ['away', 'away', 'refused', 'refused'];
    const work = (gotOn: () => void): Promise<string> => {
      const reason = reasons.shift();
      if (reason === undefined) return Promise.resolve('done');
      if (reasons.length === 0) gotOn();
      return Promise.reject(new Error(reason));
    };
    expect(await whileTimePasses(clock, run(work))).toBe('done');
    expect(complaints).toEqual(['away', 'refused', 'refused'].map((reason) => new Error(reason)));
  });

  test('waits longer after each failure, up to 5 s, and restarts after progress', async () => {
    const { clock, attemptedAtMs, attempt, run } = setUp();
    await whileTimePasses(clock, run(attempt(11, [9])), 1_000);
    const pauses = attemptedAtMs.slice(1).map((atMs, index) => atMs - (attemptedAtMs[index] ?? 0));
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 50, 100]);
  });

  test('stops immediately on abort', async () => {
    const { clock, ending, attemptedAtMs, attempt, run } = setUp();
    const running = run(attempt(0));
    await clock.advance(200);
    ending.abort();
    expect(await running).toBeUndefined();
    const count = attemptedAtMs.length;
    await clock.advance(60_000);
    expect(attemptedAtMs).toHaveLength(count);
    expect(await run(attempt(1))).toBeUndefined();
  });
});
