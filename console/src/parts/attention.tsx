import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { openErrorsQuery, parkedQuery } from '../api/attention';
import { jobsQuery, type Job } from '../api/jobs';
import { SLOWLY_MS, type Queue, type Sample, type SystemHealth } from '../api/observation';
import type { Shown } from '../api/queries';
import { AttentionList } from './attention-list';
import { count } from './figures';
import { standingOf } from './queue-table';
import type { Tone } from './status-badge';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

type Item = {
  readonly tone: Extract<Tone, 'bad' | 'warning'>;
  readonly what: string;
  /** Label of the link to the next step. */
  readonly step: string;
  readonly to: Pick<LinkProps, 'to' | 'params' | 'search'>;
};

type Asked<T> = Pick<Shown<T>, 'data' | 'error'>;
type Props = {
  readonly system: Asked<SystemHealth>;
  readonly queues: Asked<{ readonly queues: readonly Queue[]; readonly samples: readonly Sample[] }>;
};

/** Conditions that an operator must act on, most urgent first. */
export function Attention({ system, queues }: Props): ReactNode {
  const parked = useQuery(parkedQuery);
  const errors = useQuery(openErrorsQuery);
  const jobs = useQuery({ ...jobsQuery, refetchInterval: SLOWLY_MS });
  const items = [
    ...(system.data === undefined ? [] : ofSystem(system.data)),
    ...(queues.data === undefined ? [] : ofQueues(queues.data.queues, queues.data.samples)),
    ...(jobs.data ?? []).flatMap(ofJob),
    ...ofParked(parked.data?.totalCount ?? 0),
    ...ofErrors(errors.data?.totalCount ?? 0),
  ].toSorted((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
  return (
    <AttentionList
      asked={[system, queues, parked, errors, jobs]}
      items={items.map(({ tone, what, step, to }) => {
        const link = <Link {...to}>{step}</Link>;
        return { key: what, tone, what, link };
      })}
    />
  );
}

const ofSystem = ({ checks, projections }: SystemHealth): Item[] => [
  ...checks
    .filter(({ status }) => status !== 'up')
    .map(({ name, status, reason }): Item => ({
      tone: status === 'down' ? 'bad' : 'warning',
      what: t('{name} is {status, select, down {down} degraded {degraded} other {not available}}{reason}', {
        name,
        status,
        reason: reason === undefined ? '' : `: ${serviceWords(reason)}`,
      }),
      step: t('View errors'),
      to: { to: '/errors' },
    })),
  ...projections
    .filter(({ status }) => status !== 'running')
    .map(({ name, status }): Item => ({
      tone: 'bad',
      what: t('The read model {name} {status, select, true {has stopped} other {is failing}}', {
        name,
        status: String(status === 'stopped'),
      }),
      step: t('Open the read models'),
      to: { to: '/projections' },
    })),
];

const ofQueues = (queues: readonly Queue[], samples: readonly Sample[]): Item[] =>
  queues.flatMap((queue): Item[] => {
    const { name, lag, forwarder } = queue;
    const to = { to: '/queues' } as const;
    if (forwarder !== null && forwarder.state !== 'RUNNING')
      return [{ tone: 'warning', what: t('{name} does not publish', { name }), step: t('Resume it'), to }];
    const standing = standingOf(queue, samples);
    if (standing === 'paused')
      return [{ tone: 'warning', what: t('{name} is paused', { name }), step: t('Resume it'), to }];
    if (standing === 'unled')
      return [{ tone: 'bad', what: t('{name} has no worker', { name }), step: t('Open the queues'), to }];
    if (standing !== 'behind') return [];
    return [
      {
        tone: 'warning',
        what: t('{name} is behind by {lag}', { name, lag: count(lag ?? 0) }),
        step: t('Open the queues'),
        to,
      },
    ];
  });

const ofJob = ({ name, lastExecution }: Job): Item[] =>
  lastExecution?.status === 'FAILED'
    ? [
        {
          tone: 'bad',
          what: t('{name} failed{error}', {
            name,
            error: lastExecution.error === null ? '' : `: ${serviceWords(lastExecution.error)}`,
          }),
          step: t('Open the run'),
          to: { to: '/jobs/$name', params: { name }, search: { run: lastExecution.id } },
        },
      ]
    : [];

const ofParked = (total: number): Item[] =>
  total === 0
    ? []
    : [
        {
          tone: 'warning',
          what: t('{total, plural, one {# parked dead letter} other {# parked dead letters}}', { total }),
          step: t('Replay or discard'),
          to: { to: '/dead-letters', search: { status: 'PARKED' } },
        },
      ];

const ofErrors = (total: number): Item[] =>
  total === 0
    ? []
    : [
        {
          tone: 'warning',
          what: t('{total, plural, one {# open error} other {# open errors}}', { total }),
          step: t('View and resolve'),
          to: { to: '/errors' },
        },
      ];
