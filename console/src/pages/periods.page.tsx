import { Alert, Group, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changedBooks } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { periodsQuery, type Periods } from '../api/reports';
import { salesQuery } from '../api/sales';
import { actorWords } from '../parts/audit-words';
import { DataTable, type Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { Facts } from '../parts/facts';
import { AreaField, given, TextField, type Draft } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Icon } from '../parts/icons';
import { Instant } from '../parts/instant';
import { Money } from '../parts/money';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { useZone } from '../parts/zone';
import { dayAfter, instantsOf, today } from '../parts/zone-days';
import { rich, t } from '../messages/catalogue';

/** Closes and reopens periods. Lists entries that were recorded while their period was being closed. */
export function PeriodsPage(): ReactNode {
  const periods = useQuery(periodsQuery);
  const mayClose = useMay('periods.close');
  const { data: found } = periods;
  return (
    <>
      <PageHeader
        actions={
          found &&
          mayClose && (
            <>
              {found.closedThrough !== null && <Reopen closedThrough={found.closedThrough} />}
              <Close closedThrough={found.closedThrough} />
            </>
          )
        }
        lead={t(
          'Nothing can be posted to a closed period. Partner documents dated in a closed period are booked on the first open day.',
        )}
        title={t('Periods')}
      />
      {periods.error !== null && <ProblemView error={periods.error} onRetry={periods.refetch} />}
      {periods.isPending && <Skeleton height={200} />}
      {found !== undefined && (
        <>
          <Panel title={t('Current state')}>
            <Facts
              of={[
                [
                  t('Closed through'),
                  found.closedThrough === null ? t('No period is closed') : <Day on={found.closedThrough} />,
                ],
                [
                  t('First open day'),
                  found.closedThrough === null ? null : <Day on={dayAfter(found.closedThrough, 1)} />,
                ],
              ]}
            />
          </Panel>
          {found.late.length > 0 && <Late entries={found.late} />}
          <History entries={found.history} />
        </>
      )}
    </>
  );
}

const useRefresh = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    changedBooks(cache);
  };
};

/** Returns the last day of the previous month. */
const endOfLastMonth = (day: string): string => dayAfter(`${day.slice(0, 7)}-01`, -1);

function Close({ closedThrough }: Pick<Periods, 'closedThrough'>): ReactNode {
  const zone = useZone();
  const initial = (): Draft => {
    const suggested = endOfLastMonth(today(zone));
    return { through: closedThrough === null || suggested > closedThrough ? suggested : '', note: '' };
  };
  return (
    <FormDialog
      act={(values) => {
        const note = given(values, 'note');
        const body = { through: values['through'] ?? '', ...(note !== undefined && { note }) };
        return data(api.POST('/api/periods/close', { body }));
      }}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => (
        <>
          <TextField autoFocus form={form} label={t('Close through')} name="through" required type="date" />
          <Waiting through={form.values['through'] ?? ''} />
          <TextField form={form} label={t('Note')} name="note" />
        </>
      )}
      icon="check"
      initial={initial}
      label={t('Close a period')}
      lead={t('Nothing can be posted on or before this date until the period is reopened.')}
      onDone={useRefresh()}
      send={t('period| Close')}
    />
  );
}

/** Warns about sales in the period that are not booked yet. */
function Waiting({ through }: { through: string }): ReactNode {
  const zone = useZone();
  // Excludes incomplete years, which begin with zeros while the user is typing.
  const isDay = /^(?:19|[2-9]\d)\d\d-\d\d-\d\d$/.test(through);
  const until = { pageNumber: 1, pageSize: 1, ...(isDay && instantsOf({ dateTo: through }, zone)) };
  const enabled = useMay('transactions.read') && isDay;
  const rejected = useQuery({ ...salesQuery({ ...until, status: 'REJECTED' }), enabled });
  const accepted = useQuery({ ...salesQuery({ ...until, status: 'ACCEPTED' }), enabled });
  if (!enabled) return null;
  const failed = [rejected, accepted].find(({ error }) => error !== null);
  if (failed)
    return (
      <ProblemView
        error={failed.error}
        onRetry={failed.refetch}
        title={t('Could not check whether all sales in the period have been booked')}
      />
    );
  if (rejected.data === undefined || accepted.data === undefined)
    return (
      <Text c="dimmed" role="status" size="sm">
        {t('Checking whether all sales in the period have been booked…')}
      </Text>
    );
  return <NotBooked accepted={accepted.data.totalCount} rejected={rejected.data.totalCount} through={through} />;
}

type NotBookedProps = { readonly rejected: number; readonly accepted: number; readonly through: string };

