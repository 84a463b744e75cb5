import { Alert, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { errorQuery, sameErrorsQuery, type ErrorRecord } from '../api/errors';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { ConfirmAction } from '../parts/confirm-action';
import { Copied } from '../parts/copied';
import { CopyButton } from '../parts/copy-button';
import { ErrorLevel, placeOf, Resolution } from '../parts/error-words';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Icon } from '../parts/icons';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { TenantName } from '../parts/tenant-name';

const route = getRouteApi('/signed-in/errors/$id');

/** One kind of error, with its occurrences and its resolution. */
export function ErrorPage(): ReactNode {
  const { id } = route.useParams();
  const error = useQuery(errorQuery(id));
  return (
    <>
      <PageHeader
        actions={error.data?.resolved === false && <Resolve error={error.data} />}
        lead={<Link to="/errors">All open errors</Link>}
        title={error.data?.message ?? 'Error'}
      />
      {error.error !== null && <ProblemView error={error.error} onRetry={error.refetch} />}
      {error.isPending && <Skeleton height={320} />}
      {error.data !== undefined && (
        <>
          <Recurrence error={error.data} />
          <ErrorRecordView error={error.data} />
        </>
      )}
    </>
  );
}

function Resolve({ error }: { error: ErrorRecord }): ReactNode {
  const cache = useQueryClient();
  const refresh = (): void => {
    askAgain(cache, errorQuery(error.id).queryKey);
    askAgain(cache, ['errors']);
  };
  return (
    <ConfirmAction
      act={() => data(api.PATCH('/api/platform/error-logs/{id}/resolve', { params: { path: { id: error.id } } }))}
      icon="check"
      label="Resolve"
      onDone={refresh}
    >
      Have you fixed the cause? Resolving closes this record permanently and shows you as the resolver. If the error
      occurs again, a new record is opened.
    </ConfirmAction>
  );
}

/** Later occurrences of a resolved error, or earlier occurrences of an open error. */
function Recurrence({ error }: { error: ErrorRecord }): ReactNode {
  const { data: same = [] } = useQuery(sameErrorsQuery(error));
  const open = same.find(({ resolved }) => !resolved);
  const [last] = same.filter(({ resolved }) => resolved);
  if (error.resolved && open)
    return (
      <Alert icon={<Icon name="alert" />} mb="md" title="This error has occurred again" variant="outline">
        Since it was resolved: {count(open.count)} {open.count === 1 ? 'time' : 'times'}, last{' '}
        <Instant as="relative" at={open.lastSeenAt} />.{' '}
        <Link params={{ id: open.id }} to="/errors/$id">
          Open the new record
        </Link>
      </Alert>
    );
  if (!error.resolved && last)
    return (
      <Alert icon={<Icon name="history" />} mb="md" title="This error was resolved earlier" variant="outline">
        By {last.resolvedBy ?? 'the service'}, <Instant as="relative" at={last.resolvedAt} />. The error still occurs.{' '}
        <Link params={{ id: last.id }} to="/errors/$id">
          Open the earlier record
        </Link>
      </Alert>
    );
  return null;
}

const ErrorRecordView = ({ error }: { error: ErrorRecord }): ReactNode => (
  <>
    <Panel aside={<Resolution resolved={error.resolved} />} title="Error">
      <Facts
        of={[
          ['Level', <ErrorLevel key="level" level={error.level} />],
          ['Occurrences', count(error.count)],
          ['Last seen', <Instant at={error.lastSeenAt} key="last" />],
          ['First seen', <Instant at={error.firstSeenAt} key="first" />],
          ['Source', placeOf(error)],
          ['Code', error.code === null ? null : <code key="code">{error.code}</code>],
          ['HTTP status', error.statusCode],
          ...(error.resolved
            ? ([
                ['Resolved', <Instant at={error.resolvedAt} key="resolved" />],
                ['Resolved by', error.resolvedBy ?? 'the service'],
              ] as const)
            : []),
        ]}
      />
    </Panel>
    <Panel title="Latest occurrence">
      <Facts
        of={[
          ['Path', error.path],
          ['Request', <Copied key="request" value={error.requestId} what="request ID" />],
          ['Tenant', <TenantOf error={error} key="tenant" />],
          ['User', <UserOf error={error} key="user" />],
        ]}
      />
    </Panel>
    <Stack stack={error.stack} />
    <Requests ids={error.requestIds ?? []} />
  </>
);

const TenantOf = ({ error: { tenantId } }: { error: ErrorRecord }): ReactNode => {
  if (tenantId === null) return <span className="k-nothing">—</span>;
  if (tenantId === PLATFORM) return PLATFORM_NAME;
  return (
    <Link params={{ id: tenantId }} to="/tenants/$id">
      <TenantName id={tenantId} />
    </Link>
  );
};

const UserOf = ({ error: { userId } }: { error: ErrorRecord }): ReactNode =>
  userId === null ? (
    <span className="k-nothing">—</span>
  ) : (
    <Link search={{ userId }} to="/audit">
      Actions of {userId}
    </Link>
  );

const Stack = ({ stack }: { stack: string | null }): ReactNode => (
  <Panel aside={stack !== null && <CopyButton value={stack} what="stack trace" />} title="Stack trace">
    {stack === null ? (
      <p className="k-empty">There is no stack trace, because this error is not a fault in the code.</p>
    ) : (
      <pre aria-label="Stack trace" className="k-json" role="region" tabIndex={0}>
        {stack}
      </pre>
    )}
  </Panel>
);

const Requests = ({ ids }: { ids: readonly string[] }): ReactNode =>
  ids.length > 1 && (
    <Panel title={`Latest ${count(ids.length)} requests with this error`}>
      <Text c="dimmed" mb="xs" size="sm">
        Newest first. Search for a request ID in the audit log and in the service logs.
      </Text>
      <ol aria-label="Requests" className="k-log k-requests">
        {[...ids].reverse().map((id, index) => (
          <li key={`${id}${index}`}>
            <span>{index + 1}</span>
            <Link search={{ search: id }} to="/audit">
              {id}
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
  );
