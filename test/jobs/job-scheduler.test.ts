import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '../../src/eventsourcing/aggregate.js';
import {
  job as aggregate,
  recordSchedule,
  startJob,
  type JobEvent,
  type JobState,
} from '../../src/aggregates/job.aggregate.js';
import { JobScheduler } from '../../src/jobs/job-leader.js';
import { ManualClock } from '../support/manual-clock.js';
import { factsOf, ToyJob } from '../support/toy-job.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const START = '2026-11-21T02:00:00.000Z';

/** A job's stream, and schedulers that work on this stream. */
class Bench {
  readonly clock = new ManualClock(Date.parse(START));
  readonly events: JobEvent[] = [];
  readonly warnings: string[] = [];
  isAway = false;
  private running: { stop: AbortController; done: Promise<void> }[] = [];

  constructor(readonly pattern: string) {}

  get state(): JobState {
    return fold(aggregate, this.events);
  }

  /** The scheduled times for which runs were started. */
  get runs(): (string | null)[] {
    return this.events.flatMap((event) => (event.type === 'JobStarted' ? [event.data.scheduledFor] : []));
  }

  async start(pattern = this.pattern, isEnabled = true): Promise<void> {
    const stop = new AbortController();
    const decide = (events: JobEvent[]): number => {
      if (this.isAway) throw new Error('the event store is away');
      this.events.push(...events);
      return events.length;
    };
    const now = (): Date => new Date(this.clock.nowMs());
    const warn = (_: object, message: string): void => void this.warnings.push(message);
    const scheduler = new JobScheduler({
      directory: { jobs: new Map([['toy', factsOf(new ToyJob('toy', pattern), isEnabled)]]) },
      clock: this.clock,
      logger: { info: () => undefined, warn, error: warn },
      runner: {
        recordSchedule: async (_, given) => {
          await nextTurn();
          decide(recordSchedule(this.state, { pattern: given }, now()));
          return this.state;
        },
        start: async (_, start) => {
          await nextTurn();
          return decide(startJob(this.state, start, now())) > 0;
        },
      },
    });
    this.running.push({ stop, done: scheduler.run(stop.signal) });
    await this.pass(0);
  }

  /** Advances time in steps of five minutes, so that the schedulers can act in between. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs >= 0; leftMs -= 5 * MINUTE_MS) {
      await this.clock.advance(Math.min(leftMs, 5 * MINUTE_MS));
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    }
  }

  /** Ends the run in progress. */
  endRun(): void {
    const { run } = this.state;
    if (!run) throw new Error('Nothing runs');
    const finishedAt = new Date(this.clock.nowMs()).toISOString();
    const data = { ...run.execution, message: 'Done.', artifact: null, finishedAt };
    this.events.push({ type: 'JobSucceeded', data });
  }

  async stop(): Promise<void> {
    for (const { stop } of this.running) stop.abort();
    await Promise.all(this.running.map(({ done }) => done));
    this.running = [];
  }
}

let bench: Bench;
const open = async (pattern = '0 * * * *'): Promise<Bench> => {
  bench = new Bench(pattern);
  await bench.start();
  return bench;
};
afterEach(() => bench.stop());

