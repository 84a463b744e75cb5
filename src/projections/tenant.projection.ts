import type { TenantEvent } from '../aggregates/tenant.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A tenant as operators see it. */
export type TenantView = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly isActive: boolean;
  /** The owner that it was made with, who may have left since. */
  readonly ownerUserId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const tenants: ReadModel<TenantView> = {
  name: 'tenants',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
  },
  filters: ['isActive'],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: { name: ({ name }) => name, slug: ({ slug }) => slug },
};

export const tenantProjection: Projection<TenantView, TenantEvent> = {
  model: tenants,
  sources: ['tenant'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    if (event.type === 'TenantCreated') {
      const { owner, seeds: _, ...facts } = event.data;
      return { id, ...facts, isActive: true, ownerUserId: owner.userId, createdAt: at, updatedAt: at, revision };
    }
    return view && { ...view, ...changes(event), updatedAt: at, revision };
  },
};

function changes(event: Exclude<TenantEvent, { type: 'TenantCreated' }>): Partial<TenantView> {
  switch (event.type) {
    case 'TenantUpdated':
      return event.data.changes;
    case 'TenantDeactivated':
      return { isActive: false };
    case 'TenantReactivated':
      return { isActive: true };
  }
}
