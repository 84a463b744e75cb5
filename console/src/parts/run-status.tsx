import type { ReactNode } from 'react';
import type { Run } from '../api/jobs';
import { StatusBadge } from './status-badge';

export const RunStatus = ({ run }: { run: Pick<Run, 'status' | 'progress'> }): ReactNode => {
  if (run.status === 'RUNNING') return <StatusBadge tone="busy">Running, {run.progress} %</StatusBadge>;
  if (run.status === 'PAUSED') return <StatusBadge tone="warning">Paused at {run.progress} %</StatusBadge>;
  if (run.status === 'CANCELLED') return <StatusBadge tone="idle">Cancelled</StatusBadge>;
  if (run.status === 'FAILED') return <StatusBadge tone="bad">Failed</StatusBadge>;
  return <StatusBadge tone="good">Succeeded</StatusBadge>;
};
