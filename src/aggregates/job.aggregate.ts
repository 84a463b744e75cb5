import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { Instant } from './fields.js';

export const JobTrigger = z.enum(['SCHEDULE', 'MANUAL']);
export type JobTrigger = z.output<typeof JobTrigger>;
export const JobExecutionStatus = z.enum(['RUNNING', 'SUCCEEDED', 'FAILED']);
export type JobExecutionStatus = z.output<typeof JobExecutionStatus>;

export const Artifact = z.object({ fileName: z.string(), sizeBytes: z.int(), sha256: z.string() });
export type Artifact = z.output<typeof Artifact>;

// Every event contains the whole execution, so a live update needs only a single event.
const Execution = z.object({
  executionId: z.string(),
  trigger: JobTrigger,
  /** The operator, or null for a scheduled run. */
  triggeredBy: z.string().nullable(),
  startedAt: Instant,
});
export type Execution = z.output<typeof Execution>;

const Progress = { progress: z.int().min(0), message: z.string().nullable() };

export const jobEvents = {
  /** The job's new schedule; null disables it. Earlier scheduled times do not count as missed. */
  JobScheduleRecorded: technical(z.object({ pattern: z.string().nullable(), since: Instant })),
  JobStarted: domain(
    'OTHER',
    'job',
    Execution.extend({
      /** The scheduled instant of the run. */
      scheduledFor: Instant.nullable(),
      /** The parameters as requested. The job's schema validates them when it runs. */
      parameters: z.unknown(),
    }),
  ),
  /** A process started the run. `runner` identifies one leadership term; `term` is that of the lease. */
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

/** The state of an execution after an event. */
export type ExecutionLog = {
  readonly id: string;
  readonly status: JobExecutionStatus;
  readonly trigger: JobTrigger;
  readonly triggeredBy: string | null;
  readonly createdAt: string;
  /** Time of the last event about the execution. */
  readonly updatedAt: string;
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

/** `scheduledFor` is the latest scheduled instant for which a run started. `failures` counts all failed runs. */
export type JobState = {
  readonly run: Run | null;
  readonly last: ExecutionLog | null;
  readonly schedule: { readonly pattern: string; readonly since: string } | null;
  readonly scheduledFor: string | null;
  readonly lastSuccessAt: string | null;
  readonly failures: number;
};

const underWay = ({ executionId, ...execution }: Execution, updatedAt = execution.startedAt): ExecutionLog => ({
  id: executionId,
  status: 'RUNNING',
  trigger: execution.trigger,
  triggeredBy: execution.triggeredBy,
  createdAt: execution.startedAt,
  updatedAt,
  startedAt: execution.startedAt,
  ...{ finishedAt: null, durationMs: null, progress: 0, message: null, error: null, artifact: null },
});

const finished = (execution: Execution, finishedAt: string) => ({
  ...underWay(execution, finishedAt),
  finishedAt,
  durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(execution.startedAt)),
});

/** Returns the execution after the event; undefined if the event does not change anything visible. */
export function executionLogOf(event: JobEvent): ExecutionLog | undefined {
  switch (event.type) {
    case 'JobScheduleRecorded':
    case 'JobClaimed':
      return undefined;
    case 'JobStarted':
      return underWay(event.data);
    case 'JobProgressed':
      return { ...underWay(event.data, event.data.at), progress: event.data.progress, message: event.data.message };
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

function tallyAfter(
  { lastSuccessAt, failures }: JobState,
  event: JobEvent,
): Pick<JobState, 'lastSuccessAt' | 'failures'> {
  if (event.type === 'JobSucceeded') return { lastSuccessAt: event.data.finishedAt, failures };
  return { lastSuccessAt, failures: event.type === 'JobFailed' ? failures + 1 : failures };
}

/** A kind of job. All of its runs share one stream, so the expected revision ensures that only one runs at a time. */
export const job: Aggregate<JobState, JobEvent> = {
  name: 'job',
  events: jobEvents,
  initial: { run: null, last: null, schedule: null, scheduledFor: null, lastSuccessAt: null, failures: 0 },
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
    return { ...state, run: runAfter(run, event), last, ...tallyAfter(state, event) };
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

// Must never change, because concurrent schedulers must derive the same run id for an instant.
const SCHEDULED_NAMESPACE = '5b0f9c0e-6a3d-5d0b-8a55-8a1f0d8a4f6e';

export const scheduledExecutionId = (jobName: string, instant: string): string =>
  nameUuid(JSON.stringify([jobName, instant]), SCHEDULED_NAMESPACE);

/** A recorded instant further in the future than this is attributed to a wrong clock and ignored. */
export const MAX_AHEAD_MS = 24 * 3_600_000;

export type JobStart = Omit<Execution, 'startedAt'> & {
  readonly scheduledFor: string | null;
  readonly parameters: unknown;
};

/**
 * Returns `[]` if a run for this scheduled instant, or for a later one, has already started.
 * @throws DomainError conflict JOB_ALREADY_RUNNING
 */
export function startJob(state: JobState, start: JobStart, now: Date): JobEvent[] {
  const { scheduledFor } = start;
  if (scheduledFor !== null && state.scheduledFor !== null && scheduledFor <= state.scheduledFor)
    if (Date.parse(state.scheduledFor) <= now.getTime() + MAX_AHEAD_MS) return [];
  if (state.run) throw conflict('JOB_ALREADY_RUNNING', 'The job is already running.');
  return [{ type: 'JobStarted', data: { ...start, startedAt: now.toISOString() } }];
}

export type Runner = { readonly executionId: string; readonly runner: string };

/** Assigns the run to a runner. Returns `[]` if the job has another run or the run is already claimed. */
export function claimRun(state: JobState, { executionId, runner, term }: Runner & { term: number }, now: Date) {
  if (state.run?.execution.executionId !== executionId || state.run.claim) return [];
  const claim = { ...state.run.execution, runner, term, claimedAt: now.toISOString() };
  return [{ type: 'JobClaimed', data: claim } satisfies JobEvent];
}

export const isHeldBy = ({ run }: JobState, { executionId, runner }: Runner): boolean =>
  run?.execution.executionId === executionId && run.claim?.runner === runner;

/** Returns `[]` if the runner does not hold the run. */
export function reportProgress(
  state: JobState,
  { progress, message, ...runner }: Runner & { progress: number; message: string },
  now: Date,
): JobEvent[] {
  if (!state.run || !isHeldBy(state, runner)) return [];
  const data = { ...state.run.execution, progress, message, at: now.toISOString() };
  return [{ type: 'JobProgressed', data }];
}

/** The outcome of a run. On failure, `progress` and `message` are the last ones reported. */
export type JobEnd =
  | { readonly status: 'SUCCEEDED'; readonly message: string; readonly artifact: Artifact | null }
  | {
      readonly status: 'FAILED';
      readonly error: string;
      readonly progress: number;
      readonly message: string | null;
    };

/** Returns `[]` if the runner does not hold the run, so that a stale process cannot change it. */
export function finishRun(state: JobState, { end, ...runner }: Runner & { end: JobEnd }, now: Date): JobEvent[] {
  if (!state.run || !isHeldBy(state, runner)) return [];
  const { status, ...rest } = end;
  const data = { ...state.run.execution, ...rest, finishedAt: now.toISOString() };
  return [{ type: status === 'SUCCEEDED' ? 'JobSucceeded' : 'JobFailed', data } as JobEvent];
}

/** Marks a run as failed if its process no longer exists. Returns `[]` if the run has ended or was never claimed. */
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

/** Records the job's schedule; returns `[]` if it is unchanged. */
export function recordSchedule(state: JobState, { pattern }: { pattern: string | null }, now: Date): JobEvent[] {
  if ((state.schedule?.pattern ?? null) === pattern) return [];
  return [{ type: 'JobScheduleRecorded', data: { pattern, since: now.toISOString() } }];
}
