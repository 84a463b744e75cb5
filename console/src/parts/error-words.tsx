import type { ReactNode } from 'react';
import type { ErrorRecord } from '../api/errors';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';

const LEVELS: Readonly<Record<ErrorRecord['level'], readonly [Tone, string]>> = {
  ERROR: ['bad', t('Error')],
  WARN: ['warning', t('Warning')],
  INFO: ['idle', t('Information')],
};

export const ERROR_LEVELS = Object.entries(LEVELS).map(
  ([level, [, words]]) => [level as ErrorRecord['level'], words] as const,
);

export const ErrorLevel = ({ level }: Pick<ErrorRecord, 'level'>): ReactNode => {
  const [tone, words] = LEVELS[level];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

export const Resolution = ({ resolved }: Pick<ErrorRecord, 'resolved'>): ReactNode =>
  resolved ? (
    <StatusBadge tone="good">{t('Resolved')}</StatusBadge>
  ) : (
    <StatusBadge tone="warning">{t('Open')}</StatusBadge>
  );

/** Returns the origin of an error: a request's route, or background work. */
export const placeOf = ({ method, route, path }: Pick<ErrorRecord, 'method' | 'route' | 'path'>): string =>
  method === null ? t('Background work') : `${method} ${route ?? path ?? ''}`;
