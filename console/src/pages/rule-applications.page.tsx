import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
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
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { StatusBadge, type Tone } from '../parts/status-badge';
import { rich, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const STATUSES: Readonly<Record<RuleApplication['status'], readonly [tone: Tone, words: string]>> = {
  RUNNING: ['busy', t('Running')],
  SUCCEEDED: ['good', t('Done')],
  FAILED: ['bad', t('Failed')],
  UNDOING: ['busy', t('Undoing')],
  UNDONE: ['idle', t('Undone')],
};

const Status = ({ application: { status, progress, error } }: { application: RuleApplication }): ReactNode => {
  const [tone, words] = STATUSES[status];
  return (
    <>
      <StatusBadge tone={tone}>
        {words}
        {status === 'RUNNING' && ` ${count(progress)}%`}
      </StatusBadge>
      {error !== null && <div className="k-nothing">{serviceWords(error.message)}</div>}
    </>
  );
};

const shown: readonly Column<RuleApplication>[] = [
  { key: 'at', header: t('Started'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  {
    key: 'category',
    isWide: true,
    header: t('Category'),
    cell: ({ categoryName }) => <strong>{categoryName ?? t('Deleted category')}</strong>,
  },
  {
    key: 'period',
    narrow: 'hidden',
    header: t('Period'),
    cell: ({ dateFrom, dateTo }) =>
      rich('{from} to {to}', {
        from: dateFrom === null ? t('From the beginning') : <Day on={dateFrom} />,
        to: dateTo === null ? t('the end') : <Day on={dateTo} />,
      }),
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: (application) => <Status application={application} /> },
  { key: 'examined', isExtra: true, header: t('Examined'), numeric: true, cell: ({ examined }) => count(examined) },
  { key: 'changed', header: t('Changed'), numeric: true, cell: ({ changed }) => count(changed) },
  {
    key: 'undone',
    narrow: 'hidden',
    header: t('Restored'),
    numeric: true,
    cell: ({ status, restored, kept }) =>
      status === 'UNDONE' || status === 'UNDOING' ? (
        <>
          {count(restored)}
          {kept > 0 && <div className="k-nothing">{t('{kept} kept', { kept: count(kept) })}</div>}
        </>
      ) : (
        NOTHING
      ),
  },
];

/** Applications of rules to past transactions, with their progress. */
export function RuleApplicationsPage(): ReactNode {
  const columns: readonly Column<RuleApplication>[] = useMay('categories.write')
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (application) => <Undo application={application} /> }]
    : shown;
  return (
    <>
      <PageHeader
        lead={rich('Rules applied to past transactions. <link>All rules</link>', {
          link: (words) => <Link to="/rules">{words}</Link>,
        })}
        title={t('Applied rules')}
      />
      <Listing
        columns={columns}
        empty={t(
          'No rule has been applied to past transactions yet. To apply one, choose “Apply to past transactions” next to the rule.',
        )}
        label={t('Applied rules')}
        query={applicationsQuery}
        title={t('Runs')}
      />
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
        label={t('Undo')}
        onDone={() => {
          askAgain(cache, ['rule-applications']);
          changedBooks(cache);
        }}
        outcome={({ restored, kept }) => (
          <>
            {t('Restored {restored, plural, one {# transaction} other {# transactions}}.', { restored })}{' '}
            {kept > 0 && t('Changed since then, and therefore not restored: {kept}.', { kept: count(kept) })}
          </>
        )}
      >
        {t(
          '{changed, plural, one {Restores the previous category of # transaction.} other {Restores the previous categories of # transactions.}} Categories that have been changed since then are kept.',
          { changed },
        )}
      </ConfirmAction>
    </div>
  );
}
