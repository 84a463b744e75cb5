import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { actorNames } from '../api/audit';
import { eventsQuery, type ListedEvent } from '../api/events';
import { entityWords, RECORD_KINDS } from '../parts/audit-words';
import type { Column } from '../parts/data-table';
import { actorOf, textIn } from '../parts/event-words';
import { Choice, DayRange, FilterBar, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { JsonView } from '../parts/json-view';
import { filtersIn, pageIn, resized } from '../parts/list-state';
import { IN_PLACE, useListSearch } from '../parts/list-search';
import { ListPanel } from '../parts/listing';
import { NameOf } from '../parts/name-of';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { PageSize } from '../parts/pages';
import { TenantChoice } from '../parts/tenant-choice';
import { TenantName } from '../parts/tenant-name';
import { TextFilter } from '../parts/text-filter';
import { VIEWER_ZONE } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import type { EventsFilters } from '../routes/platform-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/events');

const STREAM = /^(.+?)-(platform|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(.+)$/;

/** Link to the history of the record whose stream contains the event. The event itself may refer to another record. */
function historyOf({ stream, ...event }: ListedEvent) {
  const [, entity = event.entity, tenantId = event.tenantId, id = event.recordId] = STREAM.exec(stream) ?? [];
  return { params: { entity, id }, search: { tenantId, at: String(event.revision) } };
}

const columns: readonly Column<ListedEvent>[] = [
  { key: 'at', header: t('Time'), cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'event',
    isWide: true,
    header: t('Event'),
    cell: ({ type }) => <strong>{type}</strong>,
    details: (event) => <Content event={event} />,
  },
  {
    key: 'record',
    header: t('Record'),
    cell: (event) => (
      <>
        <Link {...historyOf(event)} title={event.recordId} to="/records/$entity/$id">
          {entityWords(event.entity)}
        </Link>{' '}
        <span className="k-nothing k-instant">{t('rev. {revision}', { revision: event.revision })}</span>
      </>
    ),
  },
  { key: 'tenant', narrow: 'hidden', header: t('Tenant'), cell: ({ tenantId }) => <TenantName id={tenantId} /> },
  { key: 'who', narrow: 'hidden', header: t('Actor'), cell: (event) => <Actor event={event} /> },
  { key: 'related', narrow: 'end', header: t('Correlation'), cell: ({ metadata }) => <Related metadata={metadata} /> },
];

const Content = ({ event: { data, metadata, deliveries } }: { event: ListedEvent }): ReactNode => (
  <>
    <JsonView label={t('Data')} value={data} />
    <JsonView label={t('Metadata')} value={metadata} />
    {deliveries.length > 0 && <JsonView label={t('Webhook deliveries')} value={deliveries} />}
  </>
);

/** The actor's name, with a link to the actor's entries in the audit log. */
const Actor = ({ event }: { event: ListedEvent }): ReactNode => {
  const userId = textIn(event.metadata, 'userId') ?? textIn(event.metadata, 'operatorId');
  return userId === undefined ? (
    actorOf(event, [])
  ) : (
    <Link search={{ userId }} title={userId} to="/audit">
      <NameOf id={userId} source={actorNames} />
    </Link>
  );
};

/** Link to the events that the same request caused in all streams. */
const Related = ({ metadata }: { metadata: unknown }): ReactNode => {
  const correlationId = textIn(metadata, '$correlationId');
  return correlationId === undefined ? (
    NOTHING
  ) : (
    <Link className="k-target" search={{ correlationId }} title={correlationId} to="/events">
      {t('Related')}
    </Link>
  );
};

/** All events in the history, newest first. */
export function EventsPage(): ReactNode {
  const search = route.useSearch();
  const { cursor } = search;
  const filters = filtersIn(search);
  const { dateFrom, dateTo, ...rest } = filters;
  const days = instantsOf({ dateFrom, dateTo }, VIEWER_ZONE);
  const events = useQuery(
    eventsQuery({
      ...rest,
      ...(days.dateFrom !== undefined && { from: days.dateFrom }),
      ...(days.dateTo !== undefined && { to: days.dateTo }),
      ...(cursor !== undefined && { cursor }),
      pageSize: pageIn(search).pageSize,
    }),
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        lead={t(
          'All recorded events, from all tenants. Use “Related” to follow a request from its first event to its last.',
        )}
        title={t('Events')}
      />
      <ListPanel
        columns={columns}
        empty={isFiltered ? t('No events match these filters.') : t('There are no events yet.')}
        filters={<Filters filters={filters} />}
        footer={<Paging cursor={cursor} next={events.data?.nextCursor ?? undefined} />}
        keyOf={({ id }) => id}
        label={t('Events')}
        query={events}
        rows={events.data?.items}
        title={t('All events')}
      />
    </>
  );
}

type PagingProps = { readonly cursor: string | undefined; readonly next: string | undefined };

function Paging({ cursor, next }: PagingProps): ReactNode {
  const [search, change] = useListSearch();
  const goTo = (place: string | undefined) => () => {
    change((now) => ({ ...now, cursor: place }));
  };
  return (
    <Group justify="space-between" mt="sm">
      <PageSize
        onSize={(size) => {
          change((now) => resized(now, size), IN_PLACE);
        }}
        size={search.size}
      />
      <Group gap="xs">
        {cursor !== undefined && (
          <Button onClick={goTo(undefined)} size="xs" variant="default">
            {t('Newest events')}
          </Button>
        )}
        {next !== undefined && (
          <Button onClick={goTo(next)} size="xs" variant="default">
            {t('Older events')}
          </Button>
        )}
      </Group>
    </Group>
  );
}

function Filters({ filters }: { filters: EventsFilters }): ReactNode {
  const set = useSetter<EventsFilters>();
  return (
    <FilterBar filters={filters}>
      <TextFilter label={t('Event type')} onChange={set('type')} placeholder="SaleAccepted" value={filters.type} />
      <Choice label={t('Record kind')} onChange={set('entity')} options={RECORD_KINDS} value={filters.entity} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <TextFilter label={t('Correlation ID')} onChange={set('correlationId')} value={filters.correlationId} />
      <TextFilter label={t('Request ID')} onChange={set('requestId')} value={filters.requestId} />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
