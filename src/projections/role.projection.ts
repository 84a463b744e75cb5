import type { RoleEvent } from '../aggregates/role.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A custom role; how many users have it is counted when it is read. A deleted one is gone from here. */
export type RoleView = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const roles: ReadModel<RoleView> = {
  name: 'roles',
  version: 1,
  fields: { createdAt: { type: 'text', of: ({ createdAt }) => createdAt } },
  filters: [],
  order: { fields: ['createdAt'], direction: 'ascending' },
};

export const roleProjection: Projection<RoleView, RoleEvent> = {
  model: roles,
  sources: ['role'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    if (event.type === 'RoleCreated') return { id, ...event.data, createdAt: at, updatedAt: at, revision };
    if (event.type === 'RoleDeleted') return undefined;
    return view && { ...view, ...changes(event), updatedAt: at, revision };
  },
};

function changes(event: Exclude<RoleEvent, { type: 'RoleCreated' | 'RoleDeleted' }>): Partial<RoleView> {
  switch (event.type) {
    case 'RoleUpdated':
      return event.data.changes;
    case 'RolePermissionsChanged':
      return { permissions: event.data.permissions };
  }
}
