import type { CategoryEvent, CategoryDirection } from '../aggregates/category.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

export type CategoryView = {
  readonly id: string;
  readonly name: string;
  readonly direction: CategoryDirection;
  readonly color: string | null;
  readonly icon: string | null;
  readonly parentId: string | null;
  readonly isArchived: boolean;
  readonly isSystem: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const categories: ReadModel<CategoryView> = {
  name: 'categories',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    isArchived: { type: 'boolean', of: ({ isArchived }) => isArchived },
  },
  filters: ['isArchived'],
  order: { fields: ['createdAt'], direction: 'descending' },
};

export const categoryProjection: Projection<CategoryView, CategoryEvent> = {
  model: categories,
  sources: ['category'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { timestamp: updatedAt } = event.metadata;
    const { revision } = event;
    if (event.type === 'CategoryCreated')
      return { id: event.recordId, ...event.data, isArchived: false, createdAt: updatedAt, updatedAt, revision };
    if (!view) return undefined;
    switch (event.type) {
      case 'CategoryUpdated':
        return { ...view, ...event.data.changes, updatedAt, revision };
      case 'CategoryArchived':
        return { ...view, isArchived: true, updatedAt, revision };
      case 'CategoryRestored':
        return { ...view, isArchived: false, updatedAt, revision };
    }
  },
};
