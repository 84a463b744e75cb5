import type { ReactNode } from 'react';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

/** Shows whether a tenant's users and partners have access. */
export const TenantStatus = ({ isActive }: { isActive: boolean }): ReactNode =>
  isActive ? (
    <StatusBadge tone="good">{t('Active')}</StatusBadge>
  ) : (
    <StatusBadge tone="warning">{t('Suspended')}</StatusBadge>
  );
