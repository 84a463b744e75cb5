import { conflict } from '../eventsourcing/domain-error.js';
import type { JobEvent, JobState, Run } from './job.aggregate.js';

/** The run to which an operator's request refers. `canPause`: whether the job's runs are resumable. */
export type RunRequest = { readonly executionId: string; readonly canPause: boolean };

/** @throws DomainError conflict JOB_ALREADY_FINISHED */
function runningOf({ run }: JobState, executionId: string): Run {
  if (run?.execution.executionId !== executionId)
    throw conflict('JOB_ALREADY_FINISHED', 'The run has already ended. Start a new run instead.');
  return run;
}

const stageOf = ({ execution, progress, message }: Run) => ({ ...execution, progress, message });

/** @throws DomainError conflict JOB_ALREADY_FINISHED, JOB_CANNOT_PAUSE or JOB_ALREADY_PAUSED */
export function pauseRun(state: JobState, { executionId, canPause }: RunRequest, now: Date): JobEvent[] {
  const run = runningOf(state, executionId);
  if (!canPause) throw conflict('JOB_CANNOT_PAUSE', 'Runs of this job cannot be paused. Cancel the run instead.');
  if (run.isPaused) throw conflict('JOB_ALREADY_PAUSED', 'The run is already paused. Resume or cancel it.');
  return [{ type: 'JobPaused', data: { ...stageOf(run), pausedAt: now.toISOString() } }];
}

/** @throws DomainError conflict JOB_ALREADY_FINISHED or JOB_NOT_PAUSED */
export function resumeRun(state: JobState, { executionId }: RunRequest, now: Date): JobEvent[] {
  const run = runningOf(state, executionId);
  if (!run.isPaused) throw conflict('JOB_NOT_PAUSED', 'The run is not paused.');
  return [{ type: 'JobResumed', data: { ...stageOf(run), resumedAt: now.toISOString() } }];
}

/** @throws DomainError conflict JOB_ALREADY_FINISHED */
export function cancelRun(state: JobState, { executionId }: RunRequest, now: Date): JobEvent[] {
  const run = runningOf(state, executionId);
  return [{ type: 'JobCancelled', data: { ...stageOf(run), finishedAt: now.toISOString() } }];
}

/**
 * Marks a run as failed, because its process no longer exists. Returns `[]` if the run has ended or was never claimed.
 */
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
