import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, whole } from '../api/client';
import { useMay } from '../api/me';
import { unreadQuery } from '../api/notifications';
import { ageingQuery, periodsQuery } from '../api/reports';
import { salesQuery } from '../api/sales';
import { isSome, Money } from './money';
import { Panel } from './panel';
import { StatusBadge, type Tone } from './status-badge';
import { rich, t } from '../messages/catalogue';

const ONE = { pageNumber: 1, pageSize: 1 };
const EVERY_MS = 30_000;

type Item = { readonly key: string; readonly tone: Tone; readonly what: ReactNode; readonly link: ReactNode };

function useRejectedSales(): Item[] {
  const query = { ...salesQuery({ ...ONE, status: 'REJECTED' as const }), refetchInterval: EVERY_MS };
  const total = useQuery({ ...query, enabled: useMay('transactions.read') }).data?.totalCount ?? 0;
  if (total === 0) return [];
  const link = (
    <Link search={{ status: 'REJECTED' }} to="/sales">
      {t('Repair')}
    </Link>
  );
  return [
    { key: 'sales', tone: 'bad', what: t('{total, plural, one {# sale} other {# sales}} rejected', { total }), link },
  ];
}

function useLateEntries(): Item[] {
  const late = useQuery({ ...periodsQuery, enabled: useMay('reports.read') }).data?.late.length ?? 0;
  if (late === 0) return [];
  const what = t('{late, plural, one {# late entry} other {# late entries}} in a closed period', { late });
  return [{ key: 'late', tone: 'warning', what, link: <Link to="/periods">{t('Review')}</Link> }];
}

function useOverdue(): Item[] {
  const ageing = useQuery({ ...ageingQuery({}), enabled: useMay('reports.read') }).data;
  if (ageing === undefined || !isSome(ageing.totals.older)) return [];
  const what = rich('{money} open for more than 90 days', {
    money: <Money amount={ageing.totals.older} currency={ageing.currency} />,
  });
  const link = (
    <Link params={{ name: 'ageing' }} to="/reports/$name">
      {t('View customers')}
    </Link>
  );
  return [{ key: 'overdue', tone: 'warning', what, link }];
}

function useBrokenWebhooks(): Item[] {
  const webhooks = useQuery({
    queryKey: ['webhooks', 'attention'],
    queryFn: ({ signal }) =>
      whole(api.GET('/api/webhooks', { params: { query: { pageNumber: 1, pageSize: 100 } }, signal })),
    enabled: useMay('integrations.manage'),
  }).data?.items.filter(({ disabledReason }) => disabledReason === 'GONE' || disabledReason === 'FAILING');
  if (webhooks === undefined || webhooks.length === 0) return [];
  const what = t('{webhooks, plural, one {# webhook} other {# webhooks}} disabled after failures', {
    webhooks: webhooks.length,
  });
  return [{ key: 'webhooks', tone: 'bad', what, link: <Link to="/webhooks">{t('Repair')}</Link> }];
}

function useUnread(): Item[] {
  const unread = useQuery(unreadQuery).data ?? 0;
  if (unread === 0) return [];
  const link = (
    <Link search={{ isRead: 'false' }} to="/notifications">
      {t('verb| Read')}
    </Link>
  );
  return [
    {
      key: 'unread',
      tone: 'busy',
      what: t('{unread, plural, one {# unread notification} other {# unread notifications}}', { unread }),
      link,
    },
  ];
}

/** Items that a user of a tenant should look at, most urgent first. */
export function BooksAttention(): ReactNode {
  const items = [...useRejectedSales(), ...useBrokenWebhooks(), ...useLateEntries(), ...useOverdue(), ...useUnread()];
  return (
    <Panel title={t('Needs attention')}>
      {items.length === 0 ? (
        <StatusBadge tone="good">{t('Nothing needs attention')}</StatusBadge>
      ) : (
        <ul className="k-attention">
          {items.map(({ key, tone, what, link }) => (
            <li key={key}>
              <StatusBadge tone={tone} {...(tone === 'busy' && { icon: 'info' as const })}>
                {what}
              </StatusBadge>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
