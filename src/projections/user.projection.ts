import type { Role, UserEvent } from '../aggregates/user.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A user as it is kept; the last sign-in is joined when it is read. A deleted one is gone from here. */
export type UserView = {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly phone: string | null;
  readonly role: Role;
  readonly roleIds: readonly string[];
  readonly isActive: boolean;
  readonly branchId: string | null;
  readonly branchIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const users: ReadModel<UserView> = {
  name: 'users',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    role: { type: 'text', of: ({ role }) => role },
    roleIds: { type: 'text', of: ({ roleIds }) => roleIds },
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
  },
  filters: ['role', 'roleIds', 'isActive'],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: { fullName: ({ fullName }) => fullName, email: ({ email }) => email, phone: ({ phone }) => phone },
};

export const userProjection: Projection<UserView, UserEvent> = {
  model: users,
  sources: ['user'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    if (event.type === 'UserCreated') {
      const { passwordHash: _, ...facts } = event.data;
      return { id, ...facts, createdAt: at, updatedAt: at, revision };
    }
    if (event.type === 'UserDeleted') return undefined;
    return view && { ...view, ...changes(event), updatedAt: at, revision };
  },
};

function changes(event: Exclude<UserEvent, { type: 'UserCreated' | 'UserDeleted' }>): Partial<UserView> {
  switch (event.type) {
    case 'UserUpdated':
      return event.data.changes;
    case 'UserDeactivated':
      return { isActive: false };
    case 'UserReactivated':
      return { isActive: true };
    case 'UserPasswordChanged':
      return {};
  }
}
