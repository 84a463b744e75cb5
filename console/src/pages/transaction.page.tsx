import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { accountSource, categoriesQuery, transactionQuery, type Transaction } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { Copied } from '../parts/copied';
import { DataTable, type Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { Facts } from '../parts/facts';
import { AreaField, OneOfField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { amountWords, Money } from '../parts/money';
import { NameOf } from '../parts/name-of';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
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
          <About transaction={transaction.data} />
          <Postings transaction={transaction.data} />
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
        ['Amount', <Money amount={transaction.amount} currency={transaction.currency} key="amount" />],
        ['Date', <Day key="date" on={transaction.date} />],
        ['Direction', transaction.direction === null ? null : transaction.direction === 'IN' ? 'In' : 'Out'],
        ['Customer', <CustomerOf key="customer" transaction={transaction} />],
        ['Account', transaction.accountName],
        ['Category', <CategoryOf key="category" transaction={transaction} />],
        ['Description', transaction.description],
        ['Reference', transaction.reference],
        ["Partner's reference", transaction.externalId],
        ['Recorded', <Instant at={transaction.createdAt} key="created" />],
        ['Recorded by', transaction.systemGenerated ? 'The service' : (transaction.createdByName ?? 'The service')],
        ['Reason', transaction.reason ?? transaction.reversedBy?.reason],
        ['ID', <Copied key="id" value={transaction.id} what="transaction ID" />],
      ]}
    />
    <Related transaction={transaction} />
  </Panel>
);

/** Links to the transactions that reverse, replace, or are reversed or replaced by this one. */
function Related({ transaction }: { transaction: Transaction }): ReactNode {
  const { reversalOf, reversedBy, correctionOf, correctedBy } = transaction;
  const related = (
    [
      ['Reversed transaction', reversalOf],
      ['Reversal', reversedBy?.transactionId ?? null],
      ['Corrected transaction', correctionOf],
      ['Replacement', correctedBy],
    ] as const
  ).flatMap(([label, id]) => (id === null ? [] : [{ label, id }]));
  if (related.length === 0) return null;
  return (
    <nav aria-label="Related pages" className="k-links">
      {related.map(({ label, id }) => (
        <Link key={label} params={{ id }} to="/transactions/$id">
          {label}
        </Link>
      ))}
    </nav>
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
  const { id, isCancelled, reversalOf, systemGenerated } = transaction;
  const mayChoose = useMay('categories.read');
  const cache = useQueryClient();
  const refresh = (): void => {
    for (const key of ['transaction', 'transactions', 'statement', 'customer', 'customers']) askAgain(cache, [key]);
  };
  return (
    <>
      {mayChoose && <ChooseCategory onDone={refresh} transaction={transaction} />}
      {!isCancelled && reversalOf === null && !systemGenerated && (
        <FormDialog
          act={({ reason = '' }) =>
            data(api.POST('/api/transactions/{id}/cancel', { params: { path: { id } }, body: { reason } }))
          }
          fields={(form) => <AreaField form={form} label="Reason" name="reason" required />}
          icon="close"
          initial={{ reason: '' }}
          label="Cancel"
          lead="Books a reversal dated today. Both transactions remain in the books. This cannot be undone."
          onDone={refresh}
          send="Book reversal"
        />
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
