import { readConfig } from '../../src/config.js';
import { JOB_NAMES, parseSchedules, Schedule } from '../../src/jobs/job-schedules.js';
import { JOBS, type Job } from '../../src/jobs/job.js';
import { directoryOf } from '../../src/jobs/jobs.js';
import { TestService } from '../support/service.js';

const ms = (instant: string): number => Date.parse(instant);
const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();

describe('A schedule', () => {
  test('has the times of its pattern in UTC, in any season', () => {
    const daily = new Schedule('30 2 * * *');
    expect(text(daily.after(ms('2026-03-29T00:30:00Z')))).toBe('2026-03-29T02:30:00.000Z');
    expect(text(daily.after(ms('2026-03-29T02:30:00Z')))).toBe('2026-03-30T02:30:00.000Z');
    expect(text(daily.after(ms('2026-10-25T02:29:59.999Z')))).toBe('2026-10-25T02:30:00.000Z');
    expect(text(daily.upTo(ms('2026-10-25T02:30:00Z')))).toBe('2026-10-25T02:30:00.000Z');
    expect(text(daily.upTo(ms('2026-10-25T02:29:59.999Z')))).toBe('2026-10-24T02:30:00.000Z');
    expect(text(new Schedule('0 0 29 2 *').after(ms('2026-01-01T00:00:00Z')))).toBe('2028-02-29T00:00:00.000Z');
    expect(text(new Schedule('@monthly').after(ms('2026-01-01T00:00:00Z')))).toBe('2026-02-01T00:00:00.000Z');
  });

  test.each(['', 'x', '* * * *', '60 * * * *', '0 0 31 2 *', '2026-01-01T00:00:00', 'a b c d e'])(
    'cannot be created from %p',
    (pattern) => {
      expect(() => new Schedule(pattern)).toThrow();
    },
  );
  test('requires five fields, or six with seconds, and reports that', () => {
    expect(text(new Schedule('15 30 2 * * *').after(ms('2026-03-29T02:30:00Z')))).toBe('2026-03-29T02:30:15.000Z');
    for (const pattern of ['* * * *', '0 30 2 1 1 * 2099', '* * * * * * * *'])
      expect(() => new Schedule(pattern)).toThrow('of five or six parts, or a name such as @daily');
  });
});

const faultOf = (setting: string): string => {
  try {
    readConfig({ JOB_SCHEDULES: setting });
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('The schedule setting', () => {
  const [first] = JOB_NAMES;

  test.each(['', ' ', ';', 'off', `${first}=off`, ` ${first} = 0 3 * * * ; off ;`, `${first}=*/5 * * * *`])(
    'accepts %p',
    (setting) => {
      expect(faultOf(setting)).toBe('none');
    },
  );

  test.each([
    ['nothing=off', `entry 1: must begin with the name of a job, one of ${JOB_NAMES.join(', ')}`],
    [`off;x`, 'entry 2: must begin with the name of a job'],
    [first, `entry 1: ${first} must be a cron pattern`],
    [`${first}=`, `entry 1: ${first} must be a cron pattern`],
    [`${first}=on`, `entry 1: ${first} must be a cron pattern`],
    [`${first}=0 25 * * *`, `entry 1: ${first} CronPattern`],
    [`${first}=0 0 31 2 *`, `entry 1: ${first} must be a cron pattern that matches at least one instant`],
    [`${first}=off;${first}=0 3 * * *`, `entry 2: the job ${first} is listed twice`],
  ])('is rejected as %p', (setting, fault) => {
    expect(faultOf(setting)).toContain(`JOB_SCHEDULES: ${fault}`);
  });

  test('overrides schedules; other jobs keep their own', () => {
    const jobs = [
      { name: first, description: '', schedule: '1 1 * * *' },
      { name: 'other', description: '', schedule: '2 2 * * *' },
    ] as unknown as Job[];
    const shown = (setting: string): string[] =>
      [...directoryOf(jobs, parseSchedules(setting)).jobs.values()].map(
        ({ name, schedule, isEnabled }) => `${name} ${schedule} ${isEnabled}`,
      );
    expect(shown('')).toEqual([`${first} 1 1 * * * true`, 'other 2 2 * * * true']);
    expect(shown('off')).toEqual([`${first} 1 1 * * * false`, 'other 2 2 * * * false']);
    expect(shown(`off;${first}=3 3 * * *`)).toEqual([`${first} 3 3 * * * true`, 'other 2 2 * * * false']);
    expect(shown(`${first}=off`)).toEqual([`${first} 1 1 * * * false`, 'other 2 2 * * * true']);
  });
});

test('Every job with a schedule has a known name, a valid pattern, and runs without parameters', async () => {
  const service = await TestService.start();
  try {
    const jobs = service.service.app.get<readonly Job[]>(JOBS);
    const scheduled = jobs.filter(({ schedule }) => schedule !== undefined);
    expect(scheduled.map(({ name }) => name).sort()).toEqual([...JOB_NAMES].sort());
    for (const { schedule = '', parameters } of scheduled) {
      expect(() => new Schedule(schedule)).not.toThrow();
      expect(parameters.safeParse({}).success).toBe(true);
    }
    for (const { description, name } of jobs) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
  } finally {
    await service.close();
  }
});
