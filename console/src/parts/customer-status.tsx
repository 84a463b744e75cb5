import type { ReactNode } from 'react';
import type { Customer } from '../api/books';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

/** Inactive customers cannot be used in new transactions. */
export const CustomerStatus = ({ status }: Pick<Customer, 'status'>): ReactNode =>
  status === 'ACTIVE' ? (
    <StatusBadge tone="good">{t('Active')}</StatusBadge>
  ) : (
    <StatusBadge tone="idle">{t('Inactive')}</StatusBadge>
  );
