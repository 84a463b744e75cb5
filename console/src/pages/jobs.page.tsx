import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { jobsQuery, runsQuery, useLiveJobs, type Job, type Run } from '../api/jobs';
import { DataTable, type Column, type LoadedColumn } from '../parts/data-table';
import { DownloadButton } from '../parts/download-button';
import { duration } from '../parts/figures';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { jobWords } from '../parts/job-words';
import { IN_PLACE, useListSearch } from '../parts/list-search';
import { sortedRows } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { LiveMark } from '../parts/live-mark';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { RunStatus } from '../parts/run-status';
import { StatusBadge } from '../parts/status-badge';
import { TriggerJob } from '../parts/trigger-job';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';
import { locale } from '../messages/language';

const route = getRouteApi('/signed-in/jobs');

const jobColumns: readonly LoadedColumn<Job>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Job'),
    sort: ({ name }) => name,
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
    sort: ({ lastExecution }) => lastExecution && Date.parse(lastExecution.startedAt),
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
    narrow: 'hidden',
    header: t('Next run'),
    sort: ({ isEnabled, nextRunAt }) => (isEnabled && nextRunAt !== null ? Date.parse(nextRunAt) : null),
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
    narrow: 'title',
    header: t('Job'),
    cell: ({ id, jobName }) => (
      <Link params={{ name: jobName }} search={{ run: id }} to="/jobs/$name">
        {jobName}
      </Link>
    ),
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: (run) => <RunStatus run={run} /> },
  { key: 'started', header: t('Started'), cell: ({ startedAt }) => <Instant at={startedAt} /> },
  {
    key: 'took',
    narrow: 'hidden',
    header: t('Duration'),
    numeric: true,
    cell: ({ durationMs }) => (durationMs === null ? '—' : duration(durationMs)),
  },
  {
    key: 'by',
    narrow: 'hidden',
    header: t('Started by'),
    cell: ({ trigger }) => (trigger === 'MANUAL' ? t('An operator') : t('The schedule')),
  },
  {
    key: 'message',
    narrow: 'hidden',
    isWide: true,
    header: t('Result'),
    cell: ({ message, error }) => serviceWords(error ?? message ?? '—'),
  },
  {
    key: 'file',
    narrow: 'hidden',
    header: t('File'),
    cell: (run) => (run.artifact === null ? '—' : <DownloadButton run={run} />),
  },
];

/** Jobs, updated live, and past runs. */
export function JobsPage(): ReactNode {
  const live = useLiveJobs();
  const jobs = useQuery(jobsQuery);
  const [{ sort }, change] = useListSearch();
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
          rows={jobs.data && sortedRows(jobs.data, jobColumns, sort, locale)}
          sorting={{
            current: sort,
            onSort: (next) => {
              change((search) => ({ ...search, sort: next }), IN_PLACE);
            },
          }}
        />
      </Panel>
      <Runs />
    </>
  );
}

function Runs(): ReactNode {
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  return (
    <Listing
      columns={runColumns}
      empty={search === undefined ? t('No job has run yet.') : t('No runs match this search.')}
      filters={
        <FilterBar>
          <SearchField hint={t('Job or message')} onChange={set('search')} value={search} />
        </FilterBar>
      }
      label={t('Job runs')}
      query={(page) => runsQuery({ ...page, ...(search !== undefined && { search }) })}
      title={t('Runs')}
    />
  );
}
