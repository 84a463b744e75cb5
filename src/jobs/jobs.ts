import type { Provider } from '@nestjs/common';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../queries/operation.queries.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { EVENT_STORE } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { CaughtUp } from '../queries/caught-up.js';
import { DEAD_LETTER_REPLAYER } from '../queries/dead-letter.queries.js';
import { type BulkParts, deadLetterJobs } from './dead-letter-bulk.job.js';
import { errorLogRetention } from './error-log-retention.job.js';
import { JobLeader } from './job-leader.js';
import { parseSchedules, Schedule, type ScheduleSettings } from './job-schedules.js';
import { JOBS, type Job, type JobParts } from './job.js';
import { keyExpiry } from './key-expiry.job.js';
import { sessionCleanup } from './session-cleanup.job.js';

/**
 * `schedules`: the JOB_SCHEDULES setting. `historyJobs`: the jobs that read the whole history, regardless of the thread
 * in which they run.
 */
export function jobProviders(
  parts: JobParts & { readonly logger: Logger },
  historyJobs: readonly Job[],
  schedules = '',
): Provider[] {
  return [
    {
      provide: JOBS,
      useFactory: (...[events, reader, replayer, caughtUp]: ProvidedToBulk) => [
        ...historyJobs,
        errorLogRetention(parts),
        keyExpiry(parts),
        sessionCleanup(parts),
        ...deadLetterJobs({ ...parts, events, reader, replayer, caughtUp }),
      ],
      inject: [EVENT_STORE, RecordReader, DEAD_LETTER_REPLAYER, CaughtUp],
    },
    {
      provide: JOB_DIRECTORY,
      useFactory: (jobs: readonly Job[]) => directoryOf(jobs, parseSchedules(schedules)),
      inject: [JOBS],
    },
    JobLeader,
  ];
}

type ProvidedToBulk = readonly [BulkParts['events'], BulkParts['reader'], BulkParts['replayer'], BulkParts['caughtUp']];

/** Returns the jobs with their effective schedules. */
export const directoryOf = (jobs: readonly Job[], settings: ScheduleSettings): JobDirectory => ({
  jobs: new Map(jobs.map((job) => [job.name, factsOf(job, settings)])),
});

function factsOf(
  { name, description, parameters, schedule: own, isResumable }: Job,
  settings: ScheduleSettings,
): JobFacts {
  const facts = { name, description, parameters, canPause: isResumable === true };
  if (own === undefined)
    return { ...facts, schedule: '', isEnabled: false, nextAfter: () => undefined, lastUpTo: () => undefined };
  const setting = settings.byName.get(name) ?? settings.others ?? new Schedule(own);
  const schedule = setting === 'off' ? new Schedule(own) : setting;
  return {
    ...facts,
    schedule: schedule.pattern,
    isEnabled: setting !== 'off',
    nextAfter: (ms) => schedule.after(ms),
    lastUpTo: (ms) => schedule.upTo(ms),
  };
}
