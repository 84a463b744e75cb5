import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { allCategoriesQuery, changedBooks, type Category } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { cleared, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

const DIRECTIONS = [
  ['BOTH', t('In or out')],
  ['IN', t('Money in')],
  ['OUT', t('Money out')],
] as const;

type Direction = Category['direction'];

export const directionWords = (direction: Direction): string =>
  DIRECTIONS.find(([each]) => each === direction)?.[1] ?? direction;

const directionOf = (value: string | undefined): Direction =>
  DIRECTIONS.find(([each]) => each === value)?.[0] ?? 'BOTH';

const NEW_CATEGORY: Draft = { name: '', direction: 'BOTH', parentId: '' };

export const categoryVersion = ({ name, direction, parentId, revision }: Category): Version => ({
  values: { name, direction, parentId: parentId ?? '' },
  revision,
});

export const categoryChanges = ({ direction, ...values }: Draft): Shapes['UpdateTransactionCategoryDto'] => ({
  ...cleared(values, ['parentId']),
  ...(direction !== undefined && { direction: directionOf(direction) }),
});

/** Reloads all data that includes categories. */
export function changedCategories(cache: QueryClient): void {
  for (const key of ['categories', 'rules']) askAgain(cache, [key]);
  changedBooks(cache);
}

type FieldsProps = { readonly form: Form; /** Id of an existing category. */ readonly id?: string };

export function CategoryFields({ form, id }: FieldsProps): ReactNode {
  const categories = useQuery(allCategoriesQuery);
  const parents = (categories.data ?? []).filter(
    (each) => each.id !== id && (!each.isArchived || each.id === form.values['parentId']),
  );
  return (
    <>
      {categories.error !== null && <ProblemView error={categories.error} onRetry={categories.refetch} />}
      <TextField autoFocus form={form} label={t('Name')} name="name" required />
      <OneOfField form={form} label={t('Direction')} name="direction" options={DIRECTIONS} required />
      <OneOfField
        form={form}
        label={t('Parent category')}
        name="parentId"
        options={[['', t('None')], ...parents.map((each) => [each.id, each.name] as const)]}
      />
    </>
  );
}

export function CreateCategory(): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={(values, header) =>
        data(
          api.POST('/api/transaction-categories', {
            params: { header },
            body: {
              name: values['name'] ?? '',
              direction: directionOf(values['direction']),
              ...someOf(values, ['parentId']),
            },
          }),
        )
      }
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <CategoryFields form={form} />}
      icon="plus"
      initial={NEW_CATEGORY}
      label={t('Create a category')}
      onDone={() => {
        changedCategories(cache);
      }}
      send={t('Create')}
    />
  );
}
