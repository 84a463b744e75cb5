import { Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { projectionsQuery, type Projection } from '../api/projections';
import { isMatch } from '../api/search-kind';
import { ConfirmAction } from '../parts/confirm-action';
import type { LoadedColumn } from '../parts/data-table';
import { count, decimal, duration, percent } from '../parts/figures';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { ListPanel } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { StatusBadge, type Tone } from '../parts/status-badge';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const route = getRouteApi('/signed-in/projections');

const STATUSES: Readonly<Record<Projection['status'], readonly [Tone, string]>> = {
  LIVE: ['good', t('Live')],
  CATCHING_UP: ['busy', t('Catching up')],
  REBUILDING: ['busy', t('Rebuilding')],
  STOPPED: ['bad', t('Stopped')],
  FAILED: ['bad', t('Failing')],
};

function Status({ projection: { status, incompleteDocuments } }: { projection: Projection }): ReactNode {
  const [tone, words] = STATUSES[status];
  return (
    <>
      <StatusBadge tone={tone}>{words}</StatusBadge>
      {incompleteDocuments > 0 && (
        <div className="k-nothing">
          {t('{documents, plural, one {# incomplete document} other {# incomplete documents}}', {
            documents: incompleteDocuments,
          })}
        </div>
      )}
    </>
  );
}

const documents = (changed: number | null): string => {
  if (changed === null) return t('not yet compared');
  return changed === 0
    ? t('identical to the previous version')
    : t('{changed} documents differ from the previous version', { changed: count(changed) });
};

function LastRebuild({ projection: { lastRebuild } }: { projection: Projection }): ReactNode {
  if (lastRebuild === null) return <span className="k-nothing">{t('Never')}</span>;
  const { status, changedDocuments, requestedAt, endedAt, reason } = lastRebuild;
  const took = duration(Date.parse(endedAt) - Date.parse(requestedAt));
  return (
    <>
      {status === 'DONE' && (
        <StatusBadge tone={changedDocuments === 0 ? 'good' : 'warning'}>{t('Done in {took}', { took })}</StatusBadge>
      )}
      {status === 'CANCELLED' && <StatusBadge tone="idle">{t('run| Cancelled')}</StatusBadge>}
      {status === 'FAILED' && <StatusBadge tone="bad">{t('Failed')}</StatusBadge>}
      <div className="k-nothing">
        {status === 'DONE' ? documents(changedDocuments) : serviceWords(reason ?? '')} ·{' '}
        <Instant as="relative" at={endedAt} />
      </div>
    </>
  );
}

const Rebuild = ({ projection: { name, rebuild } }: { projection: Projection }): ReactNode =>
  rebuild && (
    <>
      <Text size="sm">{t('{progress} of the history', { progress: percent(rebuild.progress) })}</Text>
      <Progress.Root mb={4} mt={2}>
        <Progress.Section aria-label={t('Rebuild of {name}', { name })} value={rebuild.progress} />
      </Progress.Root>
      <span className="k-nothing">
        {t('at position {value}, {changedDocuments}', {
          value: count(Math.max(0, rebuild.position)),
          changedDocuments: documents(rebuild.changedDocuments),
        })}
      </span>
    </>
  );

function Action({ projection: { name, rebuild } }: { projection: Projection }): ReactNode {
  const cache = useQueryClient();
  const refresh = (): void => {
    askAgain(cache, projectionsQuery.queryKey);
  };
  const path = { params: { path: { name } } };
  if (rebuild !== null)
    return (
      <ConfirmAction
        about={name}
        act={() => data(api.DELETE('/api/platform/projections/{name}/rebuild', path))}
        icon="close"
        key="cancel"
        label={t('Cancel rebuild')}
        onDone={refresh}
      >
        {rich('Cancel the rebuild of <strong>{name}</strong>? The live read model does not change.', {
          name,
          strong,
        })}
      </ConfirmAction>
    );
  return (
    <ConfirmAction
      about={name}
      act={() => data(api.POST('/api/platform/projections/{name}/rebuild', path))}
      icon="refresh"
      key="rebuild"
      label={t('Rebuild')}
      onDone={refresh}
    >
      {rich(
        'Rebuild <strong>{name}</strong> from the whole history? The live version stays in use until the new version has caught up. The two versions are then compared, and the new version goes live.',
        { name, strong },
      )}
    </ConfirmAction>
  );
}

const columns: readonly LoadedColumn<Projection>[] = [
  {
    key: 'name',
    narrow: 'title',
    header: t('Read model'),
    sort: ({ name }) => name,
    cell: ({ name }) => <strong className="k-whole">{name}</strong>,
  },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    sort: ({ status }) => STATUSES[status][1],
    cell: (projection) => <Status projection={projection} />,
  },
  { key: 'lag', header: t('Lag'), numeric: true, sort: ({ lag }) => lag, cell: ({ lag }) => count(lag) },
  {
    key: 'position',
    isExtra: true,
    header: t('Position'),
    numeric: true,
    sort: ({ position }) => position,
    cell: ({ position }) => count(Math.max(0, position)),
  },
  {
    key: 'rate',
    isExtra: true,
    header: t('Events/s'),
    numeric: true,
    sort: ({ eventsPerSecond }) => eventsPerSecond,
    cell: ({ eventsPerSecond }) => decimal(eventsPerSecond),
  },
  {
    key: 'generation',
    isExtra: true,
    header: t('Generation'),
    numeric: true,
    sort: ({ generation }) => generation,
    cell: ({ generation }) => count(generation),
  },
  {
    key: 'version',
    isExtra: true,
    header: t('Version'),
    numeric: true,
    sort: ({ version }) => version,
    cell: ({ version }) => count(version),
  },
  {
    key: 'rebuild',
    isWide: true,
    header: t('Rebuild'),
    cell: (projection) =>
      projection.rebuild === null ? <LastRebuild projection={projection} /> : <Rebuild projection={projection} />,
  },
  { key: 'action', header: t('Action'), cell: (projection) => <Action projection={projection} /> },
];

