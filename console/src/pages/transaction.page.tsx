import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountSource, categoriesQuery, changedBooks, transactionQuery, type Transaction } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { actorWords } from '../parts/audit-words';
import { CancelTransaction, CorrectTransaction } from '../parts/correct-transaction';
import { Copied } from '../parts/copied';
import { DataTable, type Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { Facts } from '../parts/facts';
import { OneOfField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { amountWords, Money } from '../parts/money';
import { NameOf } from '../parts/name-of';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { Timeline } from '../parts/timeline';
import { TransactionState, typeWords } from '../parts/transaction-words';

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
        lead={<Link to="/transactions">All transactions</Link>}
        title={transaction.data === undefined ? 'Transaction' : typeWords(transaction.data)}
      />
      {transaction.error !== null && <ProblemView error={transaction.error} onRetry={transaction.refetch} />}
      {transaction.isPending && <Skeleton height={280} />}
      {transaction.data !== undefined && (
        <>
          <Story transaction={transaction.data} />
          <About transaction={transaction.data} />
          <Postings transaction={transaction.data} />
          <Timeline entity="transaction" id={id} />
        </>
      )}
    </>
  );
}

const SOURCES = { SEED: 'a built-in rule', LEARNED: 'a learned rule', MANUAL: 'a rule' } as const;

function CategoryOf({ transaction: { categoryName, categorizedBy } }: { transaction: Transaction }): ReactNode {
  if (categoryName === null) return <span className="k-nothing">None</span>;
  return categorizedBy === null ? categoryName : `${categoryName}, by ${SOURCES[categorizedBy.source]}`;
}

const About = ({ transaction }: { transaction: Transaction }): ReactNode => (
  <Panel aside={<TransactionState {...transaction} />} title="Details">
    <Facts
      of={[
        [
          'Amount',
          <Money
            amount={transaction.amount}
            currency={transaction.currency}
            direction={transaction.direction}
            key="amount"
          />,
        ],
        ['Date', <Day key="date" on={transaction.date} />],
        ...(transaction.documentDate === transaction.date
          ? []
          : [['Document date', <Day key="document" on={transaction.documentDate} />] as const]),
        ['Direction', transaction.direction === null ? null : transaction.direction === 'IN' ? 'In' : 'Out'],
        ['Customer', <CustomerOf key="customer" transaction={transaction} />],
        ['Account', transaction.accountName],
        ['Category', <CategoryOf key="category" transaction={transaction} />],
        ['Description', transaction.description],
        ['Reference', transaction.reference],
        ["Partner's reference", transaction.externalId],
        ['Recorded', <Instant at={transaction.createdAt} key="created" />],
        ['Recorded by', transaction.systemGenerated ? 'The service' : (transaction.createdByName ?? 'The service')],
        ['ID', <Copied key="id" value={transaction.id} what="transaction ID" />],
      ]}
    />
  </Panel>
);

/** Sentences about the transactions that this one reverses or replaces, or that reverse or replace it. */
function linksOf({ reversalOf, reversedBy, correctionOf, correctedBy }: Transaction) {
  return (
    [
      ['Cancelled by', 'its reversal', reversedBy?.transactionId ?? null],
      ['Replaced by', 'the corrected transaction', correctedBy],
      ['Reverses', 'the original transaction', reversalOf],
      ['Replaces', 'the original transaction', correctionOf],
    ] as const
  ).flatMap(([what, label, id]) => (id === null ? [] : [{ what, label, id }]));
}

/** What happened to the transaction, and why it was booked. */
function Story({ transaction }: { transaction: Transaction }): ReactNode {
  const { reversedBy, saleId, externalId } = transaction;
  const links = linksOf(transaction);
  const reason = transaction.reason ?? reversedBy?.reason ?? null;
  if (links.length === 0 && saleId === null) return null;
  return (
    <section aria-label="Related transactions" className="k-panel k-story">
      {links.map(({ what, label, id }) => (
        <p key={what}>
          {what}{' '}
          <Link params={{ id }} to="/transactions/$id">
            {label}
          </Link>
          {id === reversedBy?.transactionId && (
            <>
              {' '}
              of <Day on={reversedBy.date} />, by {actorWords(reversedBy.userName)}
            </>
          )}
        </p>
      ))}
      {reason !== null && <p>Reason: {reason}</p>}
      {saleId !== null && (
        <p>
          Booked for{' '}
          <Link params={{ id: saleId }} to="/sales/$id">
            the sale {externalId}
          </Link>
        </p>
      )}
    </section>
  );
}

const CustomerOf = ({ transaction: { customerId, customerName } }: { transaction: Transaction }): ReactNode =>
  customerId === null ? (
    <span className="k-nothing">—</span>
  ) : (
    <Link params={{ id: customerId }} to="/customers/$id">
      {customerName ?? customerId}
    </Link>
  );

type Posting = Transaction['postings'][number];
const columns: readonly Column<Posting>[] = [
  { key: 'account', header: 'Account', cell: ({ accountId }) => <NameOf id={accountId} source={accountSource} /> },
  {
    key: 'debit',
    header: 'Debit',
    numeric: true,
    cell: ({ amount }) => !amount.startsWith('-') && amountWords(amount),
  },
  {
    key: 'credit',
    header: 'Credit',
    numeric: true,
    cell: ({ amount }) => amount.startsWith('-') && amountWords(amount.slice(1)),
  },
];

const Postings = ({ transaction: { postings } }: { transaction: Transaction }): ReactNode => (
  <Panel title="Postings">
    <DataTable
      columns={columns}
      empty="There are no postings."
      keyOf={(posting) => String(postings.indexOf(posting))}
      label="Postings"
      rows={postings}
    />
  </Panel>
);

function Actions({ transaction }: { transaction: Transaction }): ReactNode {
  const { isCancelled, reversalOf, systemGenerated } = transaction;
  const mayChoose = useMay('categories.read');
  const cache = useQueryClient();
  const refresh = (): void => {
    changedBooks(cache);
  };
  return (
    <>
      {mayChoose && <ChooseCategory onDone={refresh} transaction={transaction} />}
      {!isCancelled && reversalOf === null && !systemGenerated && (
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
            hint="Rules never override your choice; they learn from it."
            label="Category"
            name="categoryId"
            options={[[NO_CATEGORY, 'None'], ...fitting.map(({ id: each, name }) => [each, name] as const)]}
          />
        </>
      )}
      icon="rules"
      initial={{ categoryId: categoryId ?? NO_CATEGORY }}
      label="Choose category"
      onDone={onDone}
      send="Choose"
    />
  );
}
