import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { Instant } from './fields.js';
import { type ExecutionLog, executionLogOf } from './job-execution.js';

export const JobTrigger = z.enum(['SCHEDULE', 'MANUAL']);
export type JobTrigger = z.output<typeof JobTrigger>;
export const JobExecutionStatus = z.enum(['RUNNING', 'PAUSED', 'SUCCEEDED', 'FAILED', 'CANCELLED']);
export type JobExecutionStatus = z.output<typeof JobExecutionStatus>;

export const Artifact = z.object({ fileName: z.string(), sizeBytes: z.int(), sha256: z.string() });
export type Artifact = z.output<typeof Artifact>;

// Every event about a run identifies the execution completely, so clients can be updated from that event alone.
const Execution = z.object({
  executionId: z.string(),
  trigger: JobTrigger,
  /** Id of the operator; null for a scheduled run. */
  triggeredBy: z.string().nullable(),
  startedAt: Instant,
});
export type Execution = z.output<typeof Execution>;

const Progress = { progress: z.int().min(0), message: z.string().nullable() };

export const jobEvents = {
  /** The job's new schedule; a null `pattern` removes it. Runs scheduled before `since` do not count as missed. */
  JobScheduleRecorded: technical(z.object({ pattern: z.string().nullable(), since: Instant })),
  JobStarted: domain(
    'OTHER',
    'job',
    Execution.extend({
      /** The instant for which the run was scheduled; null if an operator started it. */
      scheduledFor: Instant.nullable(),
      /** The parameters as requested. They are validated against the job's schema when the job runs. */
      parameters: z.unknown(),
    }),
  ),
  /** A process started the run. `runner` identifies one period of leadership, and `term` is the lease term. */
  JobClaimed: technical(Execution.extend({ runner: z.string(), term: z.int(), claimedAt: Instant })),
  JobProgressed: technical(
    Execution.extend({
      ...Progress,
      at: Instant,
      /** State from which a resumable run continues after a pause or crash. */
      checkpoint: z.exactOptional(z.unknown()),
      /** Set if the run was paused before this progress was recorded. */
      isPaused: z.exactOptional(z.literal(true)),
    }),
  ),
  JobPaused: domain('OTHER', 'job', Execution.extend({ ...Progress, pausedAt: Instant })),
  JobResumed: domain('OTHER', 'job', Execution.extend({ ...Progress, resumedAt: Instant })),
  JobCancelled: domain('OTHER', 'job', Execution.extend({ ...Progress, finishedAt: Instant })),
  JobSucceeded: domain(
    'OTHER',
    'job',
    Execution.extend({ message: z.string(), artifact: Artifact.nullable(), finishedAt: Instant }),
  ),
  JobFailed: domain('OTHER', 'job', Execution.extend({ ...Progress, error: z.string(), finishedAt: Instant })),
};
export type JobEvent = EventOf<typeof jobEvents>;

/** The run in progress. */
export type Run = {
  readonly execution: Execution;
  readonly parameters: unknown;
  readonly claim: { readonly runner: string; readonly term: number } | null;
  readonly progress: number;
  readonly message: string | null;
  readonly isPaused: boolean;
  /** The last recorded checkpoint of a resumable run. */
  readonly checkpoint?: unknown;
};

/** `scheduledFor` is the latest scheduled instant for which a run started. `failures` counts all failed runs. */
export type JobState = {
  /** Revision of the stream. Job streams contain no fences, so it is the number of earlier events. */
  readonly revision: number;
  readonly run: Run | null;
  readonly last: ExecutionLog | null;
  /** The most recent runs started by operators, each in its initial state. */
  readonly manual: readonly ExecutionLog[];
  readonly schedule: { readonly pattern: string; readonly since: string } | null;
  readonly scheduledFor: string | null;
  readonly lastSuccessAt: string | null;
  readonly failures: number;
};

const executionOf = ({ executionId, trigger, triggeredBy, startedAt }: Execution): Execution => ({
  executionId,
  trigger,
  triggeredBy,
  startedAt,
});

const FRESH = { claim: null, progress: 0, message: null, isPaused: false } as const;

function tallyAfter(
  { lastSuccessAt, failures }: JobState,
  event: JobEvent,
): Pick<JobState, 'lastSuccessAt' | 'failures'> {
  if (event.type === 'JobSucceeded') return { lastSuccessAt: event.data.finishedAt, failures };
  return { lastSuccessAt, failures: event.type === 'JobFailed' ? failures + 1 : failures };
}

/** Number of operator-started runs that the state keeps for repeated requests. */
const KEPT_MANUAL = 50;

/** A job. All of its runs share one stream, so the expected revision ensures that only one run is active at a time. */
export const job: Aggregate<JobState, JobEvent> = {
  name: 'job',
  events: jobEvents,
  initial: {
    ...{ revision: -1, run: null, last: null, manual: [] },
    ...{ schedule: null, scheduledFor: null, lastSuccessAt: null, failures: 0 },
  },
  evolve: (state, event) => {
    const begins = event.type === 'JobScheduleRecorded' || event.type === 'JobStarted';
    return begins || state.revision >= 0 ? changed({ ...state, revision: state.revision + 1 }, event) : state;
  },
};

