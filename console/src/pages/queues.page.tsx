import { Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, type Shapes } from '../api/client';
import { queuesQuery, WATCH_EVERY_MS } from '../api/observation';
import { isMatch } from '../api/search-kind';
import { ConfirmAction } from '../parts/confirm-action';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { bytes, count, decimal, duration, percent } from '../parts/figures';
import { ForwarderPanel } from '../parts/forwarder-panel';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { NO_QUEUES, QueueTable } from '../parts/queue-table';
import { StatusBadge } from '../parts/status-badge';
import { Tiles } from '../parts/tile';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/queues');

type CacheStatus = Shapes['CacheStatusDto'];

const cacheQuery = {
  queryKey: ['cache'],
  queryFn: ({ signal }: { signal: AbortSignal }) => data(api.GET('/api/platform/redis/status', { signal })),
  refetchInterval: WATCH_EVERY_MS,
};

/** The cache, and the progress of every consumer of the history. */
export function QueuesPage(): ReactNode {
  const cache = useQuery(cacheQuery);
  const queues = useQuery(queuesQuery);
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  return (
    <>
      <PageHeader lead={t('Figures cover all replicas and refresh every two seconds.')} title={t('Cache and queues')} />
      <Panel aside={<ClearCache />} title={t('Cache')}>
        {cache.error !== null && <ProblemView error={cache.error} onRetry={cache.refetch} />}
        {cache.isLoading && <Skeleton height={72} />}
        {cache.data !== undefined && <CacheFigures status={cache.data} />}
      </Panel>
      {queues.data?.queues
        .filter(({ kind }) => kind === 'forwarder')
        .map((queue) => (
          <ForwarderPanel key={queue.name} queue={queue} />
        ))}
      <Panel title={t('Queues')}>
        <FilterBar>
          <SearchField hint={t('Name')} onChange={set('search')} value={search} />
        </FilterBar>
        <QueueTable
          empty={search === undefined ? NO_QUEUES : t('No queues match this search.')}
          isFolded={search === undefined}
          key={String(search === undefined)}
          query={queues}
          queues={queues.data?.queues.filter(({ name }) => isMatch(name, search))}
          samples={queues.data?.samples ?? []}
        />
      </Panel>
    </>
  );
}

const CacheFigures = ({ status }: { status: CacheStatus }): ReactNode => (
  <Tiles
    of={[
      {
        name: t('Connection'),
        value: status.connected ? (
          <StatusBadge tone="good">{t('Up')}</StatusBadge>
        ) : (
          <StatusBadge tone="bad">{t('Unavailable')}</StatusBadge>
        ),
        note:
          status.store === 'redis'
            ? t('Redis {version}', { version: status.version ?? '' })
            : t("in this process's memory"),
      },
      { name: t('Latency'), value: t('{latencyMs} ms', { latencyMs: decimal(status.latencyMs) }) },
      { name: t('Entries'), value: count(status.keyCount), note: t('excluding counters and locks') },
      { name: t('Memory'), value: bytes(status.usedMemoryBytes) },
      {
        name: t('Hit rate'),
        value: status.hitRate === null ? '—' : percent(status.hitRate * 100),
        note: t('of lookups by this process'),
      },
      { name: t('Uptime'), value: <span className="k-whole">{duration(status.uptimeSeconds * 1_000)}</span> },
    ]}
  />
);

function ClearCache(): ReactNode {
  const cache = useQueryClient();
  const [pattern, setPattern] = useState('');
  return (
    <ConfirmAction
      act={() => data(api.DELETE('/api/platform/redis/cache/{pattern}', { params: { path: { pattern } } }))}
      icon="close"
      isDangerous
      isReady={pattern !== ''}
      label={t('Clear entries')}
      onDone={() => {
        askAgain(cache, cacheQuery.queryKey);
      }}
      outcome={({ cleared }) => (
        <Text size="sm">
          {t(
            '{cleared, plural, one {# entry was} other {# entries were}} removed. Removed entries are recomputed when needed.',
            {
              cleared,
            },
          )}
        </Text>
      )}
    >
      {t('Removes entries whose keys match a pattern. Rate-limit counters and locks are kept.')}
      <TextInput
        data-autofocus
        description={t('Redis pattern: * matches any text, and ? matches one character.')}
        label={t('Pattern')}
        mt="sm"
        onChange={({ currentTarget }) => {
          setPattern(currentTarget.value);
        }}
        placeholder="*"
        required
        value={pattern}
      />
    </ConfirmAction>
  );
}
