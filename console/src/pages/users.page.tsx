import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMay, useMe } from '../api/me';
import { rolesQuery, userQuery, usersQuery, type User } from '../api/people';
import { ConfirmAction, Outcome } from '../parts/confirm-action';
import type { Column } from '../parts/data-table';
import { EditDialog, type Version } from '../parts/edit-dialog';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { given, OneOfField, TextField, type Draft, type Form } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { Listing } from '../parts/listing';
import { chosenIn, joined, ManyOfField } from '../parts/many-of-field';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { RemoveFactors } from '../parts/remove-factors';
import { StatusBadge } from '../parts/status-badge';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/users');

const GRADES = [
  ['USER', t('User')],
  ['ADMIN', t('Administrator')],
  ['OWNER', t('Owner')],
] as const;

const gradeOf = (value: string | undefined): User['role'] => GRADES.find(([each]) => each === value)?.[0] ?? 'USER';

const shown: readonly Column<User>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    cell: ({ fullName, email }) => (
      <>
        <strong>{fullName}</strong>
        <div className="k-nothing">{email}</div>
      </>
    ),
  },
  {
    key: 'phone',
    header: t('Phone'),
    isExtra: true,
    cell: ({ phone }) => phone ?? NOTHING,
  },
  { key: 'created', header: t('Created'), isExtra: true, cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { key: 'role', header: t('Access'), cell: ({ role }) => GRADES.find(([each]) => each === role)?.[1] },
  { key: 'roles', header: t('Roles'), cell: ({ roleIds }) => <RoleNames ids={roleIds} /> },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: ({ isActive }) =>
      isActive ? (
        <StatusBadge tone="good">{t('Active')}</StatusBadge>
      ) : (
        <StatusBadge tone="idle">{t('Inactive')}</StatusBadge>
      ),
  },
  { key: 'login', header: t('Last sign-in'), cell: ({ lastLoginAt }) => <Instant as="relative" at={lastLoginAt} /> },
];

function RoleNames({ ids }: { ids: readonly string[] }): ReactNode {
  const roles = useQuery({ ...rolesQuery, enabled: useMay('roles.read') });
  const names = (roles.data ?? []).filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return names.length === 0 ? NOTHING : names.join(', ');
}

/** Users of the tenant. */
export function UsersPage(): ReactNode {
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  const mayWrite = useMay('users.write');
  const columns: readonly Column<User>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (user) => <Actions user={user} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateUser />}
        lead={
          <>
            {t(
              'Owners and administrators have all permissions. Users can read the books and change customers and transactions. Roles grant additional permissions.',
            )}{' '}
            {useMay('roles.read') && <Link to="/roles">{t('Roles')}</Link>}
          </>
        }
        title={t('Users')}
      />
      <Listing
        columns={columns}
        empty={t('No users match this search.')}
        label={t('Users')}
        query={(page) => usersQuery({ ...page, ...(search !== undefined && { search }) })}
        filters={
          <FilterBar>
            <SearchField hint={t('Name or e-mail')} onChange={set('search')} value={search} />
          </FilterBar>
        }
        title={t('All users')}
      />
    </>
  );
}

const useRefresh = (): (() => void) => {
  const cache = useQueryClient();
  return () => {
    askAgain(cache, ['users']);
  };
};

function UserFields({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode {
  const roles = useQuery({ ...rolesQuery, enabled: useMay('roles.read') });
  return (
    <>
      <div className="k-fields">
        <TextField autoFocus form={form} label={t('Name')} name="fullName" required />
        <TextField form={form} label={t('E-mail')} name="email" required type="email" />
        {isNew && (
          <TextField
            autoComplete="new-password"
            form={form}
            hint={t('Give this password to the user, who can change it')}
            label={t('Password')}
            name="password"
            required
            type="password"
          />
        )}
        <TextField form={form} label={t('Phone')} name="phone" type="tel" />
        <OneOfField form={form} label={t('Access')} name="role" options={GRADES} required />
      </div>
      {form.values['role'] === 'USER' && (
        <ManyOfField
          form={form}
          label={t('Roles')}
          name="roleIds"
          options={(roles.data ?? []).map(({ id, name }) => [id, name] as const)}
        />
      )}
    </>
  );
}

function CreateUser(): ReactNode {
  return (
    <FormDialog
      act={(values) => {
        const { fullName = '', email = '', password = '' } = values;
        const phone = given(values, 'phone');
        const roleIds = chosenIn(values['roleIds']);
        const body = { fullName, email, password, role: gradeOf(values['role']), roleIds };
        return data(api.POST('/api/users', { body: { ...body, ...(phone !== undefined && { phone }) } }));
      }}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <UserFields form={form} isNew />}
      icon="plus"
      initial={{ fullName: '', email: '', password: '', phone: '', role: 'USER', roleIds: '' }}
      label={t('Create a user')}
      onDone={useRefresh()}
    />
  );
}

const versionOf = ({ fullName, email, phone, role, roleIds, revision }: User): Version => ({
  values: { fullName, email, phone: phone ?? '', role, roleIds: joined(roleIds) },
  revision,
});

const changesOf = ({ role, roleIds, phone, ...names }: Draft): Shapes['UpdateUserDto'] => ({
  ...names,
  ...(phone !== undefined && { phone: phone.trim() === '' ? null : phone }),
  ...(role !== undefined && { role: gradeOf(role) }),
  ...(roleIds !== undefined && { roleIds: chosenIn(roleIds) }),
});

function Actions({ user }: { user: User }): ReactNode {
  const { id, fullName, isActive } = user;
  const cache = useQueryClient();
  const isMe = useMe()?.user.id === id;
  const refresh = useRefresh();
  const update = (body: Shapes['UpdateUserDto'], revision?: number) =>
    data(
      api.PATCH('/api/users/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <div className="k-row-actions">
      <EditDialog
        about={fullName}
        fields={(form) => <UserFields form={form} />}
        from={versionOf(user)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => versionOf(await cache.query({ ...userQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(changesOf(changed), revision)}
      />
      {!isMe && (
        <>
          <ResetPassword user={user} />
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
        </>
      )}
    </div>
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
      lead={t('Ends all sessions of {fullName}.', { fullName })}
      outcome={(_, close) => (
        <Outcome close={close}>
          <Text size="sm">{t('The password of {fullName} has been reset.', { fullName })}</Text>
        </Outcome>
      )}
      onDone={useRefresh()}
    />
  );
}
