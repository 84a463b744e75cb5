import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, data } from '../api/client';
import { DEAD_LETTER_JOBS, type Job } from '../api/jobs';
import { ConfirmAction } from './confirm-action';
import { jobWords } from './job-words';
import { strong } from './strong';
import { rich, t } from '../messages/catalogue';

/** Starts a job after confirmation and opens the run. The event stream delivers the run's state. */
export function TriggerJob({ job }: { job: Job }): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmAction
      act={() => data(api.POST('/api/platform/jobs/trigger', { body: { jobName: job.name } }))}
      buttonProps={{ disabled: job.isRunning }}
      about={job.name}
      icon="play"
      label={t('Run now')}
      unavailable={DEAD_LETTER_JOBS.includes(job.name) ? t('Start this job from the list of dead letters.') : undefined}
      onDone={({ executionLogId }) => {
        void navigate({ to: '/jobs/$name', params: { name: job.name }, search: { run: executionLogId } });
      }}
    >
      {rich('Run <strong>{name}</strong> now, regardless of its schedule? {description}', {
        name: job.name,
        strong,
        description: jobWords(job),
      })}
    </ConfirmAction>
  );
}
