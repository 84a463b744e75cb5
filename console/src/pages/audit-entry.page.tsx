import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditEntryQuery, type AuditEntry } from '../api/audit';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { BackLink } from '../parts/back-link';
import { actorWords, RecordLink, summaryWords, recordAndActionWords } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DiffView } from '../parts/diff-view';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/audit/$id');

export function AuditEntryPage(): ReactNode {
  const { id } = route.useParams();
  const entry = useQuery(auditEntryQuery(id));
  return (
    <>
      <PageHeader
        lead={<BackLink to="/audit">{t('All audit log entries')}</BackLink>}
        title={entry.data === undefined ? t('Audit entry') : summaryWords(entry.data)}
      />
      {entry.error !== null && <ProblemView error={entry.error} onRetry={entry.refetch} />}
      {entry.isPending && <Skeleton height={320} />}
      {entry.data !== undefined && <Entry entry={entry.data} />}
    </>
  );
}

const Entry = ({ entry }: { entry: AuditEntry }): ReactNode => (
  <>
    <Panel aside={<RecordLink entry={entry}>{t('Record history')}</RecordLink>} title={t('Changes')}>
      <DiffView changes={entry.changes ?? []} label={t('Changes')} tenantId={entry.tenantId} />
    </Panel>
    <Panel title={t('Actor, time and origin')}>
      <Facts
        of={[
          [t('Actor'), <Actor entry={entry} key="who" />],
          [t('Time'), <Instant at={entry.occurredAt} key="when" />],
          [t('Request'), <Copied key="request" value={entry.requestId} what={t('request ID')} />],
          [t('IP address'), entry.ipAddress],
          [t('User agent'), entry.userAgent],
        ]}
      />
    </Panel>
    <Panel title={t('Record')}>
      <Facts
        of={[
          [t('Action'), recordAndActionWords(entry)],
          ['ID', <Copied key="id" value={entry.entityId} what={t('record ID')} />],
          [t('Tenant'), <TenantOf entry={entry} key="tenant" />],
          [t('Event'), <code key="event">{entry.eventType}</code>],
          [t('Revision'), count(entry.revision)],
          [t('Position'), count(entry.position)],
        ]}
      />
    </Panel>
  </>
);

const Actor = ({ entry: { userName, userId } }: { entry: AuditEntry }): ReactNode =>
  userId === null ? (
    actorWords(userName)
  ) : (
    <Link search={{ userId }} title={t('All actions by this user')} to="/audit">
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
