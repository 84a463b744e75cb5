import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountSource } from '../api/books';
import { generalLedgerQuery, type GeneralLedger } from '../api/reports';
import { amountWords } from './amount';
import { DataTable, type Column } from './data-table';
import { Day } from './day';
import { useLoadedPages } from './loaded-pages';
import { Figure } from './money';
import { RemoteChoice } from './remote-choice';
import { known, ReportExport, ReportFilterBar, usePeriod, type ReportProps } from './report-filters';
import { ReportPanel } from './report-panel';
import { typeWords } from './transaction-words';
import { t } from '../messages/catalogue';

type Row = GeneralLedger['rows'][number];

const columnsOf = ({ totalDebit, totalCredit }: GeneralLedger): readonly Column<Row>[] => [
  { key: 'date', header: t('Date'), cell: ({ date }) => <Day on={date} />, total: t('Total') },
  {
    key: 'what',
    header: t('Transaction'),
    cell: (row) => (
      <>
        <Link params={{ id: row.transactionId }} to="/transactions/$id">
          {typeWords(row)}
        </Link>
        <div className="k-nothing">{row.description ?? row.externalId ?? row.reference}</div>
        {row.lineDescription !== null && <div className="k-nothing">{row.lineDescription}</div>}
      </>
    ),
  },
  {
    key: 'account',
    header: t('Account'),
    cell: ({ name, code }) => (
      <>
        {name}
        {code !== null && <div className="k-nothing k-whole">{code}</div>}
      </>
    ),
  },
  {
    key: 'debit',
    header: t('Debit'),
    numeric: true,
    cell: ({ debit }) => <Figure amount={debit} />,
    total: amountWords(totalDebit),
  },
  {
    key: 'credit',
    header: t('Credit'),
    numeric: true,
    cell: ({ credit }) => <Figure amount={credit} />,
    total: amountWords(totalCredit),
  },
];

/** All postings in a period, to all accounts or to one account, in order. */
export function GeneralLedgerReport({ filters, onChange }: ReportProps): ReactNode {
  const { accountId } = filters;
  const parameters = { ...usePeriod(filters), ...known(filters), ...(accountId !== undefined && { accountId }) };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={
        <>
          <ReportExport name="general-ledger" parameters={parameters} />
          <ReportExport format={['beancount', 'beancount']} name="general-ledger" parameters={parameters} />
        </>
      }
      filters={
        <ReportFilterBar filters={filters} onChange={onChange} scope="period">
          <RemoteChoice
            className="k-choice"
            label={t('Account')}
            onChange={(next) => {
              onChange({ ...filters, accountId: next, page: undefined });
            }}
            source={accountSource}
            value={accountId}
          />
        </ReportFilterBar>
      }
      knownAt={filters.knownAt}
      query={useQuery(generalLedgerQuery(parameters))}
      title={t('Postings')}
    >
      {(report) => <Postings report={report} />}
    </ReportPanel>
  );
}

const Postings = ({ report }: { report: GeneralLedger }): ReactNode => (
  <DataTable
    columns={columnsOf(report)}
    empty={t('Nothing was posted in this period.')}
    keyOf={(row) => String(report.rows.indexOf(row))}
    label={t('General ledger')}
    {...useLoadedPages(report.rows)}
  />
);
