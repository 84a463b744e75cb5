import { accountDefaults, type AccountDefaultsEvent, changedBy } from '../aggregates/account-defaults.aggregate.js';
import type { AccountEvent, accountRecord } from '../aggregates/account.aggregate.js';
import type { customerRecord } from '../aggregates/customer-fields.js';
import { type CustomerEvent, isAboutCustomer } from '../aggregates/customer.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import type { EventMetadata, Recorded } from '../eventsourcing/event-catalogue.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { fold } from '../ports/search.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { accountsOf, entriesOf, type LedgerEvent, ledgerSources } from './ledger-events.js';
import { searchIn, texts } from './record-projection.js';

/** A ledger account. Every customer has one, with the customer's id. The balance is added when the account is read. */
export type AccountView = ViewOf<typeof accountRecord.fields> & { readonly isDeleted: boolean };

/** Fields and additional orders of lists of records that have a name and may have a code. */
const byNameOrCode = {
  fields: {
    foldedName: { type: 'text', of: ({ name }: Coded) => fold(name) },
    foldedCode: { type: 'text', of: ({ code }: Coded) => code && fold(code) },
    /** Ordering by code puts records without a code last. */
    hasNoCode: { type: 'boolean', of: ({ code }: Coded) => code === null },
  },
  orders: {
    name: { fields: ['foldedName', 'createdAt'], direction: 'ascending' },
    code: { fields: ['hasNoCode', 'foldedCode', 'foldedName'], direction: 'ascending' },
  },
} as const;
type Coded = { readonly name: string; readonly code: string | null };

/** Deleted accounts are kept but hidden, because transactions and reports refer to them permanently. */
export const accounts: ReadModel<AccountView> = {
  name: 'accounts',
  version: 3,
  fields: {
    ...texts<AccountView>('createdAt', 'type'),
    ...byNameOrCode.fields,
    isActive: { type: 'boolean', of: ({ isActive }) => isActive },
    isDeleted: { type: 'boolean', of: ({ isDeleted }) => isDeleted },
  },
  filters: ['isDeleted', 'isActive', 'type'],
  compound: [['isDeleted', 'isActive']],
  order: { fields: ['createdAt'], direction: 'descending' },
  orders: byNameOrCode.orders,
  search: searchIn<AccountView>('name', 'code'),
};

type AnyAccountEvent = AccountEvent | CustomerEvent | AccountDefaultsEvent;

export const accountProjection: Projection<AccountView, AnyAccountEvent> = {
  model: accounts,
  sources: ['account', 'customer', accountDefaults.name],
  recordsOf: [],
  documents: (event) => {
    if (event.type === 'DefaultAccountsSeeded') return Object.values(event.data.defaults);
    if (event.type !== 'DefaultAccountSet') return [event.recordId];
    return [event.data.accountId, event.data.previousId].filter((id) => id !== null);
  },
  evolve: (view, event, id) => {
    const made = createdAccount(event);
    if (made) return made;
    if (!view) return undefined;
    if (event.type === 'DefaultAccountsSeeded') return { ...view, isDefault: true };
    const updatedAt = event.metadata.timestamp;
    if (event.type === 'DefaultAccountSet') {
      const revision = view.revision + Number(changedBy(event.data).includes(id));
      return { ...view, isDefault: event.data.accountId === id, updatedAt, revision };
    }
    if (!isOwnChange(event)) return view;
    return { ...view, ...accountChanges(event), updatedAt, revision: view.revision + 1 };
  },
};

/**
 * Whether the event changes the account itself. A customer's opening balance is part of the customer's stream, but does
 * not change the account.
 */
const isOwnChange = (event: Recorded<AnyAccountEvent>): boolean =>
  event.entity !== 'customer' || isAboutCustomer(event as Recorded<CustomerEvent>);

function createdAccount(event: Recorded<AnyAccountEvent>): AccountView | undefined {
  const { timestamp: at } = event.metadata;
  const record = { id: event.recordId, createdAt: at, updatedAt: at, revision: 0, isDeleted: false };
  if (event.type === 'AccountCreated') return { ...record, ...event.data, isDefault: false, customerId: null };
  if (event.type !== 'CustomerCreated') return undefined;
  const { code, name, currency, status, isDefault } = event.data;
  const isActive = status === 'ACTIVE';
  const facts = { code, name, currency, isActive, isDefault };
  return { ...record, ...facts, type: 'CUSTOMER', isSystem: false, customerId: event.recordId };
}

type LaterEvent = Exclude<AnyAccountEvent, { type: 'AccountCreated' | 'CustomerCreated' } | AccountDefaultsEvent>;

