import type { ReactNode } from 'react';
import type { Customer } from '../api/books';
import { ActiveStatus } from './active-status';
import { t } from '../messages/catalogue';

export const CUSTOMER_STATUSES = [
  ['ACTIVE', t('Active')],
  ['PASSIVE', t('Inactive')],
] as const;

/** Shows whether a customer is active. Inactive customers cannot be used in new transactions. */
export const CustomerStatus = ({ status }: Pick<Customer, 'status'>): ReactNode => (
  <ActiveStatus isActive={status === 'ACTIVE'} />
);
