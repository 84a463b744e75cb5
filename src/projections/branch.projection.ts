import type { BranchEvent } from '../aggregates/branch.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A branch as the API shows it. */
export type BranchView = {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly address: string | null;
  readonly phone: string | null;
  readonly email: string | null;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const branches: ReadModel<BranchView> = {
  name: 'branches',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
  },
  filters: ['isActive'],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: { code: ({ code }) => code, name: ({ name }) => name, phone: ({ phone }) => phone },
};

export const branchProjection: Projection<BranchView, BranchEvent> = {
  model: branches,
  sources: ['branch'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    if (event.type === 'BranchCreated') return { id, ...event.data, createdAt: at, updatedAt: at, revision };
    return view && { ...view, ...changes(event), updatedAt: at, revision };
  },
};

function changes(event: Exclude<BranchEvent, { type: 'BranchCreated' }>): Partial<BranchView> {
  switch (event.type) {
    case 'BranchUpdated':
      return event.data.changes;
    case 'BranchDeactivated':
      return { isActive: false };
    case 'BranchReactivated':
      return { isActive: true };
  }
}
