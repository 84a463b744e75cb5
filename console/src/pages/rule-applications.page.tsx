import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { changedBooks } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { applicationsQuery, type RuleApplication } from '../api/rules';
import { ConfirmAction } from '../parts/confirm-action';
import type { Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { count } from '../parts/figures';
import { Instant } from '../parts/instant';
import { Listing, PAGE_SIZE } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { StatusBadge, type Tone } from '../parts/status-badge';

const route = getRouteApi('/signed-in/rules/applications');

const STATUSES: Readonly<Record<RuleApplication['status'], readonly [tone: Tone, words: string]>> = {
  RUNNING: ['busy', 'Running'],
  SUCCEEDED: ['good', 'Done'],
  FAILED: ['bad', 'Failed'],
  UNDOING: ['busy', 'Undoing'],
  UNDONE: ['idle', 'Undone'],
};

const Status = ({ application: { status, progress, error } }: { application: RuleApplication }): ReactNode => {
  const [tone, words] = STATUSES[status];
  return (
    <>
      <StatusBadge tone={tone}>
        {words}
        {status === 'RUNNING' && ` ${count(progress)}%`}
      </StatusBadge>
      {error !== null && <div className="k-nothing">{error.message}</div>}
    </>
  );
};

const shown: readonly Column<RuleApplication>[] = [
  { key: 'at', header: 'Started', cell: ({ createdAt }) => <Instant at={createdAt} /> },
  {
    key: 'category',
    header: 'Category',
    cell: ({ categoryName }) => <strong>{categoryName ?? 'Deleted category'}</strong>,
  },
  {
    key: 'period',
    header: 'Period',
    cell: ({ dateFrom, dateTo }) => (
      <>
        {dateFrom === null ? 'From the beginning' : <Day on={dateFrom} />} to{' '}
        {dateTo === null ? 'the end' : <Day on={dateTo} />}
      </>
    ),
  },
  { key: 'status', header: 'Status', cell: (application) => <Status application={application} /> },
  { key: 'examined', header: 'Examined', numeric: true, cell: ({ examined }) => count(examined) },
  { key: 'changed', header: 'Changed', numeric: true, cell: ({ changed }) => count(changed) },
  {
    key: 'undone',
    header: 'Restored',
    numeric: true,
    cell: ({ status, restored, kept }) =>
      status === 'UNDONE' || status === 'UNDOING' ? (
        <>
          {count(restored)}
          {kept > 0 && <div className="k-nothing">{count(kept)} kept</div>}
        </>
      ) : (
        <span className="k-nothing">—</span>
      ),
  },
];

/** Runs of rules over past transactions, with their progress. */
export function RuleApplicationsPage(): ReactNode {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const columns: readonly Column<RuleApplication>[] = useMay('categories.write')
    ? [...shown, { key: 'actions', header: 'Actions', cell: (application) => <Undo application={application} /> }]
    : shown;
  return (
    <>
      <PageHeader
        lead={
          <>
            Rules applied to past transactions. <Link to="/rules">All rules</Link>
          </>
        }
        title="Applied rules"
      />
      <Panel title="Runs">
        <Listing
          columns={columns}
          empty="No rule has been applied to past transactions yet. Choose “Apply to the past” beside a rule."
          label="Applied rules"
          onPage={(next) => void navigate({ search: { page: next } })}
          page={page}
          query={applicationsQuery({ pageNumber: page, pageSize: PAGE_SIZE })}
        />
      </Panel>
    </>
  );
}

function Undo({ application: { id, status, changed, categoryName } }: { application: RuleApplication }): ReactNode {
  const cache = useQueryClient();
  if ((status !== 'SUCCEEDED' && status !== 'FAILED') || changed === 0) return null;
  return (
    <div className="k-row-actions">
      <ConfirmAction
        about={categoryName ?? id}
        act={() =>
          data(api.POST('/api/transaction-categories/rules/applications/{id}/undo', { params: { path: { id } } }))
        }
        icon="history"
        label="Undo"
        onDone={() => {
          askAgain(cache, ['rule-applications']);
          changedBooks(cache);
        }}
        outcome={({ restored, kept }) => (
          <>
            Restored {count(restored)} {restored === 1 ? 'transaction' : 'transactions'}.
            {kept > 0 && ` ${count(kept)} were changed since and keep their categories.`}
          </>
        )}
      >
        Restores the previous categories of {count(changed)} {changed === 1 ? 'transaction' : 'transactions'}. Those
        that somebody has changed since keep their categories.
      </ConfirmAction>
    </div>
  );
}
