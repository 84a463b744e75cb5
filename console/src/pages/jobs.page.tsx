import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { jobsQuery, runsQuery, useLiveJobs, type Job, type Run } from '../api/jobs';
import { DataTable, type Column } from '../parts/data-table';
import { DownloadButton } from '../parts/download-button';
import { duration } from '../parts/figures';
import { FilterBar, IN_PLACE, SearchField } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { LiveMark } from '../parts/live-mark';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { RunStatus } from '../parts/run-status';
import { StatusBadge } from '../parts/status-badge';
import { TriggerJob } from '../parts/trigger-job';

const PAGE_SIZE = 20;
const route = getRouteApi('/signed-in/jobs');

const jobColumns: readonly Column<Job>[] = [
  {
    key: 'name',
    header: 'Job',
    cell: ({ name, description }) => (
      <>
        <Link params={{ name }} to="/jobs/$name">
          {name}
        </Link>
        <div className="k-nothing">{description}</div>
      </>
    ),
  },
  {
    key: 'last',
    header: 'Last run',
    cell: ({ name, lastExecution }) =>
      lastExecution === null ? (
        <StatusBadge tone="idle">Never run</StatusBadge>
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
    header: 'Next run',
    cell: ({ isEnabled, nextRunAt, schedule }) => (
      <>
        {isEnabled ? <Instant as="relative" at={nextRunAt} /> : 'Manual only'}
        {isEnabled && (
          <div className="k-nothing">
            <code title="Cron pattern, UTC">{schedule}</code>
          </div>
        )}
      </>
    ),
  },
  { key: 'run', header: 'Action', cell: (job) => <TriggerJob job={job} /> },
];

const runColumns: readonly Column<Run>[] = [
  {
    key: 'job',
    header: 'Job',
    cell: ({ id, jobName }) => (
      <Link params={{ name: jobName }} search={{ run: id }} to="/jobs/$name">
        {jobName}
      </Link>
    ),
  },
  { key: 'status', header: 'Status', cell: (run) => <RunStatus run={run} /> },
  { key: 'started', header: 'Started', cell: ({ startedAt }) => <Instant at={startedAt} /> },
  {
    key: 'took',
    header: 'Duration',
    numeric: true,
    cell: ({ durationMs }) => (durationMs === null ? '—' : duration(durationMs)),
  },
  { key: 'by', header: 'Started by', cell: ({ trigger }) => (trigger === 'MANUAL' ? 'An operator' : 'The schedule') },
  { key: 'message', header: 'Result', cell: ({ message, error }) => error ?? message ?? '—' },
  { key: 'file', header: 'File', cell: (run) => (run.artifact === null ? '—' : <DownloadButton run={run} />) },
];

/** Jobs, updated live, and past runs. */
export function JobsPage(): ReactNode {
  const live = useLiveJobs();
  const jobs = useQuery(jobsQuery);
  return (
    <>
      <PageHeader
        actions={<LiveMark state={live} />}
        lead="Jobs run on a schedule or when you start them. Each job runs on one replica at a time."
        title="Jobs"
      />
      <Panel title="All jobs">
        <DataTable
          columns={jobColumns}
          empty="There are no jobs."
          keyOf={({ name }) => name}
          label="Jobs"
          query={jobs}
          rows={jobs.data}
        />
      </Panel>
      <Panel title="Runs">
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
          hint="Job or message"
          onChange={(next) => void navigate({ search: { search: next }, ...IN_PLACE })}
          value={search}
        />
      </FilterBar>
      <DataTable
        columns={runColumns}
        empty={search === undefined ? 'No job has run yet.' : 'No runs match this search.'}
        keyOf={({ id }) => id}
        label="Job runs"
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