function changed(state: JobState, event: JobEvent): JobState {
  if (event.type === 'JobScheduleRecorded') {
    const { pattern, since } = event.data;
    return { ...state, schedule: pattern === null ? null : { pattern, since } };
  }
  const last = executionLogOf(event, state.revision) ?? state.last;
  if (event.type === 'JobStarted') {
    const { parameters, scheduledFor, trigger } = event.data;
    const run = { execution: executionOf(event.data), parameters, ...FRESH };
    const manual = last && trigger === 'MANUAL' ? [...state.manual, last].slice(-KEPT_MANUAL) : state.manual;
    return { ...state, run, last, manual, scheduledFor: scheduledFor ?? state.scheduledFor };
  }
  const { run } = state;
  if (!run || run.execution.executionId !== event.data.executionId) return state;
  return { ...state, run: runAfter(run, event), last, ...tallyAfter(state, event) };
}

function runAfter(run: Run, event: Exclude<JobEvent, { type: 'JobScheduleRecorded' | 'JobStarted' }>): Run | null {
  switch (event.type) {
    case 'JobClaimed':
      return { ...run, claim: { runner: event.data.runner, term: event.data.term } };
    case 'JobProgressed': {
      const { progress, message, checkpoint = run.checkpoint } = event.data;
      return { ...run, progress, message, checkpoint };
    }
    case 'JobPaused':
      return { ...run, isPaused: true };
    case 'JobResumed':
      return { ...run, isPaused: false, claim: null };
    case 'JobSucceeded':
    case 'JobFailed':
    case 'JobCancelled':
      return null;
  }
}

// Must never change, because concurrent schedulers must derive the same run id for an instant.
const SCHEDULED_NAMESPACE = '5b0f9c0e-6a3d-5d0b-8a55-8a1f0d8a4f6e';

export const scheduledExecutionId = (jobName: string, instant: string): string =>
  nameUuid(JSON.stringify([jobName, instant]), SCHEDULED_NAMESPACE);

/** A recorded instant further in the future than this limit is attributed to a wrong clock and ignored. */
export const MAX_AHEAD_MS = 24 * 3_600_000;

export type JobStart = Omit<Execution, 'startedAt'> & {
  readonly scheduledFor: string | null;
  readonly parameters: unknown;
};

/**
 * Returns `[]` if the run, or a run for this or a later scheduled instant, has already started.
 * @throws DomainError conflict JOB_ALREADY_RUNNING
 */
export function startJob(state: JobState, start: JobStart, now: Date): JobEvent[] {
  const { executionId, scheduledFor } = start;
  if (state.manual.some(({ id }) => id === executionId)) return [];
  if (scheduledFor !== null && state.scheduledFor !== null && scheduledFor <= state.scheduledFor)
    if (Date.parse(state.scheduledFor) <= now.getTime() + MAX_AHEAD_MS) return [];
  if (state.run)
    throw conflict('JOB_ALREADY_RUNNING', 'The job is already running. Wait for the run to end, or cancel it.');
  return [{ type: 'JobStarted', data: { ...start, startedAt: now.toISOString() } }];
}

export type Runner = { readonly executionId: string; readonly runner: string };

/** `instead`: the runner to replace, because its process no longer exists. */
export type ClaimRequest = Runner & { readonly term: number; readonly instead?: string | undefined };

/**
 * Assigns the run to a runner. Returns `[]` if this run is not the job's active run, if it is paused, or if a runner
 * other than `instead` holds its claim.
 */
export function claimRun(state: JobState, { executionId, runner, term, instead }: ClaimRequest, now: Date) {
  if (state.run?.execution.executionId !== executionId || state.run.isPaused) return [];
  if (state.run.claim && state.run.claim.runner !== instead) return [];
  const claim = { ...state.run.execution, runner, term, claimedAt: now.toISOString() };
  return [{ type: 'JobClaimed', data: claim } satisfies JobEvent];
}

export const isHeldBy = ({ run }: JobState, { executionId, runner }: Runner): boolean =>
  run?.execution.executionId === executionId && run.claim?.runner === runner;

export type ProgressReport = { readonly progress: number; readonly message: string; readonly checkpoint?: unknown };

/** Returns `[]` if the run is not assigned to the runner. */
export function reportProgress(
  state: JobState,
  { progress, message, checkpoint, ...runner }: Runner & ProgressReport,
  now: Date,
): JobEvent[] {
  const { run } = state;
  if (!run || !isHeldBy(state, runner)) return [];
  const more = { ...(checkpoint !== undefined && { checkpoint }), ...(run.isPaused && { isPaused: true as const }) };
  return [{ type: 'JobProgressed', data: { ...run.execution, progress, message, at: now.toISOString(), ...more } }];
}

/** The outcome of a run. On failure, `progress` and `message` are the last values reported. */
export type JobEnd =
  | { readonly status: 'SUCCEEDED'; readonly message: string; readonly artifact: Artifact | null }
  | { readonly status: 'FAILED'; readonly error: string; readonly progress: number; readonly message: string | null };

/** Returns `[]` if the run is not assigned to the runner, so that a stale process cannot change the run. */
export function finishRun(state: JobState, { end, ...runner }: Runner & { end: JobEnd }, now: Date): JobEvent[] {
  if (!state.run || !isHeldBy(state, runner)) return [];
  const { status, ...rest } = end;
  const data = { ...state.run.execution, ...rest, finishedAt: now.toISOString() };
  return [{ type: status === 'SUCCEEDED' ? 'JobSucceeded' : 'JobFailed', data } as JobEvent];
}

/** Records the job's schedule. Returns `[]` if it is unchanged. */
export function recordSchedule(state: JobState, { pattern }: { pattern: string | null }, now: Date): JobEvent[] {
  if ((state.schedule?.pattern ?? null) === pattern) return [];
  return [{ type: 'JobScheduleRecorded', data: { pattern, since: now.toISOString() } }];
}
