import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, whole } from '../api/client';
import { useMay } from '../api/me';
import { unreadQuery } from '../api/notifications';
import { repeated, type Shown } from '../api/queries';
import { ageingQuery, periodsQuery, type Ageing, type Periods } from '../api/reports';
import { salesQuery } from '../api/sales';
import { AttentionList, type Item } from './attention-list';
import { isSome, Money } from './money';
import { useZone } from './zone';
import { today } from './zone-days';
import { rich, t } from '../messages/catalogue';

const ONE = { pageNumber: 1, pageSize: 1 };
const EVERY_MS = 30_000;

const ofRejectedSales = ({ totalCount: total }: { totalCount: number }): Item[] => {
  if (total === 0) return [];
  const link = (
    <Link search={{ status: 'REJECTED' }} to="/sales">
      {t('Review and fix')}
    </Link>
  );
  const what = t('{total, plural, one {# sale} other {# sales}} rejected', { total });
  return [{ key: 'sales', tone: 'bad', what, link }];
};

const ofLateEntries = ({ late: { length: late } }: Periods): Item[] => {
  if (late === 0) return [];
  const what = t('{late, plural, one {# late entry} other {# late entries}} in a closed period', { late });
  return [{ key: 'late', tone: 'warning', what, link: <Link to="/periods">{t('Review')}</Link> }];
};

const ofOverdue = ({ totals, currency }: Ageing): Item[] => {
  if (!isSome(totals.older)) return [];
  const what = rich('{money} open for more than 90 days', {
    money: <Money amount={totals.older} currency={currency} />,
  });
  const link = (
    <Link params={{ name: 'ageing' }} to="/reports/$name">
      {t('View customers')}
    </Link>
  );
  return [{ key: 'overdue', tone: 'warning', what, link }];
};

const webhooksQuery = {
  queryKey: ['webhooks', 'attention'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    whole(api.GET('/api/webhooks', { params: { query: { pageNumber: 1, pageSize: 100 } }, signal })),
};

const ofWebhooks = ({ items }: Awaited<ReturnType<typeof webhooksQuery.queryFn>>): Item[] => {
  const broken = items.filter(({ disabledReason }) => disabledReason === 'GONE' || disabledReason === 'FAILING');
  if (broken.length === 0) return [];
  const what = t('{webhooks, plural, one {# webhook} other {# webhooks}} disabled after failures', {
    webhooks: broken.length,
  });
  return [{ key: 'webhooks', tone: 'bad', what, link: <Link to="/webhooks">{t('Review and fix')}</Link> }];
};

const ofUnread = (unread: number): Item[] => {
  if (unread === 0) return [];
  const link = (
    <Link search={{ isRead: 'false' }} to="/notifications">
      {t('verb| Read')}
    </Link>
  );
  const what = t('{unread, plural, one {# unread notification} other {# unread notifications}}', { unread });
  return [{ key: 'unread', tone: 'busy', what, link }];
};

const itemsOf = <T,>({ data }: Pick<Shown<T>, 'data'>, items: (data: T) => Item[]): Item[] =>
  data === undefined ? [] : items(data);

/** Items that need the attention of a tenant's user, most urgent first. */
export function BooksAttention(): ReactNode {
  const mayRead = useMay('transactions.read');
  const mayReport = useMay('reports.read');
  const mayIntegrate = useMay('integrations.manage');
  const sales = useQuery({
    ...salesQuery({ ...ONE, status: 'REJECTED' as const }),
    refetchInterval: repeated(EVERY_MS),
    enabled: mayRead,
  });
  const webhooks = useQuery({ ...webhooksQuery, enabled: mayIntegrate });
  const periods = useQuery({ ...periodsQuery, enabled: mayReport });
  const ageing = useQuery({ ...ageingQuery({ asOf: today(useZone()) }), enabled: mayReport });
  const unread = useQuery(unreadQuery);
  return (
    <AttentionList
      asked={[sales, webhooks, periods, ageing, unread].filter(({ isEnabled }) => isEnabled)}
      items={[
        ...itemsOf(sales, ofRejectedSales),
        ...itemsOf(webhooks, ofWebhooks),
        ...itemsOf(periods, ofLateEntries),
        ...itemsOf(ageing, ofOverdue),
        ...itemsOf(unread, ofUnread),
      ]}
    />
  );
}
