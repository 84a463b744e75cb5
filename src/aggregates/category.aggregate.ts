import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { fold } from '../ports/search.js';
import { changesTo, line, RecordId, someOf, type Direction } from './fields.js';
import { derived, input, optionalText, record, system, text, value, type ChangesTo } from './record.js';

/** Direction of the transactions that the category accepts. */
export const CategoryDirection = z.enum(['IN', 'OUT', 'BOTH']);
export type CategoryDirection = z.output<typeof CategoryDirection>;

const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a color such as #12AB34.');
export const categoryRecord = record({
  name: text(line(80)),
  direction: value(CategoryDirection.default('BOTH')),
  color: optionalText(Color),
  icon: optionalText(line(40)),
  parentId: optionalText(RecordId),
  isArchived: derived(z.boolean(), { filter: 'query' }),
  isSystem: system(z.boolean()),
});
export const CreateTransactionCategory = input('CreateTransactionCategoryDto', categoryRecord.create);
export type CreateTransactionCategory = z.output<typeof CreateTransactionCategory>;
export const UpdateTransactionCategory = input('UpdateTransactionCategoryDto', categoryRecord.update);
export type UpdateTransactionCategory = z.output<typeof UpdateTransactionCategory>;

const CategoryCreated = z.object(categoryRecord.stored);
type Details = ChangesTo<typeof categoryRecord>;
export type NewCategory = CreateTransactionCategory & { readonly isSystem?: boolean };

export const categoryEvents = {
  CategoryCreated: domain('CREATE', 'category', CategoryCreated),
  CategoryUpdated: domain('UPDATE', 'category', z.object({ changes: someOf(categoryRecord.changes) })),
  CategoryArchived: domain('DELETE', 'category', z.object({})),
  CategoryRestored: domain('UPDATE', 'category', z.object({})),
};
export type CategoryEvent = EventOf<typeof categoryEvents>;

export type PresentCategory = { status: 'active' | 'archived' } & z.output<typeof CategoryCreated>;
export type Category = { status: 'absent' } | PresentCategory;

export const category: Aggregate<Category, CategoryEvent> = {
  name: 'category',
  events: categoryEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'CategoryCreated') return { status: 'active', ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'CategoryUpdated':
        return { ...state, ...event.data.changes };
      case 'CategoryArchived':
        return { ...state, status: 'archived' };
      case 'CategoryRestored':
        return { ...state, status: 'active' };
    }
  },
  claims: (state, tenantId) =>
    state.status === 'active'
      ? [
          {
            scope: tenantId,
            kind: 'category-name',
            value: fold(state.name),
            refusal: { code: 'CATEGORY_NAME_TAKEN', message: 'Another category has this name.' },
          },
        ]
      : [],
};

/** Returns the category, even if it is archived. @throws DomainError not_found */
export function presentCategory(state: Category): PresentCategory {
  if (state.status === 'absent') throw notFound('category');
  return state;
}

export const createCategory = (state: Category, { isSystem = false, ...data }: NewCategory): CategoryEvent[] =>
  state.status === 'absent'
    ? [{ type: 'CategoryCreated', data: { ...categoryRecord.otherwise, ...data, isSystem } }]
    : [];

export function updateCategory(state: Category, patch: UpdateTransactionCategory): CategoryEvent[] {
  const changes = changesTo<Details>(presentCategory(state), patch);
  return changes ? [{ type: 'CategoryUpdated', data: { changes } }] : [];
}

export const archiveCategory = (state: Category): CategoryEvent[] =>
  presentCategory(state).status === 'active' ? [{ type: 'CategoryArchived', data: {} }] : [];

export const restoreCategory = (state: Category): CategoryEvent[] =>
  presentCategory(state).status === 'archived' ? [{ type: 'CategoryRestored', data: {} }] : [];

export const fitsDirection = (category: CategoryDirection, transaction: Direction | null): boolean =>
  category === 'BOTH' || category === transaction;

/**
 * Checks that the category may be assigned to a transaction. For a journal entry, the category's direction does not
 * matter, because the entry has none.
 * @throws DomainError conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
export function ensureGivable(
  state: PresentCategory,
  { type, direction }: { readonly type: string | null; readonly direction: Direction | null },
): void {
  if (state.status === 'archived')
    throw conflict('CATEGORY_ARCHIVED', 'The category is archived. Restore it, or choose another one.');
  if (type !== 'JOURNAL' && !fitsDirection(state.direction, direction))
    throw conflict('CATEGORY_DIRECTION', `The category accepts only transactions with direction ${state.direction}.`);
}
