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
        lead="Every event is a leaf of one hash tree. A signed checkpoint proves that no event before it was changed, removed, inserted or reordered."
        title="Integrity"
      />
      <Panel aside={verify && <TriggerJob job={verify} />} title="Verification">
        {jobs.error !== null && <ProblemView error={jobs.error} onRetry={jobs.refetch} />}
        {verify !== undefined && <LastRun job={verify} />}
      </Panel>
      <Panel title="Last checkpoint">
        {checkpoint.error !== null && <ProblemView error={checkpoint.error} onRetry={checkpoint.refetch} />}
        {checkpoint.data !== undefined && <Checkpoint {...checkpoint.data} />}
      </Panel>
    </>
  );
}

function LastRun({ job: { name, lastExecution: run, nextRunAt } }: { job: Job }): ReactNode {
  if (run === null)
    return (
      <>
        <StatusBadge tone="idle">Not verified yet</StatusBadge>{' '}
        <span className="k-nothing">Run the job now, or wait.</span>
      </>
    );
  return (
    <Facts
      of={[
        ['Result', <RunStatus key="status" run={run} />],
        ['Details', run.error ?? run.message ?? '—'],
        [
          'Run',
          <Link key="run" params={{ name }} search={{ run: run.id }} to="/jobs/$name">
            <Instant at={run.startedAt} />
          </Link>,
        ],
        ['Next run', nextRunAt === null ? 'Manual only' : <Instant as="relative" at={nextRunAt} key="next" />],
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
        ['Signed', <Instant at={timestamp} key="signed" />],
        ['Events', count(size)],
        ['Root hash', <Copied key="root" value={rootHash} what="root hash" />],
      ]}
    />
    <p className="k-note">
      Keep this note outside the service. It exposes any later change of the events that it covers.{' '}
      <CopyButton value={note} what="signed note" />
    </p>
    <pre aria-label="Signed note" className="k-json" role="region" tabIndex={0}>
      {note}
    </pre>
  </>
);
