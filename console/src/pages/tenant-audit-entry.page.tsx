import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { tenantAuditEntryQuery } from '../api/tenant-audit';
import { BackLink } from '../parts/back-link';
import { actorWords, summaryWords, recordAndActionWords } from '../parts/audit-words';
import { Copied } from '../parts/copied';
import { DiffView } from '../parts/diff-view';
import { Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/audit-log/$id');

/** An entry of the tenant's audit log. */
export function TenantAuditEntryPage(): ReactNode {
  const { id } = route.useParams();
  const { data: entry, error, isPending, refetch } = useQuery(tenantAuditEntryQuery(id));
  return (
    <>
      <PageHeader
        lead={<BackLink to="/audit-log">{t('All audit log entries')}</BackLink>}
        title={entry === undefined ? t('Audit entry') : summaryWords(entry)}
      />
      {error !== null && <ProblemView error={error} onRetry={refetch} />}
      {isPending && <Skeleton height={320} />}
      {entry !== undefined && (
        <>
          <Panel title={t('Changes')}>
            <DiffView changes={entry.changes ?? []} label={t('Changes')} />
          </Panel>
          <Panel title={t('Actor, time and record')}>
            <Facts
              of={[
                [t('Actor'), actorWords(entry.userName)],
                [t('Time'), <Instant at={entry.occurredAt} key="when" />],
                [t('Record'), recordAndActionWords(entry)],
                [t('Record ID'), <Copied key="id" value={entry.entityId} what={t('record ID')} />],
                [t('Request'), <Copied key="request" value={entry.requestId} what={t('request ID')} />],
                [t('IP address'), entry.ipAddress],
                [t('User agent'), entry.userAgent],
              ]}
            />
          </Panel>
        </>
      )}
    </>
  );
}
