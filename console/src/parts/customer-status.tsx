import type { ReactNode } from 'react';
import type { Customer } from '../api/books';
import { ActiveStatus } from './active-status';

/** Shows whether a customer is active. Inactive customers cannot be used in new transactions. */
export const CustomerStatus = ({ status }: Pick<Customer, 'status'>): ReactNode => (
  <ActiveStatus isActive={status === 'ACTIVE'} />
);
