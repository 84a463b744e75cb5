import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../api/me';
import { balanceSheetQuery, profitAndLossQuery, type BalanceSheet, type ProfitAndLoss } from '../api/reports';
import { amountWords } from './amount';
import { DataTable, type Column } from './data-table';
import { Choice } from './filter-bar';
import { Figure } from './money';
import { known, ReportExport, ReportFilterBar, usePeriod, type ReportProps } from './report-filters';
import { ReportChart } from './report-chart';
import { ReportPanel } from './report-panel';
import { periodWords, sectionWords } from './report-words';
import { LedgerLink } from './trial-balance-report';
import { useZone } from './zone';
import { today } from './zone-days';
import { inSentence, t } from '../messages/catalogue';

const STEPS = [
  ['month', t('Months')],
  ['quarter', t('Quarters')],
] as const;

type LinkProps = { readonly id: string; readonly filters: ReportProps['filters']; readonly children: ReactNode };

/**
 * Links a row to the account's statement for the same dates. Statements show only the current books, so a report with
 * `knownAt` links to the general ledger instead. Users who may not read accounts also get this link.
 */
function StatementLink({ id, filters, children }: LinkProps): ReactNode {
  const mayOpen = useMay('accounts.read');
  if (filters.knownAt !== undefined || !mayOpen)
    return (
      <LedgerLink filters={filters} id={id}>
        {children}
      </LedgerLink>
    );
  return (
    <Link params={{ id }} search={{ beginDate: filters.from, endDate: filters.to }} to="/accounts/$id">
      {children}
    </Link>
  );
}

type Section = ProfitAndLoss['sections'][number];
type Row = Section['rows'][number];

const columnsOf = (
  { periods }: ProfitAndLoss,
  { name, total, totals }: Section,
  filters: ReportProps['filters'],
): readonly Column<Row>[] => [
  {
    key: 'name',
    header: sectionWords(name),
    total: t('Total {noun}', { noun: inSentence(sectionWords(name)) }),
    cell: ({ accountId, name: account, code }) => (
      <>
        <StatementLink filters={filters} id={accountId}>
          {account}
        </StatementLink>
        {code !== null && <div className="k-nothing k-whole">{code}</div>}
      </>
    ),
  },
  ...(periods.length > 1
    ? periods.map((period, index): Column<Row> => ({
        key: period.name,
        header: periodWords(period.name),
        numeric: true,
        cell: ({ amounts }) => <Figure amount={amounts[index] ?? '0'} />,
        total: <Figure amount={totals[index] ?? '0'} />,
      }))
    : []),
  {
    key: 'total',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount }) => <Figure amount={amount} />,
    total: amountWords(total),
  },
];

/** Number of characters in the longest amount or column header of a report. */
const longestFigure = ({ periods, sections }: ProfitAndLoss): number =>
  Math.max(
    ...periods.map(({ name }) => periodWords(name).length),
    ...sections.flatMap(({ total, totals, rows }) =>
      [total, ...totals, ...rows.flatMap(({ amount, amounts }) => [amount, ...amounts])].map(
        (amount) => amountWords(amount).length,
      ),
    ),
  );

/** Income and expenses of a period, in total, by month, or by quarter. */
export function ProfitAndLossReport({ filters, onChange }: ReportProps): ReactNode {
  const period = usePeriod(filters);
  const parameters = { ...period, ...known(filters), ...(filters.by !== undefined && { by: filters.by }) };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={<ReportExport name="profit-and-loss" parameters={parameters} />}
      filters={
        <ReportFilterBar filters={filters} onChange={onChange} scope="period">
          <Choice
            label={t('Columns')}
            none={t('None')}
            onChange={(by) => {
              onChange({ ...filters, by });
            }}
            options={STEPS}
            value={filters.by}
          />
        </ReportFilterBar>
      }
      knownAt={filters.knownAt}
      query={useQuery(profitAndLossQuery(parameters))}
      title={t('Income and expenses')}
    >
      {(report) => (
        <div className="k-sections">
          <Course parameters={{ ...parameters, by: filters.by ?? 'month' }} />
          <div className="k-across" style={{ ['--k-figure' as string]: longestFigure(report) }}>
            {report.sections.map((section) => (
              <DataTable
                columns={columnsOf(report, section, { ...filters, ...period })}
                empty={t('No {noun} in this period.', { noun: inSentence(sectionWords(section.name)) })}
                key={section.name}
                keyOf={({ accountId }) => accountId}
                label={sectionWords(section.name)}
                rows={section.rows}
              />
            ))}
          </div>
          <Sum label={t('Profit or loss')} value={`${amountWords(report.result)} ${report.currency}`} />
        </div>
      )}
    </ReportPanel>
  );
}

