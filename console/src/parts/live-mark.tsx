import type { ReactNode } from 'react';
import type { LiveState } from '../api/server-events';
import { StatusBadge } from './status-badge';

/** State of the live connection. */
export const LiveMark = ({ state }: { state: LiveState }): ReactNode => (
  <span aria-live="polite" className="k-live" role="status">
    {state === 'live' && <StatusBadge tone="good">Live</StatusBadge>}
    {state === 'connecting' && <StatusBadge tone="busy">Connecting</StatusBadge>}
    {state === 'waiting' && <StatusBadge tone="warning">Connection lost. Reconnecting…</StatusBadge>}
  </span>
);
