import type { Artifact, Execution, JobEvent, JobExecutionStatus, JobTrigger, Run } from './job.aggregate.js';

/** The state of an execution after an event. */
export type ExecutionLog = {
  readonly id: string;
  /** Revision of the event in the job's stream. */
  readonly revision: number;
  readonly status: JobExecutionStatus;
  readonly trigger: JobTrigger;
  readonly triggeredBy: string | null;
  readonly createdAt: string;
  /** Time of the last event about the execution. */
  readonly updatedAt: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  /** Percentage, from 0 to 100. */
  readonly progress: number;
  readonly message: string | null;
  readonly error: string | null;
  readonly artifact: Artifact | null;
};

type Log = Omit<ExecutionLog, 'revision'>;

const underWay = ({ executionId, ...execution }: Execution, updatedAt = execution.startedAt): Log => ({
  id: executionId,
  status: 'RUNNING',
  trigger: execution.trigger,
  triggeredBy: execution.triggeredBy,
  createdAt: execution.startedAt,
  updatedAt,
  startedAt: execution.startedAt,
  ...{ finishedAt: null, durationMs: null, progress: 0, message: null, error: null, artifact: null },
});

type Stage = Execution & Pick<Run, 'progress' | 'message'> & { readonly isPaused?: boolean };

const atProgress = ({ progress, message, isPaused = false, ...execution }: Stage, at: string): Log => ({
  ...underWay(execution, at),
  ...{ status: isPaused ? 'PAUSED' : 'RUNNING', progress, message },
});

const finished = (execution: Execution, finishedAt: string) => ({
  ...underWay(execution, finishedAt),
  finishedAt,
  durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(execution.startedAt)),
});

/**
 * Returns the execution after the event; undefined if the event changes no field of an execution. `revision`: the
 * event's revision in the job's stream.
 */
export function executionLogOf(event: JobEvent, revision: number): ExecutionLog | undefined {
  const log = logOf(event);
  return log && { ...log, revision };
}

function logOf(event: JobEvent): Log | undefined {
  switch (event.type) {
    case 'JobScheduleRecorded':
    case 'JobClaimed':
      return undefined;
    case 'JobStarted':
      return underWay(event.data);
    case 'JobProgressed':
      return atProgress(event.data, event.data.at);
    case 'JobPaused':
      return atProgress({ ...event.data, isPaused: true }, event.data.pausedAt);
    case 'JobResumed':
      return atProgress(event.data, event.data.resumedAt);
    case 'JobCancelled': {
      const { message, progress, finishedAt } = event.data;
      return { ...finished(event.data, finishedAt), status: 'CANCELLED', progress, message };
    }
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
