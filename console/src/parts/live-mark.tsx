import type { ReactNode } from 'react';
import type { LiveState } from '../api/server-events';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

/** State of the live connection. */
export const LiveMark = ({ state }: { state: LiveState }): ReactNode => (
  <span aria-live="polite" className="k-live" role="status">
    {state === 'live' && <StatusBadge tone="good">{t('Live')}</StatusBadge>}
    {state === 'connecting' && <StatusBadge tone="busy">{t('Connecting')}</StatusBadge>}
    {state === 'waiting' && <StatusBadge tone="warning">{t('Connection lost. Reconnecting…')}</StatusBadge>}
  </span>
);
