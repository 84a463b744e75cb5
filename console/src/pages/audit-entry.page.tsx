import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditEntryQuery, type AuditEntry } from '../api/audit';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { actionWords, actorWords, entityWords, RecordLink } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DiffView } from '../parts/diff-view';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';

const route = getRouteApi('/signed-in/audit/$id');

export function AuditEntryPage(): ReactNode {
  const { id } = route.useParams();
  const entry = useQuery(auditEntryQuery(id));
  return (
    <>
      <PageHeader lead={<Link to="/audit">All audit log entries</Link>} title={entry.data?.summary ?? 'Audit entry'} />
      {entry.error !== null && <ProblemView error={entry.error} onRetry={entry.refetch} />}
      {entry.isPending && <Skeleton height={320} />}
      {entry.data !== undefined && <Entry entry={entry.data} />}
    </>
  );
}

const Entry = ({ entry }: { entry: AuditEntry }): ReactNode => (
  <>
    <Panel aside={<RecordLink entry={entry}>History of the record</RecordLink>} title="Changes">
      <DiffView changes={entry.changes ?? []} label="Changes" />
    </Panel>
    <Panel title="Actor, time and origin">
      <Facts
        of={[
          ['Actor', <Actor entry={entry} key="who" />],
          ['Time', <Instant at={entry.occurredAt} key="when" />],
          ['Request', <Copied key="request" value={entry.requestId} what="request ID" />],
          ['IP address', entry.ipAddress],
          ['User agent', entry.userAgent],
        ]}
      />
    </Panel>
    <Panel title="Record">
      <Facts
        of={[
          ['Action', `${entityWords(entry.entity)}, ${actionWords(entry.action).toLowerCase()}`],
          ['ID', <Copied key="id" value={entry.entityId} what="record ID" />],
          ['Tenant', <TenantOf entry={entry} key="tenant" />],
          ['Event', <code key="event">{entry.eventType}</code>],
          ['Revision', count(entry.revision)],
          ['Position', count(entry.position)],
        ]}
      />
    </Panel>
  </>
);

const Actor = ({ entry: { userName, userId } }: { entry: AuditEntry }): ReactNode =>
  userId === null ? (
    actorWords(userName)
  ) : (
    <Link search={{ userId }} title="All actions of this user" to="/audit">
      {actorWords(userName)}
    </Link>
  );

const TenantOf = ({ entry: { tenantId, tenantName } }: { entry: AuditEntry }): ReactNode =>
  tenantId === PLATFORM ? (
    PLATFORM_NAME
  ) : (
    <Link params={{ id: tenantId }} to="/tenants/$id">
      {tenantName ?? tenantId}
    </Link>
  );
