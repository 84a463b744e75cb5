import { Button } from '@mantine/core';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { IN_PLACE } from '../parts/list-search';
import { Icon } from '../parts/icons';
import { PageHeader } from '../parts/page-header';
import type { ReportProps } from '../parts/report-filters';
import { REPORTS } from '../parts/report-words';
import { GeneralLedgerReport } from '../parts/general-ledger-report';
import { AgeingReport, TaxReportView } from '../parts/open-reports';
import { BalanceSheetReport, ProfitAndLossReport } from '../parts/result-reports';
import { TrialBalanceReport } from '../parts/trial-balance-report';
import { MissingPage } from './missing.page';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/reports/$name');

const VIEWS: Readonly<Record<(typeof REPORTS)[number][0], (props: ReportProps) => ReactNode>> = {
  'profit-and-loss': ProfitAndLossReport,
  'balance-sheet': BalanceSheetReport,
  'trial-balance': TrialBalanceReport,
  'general-ledger': GeneralLedgerReport,
  ageing: AgeingReport,
  tax: TaxReportView,
};

/** Redirects to the first report. */
export const ReportsPage = (): ReactNode => (
  <Navigate params={{ name: 'profit-and-loss' }} replace to="/reports/$name" />
);

/** A report. Its parameters are part of the URL. */
export function ReportPage(): ReactNode {
  const { name } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const report = REPORTS.find(([each]) => each === name);
  if (report === undefined) return <MissingPage />;
  const [shown, title] = report;
  const View = VIEWS[shown];
  return (
    <>
      <PageHeader
        actions={
          <Button
            className="k-no-print"
            leftSection={<Icon name="audit" size={16} />}
            onClick={() => {
              window.print();
            }}
            size="xs"
            variant="default"
          >
            {t('Print')}
          </Button>
        }
        title={title}
      />
      <nav aria-label={t('Reports')} className="k-tabs k-no-print">
        {REPORTS.map(([each, words]) => (
          <Link
            key={each}
            params={{ name: each }}
            search={({ from, to, asOf, knownAt }) => ({ from, to, asOf, knownAt })}
            to="/reports/$name"
            activeOptions={{ includeSearch: false }}
          >
            {words}
          </Link>
        ))}
      </nav>
      <View filters={filters} onChange={(search) => void navigate({ search, ...IN_PLACE })} />
    </>
  );
}
