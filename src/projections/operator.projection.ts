import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** An operator of the platform; a deleted one is gone from here. */
export type OperatorView = {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const operators: ReadModel<OperatorView> = {
  name: 'operators',
  version: 1,
  fields: { createdAt: { type: 'text', of: ({ createdAt }) => createdAt } },
  filters: [],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: { fullName: ({ fullName }) => fullName, email: ({ email }) => email },
};

export const operatorProjection: Projection<OperatorView, OperatorEvent> = {
  model: operators,
  sources: ['operator'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { recordId: id, revision } = event;
    const at = event.metadata.timestamp;
    switch (event.type) {
      case 'OperatorCreated': {
        const { fullName, email } = event.data;
        return { id, fullName, email, createdAt: at, updatedAt: at, revision };
      }
      case 'OperatorUpdated':
        return view && { ...view, ...event.data.changes, updatedAt: at, revision };
      case 'OperatorPasswordChanged':
        return view && { ...view, updatedAt: at, revision };
      case 'OperatorDeleted':
        return undefined;
    }
  },
};
