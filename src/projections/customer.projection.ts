import { isAboutCustomer, type CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { customerRecord } from '../aggregates/customer-fields.js';
import type { ViewOf } from '../aggregates/record.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/**
 * A customer. The balance is joined on reading. Deleted customers remain, hidden, because transactions refer to them
 * permanently.
 */
export type CustomerView = ViewOf<typeof customerRecord.fields> & { readonly isDeleted: boolean };

export const customers: ReadModel<CustomerView> = {
  name: 'customers',
  version: 4,
  fields: {
    createdOn: { type: 'text', of: ({ createdAt }) => createdAt.slice(0, 10) },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    /** Visible status in lists: DELETED is never listed. */
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
  large: true,
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
  recordsOf: [],
  documents: ofRecord,
  evolve: (view, event) => {
    if (event.type === 'CustomerCreated') return created(event);
    if (!view || !isAboutCustomer(event)) return view;
    return { ...view, ...changes(event), updatedAt: event.metadata.timestamp, revision: view.revision + 1 };
  },
};

type Created = Extract<CustomerEvent, { type: 'CustomerCreated' }>;

function created({ data, recordId: id, metadata }: Recorded<Created>): CustomerView {
  const { openingTransaction: _, openingCategorizedBy: __, links: ___, ...facts } = data;
  const { timestamp: at } = metadata;
  return { id, ...facts, accountId: id, isDeleted: false, createdAt: at, updatedAt: at, revision: 0 };
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
