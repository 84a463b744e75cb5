import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, whole } from '../api/client';
import { jobsQuery, type Job } from '../api/jobs';
import { isOperator, useMe } from '../api/me';
import { headRates, queuesQuery, systemQuery, type Sample, type SystemHealth } from '../api/observation';
import { bytes, count, decimal, duration } from '../parts/figures';
import { LiveChart } from '../parts/live-chart';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { QueueTable } from '../parts/queue-table';
import { StatusBadge, type Tone } from '../parts/status-badge';
import { Tiles, type TileProps } from '../parts/tile';

const SLOWLY_MS = 10_000;
const UNKNOWN = '…';

const parkedQuery = {
  queryKey: ['dead-letters', 'parked-count'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    whole(api.GET('/api/platform/dead-letters', { params: { query: { status: 'PARKED', pageSize: 1 } }, signal })),
  refetchInterval: SLOWLY_MS,
};
const errorsQuery = {
  queryKey: ['error-logs', 'open-count'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    whole(
      api.GET('/api/platform/error-logs', {
        params: { query: { resolved: false, pageNumber: 1, pageSize: 1 } },
        signal,
      }),
    ),
  refetchInterval: SLOWLY_MS,
};

const LEVELS: Readonly<Record<SystemHealth['status'], readonly [Tone, string]>> = {
  up: ['good', 'Up'],
  degraded: ['warning', 'Degraded'],
  down: ['bad', 'Down'],
};

const Level = ({ status }: { status: SystemHealth['status'] }): ReactNode => {
  const [tone, words] = LEVELS[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

/** How the whole service is doing, at a glance. */
export function OverviewPage(): ReactNode {
  const me = useMe();
  if (me === undefined) return null;
  return isOperator(me) ? <PlatformOverview /> : <Welcome />;
}

function PlatformOverview(): ReactNode {
  const system = useQuery(systemQuery);
  const queues = useQuery(queuesQuery);
  const samples = queues.data?.samples ?? [];
  return (
    <>
      <PageHeader lead="Refreshed every two seconds." title="Overview" />
      {system.error !== null && <ProblemView error={system.error} onRetry={system.refetch} />}
      <StateTiles samples={samples} system={system.data} />
      <div className="k-grid">
        <Panel title="Events per second">
          <RateChart samples={samples} />
        </Panel>
        <Panel title="Largest lag">
          <LagChart kinds={queues.data?.queues ?? []} samples={samples} />
        </Panel>
      </div>
      <Panel title="Lag of every projection, policy and the forwarder">
        <QueueTable query={queues} queues={queues.data?.queues} samples={samples} />
      </Panel>
      <div className="k-grid">
        <Panel title="Engines">
          <Engines system={system.data} />
        </Panel>
        <Panel title="This process">
          <Process system={system.data} />
        </Panel>
      </div>
    </>
  );
}

function StateTiles({ system, samples }: { system: SystemHealth | undefined; samples: readonly Sample[] }): ReactNode {
  const parked = useQuery(parkedQuery).data?.totalCount;
  const errors = useQuery(errorsQuery).data?.totalCount;
  const jobs = useQuery({ ...jobsQuery, refetchInterval: SLOWLY_MS }).data;
  return (
    <Tiles
      of={[healthTile(system), headTile(samples, system), parkedTile(parked), errorsTile(errors), jobsTile(jobs)]}
    />
  );
}

const healthTile = (system: SystemHealth | undefined): TileProps =>
  system === undefined
    ? { name: 'Service', value: UNKNOWN }
    : {
        name: 'Service',
        value: <Level status={system.status} />,
        note: troubleOf(system) || `up for ${duration(system.uptimeSeconds * 1_000)}, version ${system.version}`,
      };

/** What is away or stands still, by name; empty where nothing is. */
const troubleOf = ({ checks, projections }: SystemHealth): string =>
  [
    ...checks.filter(({ status }) => status !== 'up').map(({ name }) => name),
    ...projections.filter(({ status }) => status === 'stopped').map(({ name }) => `${name} (stopped)`),
  ].join(', ');

function headTile(samples: readonly Sample[], system: SystemHealth | undefined): TileProps {
  const head = samples.at(-1)?.head ?? system?.eventStore.head;
  return { name: 'Event head', value: head == null ? UNKNOWN : count(head), note: 'position of the last event' };
}

/** What a number of things to be done means. */
const waiting = (number: number | undefined, none: string, some: string): ReactNode =>
  number === undefined || number === 0 ? none : <StatusBadge tone="warning">{some}</StatusBadge>;

const parkedTile = (parked: number | undefined): TileProps => ({
  name: 'Parked dead letters',
  value: (
    <Link search={{ status: 'PARKED' }} to="/dead-letters">
      {parked === undefined ? UNKNOWN : count(parked)}
    </Link>
  ),
  note: waiting(parked, 'nothing waits for you', 'wait for a person'),
});

const errorsTile = (errors: number | undefined): TileProps => ({
  name: 'Open errors',
  value: errors === undefined ? UNKNOWN : count(errors),
  note: waiting(errors, 'none is unresolved', 'nobody has resolved'),
});

function jobsTile(jobs: readonly Job[] | undefined): TileProps {
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
        names.join(', ') || 'no last run has failed'
      ),
  };
}

function RateChart({ samples }: { samples: readonly Sample[] }): ReactNode {
  const rates = headRates(samples);
  const latest = rates.at(-1) ?? null;
  return (
    <LiveChart
      series={[{ label: 'Events per second', values: rates }]}
      summary={`Events appended per second: now ${latest === null ? 'unknown' : decimal(latest)}`}
      times={samples.map(({ at }) => at)}
    />
  );
}

type Kinds = readonly { readonly name: string; readonly kind: string }[];

const GROUPS = [
  ['projection', 'projections'],
  ['policy', 'policies'],
  ['forwarder', 'forwarder'],
] as const;

function LagChart({ samples, kinds }: { samples: readonly Sample[]; kinds: Kinds }): ReactNode {
  const shown = GROUPS.filter(([kind]) => kinds.some((each) => each.kind === kind));
  const series = shown.map(([kind, label]) => {
    const names = kinds.filter((each) => each.kind === kind).map(({ name }) => name);
    return {
      label,
      values: samples.map(({ lags }) => Math.max(...names.map((name) => lags.get(name) ?? 0))),
    };
  });
  const words = series.map(({ label, values }) => `${label} ${count(values.at(-1) ?? 0)}`).join(', ');
  return <LiveChart series={series} summary={`Largest lag now: ${words}`} times={samples.map(({ at }) => at)} />;
}

const Engines = ({ system }: { system: SystemHealth | undefined }): ReactNode => (
  <table className="k-table" role="table">
    <thead role="rowgroup">
      <tr role="row">
        <th scope="col">Check</th>
        <th scope="col">Status</th>
        <th className="k-numeric" scope="col">
          Answers in
        </th>
        <th scope="col">Engine</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {system?.checks.map(({ name, status, latencyMs }) => {
        const engine = system.engines.find((each) => each.name === name);
        return (
          <tr key={name} role="row">
            <td data-label="Check" role="cell">
              {name}
            </td>
            <td data-label="Status" role="cell">
              <Level status={status} />
            </td>
            <td className="k-numeric" data-label="Answers in" role="cell">
              {decimal(latencyMs)} ms
            </td>
            <td data-label="Engine" role="cell">
              {engine ? `${engine.engine ?? '—'} ${engine.version ?? ''}` : '—'}
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

const Process = ({ system }: { system: SystemHealth | undefined }): ReactNode =>
  system === undefined ? null : (
    <Tiles
      of={[
        { name: 'Memory', value: bytes(system.memory.rssBytes), note: `heap ${bytes(system.memory.heapUsedBytes)}` },
        {
          name: 'Event-loop delay',
          value: `${decimal(system.eventLoopDelay.p99Ms)} ms`,
          note: `p99; at most ${decimal(system.eventLoopDelay.maxMs)} ms`,
        },
        { name: 'Node', value: system.nodeVersion },
        { name: 'Roles', value: system.roles.length === 5 ? 'all' : system.roles.join(', ') },
      ]}
    />
  );

/** What a tenant's user sees first. */
const Welcome = (): ReactNode => (
  <>
    <PageHeader title="Welcome" />
    <Text>Choose a page on the left.</Text>
  </>
);
