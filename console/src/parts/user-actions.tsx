import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMe } from '../api/me';
import { userQuery, type User } from '../api/people';
import { ConfirmAction, Outcome } from './confirm-action';
import { EditDialog } from './edit-dialog';
import { TextField } from './form';
import { FormDialog } from './form-dialog';
import { Instant } from './instant';
import { RemoveFactors } from './remove-factors';
import { SecretOnce } from './secret-once';
import { strong } from './strong';
import { userChanges, UserFields, userVersion, useRefreshUsers } from './user-form';
import { RowActions } from './row-actions';
import { rich, t } from '../messages/catalogue';

/** Actions on one of the tenant's users. */
export function UserActions({ user }: { user: User }): ReactNode {
  const { id, fullName, isActive } = user;
  const cache = useQueryClient();
  const isMe = useMe()?.user.id === id;
  const refresh = useRefreshUsers();
  const update = (body: Shapes['UpdateUserDto'], revision?: number) =>
    data(
      api.PATCH('/api/users/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <RowActions about={fullName}>
      <EditDialog
        about={fullName}
        fields={(form) => <UserFields form={form} />}
        from={userVersion(user)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => userVersion(await cache.query({ ...userQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(userChanges(changed), revision)}
      />
      {!isMe && (
        <>
          <ResetPassword user={user} />
          <InviteUser user={user} />
          <RemoveFactors
            act={(body) => data(api.POST('/api/users/{id}/remove-factors', { params: { path: { id } }, body }))}
            name={fullName}
            onDone={refresh}
          />
          <ConfirmAction
            about={fullName}
            act={() => update({ isActive: !isActive })}
            icon={isActive ? 'pause' : 'play'}
            label={isActive ? t('Deactivate') : t('Activate')}
            onDone={refresh}
          >
            {rich(
              isActive
                ? '<strong>{name}</strong> is signed out and cannot sign in.'
                : '<strong>{name}</strong> can sign in again.',
              { name: fullName, strong },
            )}
          </ConfirmAction>
          <DeleteUser user={user} />
        </>
      )}
    </RowActions>
  );
}

function ResetPassword({ user: { id, fullName } }: { user: User }): ReactNode {
  return (
    <FormDialog
      about={fullName}
      act={({ newPassword = '' }) =>
        data(api.POST('/api/users/{id}/password', { params: { path: { id } }, body: { newPassword } }))
      }
      fields={(form) => (
        <TextField
          autoComplete="new-password"
          autoFocus
          form={form}
          label={t('New password')}
          name="newPassword"
          required
          type="password"
        />
      )}
      icon="key"
      initial={{ newPassword: '' }}
      label={t('Reset password')}
      lead={t('Signs {fullName} out of all sessions.', { fullName })}
      outcome={(_, close) => (
        <Outcome close={close}>
          <Text size="sm">{t('The password for {fullName} has been reset.', { fullName })}</Text>
        </Outcome>
      )}
      onDone={useRefreshUsers()}
    />
  );
}

/** Creates the one-time code with which a user links an identity from the tenant's OpenID provider. */
function InviteUser({ user: { id, fullName } }: { user: User }): ReactNode {
  return (
    <FormDialog
      about={fullName}
      act={() => data(api.POST('/api/users/{id}/invitation', { params: { path: { id } } }))}
      fields={() => null}
      icon="globe"
      initial={{}}
      isOutcomeKept
      isQuestion
      label={t('Create an OpenID code')}
      lead={t(
        'Creates a one-time code that lets {fullName} link an identity from your OpenID provider. The code replaces any earlier code.',
        { fullName },
      )}
      outcome={({ code, expiresAt }, close) => (
        <SecretOnce
          close={close}
          label={t('OpenID code for {fullName}', { fullName })}
          lead={rich(
            'Give the code to {fullName}. The code is valid until {instant}. To use it, send it to <code>POST /api/auth/oidc/bind</code> with an access token from the provider.',
            { fullName, instant: <Instant at={expiresAt} />, code: (words) => <code>{words}</code> },
          )}
          secret={code}
          what={t('code')}
        />
      )}
    />
  );
}

const DeleteUser = ({ user: { id, fullName } }: { user: User }): ReactNode => (
  <ConfirmAction
    about={fullName}
    act={() => data(api.DELETE('/api/users/{id}', { params: { path: { id } } }))}
    icon="close"
    isDangerous
    label={t('Delete')}
    onDone={useRefreshUsers()}
  >
    {rich("Delete the user <strong>{name}</strong>? All of the user's sessions end. The history is kept.", {
      name: fullName,
      strong,
    })}
  </ConfirmAction>
);
