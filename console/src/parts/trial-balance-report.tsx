import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { trialBalanceQuery, type TrialBalance } from '../api/reports';
import type { ReportFilters } from '../routes/tenant-filters';
import { accountTypeWords } from './account-form';
import { amountWords } from './amount';
import type { LoadedColumn } from './data-table';
import { Figure } from './money';
import { NOTHING } from './nothing';
import { known, ReportExport, ReportFilterBar, usePeriod, type ReportProps } from './report-filters';
import { ReportPanel } from './report-panel';
import { SortedTable } from './sorted-table';
import { t } from '../messages/catalogue';

type Row = TrialBalance['rows'][number];

/** Link from a row to the postings from which its figures are calculated. */
export const LedgerLink = ({
  id,
  filters,
  children,
}: {
  id: string;
  filters: ReportFilters;
  children: ReactNode;
}): ReactNode => (
  <Link
    params={{ name: 'general-ledger' }}
    search={{ from: filters.from, to: filters.to ?? filters.asOf, knownAt: filters.knownAt, accountId: id }}
    to="/reports/$name"
  >
    {children}
  </Link>
);

const columnsOf = (report: TrialBalance, filters: ReportFilters): readonly LoadedColumn<Row>[] => [
  {
    key: 'code',
    header: t('Code'),
    sort: ({ code }) => code,
    cell: ({ code }) => (code === null ? NOTHING : <span className="k-whole">{code}</span>),
    total: t('Total'),
  },
  {
    key: 'name',
    header: t('Account'),
    sort: ({ name }) => name,
    cell: ({ accountId, name }) => (
      <LedgerLink filters={filters} id={accountId}>
        {name}
      </LedgerLink>
    ),
  },
  {
    key: 'type',
    header: t('Type'),
    sort: ({ type }) => accountTypeWords(type),
    cell: ({ type }) => accountTypeWords(type),
  },
  {
    key: 'opening',
    header: t('Opening'),
    numeric: true,
    sort: ({ opening = '0' }) => Number(opening),
    cell: ({ opening = '0' }) => <Figure amount={opening} />,
  },
  {
    key: 'debit',
    header: t('Debit'),
    numeric: true,
    sort: ({ debit }) => Number(debit),
    cell: ({ debit }) => <Figure amount={debit} />,
    total: amountWords(report.totalDebit),
  },
  {
    key: 'credit',
    header: t('Credit'),
    numeric: true,
    sort: ({ credit }) => Number(credit),
    cell: ({ credit }) => <Figure amount={credit} />,
    total: amountWords(report.totalCredit),
  },
  {
    key: 'closing',
    header: t('Closing'),
    numeric: true,
    sort: ({ closing, balance }) => Number(closing ?? balance),
    cell: ({ closing, balance }) => <Figure amount={closing ?? balance} />,
  },
];

/** Opening balance, turnover and closing balance of each account in a period. */
export function TrialBalanceReport({ filters, onChange }: ReportProps): ReactNode {
  const period = usePeriod(filters);
  const zero = filters.zero !== undefined;
  const parameters = { ...period, ...known(filters), zero };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={<ReportExport name="trial-balance" parameters={parameters} />}
      filters={
        <ReportFilterBar filters={filters} onChange={onChange} scope="period">
          <Switch
            checked={zero}
            label={t('Show accounts whose amounts are zero')}
            onChange={({ currentTarget }) => {
              onChange({ ...filters, zero: currentTarget.checked ? 'true' : undefined });
            }}
          />
        </ReportFilterBar>
      }
      knownAt={filters.knownAt}
      query={useQuery(trialBalanceQuery(parameters))}
      title={t('Accounts')}
    >
      {(report) => (
        <SortedTable
          columns={columnsOf(report, { ...filters, ...period })}
          empty={t('Nothing was posted in this period.')}
          keyOf={({ accountId }) => accountId}
          label={t('Trial balance')}
          rows={report.rows}
        />
      )}
    </ReportPanel>
  );
}
