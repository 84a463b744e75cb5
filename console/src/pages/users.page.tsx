import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { branchSource } from '../api/books';
import { useMay } from '../api/me';
import { GRADES, rolesQuery, usersQuery, type User } from '../api/people';
import { ActiveStatus } from '../parts/active-status';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { Listing } from '../parts/listing';
import { NameOf } from '../parts/name-of';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { UserActions } from '../parts/user-actions';
import { CreateUser } from '../parts/user-form';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/users');

const shown: readonly Column<User>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: { order: 'name', direction: 'ascending' },
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
  {
    key: 'branch',
    header: t('Branch'),
    isExtra: true,
    cell: ({ branchId }) => (branchId === null ? NOTHING : <NameOf id={branchId} source={branchSource} />),
  },
  {
    key: 'created',
    header: t('Created'),
    isExtra: true,
    sort: { order: 'newest', direction: 'descending' },
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { key: 'role', header: t('Access'), cell: ({ role }) => GRADES.find(([each]) => each === role)?.[1] },
  { key: 'roles', header: t('Roles'), cell: ({ roleIds }) => <RoleNames ids={roleIds} /> },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: ({ isActive }) => <ActiveStatus isActive={isActive} />,
  },
  {
    key: 'login',
    narrow: 'tablet',
    header: t('Last sign-in'),
    cell: ({ lastLoginAt }) => <Instant as="relative" at={lastLoginAt} />,
  },
];

function RoleNames({ ids }: { ids: readonly string[] }): ReactNode {
  const roles = useQuery({ ...rolesQuery, enabled: useMay('roles.read') });
  const names = (roles.data ?? []).filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return names.length === 0 ? NOTHING : names.join(', ');
}

/** The tenant's users. */
export function UsersPage(): ReactNode {
  const { search, sort = 'newest' } = route.useSearch();
  const query = { sort, ...(search !== undefined && { search }) };
  const set = useSetter<{ search?: string }>();
  const mayWrite = useMay('users.write');
  const columns: readonly Column<User>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (user) => <UserActions user={user} /> }]
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
        aside={<ListExport list="users" query={query} />}
        columns={columns}
        empty={t('No users match this search.')}
        label={t('Users')}
        order="newest"
        query={(page) => usersQuery({ ...page, ...query })}
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
