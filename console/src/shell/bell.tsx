import { ActionIcon, Group, Indicator, Popover, Skeleton, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { notificationsQuery, unreadQuery } from '../api/notifications';
import { Icon } from '../parts/icons';
import { Notices, ReadAll } from '../parts/notices';
import { ProblemView } from '../parts/problem-view';
import { t } from '../messages/catalogue';

const NEWEST = 8;
const MOST_SHOWN = 99;

const words = (unread: number): string =>
  unread === 0 ? t('Notifications') : t('Notifications: {unread} unread', { unread });

/** Notifications, accessible from every page. */
export function Bell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { data: unread = 0 } = useQuery(unreadQuery);
  return (
    <Popover onChange={toggle} opened={isOpen} position="bottom-end" shadow="md" trapFocus width={360}>
      <Indicator
        color="red.9"
        disabled={unread === 0}
        inline
        label={unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
        offset={4}
        size={16}
      >
        <Popover.Target>
          <ActionIcon aria-label={words(unread)} onClick={toggle} size="lg" title={words(unread)} variant="default">
            <Icon name="bell" />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={t('Notifications')} maw="calc(100vw - 24px)">
        {isOpen && <Newest close={close} unread={unread} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Newest({ unread, close }: { unread: number; close: () => void }): ReactNode {
  const newest = useQuery({ ...notificationsQuery({ pageNumber: 1, pageSize: NEWEST }), staleTime: 0 });
  return (
    <>
      <Group gap="xs" justify="space-between" mb="xs">
        <Title order={2} size="h6">
          {t('Notifications')}
        </Title>
        <ReadAll isUseful={unread > 0} />
      </Group>
      <div aria-label={t('Newest notifications')} className="k-bell-box" role="region" tabIndex={0}>
        {newest.error !== null && <ProblemView error={newest.error} onRetry={newest.refetch} />}
        {newest.isPending && <Skeleton height={80} />}
        {newest.data?.items.length === 0 && <p className="k-empty">{t('No notifications.')}</p>}
        {newest.data !== undefined && <Notices of={newest.data.items} onLeave={close} />}
      </div>
      <div className="k-links">
        <Link onClick={close} to="/notifications">
          {t('All notifications')}
        </Link>
      </div>
    </>
  );
}
