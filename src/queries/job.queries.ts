import { answers, query } from '../eventsourcing/handler.js';
import { JOB_DIRECTORY, type JobFacts } from './job-directory.js';
import { job, type ExecutionLog, type JobState } from '../aggregates/job.aggregate.js';
import { BackupArchive } from '../backup/backup-archive.js';
import { listFrom, ReadModels } from './query.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK } from '../ports/time.js';
import { jobExecutions, type JobExecutionView } from '../projections/job-execution.projection.js';

export type JobRecord = {
  readonly name: string;
  readonly description: string;
  readonly schedule: string;
  readonly isEnabled: boolean;
  readonly isRunning: boolean;
  readonly nextRunAt: string | null;
  readonly lastExecution: JobExecutionView | null;
};

export class ListJobs extends query<readonly JobRecord[]>() {}
export class ListJobExecutions extends listFrom(jobExecutions) {}

/** A run as returned by the API. */
export const executionViewOf = (jobName: string, log: ExecutionLog): JobExecutionView => ({ ...log, jobName });

/** The job's state at `nowMs`, in milliseconds since 1970. */
export function jobRecordOf(facts: JobFacts, { run, last }: JobState, nowMs: number): JobRecord {
  const { name, description, schedule, isEnabled } = facts;
  const nextMs = isEnabled ? facts.nextAfter(nowMs) : undefined;
  return {
    ...{ name, description, schedule, isEnabled },
    isRunning: run !== null,
    nextRunAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    lastExecution: last && executionViewOf(name, last),
  };
}

export const jobQueryHandlers = [
  // Read from the jobs' streams, so that it is exact on every replica.
  answers(ListJobs, [JOB_DIRECTORY, RecordReader, CLOCK], (directory, reader, clock) =>
    Promise.all(
      [...directory.jobs.values()].map(async (facts) => {
        const { state } = await reader.read(job, PLATFORM_TENANT, facts.name);
        return jobRecordOf(facts, state, clock.nowMs());
      }),
    ),
  ),
  // Omits artifacts that were removed: newer backups replace older ones.
  answers(ListJobExecutions, [ReadModels, BackupArchive], async (models, archive, scope, request) => {
    const [page, isGone] = await Promise.all([models.list(jobExecutions, scope, request), archive.gone()]);
    const items = page.items.map((run) =>
      run.artifact && isGone(run.artifact.fileName) ? { ...run, artifact: null } : run,
    );
    return { ...page, items };
  }),
];
