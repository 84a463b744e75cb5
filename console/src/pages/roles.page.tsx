import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMay } from '../api/me';
import { permissionsQuery, roleQuery, rolesQuery, type Role } from '../api/people';
import { ConfirmAction } from '../parts/confirm-action';
import type { LoadedColumn } from '../parts/data-table';
import { count } from '../parts/figures';
import { EditDialog, type Version } from '../parts/edit-dialog';
import { cleared, given, TextField, type Draft, type Form } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { chosenIn, joined, ManyOfField } from '../parts/many-of-field';
import { ListPanel } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { ProblemView } from '../parts/problem-view';
import { strong } from '../parts/strong';
import { useRefreshUsers } from '../parts/user-form';
import { RowActions } from '../parts/row-actions';
import { byCode, rich, t } from '../messages/catalogue';

type Permission = Shapes['CreateRoleDto']['permissions'][number];

const shown: readonly LoadedColumn<Role>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: ({ name }) => name,
    cell: ({ name, description, isSystem }) => (
      <>
        <strong>{name}</strong>
        <div className="k-nothing">{isSystem ? t('built in') : description}</div>
      </>
    ),
  },
  {
    key: 'permissions',
    header: t('Permissions'),
    numeric: true,
    sort: ({ permissionCount }) => permissionCount,
    cell: ({ permissionCount }) => count(permissionCount),
  },
  {
    key: 'users',
    header: t('Users'),
    numeric: true,
    sort: ({ userCount }) => userCount,
    cell: ({ userCount }) => count(userCount),
  },
];

/** The tenant's roles, which are named sets of permissions. */
export function RolesPage(): ReactNode {
  const roles = useQuery(rolesQuery);
  const mayWrite = useMay('roles.write');
  const columns: readonly LoadedColumn<Role>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (role) => <Actions role={role} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateRole />}
        lead={rich('Named sets of permissions that you assign to <link>users</link>.', {
          link: (words) => <Link to="/users">{words}</Link>,
        })}
        title={t('Roles')}
      />
      <ListPanel
        columns={columns}
        empty={t('There are no roles yet.')}
        keyOf={({ id }) => id}
        label={t('Roles')}
        query={roles}
        rows={roles.data}
        title={t('All roles')}
      />
    </>
  );
}

function Permissions({ form }: { form: Form }): ReactNode {
  const permissions = useQuery(permissionsQuery);
  return (
    <>
      {permissions.error !== null && <ProblemView error={permissions.error} onRetry={permissions.refetch} />}
      <ManyOfField
        form={form}
        label={t('Permissions')}
        name="permissions"
        options={(permissions.data ?? []).map(
          ({ code, description }) => [code, byCode('permission', code, description)] as const,
        )}
      />
    </>
  );
}

/**
 * The permissions of an existing role, which are loaded when the dialog opens. A change is based on the revision that
 * was loaded.
 */
function RolePermissions({ form, id }: { form: Form; id: string }): ReactNode {
  const { data: role, error, refetch } = useQuery(roleQuery(id));
  if (error !== null) return <ProblemView error={error} onRetry={refetch} />;
  if (role === undefined) return null;
  const loaded = { permissions: joined(role.permissions), revision: String(role.revision) };
  const values: Draft = { ...loaded, ...form.values };
  const set: Form['set'] = (name, value) => {
    form.replace({ ...values, [name]: value });
  };
  return <Permissions form={{ ...form, values, set }} />;
}

/** The cast is safe, because the permission codes come from the service's own list. */
const permissionsIn = (values: Draft): Permission[] => chosenIn(values['permissions']) as Permission[];

const NameFields = ({ form }: { form: Form }): ReactNode => (
  <>
    <TextField autoFocus form={form} label={t('Name')} name="name" required />
    <TextField form={form} label={t('Description')} name="description" />
  </>
);

function CreateRole(): ReactNode {
  return (
    <FormDialog
      act={(values, header) => {
        const description = given(values, 'description');
        const body = { name: values['name'] ?? '', permissions: permissionsIn(values) };
        return data(
          api.POST('/api/roles', {
            params: { header },
            body: { ...body, ...(description !== undefined && { description }) },
          }),
        );
      }}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => (
        <>
          <NameFields form={form} />
          <Permissions form={form} />
        </>
      )}
      icon="plus"
      initial={{ name: '', description: '', permissions: '' }}
      label={t('Create a role')}
      onDone={useRefreshUsers()}
    />
  );
}

const versionOf = ({ name, description, revision }: Role): Version => ({
  values: { name, description: description ?? '' },
  revision,
});

function Actions({ role }: { role: Role }): ReactNode {
  const { id, name, isSystem, userCount } = role;
  const cache = useQueryClient();
  const refresh = useRefreshUsers();
  const path = { id };
  if (isSystem) return null;
  return (
    <RowActions about={name}>
      <EditDialog
        about={name}
        fields={(form) => <NameFields form={form} />}
        from={versionOf(role)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => versionOf(await cache.query({ ...roleQuery(id), staleTime: 0 }))}
        save={(changed, revision) =>
          data(
            api.PATCH('/api/roles/{id}', {
              params: { path, header: ifMatch(revision) },
              body: cleared(changed, ['description']),
            }),
          )
        }
      />
      <FormDialog
        about={name}
        act={async ({ revision, ...values }) => {
          // The first change adds the revision to the values. Without a revision, there is nothing to save.
          if (revision === undefined) return;
          const params = { path, header: ifMatch(Number(revision)) };
          await data(
            api.PATCH('/api/roles/{id}/permissions', { params, body: { permissions: permissionsIn(values) } }),
          );
        }}
        fields={(form) => <RolePermissions form={form} id={id} />}
        icon="rules"
        initial={{}}
        label={t('Permissions')}
        onDone={refresh}
        send={t('Save')}
      />
      {userCount === 0 && (
        <ConfirmAction
          about={name}
          act={() => data(api.DELETE('/api/roles/{id}', { params: { path } }))}
          icon="close"
          isDangerous
          label={t('Delete')}
          onDone={refresh}
        >
          {rich('Delete the role <strong>{name}</strong>? No user has this role.', {
            name,
            strong,
          })}
        </ConfirmAction>
      )}
    </RowActions>
  );
}
