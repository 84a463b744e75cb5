import type { ReactNode } from 'react';
import { isOperator, useMe } from '../api/me';
import { PageHeader } from '../parts/page-header';
import { OverviewPage } from './overview.page';
import { TenantHomePage } from './tenant-home.page';
import { t } from '../messages/catalogue';

/** Start page: the overview for operators, the tenant's home page for its users. */
export function HomePage(): ReactNode {
  const me = useMe();
  if (me === undefined) return null;
  if (isOperator(me)) return <OverviewPage />;
  if (me.permissions.length > 0) return <TenantHomePage />;
  return (
    <PageHeader
      lead={t(
        'Your permissions do not give you access to any page of this console. Ask an administrator of your tenant for access.',
      )}
      title={t('No pages available')}
    />
  );
}
