import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CustomerDetails } from '../aggregates/customer-fields.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/**
 * A customer as it is kept; its balance is joined when it is read. A deleted one stays, out of sight: transactions name
 * it for ever.
 */
export type CustomerView = { readonly id: string } & CustomerDetails & {
    readonly currency: string;
    readonly status: 'ACTIVE' | 'PASSIVE';
    readonly isDefault: boolean;
    readonly accountId: string;
    readonly isDeleted: boolean;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly revision: number;
  };

export const customers: ReadModel<CustomerView> = {
  name: 'customers',
  version: 3,
  fields: {
    createdOn: { type: 'text', of: ({ createdAt }) => createdAt.slice(0, 10) },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    /** What lists show: DELETED for what they never show. */
    shown: { type: 'text', of: ({ status, isDeleted }) => (isDeleted ? 'DELETED' : status) },
    isDeleted: { type: 'boolean', of: ({ isDeleted }) => isDeleted },
    isDefault: { type: 'boolean', of: ({ isDefault }) => isDefault },
  },
  filters: ['shown', 'isDeleted', 'isDefault'],
  compound: [
    ['shown', 'isDefault'],
    ['isDeleted', 'isDefault'],
  ],
  counted: ['shown', 'isDeleted'],
  order: { fields: ['createdOn', 'createdAt'], direction: 'descending' },
  large: { joined: true },
  search: {
    name: ({ name }) => name,
    code: ({ code }) => code,
    taxNumber: ({ taxNumber }) => taxNumber,
    nationalId: ({ nationalId }) => nationalId,
    email: ({ email }) => email,
    phone: ({ phone }) => phone,
  },
};

export const customerProjection: Projection<CustomerView, CustomerEvent> = {
  model: customers,
  sources: ['customer'],
  documents: ofRecord,
  evolve: (view, event) => {
    if (event.type === 'CustomerCreated') return created(event);
    if (!view) return undefined;
    return { ...view, ...changes(event), updatedAt: event.metadata.timestamp, revision: event.revision };
  },
};

type Created = Extract<CustomerEvent, { type: 'CustomerCreated' }>;

function created({ data, recordId: id, metadata, revision }: Recorded<Created>): CustomerView {
  const { openingTransaction: _, openingCategorizedBy: __, links: ___, ...facts } = data;
  const { timestamp: at } = metadata;
  return { id, ...facts, accountId: id, isDeleted: false, createdAt: at, updatedAt: at, revision };
}

function changes(event: Exclude<CustomerEvent, Created>): Partial<CustomerView> {
  switch (event.type) {
    case 'CustomerUpdated':
      return event.data.changes;
    case 'CustomerMadePassive':
      return { status: 'PASSIVE' };
    case 'CustomerMadeActive':
      return { status: 'ACTIVE' };
    case 'CustomerLinked':
    case 'OpeningBalanceCancelled':
    case 'OpeningBalanceCategorized':
      return {};
    case 'CustomerDeleted':
      return { isDeleted: true };
    case 'CustomerRestored':
      return { isDeleted: false, code: event.data.code };
  }
}
