import { Skeleton } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { isOperator, meQuery, useMe } from '../api/me';
import { queryClient } from '../api/queries';
import { PageHeader } from '../parts/page-header';
import { t } from '../messages/catalogue';

const OverviewPage = lazyRouteComponent(() => import('./overview.page'), 'OverviewPage');
const TenantHomePage = lazyRouteComponent(() => import('./tenant-home.page'), 'TenantHomePage');

/** Start page: the overview for operators, or the tenant's home page for its users. */
export function HomePage(): ReactNode {
  const me = useMe();
  if (me === undefined) return null;
  if (isOperator(me) || me.permissions.length > 0)
    return (
      <Suspense fallback={<Skeleton height={200} />}>{isOperator(me) ? <OverviewPage /> : <TenantHomePage />}</Suspense>
    );
  return (
    <PageHeader
      lead={t(
        "Your permissions do not give you access to any console page. Ask one of your tenant's administrators for access.",
      )}
      title={t('No pages available')}
    />
  );
}

/**
 * Called by the router. Preloads the code of both pages. On the first page load, does nothing, so that the start page
 * loads only its own code.
 */
HomePage.preload = async (): Promise<void> => {
  const isFirst = queryClient.getQueryData(meQuery.queryKey) === undefined;
  if (!isFirst) await Promise.all([OverviewPage.preload?.(), TenantHomePage.preload?.()]);
};
