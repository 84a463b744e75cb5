import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { statementQuery, type Period, type Statement } from '../api/books';
import { amountWords } from './amount';
import { DataTable, type Column } from './data-table';
import { Day } from './day';
import { ExportButton, useFileName } from './export-button';
import { DateField, FilterBar } from './filter-bar';
import { Figure, type Balance, type Money } from './money';
import { useLoadedPages } from './loaded-pages';
import { Panel } from './panel';
import { Coverage } from './report-panel';
import { stringifySearch } from './search-params';
import { typeWords } from './transaction-words';
import { useZone } from './zone';
import { today } from './zone-days';
import { rich, t } from '../messages/catalogue';

type Line = Statement['lines'][number];

/** Returns the last line of the previous page, whose balance is brought forward. */
const lineBefore = (first: Line | undefined, of: Statement | undefined): Line | undefined =>
  first && of?.lines[of.lines.indexOf(first) - 1];

const columnsAfter = (before: Line | undefined): readonly Column<Line>[] => [
  { key: 'date', header: t('Date'), cell: ({ date }) => <Day on={date} /> },
  {
    key: 'what',
    narrow: 'title',
    header: t('Transaction'),
    forward: before && t('Balance brought forward'),
    cell: (line) => (
      <>
        <Link params={{ id: line.transactionId }} to="/transactions/$id">
          {typeWords(line)}
        </Link>
        <div className="k-nothing">
          {[line.description, line.lineDescription, line.reference, line.counterparty, line.reason]
            .filter((part) => part !== null)
            .join(' · ')}
        </div>
      </>
    ),
  },
  { key: 'debit', header: t('Debit'), numeric: true, cell: ({ debit }) => <Figure amount={debit} /> },
  { key: 'credit', header: t('Credit'), numeric: true, cell: ({ credit }) => <Figure amount={credit} /> },
  {
    key: 'balance',
    narrow: 'end',
    header: t('Balance'),
    numeric: true,
    forward: before && amountWords(before.balance),
    cell: ({ balance }) => amountWords(balance),
  },
];

/** Returns the default start of a statement. An account's full history could be too long to read. */
const lastYear = (day: string): string => `${Number(day.slice(0, 4)) - 1}-01-01`;

/** Returns the default start of a statement, unless the given period ends before that day. */
const defaultBegin = ({ endDate }: Period, day: string): string | undefined =>
  endDate !== undefined && endDate < lastYear(day) ? undefined : lastYear(day);

/** A statement without an end includes postings with future dates. */
const laterOf = (day: string, other = day): string => (other > day ? other : day);

type Props = {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  /** Component that shows the opening and closing balance. */
  readonly as: typeof Balance | typeof Money;
  readonly period: Period;
  readonly onChange: (period: Period) => void;
};

/** All postings to an account within a period, with a running balance. Opens at the page with the newest lines. */
export function StatementPanel({ accountId, name, currency, as: Shown, period, onChange }: Props): ReactNode {
  const day = today(useZone());
  const beginDate = period.beginDate ?? defaultBegin(period, day);
  const asked = { ...period, beginDate };
  const statement = useQuery(statementQuery(accountId, asked));
  const endDate = period.endDate ?? laterOf(day, statement.data?.lines.at(-1)?.date);
  const fileName = useFileName('statement', name, beginDate, endDate);
  const lines = useLoadedPages(statement.data?.lines, 'last');
  return (
    <Panel
      aside={
        <ExportButton
          fileName={`${fileName}.csv`}
          path={`/api/accounts/${accountId}/statement${stringifySearch(asked)}`}
        />
      }
      title={t('Statement')}
    >
      <PeriodFilter begin={beginDate ?? ''} onPeriod={onChange} period={period} />
      <div className="k-print-only">
        <Coverage from={beginDate ?? null} to={endDate} />
      </div>
      {statement.data && (
        <p className="k-note k-sums">
          <span>
            {rich('Opening balance: {money}', { money: <Shown amount={statement.data.opening} currency={currency} /> })}
          </span>
          <span>
            {rich('Closing balance: {money}', { money: <Shown amount={statement.data.closing} currency={currency} /> })}
          </span>
        </p>
      )}
      <DataTable
        columns={columnsAfter(lineBefore(lines.rows?.[0], statement.data))}
        empty={t('Nothing was posted in this period.')}
        keyOf={({ transactionId, debit, credit }) => `${transactionId} ${debit} ${credit}`}
        label={t('Statement')}
        query={statement}
        {...lines}
      />
    </Panel>
  );
}

type FilterProps = Pick<Props, 'period'> & {
  readonly onPeriod: (period: Period) => void;
  /** Start of the period, or the default start if the user has not selected a period. */
  readonly begin: string;
};

const PeriodFilter = ({ begin, period, onPeriod }: FilterProps): ReactNode => (
  <FilterBar filters={period}>
    <DateField
      label={t('From')}
      onChange={(beginDate) => {
        onPeriod({ ...period, beginDate });
      }}
      value={begin}
    />
    <DateField
      label={t('To')}
      onChange={(endDate) => {
        onPeriod({ ...period, endDate });
      }}
      value={period.endDate}
    />
  </FilterBar>
);
