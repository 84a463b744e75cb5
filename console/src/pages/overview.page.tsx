import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { openErrorsQuery, parkedQuery } from '../api/attention';
import { jobsQuery, type Job } from '../api/jobs';
import {
  headRates,
  queuesQuery,
  SLOWLY_MS,
  systemQuery,
  type Point,
  type Queue,
  type Sample,
  type SystemHealth,
} from '../api/observation';
import type { Shown } from '../api/queries';
import { DataTable, type Column } from '../parts/data-table';
import { Attention } from '../parts/attention';
import { bytes, count, decimal, duration } from '../parts/figures';
import { LiveChart } from '../parts/live-chart';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { QueueTable } from '../parts/queue-table';
import { StatusBadge, type Tone } from '../parts/status-badge';
import { Tiles, type TileProps } from '../parts/tile';

const UNKNOWN = '…';
const NOT_KNOWN = 'currently unknown';

const LEVELS: Readonly<Record<SystemHealth['status'], readonly [Tone, string]>> = {
  up: ['good', 'Up'],
  degraded: ['warning', 'Degraded'],
  down: ['bad', 'Down'],
};

const Level = ({ status }: { status: SystemHealth['status'] }): ReactNode => {
  const [tone, words] = LEVELS[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

export function OverviewPage(): ReactNode {
  const system = useQuery(systemQuery);
  const queues = useQuery(queuesQuery);
  const samples = queues.data?.samples ?? [];
  const points = [...(queues.data?.history ?? []), ...samples];
  return (
    <>
      <PageHeader lead="Refreshed every two seconds." title="Overview" />
      {system.error !== null && <ProblemView error={system.error} onRetry={system.refetch} />}
      <Attention queues={queues} system={system} />
      <StateTiles samples={samples} system={system} />
      <div className="k-grid">
        <Panel title="Events per second">
          <RateChart points={points} />
        </Panel>
        <Panel title="Largest lag">
          <LagChart kinds={queues.data?.queues ?? []} points={points} />
        </Panel>
      </div>
      <Panel title="Lag by queue">
        <QueueTable isFolded query={queues} queues={queues.data?.queues} samples={samples} />
      </Panel>
      <div className="k-grid">
        <Panel title="Engines">
          <Engines system={system.data} />
        </Panel>
        <Panel title="This process">
          <Process system={system.data} />
        </Panel>
      </div>
      <Shares of={system.data?.ranges ?? []} />
    </>
  );
}

/** The part of a query that this page needs. The page shows its data only while the query succeeds. */
type Asked<T> = Pick<Shown<T>, 'data' | 'error'>;
type StateProps = { readonly system: Asked<SystemHealth>; readonly samples: readonly Sample[] };

function StateTiles({ system, samples }: StateProps): ReactNode {
  const parked = useQuery(parkedQuery);
  const errors = useQuery(openErrorsQuery);
  const jobs = useQuery({ ...jobsQuery, refetchInterval: SLOWLY_MS });
  const head = headTile(samples, system.data);
  return <Tiles of={[healthTile(system), head, parkedTile(parked), errorsTile(errors), jobsTile(jobs)]} />;
}

function healthTile({ data: system, error }: Asked<SystemHealth>): TileProps {
  if (error !== null) return { name: 'Service', value: UNKNOWN, note: NOT_KNOWN };
  if (system === undefined) return { name: 'Service', value: UNKNOWN };
  return {
    name: 'Service',
    value: <Level status={system.status} />,
    note: troubleOf(system) || `uptime ${duration(system.uptimeSeconds * 1_000)}, version ${system.version}`,
  };
}

/** Names of unavailable engines and stopped projections; empty if there are none. */
const troubleOf = ({ checks, projections }: SystemHealth): string =>
  [
    ...checks.filter(({ status }) => status !== 'up').map(({ name, reason }) => (reason ? `${name}: ${reason}` : name)),
    ...projections.filter(({ status }) => status !== 'running').map(({ name, status }) => `${name} (${status})`),
  ].join(', ');

function headTile(samples: readonly Sample[], system: SystemHealth | undefined): TileProps {
  const head = samples.at(-1)?.head ?? system?.eventStore.head;
  return { name: 'Event head', value: head == null ? UNKNOWN : count(head), note: 'position of the last event' };
}

type Counted = Asked<{ readonly totalCount: number }>;

/** Number of items that need attention, with a note. While the number is unknown, neither suggests that all is well. */
function waiting({ data, error }: Counted, none: string, some: string): Pick<TileProps, 'value' | 'note'> {
  if (error !== null) return { value: UNKNOWN, note: NOT_KNOWN };
  if (data === undefined) return { value: UNKNOWN };
  const { totalCount } = data;
  return { value: count(totalCount), note: totalCount === 0 ? none : <StatusBadge tone="warning">{some}</StatusBadge> };
}

function parkedTile(parked: Counted): TileProps {
  const { value, note } = waiting(parked, 'no action needed', 'need attention');
  const link = (
    <Link search={{ status: 'PARKED' }} to="/dead-letters">
      {value}
    </Link>
  );
  return { name: 'Parked dead letters', value: link, note };
}

function errorsTile(errors: Counted): TileProps {
  const { value, note } = waiting(errors, 'all resolved', 'unresolved');
  return { name: 'Open errors', value: <Link to="/errors">{value}</Link>, note };
}

function jobsTile({ data: jobs, error }: Asked<readonly Job[]>): TileProps {
  if (error !== null) return { name: 'Jobs', value: <Link to="/jobs">{UNKNOWN}</Link>, note: NOT_KNOWN };
  if (jobs === undefined) return { name: 'Jobs', value: UNKNOWN };
  const failed = jobs.filter(({ lastExecution }) => lastExecution?.status === 'FAILED').map(({ name }) => name);
  const running = jobs.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  const value = failed.length > 0 ? `${count(failed.length)} failed` : running.length > 0 ? 'Running' : 'Idle';
  const names = failed.length > 0 ? failed : running;
  return {
    name: 'Jobs',
    value: <Link to="/jobs">{value}</Link>,
    note:
      failed.length > 0 ? (
        <StatusBadge tone="bad">{names.join(', ')}</StatusBadge>
      ) : (
        names.join(', ') || 'all latest runs succeeded'
      ),
  };
}

function RateChart({ points }: { points: readonly Point[] }): ReactNode {
  const rates = headRates(points);
  const latest = rates.at(-1) ?? null;
  return (
    <LiveChart
      series={[{ label: 'Events per second', values: rates }]}
      summary={`Events appended per second: now ${latest === null ? 'unknown' : decimal(latest)}`}
      times={points.map(({ at }) => at)}
    />
  );
}

const GROUPS = [
  ['projection', 'projections'],
  ['policy', 'policies'],
  ['forwarder', 'forwarder'],
] as const;

type LagProps = { readonly points: readonly Point[]; readonly kinds: readonly Pick<Queue, 'kind'>[] };

function LagChart({ points, kinds }: LagProps): ReactNode {
  const shown = GROUPS.filter(([kind]) => kinds.some((each) => each.kind === kind));
  // Null if no consumer reports a lag.
  const series = shown.map(([kind, label]) => ({
    label,
    values: points.map(({ largest }) => largest[kind] ?? null),
  }));
  const words = series.map(({ label, values }) => {
    const latest = values.at(-1) ?? null;
    return `${label} ${latest === null ? 'unknown' : count(latest)}`;
  });
  return (
    <LiveChart series={series} summary={`Largest lag now: ${words.join(', ')}`} times={points.map(({ at }) => at)} />
  );
}

type Check = SystemHealth['checks'][number] & { readonly engine: SystemHealth['engines'][number] | undefined };

const checkColumns: readonly Column<Check>[] = [
  { key: 'check', header: 'Check', cell: ({ name }) => name },
  { key: 'status', header: 'Status', cell: ({ status }) => <Level status={status} /> },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => reason ?? '—' },
  { key: 'latency', header: 'Latency', numeric: true, cell: ({ latencyMs }) => `${decimal(latencyMs)} ms` },
  {
    key: 'engine',
    header: 'Engine',
    cell: ({ engine }) => (engine ? `${engine.engine ?? '—'} ${engine.version ?? ''}` : '—'),
  },
];

const Engines = ({ system }: { system: SystemHealth | undefined }): ReactNode => (
  <DataTable
    columns={checkColumns}
    empty="There are no checks."
    keyOf={({ name }) => name}
    label="Engine checks"
    rows={system?.checks.map((check) => ({ ...check, engine: system.engines.find(({ name }) => name === check.name) }))}
  />
);

type Share = { readonly work: string; readonly leader: string | null; readonly ranges: readonly number[] };

/** One row for each kind of work and leader, in the order of their ranges. */
const sharesIn = (ranges: SystemHealth['ranges']): readonly Share[] =>
  ranges.flatMap(({ work, leaders }) =>
    [...new Set(leaders)].map((leader) => ({
      work,
      leader,
      ranges: leaders.flatMap((each, range) => (each === leader ? [range] : [])),
    })),
  );

const shareColumns: readonly Column<Share>[] = [
  { key: 'work', header: 'Work', cell: ({ work }) => work },
  {
    key: 'leader',
    header: 'Leader',
    cell: ({ leader }) => (leader === null ? <StatusBadge tone="bad">None</StatusBadge> : leader),
  },
  { key: 'count', header: 'Share', numeric: true, cell: ({ ranges }) => `${count(ranges.length)} of 16` },
  { key: 'ranges', header: 'Ranges', cell: ({ ranges }) => ranges.join(', ') },
];

/** How replicas divide the tenants among them. A single process has nothing to divide. */
const Shares = ({ of: ranges }: { of: SystemHealth['ranges'] }): ReactNode =>
  ranges.length === 0 ? null : (
    <Panel title="Shares of the replicas">
      <DataTable
        columns={shareColumns}
        empty="No replica has registered."
        keyOf={({ work, leader }) => `${work} ${leader ?? ''}`}
        label="Shares of the replicas"
        rows={sharesIn(ranges)}
      />
    </Panel>
  );

const Process = ({ system }: { system: SystemHealth | undefined }): ReactNode =>
  system === undefined ? null : (
    <Tiles
      of={[
        { name: 'Memory', value: bytes(system.memory.rssBytes), note: `heap ${bytes(system.memory.heapUsedBytes)}` },
        {
          name: 'Event-loop delay',
          value: `${decimal(system.eventLoopDelay.p99Ms)} ms`,
          note: `p99; maximum ${decimal(system.eventLoopDelay.maxMs)} ms`,
        },
        { name: 'Node', value: system.nodeVersion },
        { name: 'Roles', value: system.roles.length === 5 ? 'all' : system.roles.join(', ') },
      ]}
    />
  );
