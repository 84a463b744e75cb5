import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { DEAD_LETTER_JOBS, jobsQuery, type Run } from '../api/jobs';
import { ConfirmAction } from './confirm-action';
import { t } from '../messages/catalogue';

/** Buttons that pause, resume or cancel a run, if its job supports these actions. */
export function RunActions({ run: { id, jobName, status } }: { run: Run }): ReactNode {
  const cache = useQueryClient();
  const isOpen = status === 'RUNNING' || status === 'PAUSED';
  if (!isOpen || !DEAD_LETTER_JOBS.includes(jobName)) return null;
  const onDone = (): void => {
    askAgain(cache, jobsQuery.queryKey);
    askAgain(cache, ['job-runs']);
  };
  const path = { params: { path: { executionLogId: id } } };
  return (
    <>
      {status === 'RUNNING' ? (
        <ConfirmAction
          act={() => data(api.POST('/api/platform/jobs/execution/{executionLogId}/pause', path))}
          icon="pause"
          key="pause"
          label={t('Pause')}
          onDone={onDone}
        >
          {t('Pause this run? When you resume it, it continues where it stopped.')}
        </ConfirmAction>
      ) : (
        <ConfirmAction
          act={() => data(api.POST('/api/platform/jobs/execution/{executionLogId}/resume', path))}
          icon="play"
          key="resume"
          label={t('Resume')}
          onDone={onDone}
        >
          {t('Resume this run where it stopped?')}
        </ConfirmAction>
      )}
      <ConfirmAction
        act={() => data(api.POST('/api/platform/jobs/execution/{executionLogId}/cancel', path))}
        icon="close"
        isDangerous
        label={t('Cancel run')}
        onDone={onDone}
      >
        {t('Cancel this run? Changes that it has already made are kept.')}
      </ConfirmAction>
    </>
  );
}
