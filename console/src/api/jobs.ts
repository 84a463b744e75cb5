import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, awaitPosition, data, whole, type Shapes } from './client';
import { followEvents, type LiveState } from './server-events';

export type Job = Shapes['JobResponseDto'];
export type Run = Shapes['JobExecutionLogDto'];

export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => data(api.GET('/api/platform/jobs', { signal })),
});

export const runsQuery = (query: { pageNumber: number; pageSize: number; search?: string | undefined }) =>
  queryOptions({
    queryKey: ['job-runs', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/jobs/logs', { params: { query }, signal })),
  });

/** A job as it is after something happened to a run of it. */
function after(job: Job, run: Run): Job {
  if (job.name !== run.jobName) return job;
  return { ...job, isRunning: run.status === 'RUNNING', lastExecution: run };
}

/** Keeps the jobs in the cache at what the service tells of them as it happens. Answers how the connection is. */
export function useLiveJobs(onRun?: (run: Run) => void): LiveState {
  const cache = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    const ending = new AbortController();
    void followEvents('/api/platform/jobs/stream', {
      signal: ending.signal,
      onState: setState,
      onEvent: ({ id, event, data: content }) => {
        // Lists of runs are made from the history, and may be a moment behind.
        awaitPosition(Number(id));
        // An answer that is still under way is older, and would come last.
        void cache.cancelQueries({ queryKey: jobsQuery.queryKey });
        if (event === 'snapshot') cache.setQueryData(jobsQuery.queryKey, content as Job[]);
        if (event !== 'job') return;
        const run = content as Run;
        cache.setQueryData(jobsQuery.queryKey, (jobs) => jobs?.map((job) => after(job, run)));
        if (run.status !== 'RUNNING') void cache.invalidateQueries({ queryKey: ['job-runs'] });
        onRun?.(run);
      },
    });
    return () => {
      ending.abort();
    };
  }, [cache, onRun]);
  return state;
}
