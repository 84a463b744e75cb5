import type { ReactNode } from 'react';
import type { ErrorRecord } from '../api/errors';
import { StatusBadge, type Tone } from './status-badge';

const LEVELS: Readonly<Record<ErrorRecord['level'], readonly [Tone, string]>> = {
  ERROR: ['bad', 'Error'],
  WARN: ['warning', 'Warning'],
  INFO: ['idle', 'Information'],
};

export const ErrorLevel = ({ level }: Pick<ErrorRecord, 'level'>): ReactNode => {
  const [tone, words] = LEVELS[level];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

export const Resolution = ({ resolved }: Pick<ErrorRecord, 'resolved'>): ReactNode =>
  resolved ? <StatusBadge tone="good">Resolved</StatusBadge> : <StatusBadge tone="warning">Open</StatusBadge>;

/** Origin of an error: a request's route, or background work. */
export const placeOf = ({ method, route, path }: Pick<ErrorRecord, 'method' | 'route' | 'path'>): string =>
  method === null ? 'Background work' : `${method} ${route ?? path ?? ''}`;
