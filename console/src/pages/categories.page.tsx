import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { allCategoriesQuery, type Category } from '../api/books';
import { api, data, ifMatch } from '../api/client';
import { useMay } from '../api/me';
import { isMatch } from '../api/search-kind';
import {
  categoryChanges,
  CategoryFields,
  categoryVersion,
  changedCategories,
  CreateCategory,
  directionWords,
} from '../parts/category-form';
import { ConfirmAction } from '../parts/confirm-action';
import type { LoadedColumn } from '../parts/data-table';
import { EditDialog } from '../parts/edit-dialog';
import { ListExport } from '../parts/export-button';
import { count } from '../parts/figures';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { ListPanel } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { StatusBadge } from '../parts/status-badge';
import { strong } from '../parts/strong';
import { RowActions } from '../parts/row-actions';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/categories');

/** A category with the name of its parent. */
type Row = Category & { readonly parent: string | null };

const shown: readonly LoadedColumn<Row>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link search={{ categoryId: id }} to="/transactions">
        {name}
      </Link>
    ),
  },
  {
    key: 'parent',
    header: t('Parent category'),
    sort: ({ parent }) => parent,
    cell: ({ parent }) => parent ?? NOTHING,
  },
  { key: 'direction', header: t('Direction'), cell: ({ direction }) => directionWords(direction) },
  {
    key: 'rules',
    header: t('Rules'),
    numeric: true,
    sort: ({ ruleCount }) => ruleCount,
    cell: ({ id, ruleCount }) => (
      <Link search={{ categoryId: id }} to="/rules">
        {count(ruleCount)}
      </Link>
    ),
  },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: ({ isArchived }) =>
      isArchived ? (
        <StatusBadge tone="idle">{t('Archived')}</StatusBadge>
      ) : (
        <StatusBadge tone="good">{t('Active')}</StatusBadge>
      ),
  },
];

const STATES = [
  ['false', t('Active')],
  ['true', t('Archived')],
] as const;

/** Transaction categories, including archived ones. */
export function CategoriesPage(): ReactNode {
  const { isArchived, search } = route.useSearch();
  const set = useSetter<{ isArchived?: 'true' | 'false'; search?: string }>();
  const categories = useQuery(allCategoriesQuery);
  const mayWrite = useMay('categories.write');
  const names = new Map((categories.data ?? []).map(({ id, name }) => [id, name]));
  const rows = categories.data
    ?.filter((each) => isArchived === undefined || each.isArchived === (isArchived === 'true'))
    .filter(({ name }) => isMatch(name, search))
    .map((each) => ({ ...each, parent: names.get(each.parentId ?? '') ?? null }));
  const columns: readonly LoadedColumn<Row>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (category) => <Actions category={category} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateCategory />}
        lead={rich('Users and <link>category rules</link> assign categories to transactions.', {
          link: (words) => <Link to="/rules">{words}</Link>,
        })}
        title={t('Categories')}
      />
      <ListPanel
        aside={
          // The service cannot list archived categories alone.
          isArchived !== 'true' && (
            <ListExport list="transaction-categories" query={{ includeArchived: isArchived === undefined }} />
          )
        }
        columns={columns}
        empty={(isArchived ?? search) ? t('No categories match these filters.') : t('There are no categories yet.')}
        filters={
          <FilterBar>
            <SearchField hint={t('Name')} onChange={set('search')} value={search} />
            <Choice label={t('Status')} onChange={set('isArchived')} options={STATES} value={isArchived} />
          </FilterBar>
        }
        keyOf={({ id }) => id}
        label={t('Categories')}
        query={categories}
        rows={rows}
        title={t('All categories')}
      />
    </>
  );
}

function Actions({ category }: { category: Category }): ReactNode {
  const { id, name, isArchived } = category;
  const cache = useQueryClient();
  const params = { path: { id } };
  const refresh = (): void => {
    changedCategories(cache);
  };
  return (
    <RowActions about={name}>
      <EditDialog
        about={name}
        fields={(form) => <CategoryFields form={form} id={id} />}
        from={categoryVersion(category)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => {
          const all = await cache.query({ ...allCategoriesQuery, staleTime: 0 });
          return categoryVersion(all.find((each) => each.id === id) ?? category);
        }}
        save={(changed, revision) =>
          data(
            api.PATCH('/api/transaction-categories/{id}', {
              params: { ...params, header: ifMatch(revision) },
              body: categoryChanges(changed),
            }),
          )
        }
      />
      {isArchived ? (
        <ConfirmAction
          about={name}
          act={() => data(api.PATCH('/api/transaction-categories/{id}/restore', { params }))}
          icon="play"
          label={t('Restore')}
          onDone={refresh}
        >
          {rich('<strong>{name}</strong> can be assigned to transactions again, and its rules apply again.', {
            name,
            strong,
          })}
        </ConfirmAction>
      ) : (
        <ConfirmAction
          about={name}
          act={() => data(api.DELETE('/api/transaction-categories/{id}', { params }))}
          icon="pause"
          label={t('Archive')}
          onDone={refresh}
        >
          {rich(
            '<strong>{name}</strong> cannot be assigned to further transactions, and its rules no longer apply. Existing transactions keep the category.',
            { name, strong },
          )}
        </ConfirmAction>
      )}
    </RowActions>
  );
}
