import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { openErrorsQuery, parkedQuery } from '../api/attention';
import { jobsQuery, type Job } from '../api/jobs';
import {
  headRates,
  queuesQuery,
  SLOWLY_MS,
  systemQuery,
  type Observed,
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
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { NO_QUEUES, QueueTable } from '../parts/queue-table';
import { ReplicaShares } from '../parts/replica-shares';
import { StatusBadge, type Tone } from '../parts/status-badge';
import { Tiles, type TileProps } from '../parts/tile';
import { inSentence, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const route = getRouteApi('/signed-in/');
/** Periods of the charts, in seconds. */
const [HOUR, DAY] = [3_600, 86_400];
const UNKNOWN = '…';
const NOT_KNOWN = t('currently unknown');

const LEVELS: Readonly<Record<SystemHealth['status'], readonly [Tone, string]>> = {
  up: ['good', t('Up')],
  degraded: ['warning', t('Degraded')],
  down: ['bad', t('Down')],
};

const Level = ({ status }: { status: SystemHealth['status'] }): ReactNode => {
  const [tone, words] = LEVELS[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

export function OverviewPage(): ReactNode {
  const system = useQuery(systemQuery);
  const queues = useQuery(queuesQuery);
  const samples = queues.data?.samples ?? [];
  const { period } = route.useSearch();
  const points = pointsIn(period === 'day' ? DAY : HOUR, queues.data);
  return (
    <>
      <PageHeader
        actions={<PeriodChoice isDay={period === 'day'} />}
        lead={t('Refreshed every two seconds.')}
        title={t('Overview')}
      />
      {system.error !== null && <ProblemView error={system.error} onRetry={system.refetch} />}
      <Attention queues={queues} system={system} />
      <StateTiles samples={samples} system={system} />
      <div className="k-grid">
        <Panel title={t('Events per second')}>
          <RateChart points={points} />
        </Panel>
        <Panel title={t('Largest lag')}>
          <LagChart kinds={queues.data?.queues ?? []} points={points} />
        </Panel>
      </div>
      <Panel title={t('Lag by queue')}>
        <QueueTable empty={NO_QUEUES} isFolded query={queues} queues={queues.data?.queues} samples={samples} />
      </Panel>
      <div className="k-grid">
        <Panel title={t('Engines')}>
          <Engines system={system.data} />
        </Panel>
        <Panel title={t('This process')}>
          <Process system={system.data} />
        </Panel>
      </div>
      <ReplicaShares of={system.data?.ranges} />
    </>
  );
}

/** Returns the known points of the last `seconds`, oldest first. */
function pointsIn(seconds: number, of: Observed | undefined): readonly Point[] {
  const since = Date.now() / 1_000 - seconds;
  return [...(of?.history ?? []), ...(of?.samples ?? [])].filter(({ at }) => at >= since);
}

function PeriodChoice({ isDay }: { isDay: boolean }): ReactNode {
  const navigate = useNavigate();
  return (
    <Select
      allowDeselect={false}
      aria-label={t('Period of the charts')}
      checkIconPosition="right"
      data={[
        { value: 'hour', label: t('Charts of the last hour') },
        { value: 'day', label: t('Charts of the last 24 hours') },
      ]}
      onChange={(chosen) => {
        void navigate({ to: '/', search: chosen === 'day' ? { period: 'day' } : {}, replace: true });
      }}
      value={isDay ? 'day' : 'hour'}
    />
  );
}

/** The parts of a query result that this page needs. The page shows the data only while the query succeeds. */
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
  if (error !== null) return { name: t('Service'), value: UNKNOWN, note: NOT_KNOWN };
  if (system === undefined) return { name: t('Service'), value: UNKNOWN };
  return {
    name: t('Service'),
    value: <Level status={system.status} />,
    note:
      troubleOf(system) ||
      t('uptime {uptimeSeconds}, version {version}', {
        uptimeSeconds: duration(system.uptimeSeconds * 1_000),
        version: system.version,
      }),
  };
}

/** Returns the names of the unavailable engines and stopped projections, or an empty string if there are none. */
const troubleOf = ({ checks, projections }: SystemHealth): string =>
  [
    ...checks
      .filter(({ status }) => status !== 'up')
      .map(({ name, reason }) => (reason ? `${name}: ${serviceWords(reason)}` : name)),
    ...projections
      .filter(({ status }) => status !== 'running')
      .map(({ name, status }) => `${name} (${inSentence(status === 'stopped' ? t('Stopped') : t('Failing'))})`),
  ].join(', ');

function headTile(samples: readonly Sample[], system: SystemHealth | undefined): TileProps {
  const head = samples.at(-1)?.head ?? system?.eventStore.head;
  return { name: t('Event head'), value: head == null ? UNKNOWN : count(head), note: t('position of the last event') };
}

type Counted = Asked<{ readonly totalCount: number }>;

/**
 * Number of items that require attention, with a note. While the number is unknown, neither the value nor the note
 * implies that there are none.
 */
function waiting({ data, error }: Counted, none: string, some: string): Pick<TileProps, 'value' | 'note'> {
  if (error !== null) return { value: UNKNOWN, note: NOT_KNOWN };
  if (data === undefined) return { value: UNKNOWN };
  const { totalCount } = data;
  return { value: count(totalCount), note: totalCount === 0 ? none : <StatusBadge tone="warning">{some}</StatusBadge> };
}

function parkedTile(parked: Counted): TileProps {
  const { value, note } = waiting(parked, t('no action needed'), t('need attention'));
  const link = (
    <Link search={{ status: 'PARKED' }} to="/dead-letters">
      {value}
    </Link>
  );
  return { name: t('Parked dead letters'), value: link, note };
}

function errorsTile(errors: Counted): TileProps {
  const { value, note } = waiting(errors, t('all resolved'), t('unresolved'));
  return { name: t('Open errors'), value: <Link to="/errors">{value}</Link>, note };
}

function jobsTile({ data: jobs, error }: Asked<readonly Job[]>): TileProps {
  if (error !== null) return { name: t('Jobs'), value: <Link to="/jobs">{UNKNOWN}</Link>, note: NOT_KNOWN };
  if (jobs === undefined) return { name: t('Jobs'), value: UNKNOWN };
  const failed = jobs.filter(({ lastExecution }) => lastExecution?.status === 'FAILED').map(({ name }) => name);
  const running = jobs.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  const state = running.length > 0 ? t('Running') : t('Idle');
  const value = failed.length > 0 ? t('{failed} failed', { failed: count(failed.length) }) : state;
  const hasRun = jobs.some(({ lastExecution }) => lastExecution !== null);
  const none = hasRun ? t('the latest run of each job succeeded') : t('no job has run yet');
  return {
    name: t('Jobs'),
    value: <Link to="/jobs">{value}</Link>,
    note: failed.length > 0 ? <StatusBadge tone="bad">{failed.join(', ')}</StatusBadge> : running.join(', ') || none,
  };
}

function RateChart({ points }: { points: readonly Point[] }): ReactNode {
  const rates = headRates(points);
  const latest = rates.at(-1) ?? null;
  return (
    <LiveChart
      series={[{ label: t('Events per second'), values: rates }]}
      summary={t('Events appended per second: now {latest}', {
        latest: latest === null ? t('unknown') : decimal(latest),
      })}
      times={points.map(({ at }) => at)}
    />
  );
}

const GROUPS = [
  ['projection', t('projections')],
  ['policy', t('policies')],
  ['forwarder', t('forwarder')],
] as const;

type LagProps = { readonly points: readonly Point[]; readonly kinds: readonly Pick<Queue, 'kind'>[] };

function LagChart({ points, kinds }: LagProps): ReactNode {
  const shown = GROUPS.filter(([kind]) => kinds.some((each) => each.kind === kind));
  // A value is null if no consumer of that kind reports a lag.
  const series = shown.map(([kind, label]) => ({
    label,
    values: points.map(({ largest }) => largest[kind] ?? null),
  }));
  const words = series.map(({ label, values }) => {
    const latest = values.at(-1) ?? null;
    return `${label} ${latest === null ? t('unknown') : count(latest)}`;
  });
  return (
    <LiveChart
      series={series}
      summary={t('Largest lag now: {value}', { value: words.join(', ') })}
      times={points.map(({ at }) => at)}
    />
  );
}

type Check = SystemHealth['checks'][number] & { readonly engine: SystemHealth['engines'][number] | undefined };

const checkColumns: readonly Column<Check>[] = [
  { key: 'check', header: t('Check'), cell: ({ name }) => name },
  { key: 'status', header: t('Status'), cell: ({ status }) => <Level status={status} /> },
  { key: 'reason', header: t('Reason'), cell: ({ reason }) => (reason === undefined ? NOTHING : serviceWords(reason)) },
  {
    key: 'latency',
    header: t('Latency'),
    numeric: true,
    cell: ({ latencyMs }) => t('{latencyMs} ms', { latencyMs: decimal(latencyMs) }),
  },
  {
    key: 'engine',
    header: t('Engine'),
    cell: ({ engine }) => (engine?.engine ? `${engine.engine} ${engine.version ?? ''}` : NOTHING),
  },
];

const Engines = ({ system }: { system: SystemHealth | undefined }): ReactNode => (
  <DataTable
    columns={checkColumns}
    empty={t('There are no checks.')}
    keyOf={({ name }) => name}
    label={t('Engine checks')}
    rows={system?.checks.map((check) => ({ ...check, engine: system.engines.find(({ name }) => name === check.name) }))}
  />
);

const Process = ({ system }: { system: SystemHealth | undefined }): ReactNode =>
  system === undefined ? null : (
    <Tiles
      of={[
        {
          name: t('Memory'),
          value: bytes(system.memory.rssBytes),
          note: t('heap {heapUsedBytes}', { heapUsedBytes: bytes(system.memory.heapUsedBytes) }),
        },
        {
          name: t('Event-loop delay'),
          value: t('{p99Ms} ms', { p99Ms: decimal(system.eventLoopDelay.p99Ms) }),
          note: t('p99; maximum {maxMs} ms', { maxMs: decimal(system.eventLoopDelay.maxMs) }),
        },
        { name: 'Node', value: system.nodeVersion },
        { name: t('Roles'), value: system.roles.length === 5 ? t('all') : system.roles.join(', ') },
      ]}
    />
  );
