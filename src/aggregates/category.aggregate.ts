import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { fold } from '../ports/search.js';
import { changesTo, line, RecordId, someOf, type Direction } from './fields.js';

/** Which transactions a category is for. */
export const CategoryDirection = z.enum(['IN', 'OUT', 'BOTH']);
export type CategoryDirection = z.output<typeof CategoryDirection>;

const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a colour like #12AB34.');
const input = {
  name: line(80),
  direction: CategoryDirection,
  color: Color.nullable(),
  icon: line(40).nullable(),
  parentId: RecordId.nullable(),
};
const { name, direction, ...optional } = input;
export const CreateTransactionCategory = z
  .strictObject({ name, direction: direction.default('BOTH'), ...someOf(optional).shape })
  .meta({ id: 'CreateTransactionCategoryDto' });
export type CreateTransactionCategory = z.output<typeof CreateTransactionCategory>;

export const UpdateTransactionCategory = z
  .strictObject(someOf(input).shape)
  .meta({ id: 'UpdateTransactionCategoryDto' });
export type UpdateTransactionCategory = z.output<typeof UpdateTransactionCategory>;

const Details = z.object({
  name: z.string(),
  direction: CategoryDirection,
  color: z.string().nullable(),
  icon: z.string().nullable(),
  parentId: z.string().nullable(),
});
type Details = z.output<typeof Details>;

const CategoryCreated = Details.extend({ isSystem: z.boolean() });
export type NewCategory = CreateTransactionCategory & { readonly isSystem?: boolean };

export const categoryEvents = {
  CategoryCreated: domain('CREATE', 'category', CategoryCreated),
  CategoryUpdated: domain('UPDATE', 'category', z.object({ changes: someOf(Details.shape) })),
  CategoryArchived: domain('DELETE', 'category', z.object({})),
  CategoryRestored: domain('UPDATE', 'category', z.object({})),
};
export type CategoryEvent = EventOf<typeof categoryEvents>;

export type PresentCategory = { status: 'active' | 'archived'; isSystem: boolean } & Details;
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

/** The category, archived or not. @throws DomainError not_found */
export function presentCategory(state: Category): PresentCategory {
  if (state.status === 'absent') throw notFound('category');
  return state;
}

export const createCategory = (state: Category, { isSystem = false, ...data }: NewCategory): CategoryEvent[] =>
  state.status === 'absent'
    ? [{ type: 'CategoryCreated', data: { color: null, icon: null, parentId: null, ...data, isSystem } }]
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
 * Whether a transaction may be given the category.
 * @throws DomainError conflict CATEGORY_ARCHIVED, CATEGORY_DIRECTION
 */
export function ensureGivable(state: PresentCategory, transaction: Direction | null): void {
  if (state.status === 'archived') throw conflict('CATEGORY_ARCHIVED', 'The category is archived.');
  if (!fitsDirection(state.direction, transaction))
    throw conflict('CATEGORY_DIRECTION', `The category is for transactions of direction ${state.direction}.`);
}
