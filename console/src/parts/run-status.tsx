import type { ReactNode } from 'react';
import type { Run } from '../api/jobs';
import { percent } from './figures';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

export const RunStatus = ({ run }: { run: Pick<Run, 'status' | 'progress'> }): ReactNode => {
  if (run.status === 'RUNNING')
    return <StatusBadge tone="busy">{t('Running, {progress}', { progress: percent(run.progress) })}</StatusBadge>;
  if (run.status === 'PAUSED')
    return <StatusBadge tone="warning">{t('Paused at {progress}', { progress: percent(run.progress) })}</StatusBadge>;
  if (run.status === 'CANCELLED') return <StatusBadge tone="idle">{t('run| Cancelled')}</StatusBadge>;
  if (run.status === 'FAILED') return <StatusBadge tone="bad">{t('Failed')}</StatusBadge>;
  return <StatusBadge tone="good">{t('Succeeded')}</StatusBadge>;
};
