import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { notificationsQuery, unreadQuery, type Notification } from '../api/notifications';
import type { Shown } from '../api/queries';
import { Choice, FilterBar, useSetter } from '../parts/filter-bar';
import { Notices, ReadAll } from '../parts/notices';
import { PageHeader } from '../parts/page-header';
import { NothingListed, Pages, type PagesProps } from '../parts/pages';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { t } from '../messages/catalogue';

const PAGE_SIZE = 20;
const route = getRouteApi('/signed-in/notifications');

const READ = [
  ['false', t('Unread')],
  ['true', t('Read')],
] as const;

const NOTHING = {
  false: t('You have no unread notifications.'),
  true: t('You have no read notifications.'),
  any: t('There are no notifications yet.'),
} as const;

export function NotificationsPage(): ReactNode {
  const { page = 1, isRead } = route.useSearch();
  const navigate = route.useNavigate();
  const set = useSetter<{ isRead?: 'true' | 'false' }>();
  const { data: unread = 0 } = useQuery(unreadQuery);
  const found = useQuery(
    notificationsQuery({
      pageNumber: page,
      pageSize: PAGE_SIZE,
      ...(isRead !== undefined && { isRead: isRead === 'true' }),
    }),
  );
  return (
    <>
      <PageHeader
        actions={<ReadAll isUseful={unread > 0} />}
        lead={t('Notifications from the service and administrators.')}
        title={t('Notifications')}
      />
      <Panel title={t('All notifications')}>
        <FilterBar>
          <Choice label={t('Status')} onChange={set('isRead')} options={READ} value={isRead} />
        </FilterBar>
        <Found
          isRead={isRead}
          pages={{
            page,
            totalPages: found.data?.totalPages,
            totalCount: found.data?.totalCount,
            totalIsCapped: found.data?.totalIsCapped,
            onPage: (next) => void navigate({ search: { isRead, page: next } }),
          }}
          query={found}
        />
      </Panel>
    </>
  );
}

type FoundProps = {
  readonly query: Shown<{ readonly items: readonly Notification[] }>;
  readonly isRead: 'true' | 'false' | undefined;
  readonly pages: PagesProps;
};

const Found = ({ query: { data, error, isPending, refetch }, isRead, pages }: FoundProps): ReactNode => (
  <>
    {error !== null && <ProblemView error={error} onRetry={refetch} />}
    {isPending && <Skeleton height={160} />}
    {data?.items.length === 0 && <NothingListed pages={pages}>{NOTHING[isRead ?? 'any']}</NothingListed>}
    {data !== undefined && data.items.length > 0 && (
      <>
        <Notices of={data.items} />
        <Pages {...pages} />
      </>
    )}
  </>
);
