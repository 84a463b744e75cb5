import { ProgressReports, type Report } from '../../src/jobs/job-progress.js';
import { silentLogger } from '../../src/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';

let clock: ManualClock;
let recorded: Report[];
let reports: ProgressReports;
beforeEach(() => {
  clock = new ManualClock();
  recorded = [];
  reports = new ProgressReports({
    clock,
    logger: silentLogger,
    record: (report) => {
      recorded.push(report);
      return Promise.resolve();
    },
  });
});
afterEach(() => reports.end());

describe('The progress of a run', () => {
  test('is recorded once a second, with the last report', async () => {
    for (let n = 0; n <= 20; n += 1) reports.report(n, `step ${n}`);
    await clock.advance(999);
    expect(recorded).toEqual([]);
    await clock.advance(1);
    expect(recorded).toEqual([{ progress: 20, message: 'step 20' }]);
    reports.report(21, 'step 21');
    await clock.advance(999);
    expect(recorded).toHaveLength(1);
    await clock.advance(1);
    expect(recorded.at(-1)).toEqual({ progress: 21, message: 'step 21' });
  });

  test('is recorded about a hundred times at most, however long the run', async () => {
    for (let second = 0; second < 20_000; second += 1) {
      reports.report(second / 200, `second ${second}`);
      await clock.advance(1_000);
    }
    expect(recorded.length).toBeGreaterThan(90);
    expect(recorded.length).toBeLessThanOrEqual(120);
    expect(recorded.at(-1)?.progress).toBe(99);
  });

  test('never decreases, and is a whole number from 0 to 100', async () => {
    for (const [given, expected] of [
      [-5, 0],
      [Number.NaN, 0],
      [12.9, 12],
      [7, 12],
      [1e9, 100],
    ] as const) {
      reports.report(given, String(given));
      await clock.advance(10_000);
      expect([given, recorded.at(-1)?.progress]).toEqual([given, expected]);
    }
  });

  test('is skipped if it cannot be recorded, and continues', async () => {
    let isAway = true;
    const failing = new ProgressReports({
      clock,
      logger: silentLogger,
      record: (report) => {
        if (isAway) return Promise.reject(new Error('away'));
        recorded.push(report);
        return Promise.resolve();
      },
    });
    failing.report(10, 'a');
    await clock.advance(1_000);
    isAway = false;
    failing.report(20, 'b');
    await clock.advance(1_000);
    expect(recorded).toEqual([{ progress: 20, message: 'b' }]);
    await failing.end();
  });

  test('is not recorded after the end', async () => {
    reports.report(10, 'a');
    await reports.end();
    await clock.advance(5_000);
    expect(recorded).toEqual([]);
  });
});
