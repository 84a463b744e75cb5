import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Queue, Sample } from '../api/observation';
import { DataTable, type Asked, type Column } from './data-table';
import { count } from './figures';
import { Instant } from './instant';
import { LiveChart } from './live-chart';
import { PolicySwitch } from './policy-switch';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

const KINDS: Readonly<Record<Queue['kind'], string>> = {
  projection: t('Projection'),
  policy: t('Policy'),
  forwarder: t('Forwarder'),
  push: t('Web push'),
  integrity: t('Tamper evidence'),
};

/** The fifth-newest sample is eight to ten seconds old. By then, a queue should have processed its events. */
const SAMPLES_BACK = 5;

/**
 * Returns whether a queue has not yet reached the head position of about ten seconds ago. A lag alone is not
 * significant, because events arrive continuously.
 */
const isBehind = ({ lag, position }: Queue, samples: readonly Sample[]): boolean =>
  (lag ?? 0) > 0 && (position ?? 0) < (samples.at(-SAMPLES_BACK)?.head ?? 0);

/**
 * Returns whether the previous sample also shows a lag. A queue's status therefore does not change because of an event
 * that has only just been stored.
 */
const isWorking = ({ name, lag }: Queue, samples: readonly Sample[]): boolean =>
  (lag ?? 0) > 0 && (samples.at(-2)?.lags.get(name) ?? 0) > 0;

type Standing = 'unled' | 'paused' | 'behind' | 'healthy';

export const standingOf = (queue: Queue, samples: readonly Sample[]): Standing =>
  queue.pausedAt !== null ? 'paused' : queue.lag === null ? 'unled' : isBehind(queue, samples) ? 'behind' : 'healthy';

function QueueStatus({ queue, samples }: { queue: Queue; samples: readonly Sample[] }): ReactNode {
  const standing = standingOf(queue, samples);
  if (standing === 'unled') return <StatusBadge tone="bad">{t('No worker')}</StatusBadge>;
  if (standing === 'paused') return <StatusBadge tone="warning">{t('Paused')}</StatusBadge>;
  if (standing === 'behind') return <StatusBadge tone="warning">{t('Behind')}</StatusBadge>;
  return isWorking(queue, samples) ? (
    <StatusBadge tone="busy">{t('Working')}</StatusBadge>
  ) : (
    <StatusBadge tone="good">{t('Up to date')}</StatusBadge>
  );
}

/**
 * Sort priority. Queues that require attention come first. The others keep their order, so that the table remains
 * readable.
 */
const URGENCY: Readonly<Record<Standing, number>> = { unled: 3, paused: 2, behind: 1, healthy: 0 };

const columnsOf = (samples: readonly Sample[]): readonly Column<Queue>[] => [
  { key: 'name', narrow: 'title', header: t('Queue'), cell: ({ name }) => <strong>{name}</strong> },
  { key: 'kind', header: t('Kind'), cell: ({ kind }) => <span className="k-whole">{KINDS[kind]}</span> },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: (queue) => <QueueStatus queue={queue} samples={samples} />,
  },
  { key: 'lag', header: t('Lag'), numeric: true, cell: ({ lag }) => (lag === null ? '—' : count(lag)) },
  {
    key: 'chart',
    header: t('Trend'),
    cell: ({ name, lag }) => (
      <div className="k-spark">
        <LiveChart
          axes={false}
          height={26}
          series={[{ label: name, values: samples.map(({ lags }) => lags.get(name) ?? null) }]}
          summary={t('Lag of {name}: now {lag}, maximum {samples}', {
            name,
            lag: lag === null ? t('unknown') : count(lag),
            samples: count(highest(samples, name)),
          })}
          times={samples.map(({ at }) => at)}
        />
      </div>
    ),
  },
  { key: 'rate', narrow: 'hidden', header: t('Per minute'), numeric: true, cell: ({ perMinute }) => count(perMinute) },
  { key: 'inFlight', narrow: 'hidden', header: t('In flight'), numeric: true, cell: ({ inFlight }) => count(inFlight) },
  {
    key: 'failures',
    narrow: 'hidden',
    header: t('Failed attempts'),
    numeric: true,
    cell: ({ failures }) => (failures > 0 ? <StatusBadge tone="warning">{count(failures)}</StatusBadge> : '0'),
  },
  {
    key: 'last',
    narrow: 'hidden',
    header: t('Last activity'),
    cell: ({ lastProcessedAt }) => <Instant as="relative" at={lastProcessedAt} />,
  },
  { key: 'action', header: t('Action'), cell: (queue) => <PolicySwitch queue={queue} /> },
];

const highest = (samples: readonly Sample[], name: string): number =>
  Math.max(0, ...samples.map(({ lags }) => lags.get(name) ?? 0));

export const NO_QUEUES = t('There are no queues, because no process is running background work.');

type Props = {
  readonly queues: readonly Queue[] | undefined;
  readonly samples: readonly Sample[];
  readonly query: Asked;
  /** Message for an empty list. */
  readonly empty: string;
  /** Whether healthy queues are initially hidden. */
  readonly isFolded?: boolean;
};

/** Progress of every consumer of the history. */
export function QueueTable({ queues, samples, query, empty, isFolded = false }: Props): ReactNode {
  const [isOpen, { toggle }] = useDisclosure(!isFolded);
  const sorted = queues?.toSorted((a, b) => URGENCY[standingOf(b, samples)] - URGENCY[standingOf(a, samples)]);
  const rows = sorted?.filter((queue) => isOpen || standingOf(queue, samples) !== 'healthy');
  const isEmptyByChoice = !isOpen && rows?.length === 0;
  return (
    <>
      {isFolded && queues !== undefined && (
        <Group justify="space-between" mb="xs">
          <Summary queues={queues} samples={samples} />
          <Button aria-expanded={isOpen} onClick={toggle} size="xs" variant="default">
            {isOpen ? t('Hide healthy queues') : t('Show all {queues} queues', { queues: count(queues.length) })}
          </Button>
        </Group>
      )}
      {!isEmptyByChoice && (
        <DataTable
          columns={columnsOf(samples)}
          empty={empty}
          keyOf={({ name }) => name}
          label={t('Queues')}
          query={query}
          rows={rows}
        />
      )}
    </>
  );
}

/** Number of queues by status, such as `35 healthy, 1 behind`. */
function Summary({ queues, samples }: Pick<Props, 'samples'> & { queues: readonly Queue[] }): ReactNode {
  const total = (standing: Standing): number =>
    queues.filter((queue) => standingOf(queue, samples) === standing).length;
  return (
    <Group gap="md">
      <StatusBadge tone="good">{t('{value} healthy', { value: count(total('healthy')) })}</StatusBadge>
      {total('paused') > 0 && (
        <StatusBadge tone="warning">{t('{value} paused', { value: count(total('paused')) })}</StatusBadge>
      )}
      {total('behind') > 0 && (
        <StatusBadge tone="warning">{t('{value} behind', { value: count(total('behind')) })}</StatusBadge>
      )}
      {total('unled') > 0 && (
        <StatusBadge tone="bad">{t('{value} without a worker', { value: count(total('unled')) })}</StatusBadge>
      )}
    </Group>
  );
}
