import { Schedule } from './schedule.js';

/** Names of all jobs: what JOB_SCHEDULES may speak of. A test holds it against the jobs that there are. */
export const JOB_NAMES = ['database-backup', 'error-log-retention', 'projection-verify', 'session-cleanup'] as const;

/** `off`: only operators start the job. */
export type ScheduleSetting = Schedule | 'off';

/** What the setting says: of single jobs, and of all the others where it says something of those. */
export type ScheduleSettings = {
  readonly byName: ReadonlyMap<string, ScheduleSetting>;
  readonly others: 'off' | undefined;
};

export const JOB_SCHEDULES = Symbol('JOB_SCHEDULES');

type Entry = { readonly name: string; readonly setting: ScheduleSetting };

/**
 * Reads `name=pattern;name=off`, or `off` for all jobs that are not named; faults are told without the text at fault.
 * @throws Error naming the first entry at fault by its number
 */
export function parseSchedules(text: string): ScheduleSettings {
  const byName = new Map<string, ScheduleSetting>();
  let others: 'off' | undefined;
  const entries = text.split(';').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    if (entry === '') continue;
    if (entry === 'off') others = 'off';
    else {
      const { name, setting } = parseEntry(entry, `entry ${index + 1}`);
      if (byName.has(name)) throw new Error(`entry ${index + 1}: ${name} is named twice`);
      byName.set(name, setting);
    }
  }
  return { byName, others };
}

function parseEntry(entry: string, where: string): Entry {
  const [given = '', ...rest] = entry.split('=');
  const name = JOB_NAMES.find((known) => known === given.trim());
  if (name === undefined) throw new Error(`${where}: must begin with the name of a job: ${JOB_NAMES.join(', ')}`);
  const pattern = rest.join('=').trim();
  if (pattern === 'off') return { name, setting: 'off' };
  try {
    return { name, setting: new Schedule(pattern) };
  } catch (error) {
    throw new Error(`${where}: ${name} ${(error as Error).message}`, { cause: error });
  }
}
