import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { Instant } from './fields.js';

export const JobTrigger = z.enum(['SCHEDULE', 'MANUAL']);
export type JobTrigger = z.output<typeof JobTrigger>;
export const JobExecutionStatus = z.enum(['RUNNING', 'SUCCEEDED', 'FAILED']);
export type JobExecutionStatus = z.output<typeof JobExecutionStatus>;

export const Artifact = z.object({ fileName: z.string(), sizeBytes: z.int(), sha256: z.string() });
export type Artifact = z.output<typeof Artifact>;

// Every event tells the whole execution, so that what watchers are shown follows from one event alone.
const Execution = z.object({
  executionId: z.string(),
  trigger: JobTrigger,
  /** The operator; null where the scheduler started it. */
  triggeredBy: z.string().nullable(),
  startedAt: Instant,
});
export type Execution = z.output<typeof Execution>;

const Progress = { progress: z.int().min(0), message: z.string().nullable() };

export const jobEvents = {
  /** The pattern by which this job runs from now on; null: by none. Times before it were not missed. */
  JobScheduleRecorded: technical(z.object({ pattern: z.string().nullable(), since: Instant })),
  JobStarted: domain(
    'OTHER',
    'job',
    Execution.extend({
      /** The instant of the schedule that it was started for. */
      scheduledFor: Instant.nullable(),
      /** As they were given; the job's schema is asked when it runs. */
      parameters: z.unknown(),
    }),
  ),
  /** A process has begun with the run. `runner`: of one term of leading; `term`: the lease's. */
  JobClaimed: technical(Execution.extend({ runner: z.string(), term: z.int(), claimedAt: Instant })),
  JobProgressed: technical(Execution.extend({ ...Progress, at: Instant })),
  JobSucceeded: domain(
    'OTHER',
    'job',
    Execution.extend({ message: z.string(), artifact: Artifact.nullable(), finishedAt: Instant }),
  ),
  JobFailed: domain('OTHER', 'job', Execution.extend({ ...Progress, error: z.string(), finishedAt: Instant })),
};
export type JobEvent = EventOf<typeof jobEvents>;

/** An execution as it stands after an event about it. */
export type ExecutionLog = {
  readonly id: string;
  readonly status: JobExecutionStatus;
  readonly trigger: JobTrigger;
  readonly triggeredBy: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  /** 0–100. */
  readonly progress: number;
  readonly message: string | null;
  readonly error: string | null;
  readonly artifact: Artifact | null;
};

type Run = {
  readonly execution: Execution;
  readonly parameters: unknown;
  readonly claim: { readonly runner: string; readonly term: number } | null;
  readonly progress: number;
  readonly message: string | null;
};

/** `run`: the one that is under way. `scheduledFor`: the last instant of the schedule for which a run was started. */
export type JobState = {
  readonly run: Run | null;
  readonly last: ExecutionLog | null;
  readonly schedule: { readonly pattern: string; readonly since: string } | null;
  readonly scheduledFor: string | null;
};

const underWay = ({ executionId, ...execution }: Execution): ExecutionLog => ({
  id: executionId,
  status: 'RUNNING',
  trigger: execution.trigger,
  triggeredBy: execution.triggeredBy,
  startedAt: execution.startedAt,
  ...{ finishedAt: null, durationMs: null, progress: 0, message: null, error: null, artifact: null },
});

const finished = (execution: Execution, finishedAt: string) => ({
  ...underWay(execution),
  finishedAt,
  durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(execution.startedAt)),
});

/** The execution as the event leaves it; undefined where the event changes nothing that is shown. */
export function executionLogOf(event: JobEvent): ExecutionLog | undefined {
  switch (event.type) {
    case 'JobScheduleRecorded':
    case 'JobClaimed':
      return undefined;
    case 'JobStarted':
      return underWay(event.data);
    case 'JobProgressed':
      return { ...underWay(event.data), progress: event.data.progress, message: event.data.message };
    case 'JobSucceeded': {
      const { message, artifact, finishedAt } = event.data;
      return { ...finished(event.data, finishedAt), status: 'SUCCEEDED', progress: 100, message, artifact };
    }
    case 'JobFailed': {
      const { message, progress, error, finishedAt } = event.data;
      return { ...finished(event.data, finishedAt), status: 'FAILED', progress, message, error };
    }
  }
}

const executionOf = ({ executionId, trigger, triggeredBy, startedAt }: Execution): Execution => ({
  executionId,
  trigger,
  triggeredBy,
  startedAt,
});

/** One kind of work. All its runs are on one stream, so that its exact revision decides that there is one at a time. */
export const job: Aggregate<JobState, JobEvent> = {
  name: 'job',
  events: jobEvents,
  initial: { run: null, last: null, schedule: null, scheduledFor: null },
  evolve: (state, event) => {
    if (event.type === 'JobScheduleRecorded') {
      const { pattern, since } = event.data;
      return { ...state, schedule: pattern === null ? null : { pattern, since } };
    }
    const last = executionLogOf(event) ?? state.last;
    if (event.type === 'JobStarted') {
      const { parameters, scheduledFor } = event.data;
      const run = { execution: executionOf(event.data), parameters, claim: null, progress: 0, message: null };
      return { ...state, run, last, scheduledFor: scheduledFor ?? state.scheduledFor };
    }
    const { run } = state;
    if (!run || run.execution.executionId !== event.data.executionId) return state;
    return { ...state, run: runAfter(run, event), last };
  },
};

