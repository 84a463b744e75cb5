import { Inject, Injectable } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../aggregates/job-directory.js';
import { ErrorLogRetentionJob } from './error-log-retention.job.js';
import type { Job } from './job.js';
import { JOB_SCHEDULES, type ScheduleSettings } from './job-schedules.js';
import { Schedule } from './schedule.js';
import { SessionCleanup } from './session-cleanup.job.js';

/** All jobs: readonly Job[]. */
export const JOBS = Symbol('JOBS');

/** Those that read the whole history, wherever they do so: readonly Job[]. */
export const HISTORY_JOBS = Symbol('HISTORY_JOBS');

const classes = [ErrorLogRetentionJob, SessionCleanup];

/** The jobs with their schedules: those of the settings where these speak of them, else their own. */
@Injectable()
export class ScheduledJobs implements JobDirectory {
  readonly jobs: ReadonlyMap<string, JobFacts>;

  constructor(@Inject(JOBS) jobs: readonly Job[], @Inject(JOB_SCHEDULES) settings: ScheduleSettings) {
    this.jobs = new Map(jobs.map((job) => [job.name, factsOf(job, settings)]));
  }
}

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

export const jobProviders = [
  ...classes,
  {
    provide: JOBS,
    useFactory: (history: readonly Job[], ...others: Job[]) => [...history, ...others],
    inject: [HISTORY_JOBS, ...classes],
  },
  { provide: JOB_DIRECTORY, useClass: ScheduledJobs },
];
