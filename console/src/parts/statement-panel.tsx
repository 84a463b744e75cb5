import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { statementQuery, type Period, type Statement } from '../api/books';
import { download } from '../api/download';
import { DataTable, type Column } from './data-table';
import { Day } from './day';
import { DateField, FilterBar } from './filter-bar';
import { Icon } from './icons';
import { amountWords, Money } from './money';
import { Panel } from './panel';
import { ProblemView } from './problem-view';
import { stringifySearch } from './search-params';

const PAGE_SIZE = 25;

type Line = Statement['lines'][number];

const amount = (text: string): ReactNode =>
  /[1-9]/.test(text) ? amountWords(text) : <span className="k-nothing">—</span>;

const columns: readonly Column<Line>[] = [
  { key: 'date', header: 'Date', cell: ({ date }) => <Day on={date} /> },
  {
    key: 'what',
    header: 'Transaction',
    cell: ({ transactionId, description }) => (
      <Link params={{ id: transactionId }} to="/transactions/$id">
        {description ?? 'No description'}
      </Link>
    ),
  },
  { key: 'debit', header: 'Debit', numeric: true, cell: ({ debit }) => amount(debit) },
  { key: 'credit', header: 'Credit', numeric: true, cell: ({ credit }) => amount(credit) },
  { key: 'balance', header: 'Balance', numeric: true, cell: ({ balance }) => amountWords(balance) },
];

/** Default start of a statement, because the full history of an account could be too long to read. */
const lastYear = (): string => `${new Date().getFullYear() - 1}-01-01`;

/** A period that ends earlier has no default start. */
const defaultBegin = ({ endDate }: Period): string | undefined =>
  endDate !== undefined && endDate < lastYear() ? undefined : lastYear();

type Props = {
  readonly accountId: string;
  readonly currency: string;
  readonly period: Period;
  readonly onPeriod: (period: Period) => void;
};

/** Every posting to an account within a period, with running balance. */
export function StatementPanel({ accountId, currency, period, onPeriod }: Props): ReactNode {
  const beginDate = period.beginDate ?? defaultBegin(period);
  const asked = { ...period, beginDate };
  const statement = useQuery(statementQuery(accountId, asked));
  // The latest lines are on the last page, so each period opens there.
  const [page, setPage] = useState<number>();
  const go = (next: Period): void => {
    setPage(undefined);
    onPeriod(next);
  };
  const lines = statement.data?.lines;
  const pages = Math.max(1, Math.ceil((lines?.length ?? 0) / PAGE_SIZE));
  const shown = Math.min(page ?? pages, pages);
  return (
    <Panel aside={<Csv accountId={accountId} period={asked} />} title="Statement">
      <PeriodFilter begin={beginDate ?? ''} onPeriod={go} period={period} />
      {statement.data && (
        <p className="k-note k-sums">
          <span>
            Opening balance: <Money amount={statement.data.opening} currency={currency} />
          </span>
          <span>
            Closing balance: <Money amount={statement.data.closing} currency={currency} />
          </span>
        </p>
      )}
      <DataTable
        columns={columns}
        empty="Nothing was posted in this period."
        keyOf={({ transactionId, debit, credit }) => `${transactionId} ${debit} ${credit}`}
        label="Statement"
        pages={{ page: shown, totalPages: pages, totalCount: lines?.length, onPage: setPage }}
        query={statement}
        rows={lines?.slice((shown - 1) * PAGE_SIZE, shown * PAGE_SIZE)}
      />
    </Panel>
  );
}

type FilterProps = Pick<Props, 'period' | 'onPeriod'> & {
  /** Start of the period; a default if the user has not chosen a period. */
  readonly begin: string;
};

const PeriodFilter = ({ begin, period, onPeriod }: FilterProps): ReactNode => (
  <FilterBar
    onClear={
      period.beginDate === undefined && period.endDate === undefined
        ? undefined
        : () => {
            onPeriod({});
          }
    }
  >
    <DateField
      label="From"
      onChange={(beginDate) => {
        onPeriod({ ...period, beginDate });
      }}
      value={begin}
    />
    <DateField
      label="To"
      onChange={(endDate) => {
        onPeriod({ ...period, endDate });
      }}
      value={period.endDate}
    />
  </FilterBar>
);

function Csv({ accountId, period }: Pick<Props, 'accountId' | 'period'>): ReactNode {
  const search = stringifySearch(period);
  const action = useMutation({
    mutationFn: () => download(`/api/accounts/${accountId}/statement${search}`, 'text/csv'),
  });
  return (
    <>
      {action.error !== null && <ProblemView error={action.error} />}
      <Button
        leftSection={<Icon name="download" size={16} />}
        loading={action.isPending}
        onClick={() => {
          action.mutate();
        }}
        size="xs"
        variant="default"
      >
        Download CSV
      </Button>
    </>
  );
}
