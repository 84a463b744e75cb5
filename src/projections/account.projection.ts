import { accountDefaults, changedBy, type AccountDefaultsEvent } from '../aggregates/account-defaults.aggregate.js';
import type { AccountEvent, accountRecord } from '../aggregates/account.aggregate.js';
import { isAboutCustomer, type CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A ledger account. Every customer has one, with the customer's id. The balance is joined on reading. */
export type AccountView = ViewOf<typeof accountRecord.fields> & { readonly isDeleted: boolean };

/** Deleted accounts remain, hidden, because transactions and reports refer to them permanently. */
export const accounts: ReadModel<AccountView> = {
  name: 'accounts',
  version: 2,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    type: { type: 'text', of: ({ type }) => type },
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
    isDeleted: { type: 'boolean', of: ({ isDeleted }) => isDeleted },
  },
  filters: ['isDeleted', 'isActive', 'type'],
  compound: [['isDeleted', 'isActive']],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: { name: ({ name }) => name, code: ({ code }) => code },
};

type Event = AccountEvent | CustomerEvent | AccountDefaultsEvent;

export const accountProjection: Projection<AccountView, Event> = {
  model: accounts,
  sources: ['account', 'customer', accountDefaults.name],
  recordsOf: [],
  documents: (event) => {
    if (event.type === 'DefaultAccountsSeeded') return Object.values(event.data.defaults);
    if (event.type !== 'DefaultAccountSet') return [event.recordId];
    return [event.data.accountId, event.data.previousId].filter((id) => id !== null);
  },
  evolve: (view, event, id) => {
    const made = created(event);
    if (made) return made;
    if (!view) return undefined;
    if (event.type === 'DefaultAccountsSeeded') return { ...view, isDefault: true };
    const updatedAt = event.metadata.timestamp;
    if (event.type === 'DefaultAccountSet') {
      const revision = view.revision + Number(changedBy(event.data).includes(id));
      return { ...view, isDefault: event.data.accountId === id, updatedAt, revision };
    }
    if (!isOwnChange(event)) return view;
    return { ...view, ...changes(event), updatedAt, revision: view.revision + 1 };
  },
};

/** A customer's opening balance is in the customer's stream but does not change the account. */
const isOwnChange = (event: Recorded<Event>): boolean =>
  event.entity !== 'customer' || isAboutCustomer(event as Recorded<CustomerEvent>);

function created(event: Recorded<Event>): AccountView | undefined {
  const { timestamp: at } = event.metadata;
  const record = { id: event.recordId, createdAt: at, updatedAt: at, revision: 0, isDeleted: false };
  if (event.type === 'AccountCreated') return { ...record, ...event.data, isDefault: false, customerId: null };
  if (event.type !== 'CustomerCreated') return undefined;
  const { code, name, currency, status, isDefault } = event.data;
  const isActive = status === 'ACTIVE';
  const facts = { code, name, currency, isActive, isDefault };
  return { ...record, ...facts, type: 'CUSTOMER', isSystem: false, customerId: event.recordId };
}

type LaterEvent = Exclude<Event, { type: 'AccountCreated' | 'CustomerCreated' } | AccountDefaultsEvent>;

function changes(event: Recorded<Event>): Partial<AccountView> {
  const { type, data } = event as LaterEvent;
  switch (type) {
    case 'AccountUpdated':
      return data.changes;
    case 'CustomerUpdated': {
      const { code, name } = data.changes;
      return { ...(code !== undefined && { code }), ...(name !== undefined && { name }) };
    }
    case 'AccountRestored':
    case 'CustomerRestored':
      return { isDeleted: false, code: data.code };
    default:
      return flags[type] ?? {};
  }
}

const flags: Partial<Readonly<Record<LaterEvent['type'], Partial<AccountView>>>> = {
  AccountDeactivated: { isActive: false },
  AccountReactivated: { isActive: true },
  CustomerMadePassive: { isActive: false },
  CustomerMadeActive: { isActive: true },
  AccountDeleted: { isDeleted: true },
  CustomerDeleted: { isDeleted: true },
};
