import { Group, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { jobsQuery, runsQuery, useLiveJobs, type Job, type Run } from '../api/jobs';
import { eventsOf, type HistoryEvent } from '../api/records';
import type { LiveState } from '../api/server-events';
import { PLATFORM } from '../api/tenants';
import { BackLink } from '../parts/back-link';
import { DownloadButton } from '../parts/download-button';
import { duration, percent } from '../parts/figures';
import { Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { jobWords } from '../parts/job-words';
import { LiveMark } from '../parts/live-mark';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { RunActions } from '../parts/run-actions';
import { RunStatus } from '../parts/run-status';
import { StatusBadge } from '../parts/status-badge';
import { TriggerJob } from '../parts/trigger-job';
import { locale } from '../messages/language';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

/** The API's maximum page size, used for runs and events. */
const LATEST = 100;
const LISTED = 8;
const route = getRouteApi('/signed-in/jobs/$name');

/** The job's event history, which contains its runs. */
const jobHistoryQuery = (name: string) => ({
  queryKey: ['job-history', name],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    eventsOf({ entity: 'job', id: name, tenantId: PLATFORM }, { pageNumber: 1, pageSize: LATEST }, signal),
});

/**
 * Returns the run that the URL specifies or, if it specifies none, the latest run. Returns undefined if there is no
 * such run.
 */
function chosenRun(
  job: Job | undefined,
  listed: readonly Run[],
  name: string,
  id: string | undefined,
): Run | undefined {
  // The event stream delivers the latest run. The console reloads the run list when a run ends.
  const known = [...(job?.lastExecution ? [job.lastExecution] : []), ...listed].filter((run) => run.jobName === name);
  return id === undefined ? known[0] : known.find((run) => run.id === id);
}

/** Keeps all jobs and this job's history up to date. */
function useLiveJob(name: string): LiveState {
  const cache = useQueryClient();
  const onRun = useCallback(
    (run: Run) => {
      if (run.jobName === name) askAgain(cache, ['job-history', name]);
    },
    [cache, name],
  );
  return useLiveJobs(onRun);
}

const aboutJob = (job: Job | undefined): string =>
  job === undefined ? t('There is no job with this name.') : jobWords(job);

/** A job with one of its runs and the log of that run. */
export function JobPage(): ReactNode {
  const { name } = route.useParams();
  const { run: id } = route.useSearch();
  const live = useLiveJob(name);
  const jobs = useQuery(jobsQuery);
  const runs = useQuery(runsQuery({ pageNumber: 1, pageSize: LATEST, search: name }));
  const job = jobs.data?.find((each) => each.name === name);
  const run = chosenRun(job, runs.data?.items ?? [], name, id);
  const problem = jobs.error ?? runs.error;
  return (
    <>
      <PageHeader
        actions={
          <>
            <LiveMark state={live} />
            {job && <TriggerJob job={job} />}
          </>
        }
        lead={
          <>
            <BackLink to="/jobs">{t('All jobs')}</BackLink> · {jobs.data === undefined ? '…' : aboutJob(job)}
          </>
        }
        title={name}
      />
      {problem && <ProblemView error={problem} onRetry={() => Promise.all([jobs.refetch(), runs.refetch()])} />}
      <Runs name={name} runs={runs.data?.items.filter(({ jobName }) => jobName === name)} />
      {run ? (
        <RunPanels name={name} run={run} />
      ) : (
        <NoRun chosen={id} isKnown={problem === null} isPending={runs.isPending} />
      )}
    </>
  );
}

type NoRunProps = { readonly chosen: string | undefined; readonly isPending: boolean; readonly isKnown: boolean };

const NoRun = ({ chosen, isPending, isKnown }: NoRunProps): ReactNode =>
  isKnown && (
    <div className="k-panel k-empty" role="status">
      {isPending
        ? t('Loading …')
        : chosen === undefined
          ? t('This job has not run yet.')
          : t('This run is not among the latest 100 runs.')}
    </div>
  );

function RunPanels({ run, name }: { run: Run; name: string }): ReactNode {
  const isRunning = run.status === 'RUNNING';
  const isOpen = isRunning || run.status === 'PAUSED';
  return (
    <>
      <Panel
        aside={
          <Group gap="xs">
            <RunStatus run={run} />
            <RunActions run={run} />
          </Group>
        }
        title={t('Run')}
      >
        {isOpen && (
          <Progress.Root mb="md" size="lg">
            <Progress.Section animated={isRunning} aria-label={t('Run progress')} value={run.progress} />
          </Progress.Root>
        )}
        <Facts
          of={[
            [t('Started'), <Instant at={run.startedAt} key="started" />],
            [t('Finished'), isOpen ? t('Not yet') : <Instant at={run.finishedAt} key="finished" />],
            [t('Duration'), run.durationMs === null ? '—' : duration(run.durationMs)],
            [t('Started by'), run.trigger === 'MANUAL' ? t('An operator') : t('The schedule')],
            [isOpen ? t('Progress') : t('Result'), told(run.message) ?? '—'],
            [t('Run'), <code key="id">{run.id}</code>],
          ]}
        />
        {run.error !== null && (
          <Text c="var(--k-bad)" mt="sm" role="alert" size="sm">
            <strong>{t('Failed:')}</strong> {serviceWords(run.error)}
          </Text>
        )}
      </Panel>
      {run.artifact !== null && (
        <Panel aside={<DownloadButton run={run} />} title={t('File')}>
          <Facts
            of={[
              [t('Name'), <code key="name">{run.artifact.fileName}</code>],
              ['SHA-256', <code key="sha">{run.artifact.sha256}</code>],
            ]}
          />
          <Text c="dimmed" mt="sm" size="sm">
            {t('This file contains the history of all tenants. Protect it as you would protect the database.')}
          </Text>
        </Panel>
      )}
      <RunLog name={name} run={run} />
    </>
  );
}

/** The job's latest runs, with links that select the run shown below. */
const Runs = ({ name, runs = [] }: { name: string; runs: readonly Run[] | undefined }): ReactNode =>
  runs.length > 1 && (
    <Panel title={t('Latest runs')}>
      <ul className="k-runs">
        {runs.slice(0, LISTED).map((run) => (
          <li key={run.id}>
            <Link params={{ name }} replace resetScroll={false} search={{ run: run.id }} to="/jobs/$name">
              <Instant at={run.startedAt} />
            </Link>{' '}
            <RunStatus run={run} /> <span className="k-nothing">{told(run.error ?? run.message)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );

const WORDS: Readonly<Record<string, string>> = {
  JobStarted: t('Started'),
  JobClaimed: t('Claimed by a process'),
  JobProgressed: t('In progress'),
  JobSucceeded: t('Succeeded'),
  JobFailed: t('Failed'),
  JobPaused: t('Paused'),
  JobResumed: t('Resumed'),
  JobCancelled: t('run| Cancelled'),
};

/** Returns a run's message in the viewer's language, or undefined if there is none. */
const told = (message: string | null): string | undefined => (message === null ? undefined : serviceWords(message));

type Told = {
  readonly executionId?: string;
  readonly progress?: number;
  readonly message?: string | null;
  readonly error?: string;
};

function lineOf({ type, data }: HistoryEvent): string {
  const { progress, message, error } = data as Told;
  const parts = [
    WORDS[type] ?? type,
    progress === undefined ? undefined : percent(progress),
    told(error ?? message ?? null),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** A run's log, built from its events. It grows during the run. */
function RunLog({ run, name }: { run: Run; name: string }): ReactNode {
  const history = useQuery(jobHistoryQuery(name));
  const events = history.data?.items.filter(({ data }) => (data as Told).executionId === run.id).toReversed();
  return (
    <Panel
      aside={run.status === 'RUNNING' && <StatusBadge tone="busy">{t('Live updates')}</StatusBadge>}
      title={t('Run log')}
    >
      {history.error !== null && <ProblemView error={history.error} onRetry={history.refetch} />}
      {events?.length === 0 && (
        <p className="k-empty">{t("This run's events are not among the job's latest 100 events.")}</p>
      )}
      {events !== undefined && events.length > 0 && (
        <div aria-label={t('Run log')} className="k-log" role="log" tabIndex={0}>
          <ol>
            {events.map((event) => (
              <li key={event.id}>
                <time dateTime={event.occurredAt} title={event.occurredAt}>
                  {new Date(event.occurredAt).toLocaleTimeString(locale)}
                </time>
                <span>{lineOf(event)}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  );
}
