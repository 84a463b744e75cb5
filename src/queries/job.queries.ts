import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { JOB_DIRECTORY, type JobDirectory, type JobFacts } from '../aggregates/job-directory.js';
import { job, type ExecutionLog, type JobState } from '../aggregates/job.aggregate.js';
import { listFrom, listsFrom } from '../platform/query.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';
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

export class ListJobs extends Query<readonly JobRecord[]> {}
export class ListJobExecutions extends listFrom(jobExecutions) {}

/** A run as it is shown. */
export const executionViewOf = (jobName: string, log: ExecutionLog): JobExecutionView => ({ ...log, jobName });

/** A job as it is at `nowMs`, milliseconds since 1970. */
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

/** From the jobs' streams, so that it is exact on every replica. */
@QueryHandler(ListJobs)
export class ListJobsHandler implements IQueryHandler<ListJobs> {
  constructor(
    @Inject(JOB_DIRECTORY) private readonly directory: JobDirectory,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(): Promise<readonly JobRecord[]> {
    return Promise.all(
      [...this.directory.jobs.values()].map(async (facts) => {
        const { state } = await this.reader.read(job, PLATFORM_TENANT, facts.name);
        return jobRecordOf(facts, state, this.clock.nowMs());
      }),
    );
  }
}

export const jobQueryHandlers = [ListJobsHandler, listsFrom(ListJobExecutions)];
