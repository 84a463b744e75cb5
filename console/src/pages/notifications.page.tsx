import { Pagination, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { notificationsQuery, unreadQuery, type Notification } from '../api/notifications';
import type { Shown } from '../api/queries';
import { Choice, FilterBar } from '../parts/filter-bar';
import { Notices, ReadAll } from '../parts/notices';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';

const PAGE_SIZE = 20;
const route = getRouteApi('/signed-in/notifications');

const READ = [
  ['false', 'Not read'],
  ['true', 'Read'],
] as const;

/** Everything that somebody was told. */
export function NotificationsPage(): ReactNode {
  const { page = 1, isRead } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: unread = 0 } = useQuery(unreadQuery);
  const found = useQuery(
    notificationsQuery({
      pageNumber: page,
      pageSize: PAGE_SIZE,
      ...(isRead !== undefined && { isRead: isRead === 'true' }),
    }),
  );
  const totalPages = found.data?.totalPages ?? 0;
  return (
    <>
      <PageHeader
        actions={<ReadAll isUseful={unread > 0} />}
        lead="What the service and administrators have told you."
        title="Notifications"
      />
      <Panel title="All notifications">
        <FilterBar>
          <Choice
            label="Shown"
            onChange={(next) => void navigate({ search: { isRead: next }, replace: true })}
            options={READ}
            value={isRead}
          />
        </FilterBar>
        <Found isRead={isRead} query={found} />
        {totalPages > 1 && (
          <nav aria-label="Pages" className="k-pages">
            <Pagination
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(item) => ({ 'aria-label': `page ${item}` })}
              onChange={(next) => void navigate({ search: { isRead, page: next } })}
              size="sm"
              total={totalPages}
              value={page}
            />
          </nav>
        )}
      </Panel>
    </>
  );
}

type FoundProps = {
  readonly query: Shown<{ readonly items: readonly Notification[] }>;
  readonly isRead: 'true' | 'false' | undefined;
};

const Found = ({ query: { data, error, isPending, refetch }, isRead }: FoundProps): ReactNode => (
  <>
    {error !== null && <ProblemView error={error} onRetry={refetch} />}
    {isPending && <Skeleton height={160} />}
    {data?.items.length === 0 && (
      <p className="k-empty">{isRead === 'false' ? 'Everything is read.' : 'Nothing has been told yet.'}</p>
    )}
    {data !== undefined && <Notices of={data.items} />}
  </>
);
