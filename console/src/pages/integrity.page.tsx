import { Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, data } from '../api/client';
import { jobsQuery, useLiveJobs, type Job } from '../api/jobs';
import { SLOWLY_MS } from '../api/observation';
import { Copied } from '../parts/copied';
import { CopyButton } from '../parts/copy-button';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Instant } from '../parts/instant';
import { LiveMark } from '../parts/live-mark';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { RunStatus } from '../parts/run-status';
import { StatusBadge } from '../parts/status-badge';
import { TriggerJob } from '../parts/trigger-job';
import { rich, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const checkpointQuery = queryOptions({
  queryKey: ['integrity', 'checkpoint'],
  queryFn: ({ signal }) => data(api.GET('/api/platform/integrity/checkpoint', { signal })),
  refetchInterval: SLOWLY_MS,
});

/** Name of the job that verifies the history every night. */
const VERIFY = 'integrity-verify';

/** The signed checkpoint of the history, and its last verification. */
export function IntegrityPage(): ReactNode {
  const live = useLiveJobs();
  const checkpoint = useQuery(checkpointQuery);
  const jobs = useQuery(jobsQuery);
  const verify = jobs.data?.find(({ name }) => name === VERIFY);
  return (
    <>
      <PageHeader
        actions={<LiveMark state={live} />}
        lead={t(
          'Every event is a leaf in a single hash tree. A signed checkpoint proves that no earlier event was changed, removed, inserted or reordered.',
        )}
        title={t('Integrity')}
      />
      <Panel aside={verify && <TriggerJob job={verify} />} title={t('Verification')}>
        {jobs.error !== null && <ProblemView error={jobs.error} onRetry={jobs.refetch} />}
        {jobs.isLoading && <Skeleton height={100} />}
        {verify !== undefined && <LastRun job={verify} />}
      </Panel>
      <Panel title={t('Last checkpoint')}>
        {checkpoint.error !== null && <ProblemView error={checkpoint.error} onRetry={checkpoint.refetch} />}
        {checkpoint.isLoading && <Skeleton height={200} />}
        {checkpoint.data !== undefined && <Checkpoint {...checkpoint.data} />}
      </Panel>
    </>
  );
}

function LastRun({ job: { name, lastExecution: run, nextRunAt } }: { job: Job }): ReactNode {
  if (run === null)
    return (
      <>
        <StatusBadge tone="idle">{t('Not verified yet')}</StatusBadge>{' '}
        <span className="k-nothing">{t('Run the job now, or wait for its next scheduled run.')}</span>
      </>
    );
  return (
    <Facts
      of={[
        [t('Result'), <RunStatus key="status" run={run} />],
        [t('Details'), serviceWords(run.error ?? run.message ?? '—')],
        [
          t('Run'),
          <Link key="run" params={{ name }} search={{ run: run.id }} to="/jobs/$name">
            <Instant at={run.startedAt} />
          </Link>,
        ],
        [t('Next run'), nextRunAt === null ? t('Manual only') : <Instant as="relative" at={nextRunAt} key="next" />],
      ]}
    />
  );
}

type CheckpointProps = {
  readonly note: string;
  readonly size: number;
  readonly rootHash: string;
  readonly timestamp: string;
};

const Checkpoint = ({ note, size, rootHash, timestamp }: CheckpointProps): ReactNode => (
  <>
    <Facts
      of={[
        [t('Signed'), <Instant at={timestamp} key="signed" />],
        [t('Events'), count(size)],
        [t('Root hash'), <Copied key="root" value={rootHash} what={t('root hash')} />],
      ]}
    />
    <p className="k-note">
      {rich(
        'Keep this note outside the service. The note reveals any later change to the events that it covers. {copyButton}',
        { copyButton: <CopyButton value={note} what={t('signed note')} /> },
      )}
    </p>
    <pre aria-label={t('Signed note')} className="k-json" role="region" tabIndex={0}>
      {note}
    </pre>
  </>
);