function accountChanges(event: Recorded<AnyAccountEvent>): Partial<AccountView> {
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

/**
 * A customer. The balance is added when the customer is read. Deleted customers are kept but hidden, because
 * transactions refer to them permanently.
 */
export type CustomerView = ViewOf<typeof customerRecord.fields> & { readonly isDeleted: boolean };

export const customers: ReadModel<CustomerView> = {
  name: 'customers',
  version: 5,
  fields: {
    createdOn: { type: 'text', of: ({ createdAt }) => createdAt.slice(0, 10) },
    ...texts<CustomerView>('createdAt'),
    ...byNameOrCode.fields,
    /** Status as displayed in lists, which never contain DELETED records. */
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
  orders: byNameOrCode.orders,
  large: true,
  search: searchIn<CustomerView>('name', 'code', 'taxNumber', 'nationalId', 'email', 'phone'),
};

export const customerProjection: Projection<CustomerView, CustomerEvent> = {
  model: customers,
  sources: ['customer'],
  recordsOf: [],
  documents: ofRecord,
  evolve: (view, event) => {
    if (event.type === 'CustomerCreated') return createdCustomer(event);
    if (!view || !isAboutCustomer(event)) return view;
    return { ...view, ...customerChanges(event), updatedAt: event.metadata.timestamp, revision: view.revision + 1 };
  },
};

type Created = Extract<CustomerEvent, { type: 'CustomerCreated' }>;

function createdCustomer({ data, recordId: id, metadata }: Recorded<Created>): CustomerView {
  const { openingTransaction: _, openingCategorizedBy: __, links: ___, ...facts } = data;
  const { timestamp: at } = metadata;
  return { id, ...facts, accountId: id, isDeleted: false, createdAt: at, updatedAt: at, revision: 0 };
}

type OwnChange = Exclude<CustomerEvent, { type: 'CustomerCreated' | `OpeningBalance${string}` }>;

function customerChanges(event: OwnChange): Partial<CustomerView> {
  switch (event.type) {
    case 'CustomerUpdated':
      return event.data.changes;
    case 'CustomerMadePassive':
      return { status: 'PASSIVE' };
    case 'CustomerMadeActive':
      return { status: 'ACTIVE' };
    case 'CustomerLinked':
      return {};
    case 'CustomerDeleted':
      return { isDeleted: true };
    case 'CustomerRestored':
      return { isDeleted: false, code: event.data.code };
  }
}

/** The event whose transaction posted to a deleted record, with the metadata that a reaction needs. */
export type Reach = { readonly id: string; readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'> };

/**
 * A customer or account between deletion and restoration. `reachedBy`: the first event that posted to the record after
 * the deletion, and therefore requires its restoration. Null if there is no such event.
 */
export type DeletedRecord = {
  readonly tenantId: string;
  readonly recordId: string;
  readonly kind: 'customer' | 'account';
  readonly reachedBy: Reach | null;
};

export const deletedRecords: ReadModel<DeletedRecord> = {
  name: 'deleted_records',
  version: 1,
  fields: {
    ...texts<DeletedRecord>('recordId'),
    isReached: { type: 'boolean', of: ({ reachedBy }) => reachedBy !== null },
  },
  filters: ['isReached'],
  order: { fields: ['recordId'], direction: 'ascending' },
};

type TouchingEvent = LedgerEvent | CustomerEvent | AccountEvent;

/**
 * Only deleted records have documents, so a sale merely looks up absent documents. All tenants share one scope, because
 * RestorationWatch reads all tenants' documents together.
 */
export const deletedRecordProjection: Projection<DeletedRecord, TouchingEvent> = {
  model: deletedRecords,
  sources: [...ledgerSources, 'account'],
  recordsOf: [],
  scope: () => PLATFORM,
  documents: (event) => touchedBy(event).map((recordId) => `${event.tenantId}_${recordId}`),
  evolve: (record, event) => {
    const { tenantId, recordId, id, metadata } = event;
    switch (event.type) {
      case 'CustomerDeleted':
        return { tenantId, recordId, kind: 'customer', reachedBy: null };
      case 'AccountDeleted':
        return { tenantId, recordId, kind: 'account', reachedBy: null };
      case 'CustomerRestored':
      case 'AccountRestored':
        return undefined;
      default: {
        const { requestId, $correlationId } = metadata;
        return record && { ...record, reachedBy: record.reachedBy ?? { id, metadata: { requestId, $correlationId } } };
      }
    }
  },
};

const RECORDS_OWN: readonly string[] = ['CustomerDeleted', 'CustomerRestored', 'AccountDeleted', 'AccountRestored'];

function touchedBy(event: Recorded<TouchingEvent>): readonly string[] {
  if (RECORDS_OWN.includes(event.type)) return [event.recordId];
  if (event.entity === 'account') return [];
  return accountsOf(entriesOf(event as Recorded<LedgerEvent>));
}
