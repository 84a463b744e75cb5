import type { ReactNode } from 'react';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

/** Shows whether a record is active. */
export const ActiveStatus = ({ isActive }: { readonly isActive: boolean }): ReactNode =>
  isActive ? (
    <StatusBadge tone="good">{t('Active')}</StatusBadge>
  ) : (
    <StatusBadge tone="idle">{t('Inactive')}</StatusBadge>
  );
