import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { branchesQuery, branchQuery, changedBooks, type Branch } from '../api/books';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMay } from '../api/me';
import { ActiveStatus } from '../parts/active-status';
import { branchChanges, BranchFields, branchVersion, CreateBranch } from '../parts/branch-form';
import { ConfirmAction } from '../parts/confirm-action';
import type { Column } from '../parts/data-table';
import { EditDialog } from '../parts/edit-dialog';
import { ListExport } from '../parts/export-button';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { strong } from '../parts/strong';
import { RowActions } from '../parts/row-actions';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/branches');

const shown: readonly Column<Branch>[] = [
  { key: 'code', header: t('Code'), sort: { order: 'code', direction: 'ascending' }, cell: ({ code }) => code },
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: { order: 'name', direction: 'ascending' },
    cell: ({ name, description }) => (
      <>
        {name}
        {description !== null && <div className="k-nothing">{description}</div>}
      </>
    ),
  },
  {
    key: 'contact',
    header: t('Contact'),
    cell: ({ phone, email }) => [phone, email].filter((part) => part !== null).join(', ') || NOTHING,
  },
  {
    key: 'created',
    header: t('Created'),
    isExtra: true,
    sort: { order: 'newest', direction: 'descending' },
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { key: 'address', header: t('Address'), cell: ({ address }) => address ?? NOTHING },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: ({ isActive }) => <ActiveStatus isActive={isActive} />,
  },
];

/** The tenant's branches. In their sales, partners refer to branches by code. */
export function BranchesPage(): ReactNode {
  const { search, sort = 'newest' } = route.useSearch();
  const query = { sort, ...(search !== undefined && { search }) };
  const set = useSetter<{ search?: string }>();
  const mayWrite = useMay('branches.write');
  const columns: readonly Column<Branch>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (branch) => <Actions branch={branch} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateBranch />}
        lead={t('In their sales, partners refer to branches by code. A sale with an unknown branch code is rejected.')}
        title={t('Branches')}
      />
      <Listing
        aside={<ListExport list="branches" query={query} />}
        columns={columns}
        empty={search === undefined ? t('There are no branches yet.') : t('No branches match this search.')}
        label={t('Branches')}
        order="newest"
        query={(page) => branchesQuery({ ...page, ...query })}
        filters={
          <FilterBar>
            <SearchField hint={t('Code or name')} onChange={set('search')} value={search} />
          </FilterBar>
        }
        title={t('All branches')}
      />
    </>
  );
}

function Actions({ branch }: { branch: Branch }): ReactNode {
  const { id, name, isActive } = branch;
  const cache = useQueryClient();
  const refresh = (): void => {
    for (const key of ['branches', 'branch-choice']) askAgain(cache, [key]);
    changedBooks(cache);
  };
  const update = (body: Shapes['UpdateBranchDto'], revision?: number) =>
    data(
      api.PATCH('/api/branches/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <RowActions about={name}>
      <EditDialog
        about={name}
        fields={(form) => <BranchFields form={form} />}
        from={branchVersion(branch)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => branchVersion(await cache.query({ ...branchQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(branchChanges(changed), revision)}
      />
      <ConfirmAction
        about={name}
        act={() => update({ isActive: !isActive })}
        icon={isActive ? 'pause' : 'play'}
        label={isActive ? t('Deactivate') : t('Activate')}
        onDone={refresh}
      >
        {isActive
          ? rich('Sales that specify <strong>{name}</strong> are rejected until the branch is active again.', {
              name,
              strong,
            })
          : rich('Sales that are waiting for <strong>{name}</strong> are booked.', {
              name,
              strong,
            })}
      </ConfirmAction>
    </RowActions>
  );
}
