import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { tenantAuditEntryQuery } from '../api/tenant-audit';
import { actionWords, actorWords, entityWords } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DiffView } from '../parts/diff-view';
import { Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';

const route = getRouteApi('/signed-in/audit-log/$id');

/** An entry of the tenant's audit log. */
export function TenantAuditEntryPage(): ReactNode {
  const { id } = route.useParams();
  const { data: entry, error, isPending, refetch } = useQuery(tenantAuditEntryQuery(id));
  return (
    <>
      <PageHeader lead={<Link to="/audit-log">All audit log entries</Link>} title={entry?.summary ?? 'Audit entry'} />
      {error !== null && <ProblemView error={error} onRetry={refetch} />}
      {isPending && <Skeleton height={320} />}
      {entry !== undefined && (
        <>
          <Panel title="Changes">
            <DiffView changes={entry.changes ?? []} label="Changes" />
          </Panel>
          <Panel title="Actor, time and record">
            <Facts
              of={[
                ['Actor', actorWords(entry.userName)],
                ['Time', <Instant at={entry.occurredAt} key="when" />],
                ['Record', `${entityWords(entry.entity)}, ${actionWords(entry.action).toLowerCase()}`],
                ['Record ID', <Copied key="id" value={entry.entityId} what="record ID" />],
                ['Request', <Copied key="request" value={entry.requestId} what="request ID" />],
                ['IP address', entry.ipAddress],
                ['User agent', entry.userAgent],
              ]}
            />
          </Panel>
        </>
      )}
    </>
  );
}