function runAfter(run: Run, event: Exclude<JobEvent, { type: 'JobScheduleRecorded' | 'JobStarted' }>): Run | null {
  switch (event.type) {
    case 'JobClaimed':
      return { ...run, claim: { runner: event.data.runner, term: event.data.term } };
    case 'JobProgressed':
      return { ...run, progress: event.data.progress, message: event.data.message };
    case 'JobSucceeded':
    case 'JobFailed':
      return null;
  }
}

// Fixed for ever: two schedulers at once start the same run for the same instant.
const SCHEDULED_NAMESPACE = '5b0f9c0e-6a3d-5d0b-8a55-8a1f0d8a4f6e';

/** Id of the run that a job's schedule asks for at an instant. */
export const scheduledExecutionId = (jobName: string, instant: string): string =>
  nameUuid(JSON.stringify([jobName, instant]), SCHEDULED_NAMESPACE);

/** A recorded instant that lies further ahead than this comes from a clock that was wrong: it is not waited for. */
export const MAX_AHEAD_MS = 24 * 3_600_000;

export type JobStart = Omit<Execution, 'startedAt'> & {
  readonly scheduledFor: string | null;
  readonly parameters: unknown;
};

/**
 * `[]` where a run was started for this instant of the schedule, or for a later one, already.
 * @throws DomainError conflict JOB_ALREADY_RUNNING
 */
export function startJob(state: JobState, start: JobStart, now: Date): JobEvent[] {
  const { scheduledFor } = start;
  if (scheduledFor !== null && state.scheduledFor !== null && scheduledFor <= state.scheduledFor)
    if (Date.parse(state.scheduledFor) <= now.getTime() + MAX_AHEAD_MS) return [];
  if (state.run) throw conflict('JOB_ALREADY_RUNNING', 'The job is running.');
  return [{ type: 'JobStarted', data: { ...start, startedAt: now.toISOString() } }];
}

/** Who does something about a run. */
export type Runner = { readonly executionId: string; readonly runner: string };

/** `[]` where the run is over, or some process has it already. */
export function claimRun(state: JobState, { executionId, runner, term }: Runner & { term: number }, now: Date) {
  if (state.run?.execution.executionId !== executionId || state.run.claim) return [];
  const claim = { ...state.run.execution, runner, term, claimedAt: now.toISOString() };
  return [{ type: 'JobClaimed', data: claim } satisfies JobEvent];
}

/** Whether the run is under way in the hands of this runner. */
export const isHeldBy = ({ run }: JobState, { executionId, runner }: Runner): boolean =>
  run?.execution.executionId === executionId && run.claim?.runner === runner;

/** `[]` where the run is not the runner's (any more). */
export function reportProgress(
  state: JobState,
  { progress, message, ...runner }: Runner & { progress: number; message: string },
  now: Date,
): JobEvent[] {
  if (!state.run || !isHeldBy(state, runner)) return [];
  const data = { ...state.run.execution, progress, message, at: now.toISOString() };
  return [{ type: 'JobProgressed', data }];
}

/** How a run ended. `progress` and `message` of a failure: how far it had come. */
export type JobEnd =
  | { readonly status: 'SUCCEEDED'; readonly message: string; readonly artifact: Artifact | null }
  | {
      readonly status: 'FAILED';
      readonly error: string;
      readonly progress: number;
      readonly message: string | null;
    };

/** `[]` where the run is not the runner's (any more): what a stale process has done changes nothing. */
export function finishRun(state: JobState, { end, ...runner }: Runner & { end: JobEnd }, now: Date): JobEvent[] {
  if (!state.run || !isHeldBy(state, runner)) return [];
  const { status, ...rest } = end;
  const data = { ...state.run.execution, ...rest, finishedAt: now.toISOString() };
  return [{ type: status === 'SUCCEEDED' ? 'JobSucceeded' : 'JobFailed', data } as JobEvent];
}

/** Ends a run whose process is gone. `[]` where it is over, or nobody had begun with it. */
export function abandonRun(
  state: JobState,
  { executionId, error }: { executionId: string; error: string },
  now: Date,
): JobEvent[] {
  const { run } = state;
  if (run?.execution.executionId !== executionId || !run.claim) return [];
  const { execution, progress, message } = run;
  return [{ type: 'JobFailed', data: { ...execution, progress, message, error, finishedAt: now.toISOString() } }];
}

/** From now on the job runs by this pattern; `[]` where it does already. */
export function recordSchedule(state: JobState, { pattern }: { pattern: string | null }, now: Date): JobEvent[] {
  if ((state.schedule?.pattern ?? null) === pattern) return [];
  return [{ type: 'JobScheduleRecorded', data: { pattern, since: now.toISOString() } }];
}
