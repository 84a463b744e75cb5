import type { ReactNode } from 'react';
import { StatusBadge } from './status-badge';

/** Whether a tenant's users and partners have access. */
export const TenantStatus = ({ isActive }: { isActive: boolean }): ReactNode =>
  isActive ? <StatusBadge tone="good">Active</StatusBadge> : <StatusBadge tone="warning">Suspended</StatusBadge>;
