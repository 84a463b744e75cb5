import type { Provider } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../queries/operation.queries.js';
import { errorLogRetention } from './error-log-retention.job.js';
import { JobLeader } from './job-leader.js';
import { parseSchedules, Schedule, type ScheduleSettings } from './job-schedules.js';
import { JOBS, type Job, type JobParts } from './job.js';
import { sessionCleanup } from './session-cleanup.job.js';

/**
 * `schedules`: the setting JOB_SCHEDULES. `historyJobs`: the jobs that read the whole history, regardless of their
 * thread.
 */
export function jobProviders(parts: JobParts, historyJobs: readonly Job[], schedules = ''): Provider[] {
  const jobs = [...historyJobs, errorLogRetention(parts), sessionCleanup(parts)];
  return [
    { provide: JOBS, useValue: jobs },
    { provide: JOB_DIRECTORY, useValue: directoryOf(jobs, parseSchedules(schedules)) },
    JobLeader,
  ];
}

/** The jobs with their effective schedules. */
export const directoryOf = (jobs: readonly Job[], settings: ScheduleSettings): JobDirectory => ({
  jobs: new Map(jobs.map((job) => [job.name, factsOf(job, settings)])),
});

function factsOf({ name, description, parameters, schedule: own }: Job, settings: ScheduleSettings): JobFacts {
  const setting = settings.byName.get(name) ?? settings.others ?? new Schedule(own);
  const schedule = setting === 'off' ? new Schedule(own) : setting;
  return {
    ...{ name, description, parameters },
    schedule: schedule.pattern,
    isEnabled: setting !== 'off',
    nextAfter: (ms) => schedule.after(ms),
    lastUpTo: (ms) => schedule.upTo(ms),
  };
}
