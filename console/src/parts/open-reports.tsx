import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ageingQuery, taxQuery, type Ageing, type TaxReport } from '../api/reports';
import { amountWords } from './amount';
import { percent, RATE_DIGITS } from './figures';
import { DataTable, type Column, type LoadedColumn } from './data-table';
import { Facts } from './facts';
import { Figure, Money } from './money';
import { known, ReportExport, ReportFilterBar, usePeriod, type ReportProps } from './report-filters';
import { ReportChart } from './report-chart';
import { ReportPanel } from './report-panel';
import { SortedTable } from './sorted-table';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

type AgeingRow = Ageing['rows'][number];

const AGES = [
  ['current', t('Current')],
  ['d30', t('1–30 days')],
  ['d60', t('31–60 days')],
  ['d90', t('61–90 days')],
  ['older', t('Older')],
  ['total', t('Total')],
] as const;

const BUCKETS = AGES.slice(0, -1);

const ageingColumns = ({ totals }: Ageing): readonly LoadedColumn<AgeingRow>[] => [
  {
    key: 'name',
    header: t('Customer'),
    sort: ({ name }) => name,
    total: t('Total'),
    cell: ({ customerId, name, code }) => (
      <>
        <Link params={{ id: customerId }} to="/customers/$id">
          {name}
        </Link>
        {code !== null && <div className="k-nothing k-whole">{code}</div>}
      </>
    ),
  },
  ...AGES.map(([age, header]): LoadedColumn<AgeingRow> => ({
    key: age,
    header,
    numeric: true,
    sort: (row) => Number(row[age]),
    cell: (row) => <Figure amount={row[age]} />,
    total: amountWords(totals[age]),
  })),
];

/** Amounts that customers owe, by the age of the open items. */
export function AgeingReport({ filters, onChange }: ReportProps): ReactNode {
  const day = today(useZone());
  const asOf = filters.asOf ?? day;
  const parameters = { asOf, ...known(filters) };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={<ReportExport name="ageing" parameters={parameters} />}
      filters={<ReportFilterBar filters={filters} onChange={onChange} scope="day" />}
      knownAt={filters.knownAt}
      query={useQuery(ageingQuery(parameters))}
      title={t("Customers' open items")}
    >
      {(report) => (
        <>
          <ReportChart
            label={t("Customers' open items")}
            names={BUCKETS.map(([, words]) => words)}
            series={[{ label: t('Open'), amounts: BUCKETS.map(([age]) => report.totals[age]) }]}
          />
          <SortedTable
            columns={ageingColumns(report)}
            empty={t('Nobody owes anything as of this date.')}
            keyOf={({ customerId }) => customerId}
            label={t('Ageing')}
            rows={report.rows}
          />
        </>
      )}
    </ReportPanel>
  );
}

type TaxRow = TaxReport['rows'][number];

const KINDS = [
  ['sales', t('Sales')],
  ['returns', t('Returns')],
  ['cancellations', t('Cancellations')],
] as const;
const PARTS = [
  ['net', (kind: string) => t('{kind}, net', { kind })],
  ['tax', (kind: string) => t('{kind}, tax', { kind })],
] as const;

const taxColumns = ({ totals }: TaxReport): readonly Column<TaxRow>[] => [
  {
    key: 'rate',
    header: t('Rate'),
    total: t('Total'),
    cell: ({ rate }) => (rate === null ? t('No rate') : percent(Number(rate), RATE_DIGITS)),
  },
  ...KINDS.flatMap(([kind, header]): Column<TaxRow>[] =>
    PARTS.map(([part, headerOf]) => ({
      key: `${kind} ${part}`,
      header: headerOf(header),
      numeric: true,
      cell: (row) => <Figure amount={row[kind][part]} />,
      total: amountWords(totals[kind][part]),
    })),
  ),
  {
    key: 'net',
    header: t('Net'),
    numeric: true,
    cell: ({ net }) => <Figure amount={net} />,
    total: amountWords(totals.net),
  },
  {
    key: 'tax',
    header: t('Tax'),
    numeric: true,
    cell: ({ tax }) => <Figure amount={tax} />,
    total: amountWords(totals.tax),
  },
];

/** Net amounts and tax by tax rate, reconciled with the tax account. */
export function TaxReportView({ filters, onChange }: ReportProps): ReactNode {
  const parameters = { ...usePeriod(filters), ...known(filters) };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={<ReportExport name="tax" parameters={parameters} />}
      filters={<ReportFilterBar filters={filters} onChange={onChange} scope="period" />}
      knownAt={filters.knownAt}
      query={useQuery(taxQuery(parameters))}
      title={t('Tax by rate')}
    >
      {(report) => (
        <>
          <DataTable
            columns={taxColumns(report)}
            empty={t('No documents with tax in this period.')}
            keyOf={({ rate }) => rate ?? ''}
            label={t('Tax by rate')}
            rows={report.rows}
          />
          <h3 className="k-subtitle">{t('Tax account')}</h3>
          <Facts
            of={(
              [
                [t('Opening balance'), report.reconciliation.opening],
                [t('From these documents'), report.reconciliation.documents],
                [t('Other postings'), report.reconciliation.other],
                [t('Closing balance'), report.reconciliation.closing],
              ] as const
            ).map(([name, amount]) => [name, <Money amount={amount} currency={report.currency} key={name} />])}
          />
        </>
      )}
    </ReportPanel>
  );
}
