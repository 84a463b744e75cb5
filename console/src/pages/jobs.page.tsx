import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { jobsQuery, runsQuery, useLiveJobs, type Job, type Run } from '../api/jobs';
import { DataTable, type Column } from '../parts/data-table';
import { DownloadButton } from '../parts/download-button';
import { duration } from '../parts/figures';
import { FilterBar, IN_PLACE, SearchField } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { jobWords } from '../parts/job-words';
import { LiveMark } from '../parts/live-mark';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { RunStatus } from '../parts/run-status';
import { StatusBadge } from '../parts/status-badge';
import { TriggerJob } from '../parts/trigger-job';
import { t } from '../messages/catalogue';

const PAGE_SIZE = 20;
const route = getRouteApi('/signed-in/jobs');

const jobColumns: readonly Column<Job>[] = [
  {
    key: 'name',
    header: t('Job'),
    cell: (job) => (
      <>
        <Link params={{ name: job.name }} to="/jobs/$name">
          {job.name}
        </Link>
        <div className="k-nothing">{jobWords(job)}</div>
      </>
    ),
  },
  {
    key: 'last',
    header: t('Last run'),
    cell: ({ name, lastExecution }) =>
      lastExecution === null ? (
        <StatusBadge tone="idle">{t('Never run')}</StatusBadge>
      ) : (
        <>
          <Link params={{ name }} search={{ run: lastExecution.id }} to="/jobs/$name">
            <RunStatus run={lastExecution} />
          </Link>
          <div className="k-nothing">
            <Instant as="relative" at={lastExecution.startedAt} />
          </div>
        </>
      ),
  },
  {
    key: 'next',
    header: t('Next run'),
    cell: ({ isEnabled, nextRunAt, schedule }) => (
      <>
        {isEnabled ? <Instant as="relative" at={nextRunAt} /> : t('Manual only')}
        {isEnabled && (
          <div className="k-nothing">
            <code title={t('Cron pattern (UTC)')}>{schedule}</code>
          </div>
        )}
      </>
    ),
  },
  { key: 'run', header: t('Action'), cell: (job) => <TriggerJob job={job} /> },
];

const runColumns: readonly Column<Run>[] = [
  {
    key: 'job',
    header: t('Job'),
    cell: ({ id, jobName }) => (
      <Link params={{ name: jobName }} search={{ run: id }} to="/jobs/$name">
        {jobName}
      </Link>
    ),
  },
  { key: 'status', header: t('Status'), cell: (run) => <RunStatus run={run} /> },
  { key: 'started', header: t('Started'), cell: ({ startedAt }) => <Instant at={startedAt} /> },
  {
    key: 'took',
    header: t('Duration'),
    numeric: true,
    cell: ({ durationMs }) => (durationMs === null ? '—' : duration(durationMs)),
  },
  {
    key: 'by',
    header: t('Started by'),
    cell: ({ trigger }) => (trigger === 'MANUAL' ? t('An operator') : t('The schedule')),
  },
  { key: 'message', header: t('Result'), cell: ({ message, error }) => error ?? message ?? '—' },
  { key: 'file', header: t('File'), cell: (run) => (run.artifact === null ? '—' : <DownloadButton run={run} />) },
];

/** Jobs, updated live, and past runs. */
export function JobsPage(): ReactNode {
  const live = useLiveJobs();
  const jobs = useQuery(jobsQuery);
  return (
    <>
      <PageHeader
        actions={<LiveMark state={live} />}
        lead={t('Jobs run on a schedule or when you start them. Each job runs on one replica at a time.')}
        title={t('Jobs')}
      />
      <Panel title={t('All jobs')}>
        <DataTable
          columns={jobColumns}
          empty={t('There are no jobs.')}
          keyOf={({ name }) => name}
          label={t('Jobs')}
          query={jobs}
          rows={jobs.data}
        />
      </Panel>
      <Panel title={t('Runs')}>
        <Runs />
      </Panel>
    </>
  );
}

function Runs(): ReactNode {
  const { page = 1, search } = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useQuery(runsQuery({ pageNumber: page, pageSize: PAGE_SIZE, ...(search !== undefined && { search }) }));
  return (
    <>
      <FilterBar>
        <SearchField
          hint={t('Job or message')}
          onChange={(next) => void navigate({ search: { search: next }, ...IN_PLACE })}
          value={search}
        />
      </FilterBar>
      <DataTable
        columns={runColumns}
        empty={search === undefined ? t('No job has run yet.') : t('No runs match this search.')}
        keyOf={({ id }) => id}
        label={t('Job runs')}
        pages={{
          page,
          totalPages: runs.data?.totalPages,
          totalCount: runs.data?.totalCount,
          totalIsCapped: runs.data?.totalIsCapped,
          onPage: (next) => void navigate({ search: { search, page: next } }),
        }}
        query={runs}
        rows={runs.data?.items}
      />
    </>
  );
}