/** Read models with their progress and rebuilds. */
export function ProjectionsPage(): ReactNode {
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  const projections = useQuery(projectionsQuery);
  const named = (isMeant: (projection: Projection) => boolean): string =>
    (projections.data ?? [])
      .filter(isMeant)
      .map(({ name }) => name)
      .join(', ');
  const stopped = named(({ status }) => status === 'STOPPED');
  const failing = named(({ status }) => status === 'FAILED');
  const incomplete = named(({ incompleteDocuments }) => incompleteDocuments > 0);
  return (
    <>
      <PageHeader
        lead={t('Read models are built from the event history and can be rebuilt at any time.')}
        title={t('Projections')}
      />
      {failing !== '' && (
        <Text c="var(--k-bad)" mb="md" role="alert">
          {t('{failing}: updates are failing and are being retried. The error log contains the reason.', { failing })}
        </Text>
      )}
      {stopped !== '' && (
        <Text c="var(--k-bad)" mb="md" role="alert">
          {t(
            '{stopped}: stopped before an event that cannot be applied. The dead letter contains the reason. Fix the cause, then replay the dead letter.',
            { stopped },
          )}
        </Text>
      )}
      {incomplete !== '' && (
        <Text c="var(--k-bad)" mb="md" role="alert">
          {t(
            '{incomplete}: some documents lack events that cannot be applied. The dead letters contain the reason. Fix the cause, then replay the dead letters.',
            { incomplete },
          )}
        </Text>
      )}
      <ListPanel
        columns={columns}
        empty={search === undefined ? t('There are no read models.') : t('No read models match this search.')}
        filters={
          <FilterBar>
            <SearchField hint={t('Name')} onChange={set('search')} value={search} />
          </FilterBar>
        }
        keyOf={({ name }) => name}
        label={t('Read models')}
        query={projections}
        rows={projections.data?.filter(({ name }) => isMatch(name, search))}
        title={t('Read models')}
      />
    </>
  );
}
