import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, whole } from '../api/client';
import { useMay } from '../api/me';
import { unreadQuery } from '../api/notifications';
import { ageingQuery, periodsQuery } from '../api/reports';
import { salesQuery } from '../api/sales';
import { count } from './figures';
import { isSome, Money } from './money';
import { Panel } from './panel';
import { StatusBadge, type Tone } from './status-badge';

const ONE = { pageNumber: 1, pageSize: 1 };
const EVERY_MS = 30_000;

type Item = { readonly key: string; readonly tone: Tone; readonly what: ReactNode; readonly link: ReactNode };

const plural = (many: number, one: string): string => `${count(many)} ${one}${many === 1 ? '' : 's'}`;

function useRejectedSales(): Item[] {
  const query = { ...salesQuery({ ...ONE, status: 'REJECTED' as const }), refetchInterval: EVERY_MS };
  const total = useQuery({ ...query, enabled: useMay('transactions.read') }).data?.totalCount ?? 0;
  if (total === 0) return [];
  const link = (
    <Link search={{ status: 'REJECTED' }} to="/sales">
      Repair
    </Link>
  );
  return [{ key: 'sales', tone: 'bad', what: `${plural(total, 'sale')} rejected`, link }];
}

function useLateEntries(): Item[] {
  const late = useQuery({ ...periodsQuery, enabled: useMay('reports.read') }).data?.late.length ?? 0;
  if (late === 0) return [];
  const what = `${count(late)} late ${late === 1 ? 'entry' : 'entries'} in a closed period`;
  return [{ key: 'late', tone: 'warning', what, link: <Link to="/periods">Review</Link> }];
}

function useOverdue(): Item[] {
  const ageing = useQuery({ ...ageingQuery({}), enabled: useMay('reports.read') }).data;
  if (ageing === undefined || !isSome(ageing.totals.older)) return [];
  const what = (
    <>
      <Money amount={ageing.totals.older} currency={ageing.currency} /> open for more than 90 days
    </>
  );
  const link = (
    <Link params={{ name: 'ageing' }} to="/reports/$name">
      See customers
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
  const what = `${plural(webhooks.length, 'webhook')} disabled after failures`;
  return [{ key: 'webhooks', tone: 'bad', what, link: <Link to="/webhooks">Repair</Link> }];
}

function useUnread(): Item[] {
  const unread = useQuery(unreadQuery).data ?? 0;
  if (unread === 0) return [];
  const link = (
    <Link search={{ isRead: 'false' }} to="/notifications">
      Read
    </Link>
  );
  return [{ key: 'unread', tone: 'busy', what: plural(unread, 'unread notification'), link }];
}

/** What a user of a tenant should look at, most urgent first. */
export function BooksAttention(): ReactNode {
  const items = [...useRejectedSales(), ...useBrokenWebhooks(), ...useLateEntries(), ...useOverdue(), ...useUnread()];
  return (
    <Panel title="Needs attention">
      {items.length === 0 ? (
        <StatusBadge tone="good">Nothing needs attention</StatusBadge>
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
