import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, data } from '../api/client';
import { jobsQuery, type Job } from '../api/jobs';
import { ConfirmAction } from './confirm-action';

/** Starts a job now, after asking; leads to the run. */
export function TriggerJob({ job }: { job: Job }): ReactNode {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmAction
      act={async () => {
        const result = await data(api.POST('/api/platform/jobs/trigger', { body: { jobName: job.name } }));
        await cache.invalidateQueries({ queryKey: jobsQuery.queryKey });
        return result;
      }}
      buttonProps={{ disabled: job.isRunning }}
      about={job.name}
      icon="play"
      label="Run now"
      onDone={({ executionLogId }) => {
        void navigate({ to: '/jobs/$name', params: { name: job.name }, search: { run: executionLogId } });
      }}
    >
      Run <strong>{job.name}</strong> now, whatever its schedule? {job.description}
    </ConfirmAction>
  );
}
