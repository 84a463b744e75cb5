import type { z } from 'zod';
import type { ProgressReport } from '../aggregates/job.aggregate.js';
import type { Aggregate, Decision, DomainEvent } from '../eventsourcing/aggregate.js';
import type { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import type { EventReader } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock, Ids } from '../ports/time.js';
import type { ReadModels } from '../queries/query.js';

/** One run of a job, as passed to the job. */
export type JobRun<Parameters = unknown> = {
  /** Execution id, which is also used to name artifacts. */
  readonly executionId: string;
  /** Validated against the job's schema. */
  readonly parameters: Parameters;
  /** Aborts when the run must end early, for example because the process stops or loses its lease. */
  readonly signal: AbortSignal;
  /** Reports progress from 0 to 100. May be called as often as necessary, because not every report is recorded. */
  readonly report: (progress: number, message: string) => void;
  /** The last checkpoint of the run; undefined if the run has not saved one yet. */
  readonly checkpoint: unknown;
  /** Records progress immediately, with the checkpoint from which the run continues after a pause or a crash. */
  readonly save: (report: ProgressReport) => Promise<void>;
};

/** A file produced by a run. */
export type JobArtifact = {
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Digest of the whole file, in hexadecimal. */
  readonly sha256: string;
};

export type JobOutcome = {
  /** The result as a sentence for operators. */
  readonly message: string;
  readonly artifact?: JobArtifact;
};

/** Injection token for all jobs (`readonly Job[]`). */
export const JOBS = Symbol('JOBS');

/** Work started by operators or by the scheduler. A job has at most one run at a time across all replicas. */
export interface Job {
  /** Lower-case name with hyphens. Must never change. */
  readonly name: string;
  readonly description: string;
  /** Default cron pattern, in UTC. JOB_SCHEDULES may override it. A job without a pattern runs only on request. */
  readonly schedule?: string;
  /**
   * Schema of TriggerJobDto's `parameters`. Must accept `{}` if there is a schedule, because scheduled runs have no
   * parameters.
   */
  readonly parameters: z.ZodType;
  /** Whether a run can continue from its last checkpoint after a pause or a crash. */
  readonly isResumable?: true;
  /** @throws Error with a message for operators */
  run(run: JobRun): Promise<JobOutcome>;
}

/** Dependencies of jobs that change records. */
export type JobParts = {
  readonly runner: CommandRunner;
  readonly models: ReadModels;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Executes a decision on behalf of a job. Returns whether the decision changed the record. */
export async function changeAs<State, Event extends DomainEvent, Data>(
  { runner, ids }: JobParts,
  { name, executionId }: { readonly name: string; readonly executionId: string },
  aggregate: Aggregate<State, Event>,
  target: { readonly tenantId: string; readonly id: string },
  data: Data,
  decide: Decision<State, Data, Event>,
): Promise<boolean> {
  const own = { tenantId: target.tenantId, name, requestId: executionId, commandId: ids.next() };
  const { events } = await asService(own, () => runner.execute(aggregate, target, data, decide));
  return events.length > 0;
}

export type TaskControl = Pick<JobRun, 'signal' | 'report'>;

/** Runs a task in a thread where it does not delay requests. @throws Error with a message for operators */
export type HistoryWork<Task> = (task: Task, control: TaskControl) => Promise<JobOutcome>;

/** Dependencies of a task, in whichever thread it runs. */
export type TaskParts = {
  readonly events: EventReader;
  readonly reads: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  /** Whether the thread also serves requests. If so, the task works in small steps. */
  readonly sharesThread: boolean;
};
