import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { auditQuery } from '../api/audit';
import { KontorError } from '../api/problem';
import {
  historyQuery,
  HISTORY_PAGE,
  pageOf,
  stateQuery,
  type HistoryEvent,
  type RecordAddress,
  type RecordState,
} from '../api/records';
import { PLATFORM } from '../api/tenants';
import { entityWords } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DiffView } from '../parts/diff-view';
import { differences } from '../parts/differences';
import { actorOf, textIn } from '../parts/event-words';
import { ExportButton, fileNameOf } from '../parts/export-button';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { IN_PLACE } from '../parts/list-search';
import { Instant } from '../parts/instant';
import { JsonView } from '../parts/json-view';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { stringifySearch } from '../parts/search-params';
import { TimeTravel } from '../parts/time-travel';
import { inSentence, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/records/$entity/$id');

const NAMES = ['name', 'fullName', 'email', 'externalId', 'code', 'title', 'jobName', 'description'] as const;

/** Returns a record's display name, if its state includes a name. */
const nameIn = (state: unknown): string | undefined =>
  NAMES.map((name) => textIn(state, name)).find((text) => text !== undefined);

/** A record's history, and its state at any point in this history. */
export function RecordPage(): ReactNode {
  const { entity, id } = route.useParams();
  const { tenantId } = route.useSearch();
  const address = { entity, id, tenantId: tenantId ?? PLATFORM };
  const now = useQuery(stateQuery(address, undefined));
  return (
    <>
      <PageHeader
        actions={
          <ExportButton
            fileName={`evidence-${fileNameOf(entity, id)}.json`}
            label={t('Download evidence')}
            path={`/api/platform/integrity/evidence${stringifySearch(address)}`}
            type="application/json"
          />
        }
        lead={
          <>
            <Copied value={id} what={t('record ID')} /> ·{' '}
            <Link search={{ entity, entityId: id, ...(tenantId !== undefined && { tenantId }) }} to="/audit">
              {t('Audit log entries')}
            </Link>
          </>
        }
        title={t('History of {kind} {name}', {
          kind: inSentence(entityWords(entity)),
          name: nameIn(now.data?.state) ?? '',
        }).trim()}
      />
      <History address={address} key={Object.values(address).join()} />
    </>
  );
}

function History({ address }: { address: RecordAddress }): ReactNode {
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const travel = (to: string | undefined): void => {
    void navigate({ search: (before) => ({ ...before, at: to }), ...IN_PLACE });
  };
  const newest = useQuery(historyQuery(address, 1));
  const state = useQuery(stateQuery(address, at));
  if (newest.error !== null)
    return <ProblemView error={newest.error} onRetry={newest.refetch} title={missing(newest.error)} />;
  if (newest.data === undefined) return <Skeleton height={420} />;
  const last = newest.data.totalCount - 1;
  // The record does not exist before its first event.
  if (state.error !== null)
    return (
      <>
        <Panel title={t('Point in time')}>
          <TimeTravel last={last} onTravel={travel} state={undefined} />
        </Panel>
        <ProblemView
          error={state.error}
          onRetry={state.refetch}
          title={
            state.error instanceof KontorError && state.error.status === 404
              ? t('The record did not exist at that time')
              : undefined
          }
        />
      </>
    );
  return (
    <>
      <Panel
        aside={
          state.data && (
            <Text c="dimmed" size="sm">
              {t('Revision {revision} of {last}', { revision: count(state.data.revision), last: count(last) })}
            </Text>
          )
        }
        title={t('Point in time')}
      >
        <TimeTravel last={last} onTravel={travel} state={state.data} />
      </Panel>
      {state.data === undefined ? (
        <Skeleton height={320} />
      ) : (
        <div className="k-history">
          <Events address={address} last={last} onTravel={travel} revision={state.data.revision} />
          <At address={address} last={last} state={state.data} />
        </div>
      )}
    </>
  );
}

const missing = (error: unknown): string | undefined =>
  error instanceof KontorError && error.status === 404 ? t('Record not found') : undefined;

type EventsProps = {
  readonly address: RecordAddress;
  readonly revision: number;
  readonly last: number;
  readonly onTravel: (at: string | undefined) => void;
};

function Events({ address, revision, last, onTravel }: EventsProps): ReactNode {
  const events = useQuery(historyQuery(address, pageOf(revision, last)));
  const { entity, id: entityId, tenantId } = address;
  const audit = useQuery(auditQuery({ entity, entityId, tenantId, pageNumber: 1, pageSize: 100 }));
  const { items = [], totalPages = 1 } = events.data ?? {};
  const from = items.at(-1)?.revision ?? 0;
  return (
    <Panel
      aside={
        totalPages > 1 && (
          <Text c="dimmed" size="sm">
            {t('{from}–{revision} of {last}, {HISTORY_PAGE} per page', {
              from: count(from),
              revision: count(items[0]?.revision ?? 0),
              last: count(last + 1),
              HISTORY_PAGE,
            })}
          </Text>
        )
      }
      title={t('Events')}
    >
      <ol aria-label={t('Events, newest first')} className="k-events">
        {items.map((event) => (
          <EventItem
            actor={actorOf(event, audit.data?.items ?? [])}
            event={event}
            isChosen={event.revision === revision}
            key={event.id}
            onChoose={() => {
              onTravel(event.revision === last ? undefined : String(event.revision));
            }}
          />
        ))}
      </ol>
    </Panel>
  );
}

type ItemProps = {
  readonly event: HistoryEvent;
  readonly actor: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

const KINDS = { TECHNICAL: t('technical'), UNKNOWN: t('unknown') } as const;

function EventItem({ event, actor, isChosen, onChoose }: ItemProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li>
      <button aria-pressed={isChosen} className="k-event" onClick={onChoose} ref={button} type="button">
        <span className="k-event-revision">{count(event.revision)}</span>
        <span>
          <strong>{event.type}</strong>
          {event.kind !== 'DOMAIN' && <span className="k-nothing"> {KINDS[event.kind]}</span>}
          <span className="k-event-who">
            <Instant at={event.occurredAt} /> · {actor}
          </span>
        </span>
      </button>
    </li>
  );
}

function At({ address, last, state }: { address: RecordAddress; last: number; state: RecordState }): ReactNode {
  const { revision } = state;
  const page = useQuery(historyQuery(address, pageOf(revision, last)));
  const event = page.data?.items.find((each) => each.revision === revision);
  return (
    <div>
      <Panel title={event === undefined ? t('Changes by this event') : t('Changes by {type}', { type: event.type })}>
        <Changed address={address} key={revision} state={state} />
      </Panel>
      <Panel title={t('Record at this revision')}>
        <Facts
          of={[
            [t('Since'), <Instant at={state.occurredAt} key="since" />],
            [t('Stream'), <Copied key="stream" value={state.stream} what={t('stream')} />],
          ]}
        />
        <div className="k-gap" />
        <JsonView label={t('State at revision {revision}', { revision: count(revision) })} value={state.state} />
      </Panel>
      {event !== undefined && (
        <Panel title={t('Event')}>
          <JsonView label={t('Data')} value={event.data} />
          <div className="k-gap" />
          <JsonView label={t('Metadata')} value={event.metadata} />
        </Panel>
      )}
    </div>
  );
}

/** Differences from the previous revision. In the first revision, all values are new. */
function Changed({ address, state: { revision, state } }: { address: RecordAddress; state: RecordState }): ReactNode {
  const isFirst = revision === 0;
  const before = useQuery({ ...stateQuery(address, String(revision - 1)), enabled: !isFirst });
  if (before.error !== null) return <ProblemView error={before.error} onRetry={before.refetch} />;
  if (!isFirst && before.data === undefined) return <Skeleton height={90} />;
  return (
    <DiffView
      changes={differences(before.data?.state, state)}
      label={t('Changes by this event')}
      tenantId={address.tenantId}
    />
  );
}