/** Maximum number of bar groups that are readable on a screen. */
const MOST_BARS = 24;

/**
 * Income and expenses as bars, by month or by quarter. Not shown for a single month or quarter, or if there are too
 * many to read.
 */
function Course({ parameters }: { parameters: Parameters<typeof profitAndLossQuery>[0] }): ReactNode {
  const { data: report } = useQuery(profitAndLossQuery(parameters));
  if (report === undefined || report.periods.length < 2 || report.periods.length > MOST_BARS) return null;
  const years = new Set(report.periods.map(({ name }) => name.slice(0, 4)));
  return (
    <ReportChart
      label={t('Income and expenses')}
      names={report.periods.map(({ name }) => periodWords(name, years.size > 1))}
      series={report.sections.map(({ name, totals }) => ({ label: sectionWords(name), amounts: totals }))}
    />
  );
}

const Sum = ({ label, value }: { label: string; value: string }): ReactNode => (
  <p className="k-result">
    <span>{label}</span>
    <span className="k-money">{value}</span>
  </p>
);

type BalanceSection = BalanceSheet['sections'][number];
type BalanceRow = BalanceSection['rows'][number];

const balanceColumns = (
  { name, total }: BalanceSection,
  filters: ReportProps['filters'],
): readonly Column<BalanceRow>[] => [
  {
    key: 'name',
    header: sectionWords(name),
    total: t('Total {noun}', { noun: inSentence(sectionWords(name)) }),
    cell: (row) => (
      <>
        {row.accountId === null ? (
          sectionWords(row.name)
        ) : (
          <StatementLink filters={filters} id={row.accountId}>
            {row.name}
          </StatementLink>
        )}
        {row.code !== null && <div className="k-nothing k-whole">{row.code}</div>}
      </>
    ),
  },
  {
    key: 'amount',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount }) => <Figure amount={amount} />,
    total: amountWords(total),
  },
];

/** Assets, liabilities and equity at the end of a day. */
export function BalanceSheetReport({ filters, onChange }: ReportProps): ReactNode {
  const day = today(useZone());
  const asOf = filters.asOf ?? day;
  const parameters = { asOf, ...known(filters) };
  return (
    <ReportPanel
      covers={(report) => report}
      exports={<ReportExport name="balance-sheet" parameters={parameters} />}
      filters={<ReportFilterBar filters={filters} onChange={onChange} scope="day" />}
      knownAt={filters.knownAt}
      query={useQuery(balanceSheetQuery(parameters))}
      title={t('Assets, liabilities and equity')}
    >
      {({ sections, totalAssets, totalLiabilitiesAndEquity, currency }) => (
        <div className="k-sections">
          {sections.map((section) => (
            <DataTable
              columns={balanceColumns(section, { to: asOf, knownAt: filters.knownAt })}
              empty={t('No {noun} as of this date.', { noun: inSentence(sectionWords(section.name)) })}
              key={section.name}
              keyOf={({ accountId, name }) => accountId ?? name}
              label={sectionWords(section.name)}
              rows={section.rows}
            />
          ))}
          <Sum label={t('Assets')} value={`${amountWords(totalAssets)} ${currency}`} />
          <Sum label={t('Liabilities and equity')} value={`${amountWords(totalLiabilitiesAndEquity)} ${currency}`} />
        </div>
      )}
    </ReportPanel>
  );
}