function NotBooked({ rejected, accepted, through }: NotBookedProps): ReactNode {
  const total = rejected + accepted;
  if (total === 0) return null;
  const links = [
    [rejected, 'REJECTED', t('Open the rejected sales')],
    [accepted, 'ACCEPTED', t('Open the waiting sales')],
  ] as const;
  return (
    <Alert
      className="k-warning"
      color="orange"
      icon={<Icon name="alert" />}
      role="status"
      title={t('{total, plural, one {# sale is} other {# sales are}} not booked', { total })}
      variant="outline"
    >
      {t('Once the period is closed, these sales are booked on the first open day.')}
      <Group gap="md">
        {links.map(
          ([some, status, words]) =>
            some > 0 && (
              <Link key={status} search={{ status, dateTo: through }} to="/sales">
                {words}
              </Link>
            ),
        )}
      </Group>
    </Alert>
  );
}

function Reopen({ closedThrough }: { closedThrough: string }): ReactNode {
  return (
    <FormDialog
      act={(values) =>
        data(
          api.POST('/api/periods/reopen', {
            body: { through: given(values, 'through') ?? null, reason: values['reason'] ?? '' },
          }),
        )
      }
      buttonProps={{ size: 'sm' }}
      fields={(form) => (
        <>
          <TextField
            form={form}
            hint={t('Leave empty to reopen everything.')}
            label={t('Keep closed through')}
            name="through"
            type="date"
          />
          <AreaField form={form} label={t('Reason')} name="reason" required />
        </>
      )}
      icon="history"
      initial={{ through: dayAfter(`${closedThrough.slice(0, 7)}-01`, -1), reason: '' }}
      label={t('Reopen')}
      lead={t('Requires recent proof of your identity. The reopening and its reason are recorded in the history.')}
      onDone={useRefresh()}
    />
  );
}

type LateEntry = Periods['late'][number];

const lateColumns: readonly Column<LateEntry>[] = [
  { key: 'date', header: t('Date'), cell: ({ date }) => <Day on={date} /> },
  {
    key: 'what',
    narrow: 'title',
    header: t('Transaction'),
    cell: ({ transactionId, description }) => (
      <Link params={{ id: transactionId }} to="/transactions/$id">
        {description ?? t('No description')}
      </Link>
    ),
  },
  { key: 'recorded', header: t('Recorded'), cell: ({ recordedAt }) => <Instant at={recordedAt} /> },
  { key: 'who', header: t('By'), cell: ({ userName }) => actorWords(userName) },
  { key: 'closed', header: t('Closed through'), cell: ({ closedThrough }) => <Day on={closedThrough} /> },
  {
    key: 'amount',
    narrow: 'end',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];

const Late = ({ entries }: { entries: readonly LateEntry[] }): ReactNode => (
  <Panel title={t('Late entries')}>
    <Alert className="k-problem k-warning" color="orange" icon={<Icon name="alert" />} variant="outline">
      {t(
        'These transactions were recorded while their period was being closed. To accept them, reopen the period and close it again. Otherwise, cancel them.',
      )}
    </Alert>
    <DataTable
      columns={lateColumns}
      empty={t('There are no late entries.')}
      keyOf={({ transactionId }) => transactionId}
      label={t('Late entries')}
      rows={entries}
    />
  </Panel>
);

type Entry = Periods['history'][number];

const historyColumns: readonly Column<Entry>[] = [
  { key: 'at', header: t('Time'), cell: ({ at }) => <Instant at={at} /> },
  {
    key: 'action',
    narrow: 'title',
    header: t('Action'),
    cell: ({ action, through }) => {
      if (through === null) return t('Reopened completely');
      const day = <Day on={through} />;
      return action === 'CLOSED'
        ? rich('Closed through {day}', { day })
        : rich('Reopened, closed through {day}', { day });
    },
  },
  {
    key: 'who',
    header: t('By'),
    cell: ({ userId, userName }) => (
      <span className="k-whole">{userId === null ? t('The service') : actorWords(userName)}</span>
    ),
  },
  {
    key: 'note',
    header: t('Note or reason'),
    cell: ({ note }) => (note === null ? NOTHING : <span className="k-remark">{note}</span>),
  },
];

const History = ({ entries }: { entries: readonly Entry[] }): ReactNode => (
  <Panel title={t('History')}>
    <DataTable
      columns={historyColumns}
      empty={t('No period has been closed yet. Close a month once its figures are final.')}
      keyOf={({ at }) => at}
      label={t('History')}
      rows={entries}
    />
  </Panel>
);
