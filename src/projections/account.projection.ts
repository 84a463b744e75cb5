import { accountDefaults, type AccountDefaultsEvent } from '../aggregates/account-defaults.aggregate.js';
import type { AccountEvent, AccountType } from '../aggregates/account.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { Recorded } from '../platform/event-catalogue.js';
import type { Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A ledger account; every customer is one too, with the customer's id. Its balance is joined when it is read. */
export type AccountView = {
  readonly id: string;
  readonly code: string | null;
  readonly name: string;
  readonly type: AccountType;
  readonly currency: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  readonly isSystem: boolean;
  readonly customerId: string | null;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

/** Deleted accounts stay, out of sight, since transactions and reports name them for ever. */
export const accounts: ReadModel<AccountView> = {
  name: 'accounts',
  version: 1,
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
  recordsOf: ['account', 'customer'],
  documents: (event) => {
    if (event.type === 'DefaultAccountsSeeded') return Object.values(event.data.defaults);
    if (event.type !== 'DefaultAccountSet') return [event.recordId];
    return [event.data.accountId, event.data.previousId].filter((id) => id !== null);
  },
  evolve: (view, event, id) => {
    const made = created(event);
    if (made) return made;
    if (!view) return undefined;
    // These belong to another record: the account's own revision stays.
    if (event.type === 'DefaultAccountsSeeded') return { ...view, isDefault: true };
    if (event.type === 'DefaultAccountSet')
      return { ...view, isDefault: event.data.accountId === id, updatedAt: event.metadata.timestamp };
    const at = { updatedAt: event.metadata.timestamp, revision: event.revision };
    return { ...view, ...changes(event), ...at };
  },
};

function created(event: Recorded<Event>): AccountView | undefined {
  const { timestamp: at } = event.metadata;
  const record = { id: event.recordId, createdAt: at, updatedAt: at, revision: event.revision, isDeleted: false };
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