describe('The scheduler', () => {
  test('starts a job once at each scheduled time, with a derived id', async () => {
    await open();
    for (let n = 1; n <= 3; n += 1) {
      await bench.pass(59 * MINUTE_MS);
      expect(bench.runs).toHaveLength(n - 1);
      await bench.pass(MINUTE_MS);
      expect(bench.runs).toHaveLength(n);
      bench.endRun();
    }
    expect(bench.runs).toEqual(['03', '04', '05'].map((hour) => `2026-11-21T${hour}:00:00.000Z`));
    const ids = bench.events.flatMap(({ type, data }) => (type === 'JobStarted' ? [data.executionId] : []));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(bench.warnings).toEqual([]);
  });

  test('does not catch up on missed times on the first start', async () => {
    await open('0 1 * * *');
    await bench.pass(20 * HOUR_MS);
    expect(bench.runs).toEqual([]);
  });

  test('catches up on one of many missed times, and continues on schedule', async () => {
    await open();
    await bench.stop();
    await bench.pass(72 * HOUR_MS + 10 * MINUTE_MS);
    await bench.start();
    expect(bench.runs).toEqual(['2026-11-24T02:00:00.000Z']);
    bench.endRun();
    await bench.pass(30 * MINUTE_MS);
    expect(bench.runs).toHaveLength(1);
    await bench.pass(20 * MINUTE_MS);
    expect(bench.runs.at(-1)).toBe('2026-11-24T03:00:00.000Z');
  });

  test('does not catch up on missed times of a new or re-enabled schedule', async () => {
    await open();
    await bench.stop();
    await bench.start('0 * * * *', false);
    await bench.pass(5 * HOUR_MS);
    await bench.stop();
    await bench.start();
    expect(bench.runs).toEqual([]);
    await bench.stop();
    await bench.pass(5 * HOUR_MS);
    await bench.start('30 * * * *');
    expect(bench.runs).toEqual([]);
    await bench.pass(30 * MINUTE_MS);
    expect(bench.runs).toEqual(['2026-11-21T12:30:00.000Z']);
  });

  test('skips a time while the job still runs, with a log line', async () => {
    await open();
    await bench.pass(2 * HOUR_MS);
    expect(bench.runs).toEqual(['2026-11-21T03:00:00.000Z']);
    expect(bench.warnings).toEqual(['a job is still running at its next scheduled instant; skipping that instant']);
    bench.endRun();
    await bench.pass(59 * MINUTE_MS);
    expect(bench.runs).toHaveLength(1);
    await bench.pass(MINUTE_MS);
    expect(bench.runs.at(-1)).toBe('2026-11-21T05:00:00.000Z');
  });

  test('starts one run per time, even if there are two schedulers', async () => {
    await open();
    await bench.start();
    for (let n = 1; n <= 3; n += 1) {
      await bench.pass(HOUR_MS);
      expect(bench.runs).toHaveLength(n);
      bench.endRun();
    }
  });

  test('starts nothing twice when the clock is set back, and one run when it is set forward', async () => {
    await open();
    await bench.pass(HOUR_MS + MINUTE_MS);
    bench.endRun();
    bench.clock.jump(-HOUR_MS);
    await bench.pass(2 * HOUR_MS);
    expect(bench.runs).toEqual(['2026-11-21T03:00:00.000Z', '2026-11-21T04:00:00.000Z']);
    bench.endRun();
    bench.clock.jump(5 * HOUR_MS);
    await bench.pass(MINUTE_MS);
    expect(bench.runs.slice(2)).toEqual(['2026-11-21T09:00:00.000Z']);
    bench.endRun();
    await bench.pass(HOUR_MS);
    expect(bench.runs.slice(3)).toEqual(['2026-11-21T10:00:00.000Z']);
  });

  test('starts each time once, whatever the clock does', async () => {
    await open('*/10 * * * *');
    const jumps = [HOUR_MS, -HOUR_MS, -HOUR_MS, 30 * MINUTE_MS, -45 * MINUTE_MS, HOUR_MS, HOUR_MS, -HOUR_MS];
    for (const jump of jumps) {
      bench.clock.jump(jump);
      for (let minute = 0; minute < 45; minute += 1) {
        await bench.pass(MINUTE_MS);
        if (bench.state.run) bench.endRun();
      }
    }
    expect(new Set(bench.runs).size).toBe(bench.runs.length);
    expect(bench.runs).toEqual([...bench.runs].sort());
    expect(bench.runs.length).toBeGreaterThan(15);
    expect(bench.runs.length).toBeLessThan(jumps.length * 5 + 10);
  });

  test('recovers from a clock that was years ahead', async () => {
    await open('0 3 * * *');
    bench.clock.jump(10 * 365 * 24 * HOUR_MS);
    await bench.pass(MINUTE_MS);
    expect(bench.runs).toHaveLength(1);
    bench.endRun();
    bench.clock.jump(-10 * 365 * 24 * HOUR_MS);
    await bench.pass(2 * HOUR_MS);
    expect(bench.runs.at(-1)).toBe('2026-11-21T03:00:00.000Z');
  });

  test('starts due jobs once the event store is available', async () => {
    await open();
    bench.isAway = true;
    await bench.pass(HOUR_MS + MINUTE_MS);
    expect(bench.runs).toEqual([]);
    expect(bench.warnings.length).toBeGreaterThan(0);
    bench.isAway = false;
    await bench.pass(5_000);
    expect(bench.runs).toEqual(['2026-11-21T03:00:00.000Z']);
  });
});
