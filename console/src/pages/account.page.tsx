import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { factorsQuery, factorWords, type Factor } from '../api/factors';
import { isOperator, useMe, type Me } from '../api/me';
import { deviceName, endSession, ownSessionsQuery, type OwnSession } from '../api/own-sessions';
import { AddApp, AddPasskey } from '../parts/add-factor';
import { ConfirmAction } from '../parts/confirm-action';
import type { LoadedColumn } from '../parts/data-table';
import { cleared, TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { SortedTable } from '../parts/sorted-table';
import { StatusBadge } from '../parts/status-badge';
import { locale } from '../messages/language';
import { strong } from '../parts/strong';
import { useRefreshUsers } from '../parts/user-form';
import { rich, t } from '../messages/catalogue';

/** The signed-in user's second factors and sessions. */
export function AccountPage(): ReactNode {
  const me = useMe();
  const factors = useQuery(factorsQuery);
  const sessions = useQuery(ownSessionsQuery);
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <>
      <PageHeader actions={me && <EditProfile me={me} />} lead={me?.user.email} title={t('Your account')} />
      <Panel
        aside={
          <div className="k-row-actions">
            <AddApp />
            <AddPasskey />
          </div>
        }
        title={t('Second factors')}
      >
        <SortedTable
          columns={factorColumns}
          empty={t(
            'You sign in with only your password. Add an authenticator app or a passkey, so that a stolen password is not enough to sign in.',
          )}
          keyOf={({ id }) => id}
          label={t('Second factors')}
          query={factors}
          rows={factors.data}
        />
      </Panel>
      <Panel aside={others.length > 0 && <EndOthers sessions={others} />} title={t('Sessions')}>
        <SortedTable
          columns={sessionColumns}
          empty={t('There are no sessions.')}
          keyOf={({ id }) => id}
          label={t('Sessions')}
          query={sessions}
          rows={sessions.data}
        />
      </Panel>
    </>
  );
}

function EditProfile({ me }: { me: Me }): ReactNode {
  const { fullName, phone } = me.user;
  const hasPhone = !isOperator(me);
  return (
    <FormDialog
      act={(values) => data(api.PATCH('/api/users/me/profile', { body: cleared(values, ['phone']) }))}
      buttonProps={{ size: 'sm' }}
      fields={(form) => (
        <>
          <TextField autoFocus form={form} label={t('Name')} name="fullName" required />
          {hasPhone && <TextField form={form} label={t('Phone')} name="phone" type="tel" />}
        </>
      )}
      icon="edit"
      initial={{ fullName, ...(hasPhone && { phone: phone ?? '' }) }}
      label={t('Edit profile')}
      onDone={useRefreshUsers()}
      send={t('Save')}
    />
  );
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

const instantColumn = <Row,>(
  key: string,
  header: string,
  of: (row: Row) => string,
  { as, ...place }: { as?: 'relative' } & Pick<LoadedColumn<Row>, 'narrow'> = {},
): LoadedColumn<Row> => ({
  key,
  ...place,
  header,
  sort: of,
  cell: (row) => <Instant {...(as !== undefined && { as })} at={of(row)} />,
});

const factorColumns: readonly LoadedColumn<Factor>[] = [
  {
    key: 'type',
    narrow: 'title',
    header: t('Factor'),
    sort: ({ type }) => factorWords(type),
    cell: ({ type }) => <strong>{factorWords(type)}</strong>,
  },
  instantColumn('created', t('Added'), ({ createdAt }) => createdAt),
  {
    key: 'used',
    header: t('Last used'),
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="k-nothing">{t('Never')}</span> : <Instant as="relative" at={lastUsedAt} />,
  },
  { key: 'actions', header: t('Action'), cell: (factor) => <RemoveFactor factor={factor} /> },
];

function RemoveFactor({ factor: { id, type, createdAt } }: { factor: Factor }): ReactNode {
  const cache = useQueryClient();
  const name = t('{value}, added {value2}', { value: factorWords(type), value2: day.format(new Date(createdAt)) });
  return (
    <ConfirmAction
      about={name}
      act={() => data(api.DELETE('/api/auth/factors/{id}', { params: { path: { id } } }))}
      icon="close"
      isDangerous
      label={t('Remove')}
      onDone={() => {
        askAgain(cache, factorsQuery.queryKey);
      }}
    >
      {rich(
        '<strong>{name}</strong> can no longer be used to sign in. If no factor remains, your password alone is enough to sign in, and your recovery codes become invalid.',
        { name, strong },
      )}
    </ConfirmAction>
  );
}

const sessionColumns: readonly LoadedColumn<OwnSession>[] = [
  {
    key: 'device',
    narrow: 'title',
    header: t('Device'),
    sort: ({ device }) => deviceName(device),
    cell: ({ device }) => <strong title={device ?? undefined}>{deviceName(device)}</strong>,
  },
  {
    key: 'address',
    header: t('Address'),
    sort: ({ address }) => address,
    cell: ({ address }) => <code>{address ?? '—'}</code>,
  },
  instantColumn('created', t('Signed in'), ({ createdAt }) => createdAt, { narrow: 'hidden' }),
  instantColumn('used', t('Last used'), ({ lastUsedAt }) => lastUsedAt, { as: 'relative' }),
  instantColumn('expires', t('Ends'), ({ expiresAt }) => expiresAt, { as: 'relative', narrow: 'hidden' }),
  {
    key: 'actions',
    narrow: 'end',
    header: t('Action'),
    cell: (session) =>
      session.isCurrent ? <StatusBadge tone="good">{t('This session')}</StatusBadge> : <EndSession session={session} />,
  },
];

function useRefreshSessions(): () => void {
  const cache = useQueryClient();
  return () => {
    askAgain(cache, ownSessionsQuery.queryKey);
  };
}

function EndSession({ session: { id, device, address } }: { session: OwnSession }): ReactNode {
  const name = [deviceName(device), address].filter((part) => part !== null).join(', ');
  return (
    <ConfirmAction
      about={name}
      act={() => endSession(id)}
      icon="signOut"
      label={t('Sign out')}
      onDone={useRefreshSessions()}
    >
      {rich('Sign out <strong>{name}</strong>? If you do not recognize this session, also change your password.', {
        name,
        strong,
      })}
    </ConfirmAction>
  );
}

function EndOthers({ sessions }: { sessions: readonly OwnSession[] }): ReactNode {
  return (
    <ConfirmAction
      act={() => Promise.all(sessions.map(({ id }) => endSession(id)))}
      icon="signOut"
      label={t('Sign out everywhere else')}
      onDone={useRefreshSessions()}
    >
      {t('Sign out {sessions, plural, one {one other session} other {# other sessions}}? You stay signed in here.', {
        sessions: sessions.length,
      })}
    </ConfirmAction>
  );
}
