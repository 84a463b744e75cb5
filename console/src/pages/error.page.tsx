import { Alert, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { actorNames } from '../api/audit';
import { api, data } from '../api/client';
import { errorQuery, sameErrorsQuery, type ErrorRecord } from '../api/errors';
import { titleOf } from '../api/error-title';
import { BackLink } from '../parts/back-link';
import { ConfirmAction } from '../parts/confirm-action';
import { Copied } from '../parts/copied';
import { CopyButton } from '../parts/copy-button';
import { ErrorLevel, placeOf, Resolution } from '../parts/error-words';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Icon } from '../parts/icons';
import { Instant } from '../parts/instant';
import { NameOf } from '../parts/name-of';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { ResolvedBy } from '../parts/resolved-by';
import { TenantOf } from '../parts/tenant-name';
import { rich, t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const route = getRouteApi('/signed-in/errors/$id');

/** An error with its occurrences and its resolution. */
export function ErrorPage(): ReactNode {
  const { id } = route.useParams();
  const error = useQuery(errorQuery(id));
  return (
    <>
      <PageHeader
        actions={error.data?.resolved === false && <Resolve error={error.data} />}
        lead={<BackLink to="/errors">{t('All open errors')}</BackLink>}
        title={error.data === undefined ? t('Error') : serviceWords(titleOf(error.data.message))}
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
      label={t('Resolve')}
      onDone={refresh}
    >
      {t(
        'Have you fixed the cause? Resolving this record closes it permanently and records that you resolved it. If the error occurs again, a new record is opened.',
      )}
    </ConfirmAction>
  );
}

/** Refers to later occurrences of a resolved error, or to earlier occurrences of an open error. */
function Recurrence({ error }: { error: ErrorRecord }): ReactNode {
  const { data: same = [] } = useQuery(sameErrorsQuery(error));
  const open = same.find(({ resolved }) => !resolved);
  const [last] = same.filter(({ resolved }) => resolved);
  if (error.resolved && open)
    return (
      <Alert icon={<Icon name="alert" />} mb="md" title={t('This error has occurred again')} variant="outline">
        {rich(
          'It has occurred {count, plural, one {# time} other {# times}} since it was resolved, most recently {instant}. <link>Open the new record</link>',
          {
            count: open.count,
            instant: <Instant as="relative" at={open.lastSeenAt} />,
            link: (words) => (
              <Link params={{ id: open.id }} to="/errors/$id">
                {words}
              </Link>
            ),
          },
        )}
      </Alert>
    );
  if (!error.resolved && last)
    return (
      <Alert icon={<Icon name="history" />} mb="md" title={t('This error was resolved earlier')} variant="outline">
        {rich('Resolved by {resolvedBy}, {instant}. The error still occurs. <link>Open the earlier record</link>', {
          resolvedBy: <ResolvedBy by={last.resolvedBy} entity="error-log" id={last.id} />,
          instant: <Instant as="relative" at={last.resolvedAt} />,
          link: (words) => (
            <Link params={{ id: last.id }} to="/errors/$id">
              {words}
            </Link>
          ),
        })}
      </Alert>
    );
  return null;
}

const ErrorRecordView = ({ error }: { error: ErrorRecord }): ReactNode => (
  <>
    <Panel aside={<Resolution resolved={error.resolved} />} title={t('Error')}>
      <Facts
        of={[
          [t('Level'), <ErrorLevel key="level" level={error.level} />],
          [t('Occurrences'), count(error.count)],
          [t('Last seen'), <Instant at={error.lastSeenAt} key="last" />],
          [t('First seen'), <Instant at={error.firstSeenAt} key="first" />],
          ...(titleOf(error.message) === error.message ? [] : ([[t('Message'), serviceWords(error.message)]] as const)),
          [t('Source'), placeOf(error)],
          [t('Code'), error.code === null ? null : <code key="code">{error.code}</code>],
          [t('HTTP status'), error.statusCode],
          ...(error.resolved
            ? ([
                [t('Resolved'), <Instant at={error.resolvedAt} key="resolved" />],
                [t('Resolved by'), <ResolvedBy by={error.resolvedBy} entity="error-log" id={error.id} key="by" />],
              ] as const)
            : []),
        ]}
      />
    </Panel>
    <Panel title={t('Latest occurrence')}>
      <Facts
        of={[
          [t('Path'), <PathOf error={error} key="path" />],
          [t('Request'), <Copied key="request" value={error.requestId} what={t('request ID')} />],
          [t('Tenant'), <TenantOf id={error.tenantId} key="tenant" />],
          [t('User'), <UserOf error={error} key="user" />],
        ]}
      />
    </Panel>
    {error.stack !== null && <Stack stack={error.stack} />}
    <Requests ids={error.requestIds ?? []} />
  </>
);

/** Matches the URL of a run's page. For a job's error, the service records this URL as the path. */
const RUN = /^\/console\/jobs\/([\w-]+)\?run=([\w-]+)$/;

/** The path of the request. For a job's error, a link to the run that failed. */
function PathOf({ error: { path } }: { error: ErrorRecord }): ReactNode {
  const [, name, run] = RUN.exec(path ?? '') ?? [];
  if (name === undefined || run === undefined) return path;
  return (
    <Link params={{ name }} search={{ run }} to="/jobs/$name">
      {t('Run of {name}', { name })}
    </Link>
  );
}

const UserOf = ({ error: { userId } }: { error: ErrorRecord }): ReactNode =>
  userId === null ? (
    NOTHING
  ) : (
    <Link search={{ userId }} to="/audit">
      <NameOf id={userId} source={actorNames} />
    </Link>
  );

const Stack = ({ stack }: { stack: string }): ReactNode => (
  <Panel aside={<CopyButton value={stack} what={t('stack trace')} />} title={t('Stack trace')}>
    <pre aria-label={t('Stack trace')} className="k-json" role="region" tabIndex={0}>
      {stack}
    </pre>
  </Panel>
);

const Requests = ({ ids }: { ids: readonly string[] }): ReactNode =>
  ids.length > 1 && (
    <Panel title={t('Latest {ids} requests with this error', { ids: count(ids.length) })}>
      <Text c="dimmed" mb="xs" size="sm">
        {t('Newest first. To trace a request, search for its ID in the audit log and the service logs.')}
      </Text>
      <ol aria-label={t('Requests')} className="k-log k-requests">
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
