import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  accountSource,
  branchSource,
  categoriesQuery,
  changedBooks,
  transactionQuery,
  type Transaction,
} from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { BackLink } from '../parts/back-link';
import { amountIn, amountWords, digitsOf, unitsIn } from '../parts/amount';
import { actorWords } from '../parts/audit-words';
import { CancelTransaction, CorrectTransaction } from '../parts/correct-transaction';
import { Copied } from '../parts/copied';
import { DataTable, type Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { Facts } from '../parts/facts';
import { OneOfField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { Money } from '../parts/money';
import { NameOf } from '../parts/name-of';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { TransactionTimeline } from '../parts/transaction-timeline';
import { TransactionState, typeWords } from '../parts/transaction-words';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/transactions/$id');

/** A transaction with its postings, its category and its cancellation. */
export function TransactionPage(): ReactNode {
  const { id } = route.useParams();
  const transaction = useQuery(transactionQuery(id));
  const mayWrite = useMay('transactions.write');
  return (
    <>
      <PageHeader
        actions={transaction.data && mayWrite && <Actions transaction={transaction.data} />}
        lead={<BackLink to="/transactions">{t('All transactions')}</BackLink>}
        title={transaction.data === undefined ? t('Transaction') : typeWords(transaction.data)}
      />
      {transaction.error !== null && <ProblemView error={transaction.error} onRetry={transaction.refetch} />}
      {transaction.isPending && <Skeleton height={280} />}
      {transaction.data !== undefined && (
        <>
          <Story transaction={transaction.data} />
          <About transaction={transaction.data} />
          <Postings transaction={transaction.data} />
          <TransactionTimeline transaction={transaction.data} />
        </>
      )}
    </>
  );
}

const SOURCES = { SEED: t('a built-in rule'), LEARNED: t('a learned rule'), MANUAL: t('a rule') } as const;

function CategoryOf({ transaction: { categoryName, categorizedBy } }: { transaction: Transaction }): ReactNode {
  if (categoryName === null) return <span className="k-nothing">{t('None')}</span>;
  return categorizedBy === null
    ? categoryName
    : t('{categoryName}, by {value}', { categoryName, value: SOURCES[categorizedBy.source] });
}

const About = ({ transaction }: { transaction: Transaction }): ReactNode => (
  <Panel aside={<TransactionState {...transaction} />} title={t('Details')}>
    <Facts
      of={[
        [
          t('Amount'),
          <Money
            amount={transaction.amount}
            currency={transaction.currency}
            direction={transaction.direction}
            key="amount"
          />,
        ],
        [t('Date'), <Day key="date" on={transaction.date} />],
        ...(transaction.documentDate === transaction.date
          ? []
          : [[t('Document date'), <Day key="document" on={transaction.documentDate} />] as const]),
        // A journal entry's accounts appear in its postings.
        ...(transaction.type === 'JOURNAL'
          ? []
          : ([
              [
                t('Direction'),
                transaction.direction === null ? null : transaction.direction === 'IN' ? t('In') : t('Out'),
              ],
              [t('Customer'), <CustomerOf key="customer" transaction={transaction} />],
              [t('Account'), transaction.accountName],
            ] as const)),
        [
          t('Branch'),
          transaction.branchId === null ? null : (
            <NameOf id={transaction.branchId} key="branch" source={branchSource} />
          ),
        ],
        [t('Category'), <CategoryOf key="category" transaction={transaction} />],
        [t('Description'), transaction.description],
        [t('Reference'), transaction.reference],
        [t("Partner's reference"), transaction.externalId],
        [t('Recorded'), <Instant at={transaction.createdAt} key="created" />],
        [t('Recorded by'), transaction.createdByName ?? t('The service')],
        ['ID', <Copied key="id" value={transaction.id} what={t('transaction ID')} />],
      ]}
    />
  </Panel>
);

/** Links to related transactions: the one that replaces this transaction, and those that it reverses or replaces. */
function linksOf({ reversalOf, correctionOf, correctedBy }: Transaction) {
  return (
    [
      [t('Replaced by'), t('the corrected transaction'), correctedBy],
      [t('Reverses'), t('the original transaction'), reversalOf],
      [t('Replaces'), t('the original transaction'), correctionOf],
    ] as const
  ).flatMap(([what, label, id]) => (id === null ? [] : [{ what, label, id }]));
}

/** Links to the related transactions and the sale, with the reason that was entered. */
function Story({ transaction }: { transaction: Transaction }): ReactNode {
  const { reversedBy, saleId, externalId } = transaction;
  const links = linksOf(transaction);
  const reason = transaction.reason ?? reversedBy?.reason ?? null;
  if (links.length === 0 && reversedBy === null && saleId === null) return null;
  return (
    <section aria-label={t('Related transactions')} className="k-panel k-story">
      {reversedBy !== null && (
        <p>
          {rich('Cancelled on {day} by {userName} (<link>view reversal</link>)', {
            day: <Day on={reversedBy.date} />,
            userName: actorWords(reversedBy.userName),
            link: (words) => (
              <Link params={{ id: reversedBy.transactionId }} to="/transactions/$id">
                {words}
              </Link>
            ),
          })}
        </p>
      )}
      {links.map(({ what, label, id }) => (
        <p key={what}>
          {what}{' '}
          <Link params={{ id }} to="/transactions/$id">
            {label}
          </Link>
        </p>
      ))}
      {reason !== null && <p>{t('Reason: {reason}', { reason })}</p>}
      {saleId !== null && (
        <p>
          {rich('Booked for <link>the sale {externalId}</link>', {
            externalId,
            link: (words) => (
              <Link params={{ id: saleId }} to="/sales/$id">
                {words}
              </Link>
            ),
          })}
        </p>
      )}
    </section>
  );
}

const CustomerOf = ({ transaction: { customerId, customerName } }: { transaction: Transaction }): ReactNode =>
  customerId === null ? (
    NOTHING
  ) : (
    <Link params={{ id: customerId }} to="/customers/$id">
      {customerName ?? customerId}
    </Link>
  );

type Posting = Transaction['postings'][number];
const isCredit = ({ amount }: Posting): boolean => amount.startsWith('-');

/** Returns total debits, which equal total credits. */
const totalOf = ({ postings, currency }: Transaction): string => {
  const debits = postings.filter((posting) => !isCredit(posting));
  const units = debits.reduce((sum, { amount }) => sum + (unitsIn(amount) ?? 0n), 0n);
  return amountWords(amountIn(units, digitsOf(currency)));
};

const columnsOf = (total: string): readonly Column<Posting>[] => [
  {
    key: 'account',
    narrow: 'title',
    header: t('Account'),
    cell: ({ accountId, description }) => (
      <>
        <NameOf id={accountId} source={accountSource} />
        {description !== undefined && <div className="k-nothing">{description}</div>}
      </>
    ),
    total: t('Total'),
  },
  {
    key: 'debit',
    header: t('Debit'),
    numeric: true,
    cell: (posting) => !isCredit(posting) && amountWords(posting.amount),
    total,
  },
  {
    key: 'credit',
    header: t('Credit'),
    numeric: true,
    cell: (posting) => isCredit(posting) && amountWords(posting.amount.slice(1)),
    total,
  },
];

const Postings = ({ transaction }: { transaction: Transaction }): ReactNode => (
  <Panel title={t('Postings')}>
    <DataTable
      columns={columnsOf(totalOf(transaction))}
      empty={t('There are no postings.')}
      keyOf={(posting) => String(transaction.postings.indexOf(posting))}
      label={t('Postings')}
      rows={transaction.postings}
    />
  </Panel>
);

function Actions({ transaction }: { transaction: Transaction }): ReactNode {
  const { isCancelled, reversalOf, saleId } = transaction;
  const cache = useQueryClient();
  const refresh = (): void => {
    changedBooks(cache);
  };
  return (
    <>
      <ChooseCategory onDone={refresh} transaction={transaction} />
      {!isCancelled && reversalOf === null && saleId === null && (
        <>
          <CorrectTransaction transaction={transaction} />
          <CancelTransaction transaction={transaction} />
        </>
      )}
    </>
  );
}

const NO_CATEGORY = 'none';

type ChooseProps = { readonly transaction: Transaction; readonly onDone: () => void };

function ChooseCategory({ transaction: { id, categoryId, direction }, onDone }: ChooseProps): ReactNode {
  const categories = useQuery(categoriesQuery);
  const fitting = (categories.data ?? []).filter(
    (each) => direction === null || each.direction === 'BOTH' || each.direction === direction,
  );
  return (
    <FormDialog
      act={({ categoryId: chosen = '' }) =>
        data(
          api.PATCH('/api/transactions/{id}/category', {
            params: { path: { id } },
            body: { categoryId: chosen === NO_CATEGORY ? null : chosen },
          }),
        )
      }
      fields={(form) => (
        <>
          {categories.error !== null && <ProblemView error={categories.error} onRetry={categories.refetch} />}
          <OneOfField
            form={form}
            hint={t('Rules never override your choice, but they learn from it.')}
            label={t('Category')}
            name="categoryId"
            options={[[NO_CATEGORY, t('None')], ...fitting.map(({ id: each, name }) => [each, name] as const)]}
          />
        </>
      )}
      icon="rules"
      initial={{ categoryId: categoryId ?? NO_CATEGORY }}
      label={t('Choose category')}
      onDone={onDone}
      send={t('Choose')}
    />
  );
}
