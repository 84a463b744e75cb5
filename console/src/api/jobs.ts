import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { askAgain } from './ask-again';
import { api, awaitPosition, data, whole, type Shapes } from './client';
import { followEvents, type LiveState } from './server-events';

export type Job = Shapes['JobResponseDto'];
export type Run = Shapes['JobExecutionLogDto'];

export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => data(api.GET('/api/platform/jobs', { signal })),
});

/** Jobs on the dead letters that match a filter. Only their runs can be paused, resumed and cancelled. */
export const DEAD_LETTER_JOBS: readonly string[] = ['dead-letter-replay', 'dead-letter-discard'];

export const runsQuery = (query: { pageNumber: number; pageSize: number; search?: string | undefined }) =>
  queryOptions({
    queryKey: ['job-runs', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/jobs/logs', { params: { query }, signal })),
  });

/** Returns the job. If the run belongs to the job, updates the job with the run's state. */
function after(job: Job, run: Run): Job {
  if (job.name !== run.jobName) return job;
  return { ...job, isRunning: run.status === 'RUNNING', lastExecution: run };
}

/**
 * Updates the cached jobs from the service's event stream. `onRun` receives each job's latest run when the stream
 * connects, and then every change to a run. Returns the state of the connection.
 */
export function useLiveJobs(onRun?: (run: Run) => void): LiveState {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    const ending = new AbortController();
    void followEvents('/api/platform/jobs/stream', {
      signal: ending.signal,
      onState: setState,
      onEvent: ({ id, event, data: content }) => {
        // The run lists are projected from the history, and may lag behind it.
        awaitPosition(Number(id));
        // A response that is still in flight contains older data and would overwrite this update.
        void cache.cancelQueries({ queryKey: jobsQuery.queryKey });
        if (event === 'snapshot') {
          const jobs = content as Job[];
          cache.setQueryData(jobsQuery.queryKey, jobs);
          // Runs may have started and ended since the run lists were requested.
          askAgain(cache, ['job-runs']);
          for (const { lastExecution } of jobs) if (lastExecution) onRun?.(lastExecution);
        }
        if (event !== 'job') return;
        const run = content as Run;
        cache.setQueryData(jobsQuery.queryKey, (jobs) => jobs?.map((job) => after(job, run)));
        if (run.status !== 'RUNNING') askAgain(cache, ['job-runs']);
        onRun?.(run);
      },
    });
    return () => {
      ending.abort();
    };
  }, [cache, onRun]);
  return state;
}
