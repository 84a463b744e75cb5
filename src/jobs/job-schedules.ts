import { Cron } from 'croner';

const PARTS = /^(?:@[a-z]+|\S+(?: +\S+){4,5})$/;

/** Computes the instants of a cron pattern in UTC. Starts no timers. */
export class Schedule {
  /**
   * @param pattern five parts (minute to day of week), six with leading seconds, or a name such as `@daily`
   * @throws Error if the pattern is invalid or never matches
   */
  constructor(readonly pattern: string) {
    if (!PARTS.test(pattern)) throw new Error('must be a cron pattern of five or six parts, or a name such as @daily');
    if (this.after(0) === undefined) throw new Error('must be a cron pattern that matches at least one instant');
  }

  /** Not kept, because a Cron occupies 80 kB. */
  private get cron(): Cron {
    return new Cron(this.pattern, { timezone: 'UTC' });
  }

  /** Returns the first instant after `ms`, both in milliseconds since 1970. */
  after(ms: number): number | undefined {
    return this.cron.nextRun(new Date(ms))?.getTime();
  }

  /** Returns the last instant up to and including `ms`, both in milliseconds since 1970. */
  upTo(ms: number): number | undefined {
    // Croner excludes the reference instant.
    return this.cron.previousRuns(1, new Date(ms + 1))[0]?.getTime();
  }
}

/** Job names that JOB_SCHEDULES may contain. A test compares this list with the jobs that have a schedule. */
export const JOB_NAMES = [
  'database-backup',
  'error-log-retention',
  'integrity-verify',
  'key-expiry',
  'projection-verify',
  'session-cleanup',
] as const;

/** `off`: only operators start the job. */
type ScheduleSetting = Schedule | 'off';

/** Schedule settings by job name, and the setting for all other jobs. */
export type ScheduleSettings = {
  readonly byName: ReadonlyMap<string, ScheduleSetting>;
  readonly others: 'off' | undefined;
};

/**
 * Parses `name=pattern;name=off`. An `off` entry applies to all jobs that are not named. Error messages do not quote
 * entries.
 * @throws Error with the number of the first invalid entry
 */
export function parseSchedules(text: string): ScheduleSettings {
  const byName = new Map<string, ScheduleSetting>();
  let others: 'off' | undefined;
  const entries = text.split(';').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    if (entry === '') continue;
    if (entry === 'off') others = 'off';
    else {
      const [name, setting] = parseEntry(entry, `entry ${index + 1}`);
      if (byName.has(name)) throw new Error(`entry ${index + 1}: the job ${name} is listed twice`);
      byName.set(name, setting);
    }
  }
  return { byName, others };
}

function parseEntry(entry: string, where: string): readonly [string, ScheduleSetting] {
  const [given = '', ...rest] = entry.split('=');
  const name = JOB_NAMES.find((known) => known === given.trim());
  if (name === undefined)
    throw new Error(`${where}: must begin with the name of a job, one of ${JOB_NAMES.join(', ')}`);
  const pattern = rest.join('=').trim();
  try {
    return [name, pattern === 'off' ? 'off' : new Schedule(pattern)];
  } catch (error) {
    throw new Error(`${where}: ${name} ${(error as Error).message}`, { cause: error });
  }
}
