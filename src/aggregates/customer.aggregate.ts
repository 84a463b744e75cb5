import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import {
  CustomerLink,
  customerRecord,
  type CreateCustomer,
  type CustomerDetails,
  type UpdateCustomer,
} from './customer-fields.js';
import { emailClaims, linkClaim, linkKey, taxNumberClaims } from './customer-keys.js';
import { namedByRules } from './account.aggregate.js';
import { customerCodeClaims } from './code-claims.js';
import { categorized, type TenantRules } from './categorization.js';
import { CategorizedBy } from './categorized-by.js';
import { changesTo, someOf } from './fields.js';
import {
  cancellationOn,
  CancelledTransaction,
  cancelledIn,
  CategoryChoice,
  choiceOn,
  chosenFor,
  correctionOn,
  extended,
  followed,
  recordedEntry,
  ReplacementTransaction,
  type Cancellation,
  type CategoryRequest,
  type CorrectionRequest,
  type LedgerTrail,
  type AppliedTo,
  Recategorization,
  recategorizationOn,
  type RecategorizationRequest,
  restorationOn,
} from './ledger-trail.js';
import { correction, LedgerTransaction } from './ledger.js';
import { amountIn, ensureCurrency } from './money.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';

const CustomerCreated = z.object({
  ...customerRecord.stored,
  openingTransaction: LedgerTransaction.nullable(),
  openingCategorizedBy: z.exactOptional(CategorizedBy.nullable()),
  links: z.array(CustomerLink),
});

export const customerEvents = {
  CustomerCreated: domain('CREATE', 'customer', CustomerCreated),
  CustomerUpdated: domain('UPDATE', 'customer', z.object({ changes: someOf(customerRecord.changes) })),
  CustomerMadePassive: domain('UPDATE', 'customer', z.object({})),
  CustomerMadeActive: domain('UPDATE', 'customer', z.object({})),
  CustomerLinked: domain('UPDATE', 'customer', CustomerLink),
  // Events named OpeningBalance… concern the opening balance, its reversal and its replacements.
  OpeningBalanceCancelled: domain('UPDATE', 'transaction', CancelledTransaction, { subject: cancelledIn }),
  OpeningBalanceReplacementRecorded: domain('CREATE', 'transaction', ReplacementTransaction, recordedEntry),
  OpeningBalanceCategorized: domain('UPDATE', 'transaction', CategoryChoice, { subject: chosenFor }),
  OpeningBalanceRecategorized: domain('UPDATE', 'transaction', Recategorization, { subject: chosenFor }),
  CustomerDeleted: domain('DELETE', 'customer', z.object({})),
  /**
   * Appended when a transaction refers to the deleted customer. The customer regains its code and links, except those
   * that another record has claimed since.
   */
  CustomerRestored: domain(
    'UPDATE',
    'customer',
    z.object({ code: z.string().nullable(), links: z.array(CustomerLink), causedBy: z.string() }),
  ),
};
export type CustomerEvent = EventOf<typeof customerEvents>;

type Facts = CustomerDetails & {
  currency: string;
  isActive: boolean;
  isDefault: boolean;
  openingTransaction: LedgerTransaction | null;
  trail: LedgerTrail;
  /** Number of changes since creation, excluding changes to transactions. */
  revision: number;
  links: readonly CustomerLink[];
  /** Ids of the events that have already restored the customer. Each event restores the customer at most once. */
  restoredBy: readonly string[];
};
export type Customer = { status: 'absent' } | ({ status: 'present' | 'deleted' } & Facts);
export type PresentCustomer = { status: 'present' } & Facts;

type Recorded = Exclude<Customer, { status: 'absent' }>;
type OpeningBalanceEvent = Extract<CustomerEvent, { type: `OpeningBalance${string}` }>;
type OwnEvent = Exclude<CustomerEvent, OpeningBalanceEvent>;
type LaterEvent = Exclude<OwnEvent, { type: 'CustomerCreated' }>;

/** Whether the event concerns the customer itself rather than its opening balance, which shares the stream. */
export const isAboutCustomer = <E extends CustomerEvent>(event: E): event is Extract<E, OwnEvent> =>
  !event.type.startsWith('OpeningBalance');

function evolveRecorded(state: Recorded, event: LaterEvent): Recorded {
  switch (event.type) {
    case 'CustomerUpdated':
      return { ...state, ...event.data.changes };
    case 'CustomerMadePassive':
      return { ...state, isActive: false };
    case 'CustomerMadeActive':
      return { ...state, isActive: true };
    case 'CustomerLinked':
      return isLinked(state, event.data) ? state : { ...state, links: [...state.links, event.data] };
    case 'CustomerDeleted':
      return { ...state, status: 'deleted' };
    case 'CustomerRestored': {
      const { causedBy, ...kept } = event.data;
      return { ...state, ...kept, status: 'present', restoredBy: [...state.restoredBy, causedBy] };
    }
  }
}

function created(data: z.output<typeof CustomerCreated>): Recorded {
  const { status, openingCategorizedBy = null, ...rest } = data;
  const opening = rest.openingTransaction ? [rest.openingTransaction] : [];
  const categorizedBys = rest.openingTransaction &&
    openingCategorizedBy && { [rest.openingTransaction.id]: openingCategorizedBy };
  const trail = extended({}, opening, false, categorizedBys ?? {});
  return {
    status: 'present',
    isActive: status === 'ACTIVE',
    restoredBy: [],
    revision: 0,
    trail,
    ...rest,
  };
}

const isLinked = ({ links }: Recorded, link: CustomerLink): boolean =>
  links.some((known) => linkKey(known) === linkKey(link));

function claimsOf(state: Customer, tenantId: string): readonly Claim[] {
  if (state.status !== 'present') return [];
  return [
    ...(state.code === null ? [] : customerCodeClaims(tenantId, state.code)),
    ...state.links.map((link) => linkClaim(tenantId, link)),
    ...taxNumberClaims(tenantId, state.taxNumber),
    ...emailClaims(tenantId, state.email),
  ];
}

export const customer: Aggregate<Customer, CustomerEvent> = {
  name: 'customer',
  events: customerEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'CustomerCreated') return created(event.data);
    if (state.status === 'absent') return state;
    if (!isAboutCustomer(event)) return { ...state, trail: followed(state.trail, event.data) };
    return evolveRecorded({ ...state, revision: state.revision + 1 }, event);
  },
  revisionOf: (state) => (state.status === 'absent' ? -1 : state.revision),
  claims: claimsOf,
  memberships: [namedByRules],
};

/** Returns the customer. @throws DomainError not_found if the customer is absent or deleted */
export function presentCustomer(state: Customer): PresentCustomer {
  if (state.status !== 'present') throw notFound('customer');
  return { ...state, status: 'present' };
}

export type NewCustomer = {
  /** Id of both the stream and the customer's ledger account. */
  readonly id: string;
  readonly input: CreateCustomer;
  /** The requested code, or the next one in the tenant's sequence. */
  readonly code: string;
  readonly tenantCurrency: string;
  readonly openingBalancesAccountId: string;
  readonly isDefault?: boolean;
  readonly links?: readonly CustomerLink[];
  /** Rules for assigning a category to the opening balance. */
  readonly rules?: TenantRules;
};

export function createCustomer(state: Customer, data: NewCustomer): CustomerEvent[] {
  if (state.status !== 'absent') return [];
  const { code, tenantCurrency, isDefault = false, links = [] } = data;
  const { openingBalance: _, currency, status = 'ACTIVE', ...details } = data.input;
  ensureCurrency(currency, tenantCurrency);
  const opening = openingOf(data);
  if (status === 'PASSIVE' && opening.openingTransaction)
    throw conflict('CUSTOMER_PASSIVE', 'An inactive customer accepts no opening balance. Deactivate it afterwards.');
  const facts = { currency: tenantCurrency, status, isDefault, ...opening, links: [...links] };
  return [{ type: 'CustomerCreated', data: { ...customerRecord.otherwise, ...details, code, ...facts } }];
}

type Opening = {
  readonly openingTransaction: LedgerTransaction | null;
  readonly openingCategorizedBy?: CategorizedBy;
};

function openingOf(data: NewCustomer): Opening {
  const entry = openingTransactionOf(data);
  if (!entry || !data.rules) return { openingTransaction: entry };
  const { transactions, categorizedBy } = categorized([entry], data.input.name, data.rules);
  const [rule] = Object.values(categorizedBy);
  return { openingTransaction: transactions[0] ?? entry, ...(rule && { openingCategorizedBy: rule }) };
}

function openingTransactionOf(data: NewCustomer): LedgerTransaction | null {
  const { id: customerId, input, tenantCurrency, openingBalancesAccountId } = data;
  if (!input.openingBalance) return null;
  const { amount, direction, date } = input.openingBalance;
  const id = nameUuid('opening-balance', customerId);
  return correction(
    { id, date, currency: tenantCurrency, branchId: input.branchId ?? null, systemGenerated: true },
    {
      type: 'OPENING_BALANCE',
      subject: { customerId },
      direction,
      amount: amountIn(tenantCurrency, amount, 'openingBalance.amount'),
      balancingAccountId: openingBalancesAccountId,
    },
  );
}

export function updateCustomer(state: Customer, input: UpdateCustomer): CustomerEvent[] {
  const found = presentCustomer(state);
  const { status, currency, ...patch } = input;
  ensureCurrency(currency, found.currency);
  const events: CustomerEvent[] = [];
  const changes = changesTo<CustomerDetails>(found, patch);
  if (changes) events.push({ type: 'CustomerUpdated', data: { changes } });
  if (status === 'PASSIVE' && found.isActive) {
    if (found.isDefault) throw conflict('DEFAULT_CUSTOMER', 'The default customer must remain active.');
    events.push({ type: 'CustomerMadePassive', data: {} });
  }
  if (status === 'ACTIVE' && !found.isActive) events.push({ type: 'CustomerMadeActive', data: {} });
  return events;
}

export function linkCustomer(state: Customer, link: CustomerLink): CustomerEvent[] {
  return isLinked(presentCustomer(state), link) ? [] : [{ type: 'CustomerLinked', data: link }];
}

function recordedCustomer(state: Customer): Recorded {
  if (state.status === 'absent') throw notFound('customer');
  return state;
}

/** @throws DomainError not_found; conflict ALREADY_CANCELLED */
export function cancelOpeningBalance(state: Customer, request: Cancellation): CustomerEvent[] {
  const data = cancellationOn(recordedCustomer(state).trail, request);
  return data ? [{ type: 'OpeningBalanceCancelled', data }] : [];
}

/** @throws DomainError not_found; conflict ALREADY_CANCELLED */
export function correctOpeningBalance(state: Customer, request: CorrectionRequest): CustomerEvent[] {
  const correct = correctionOn(recordedCustomer(state).trail, request);
  if (!correct) return [];
  return [
    { type: 'OpeningBalanceCancelled', data: correct.cancelled },
    { type: 'OpeningBalanceReplacementRecorded', data: correct.replacement },
  ];
}

export function recategorizeOpeningBalance(state: Customer, request: RecategorizationRequest): CustomerEvent[] {
  const data = recategorizationOn(recordedCustomer(state).trail, request);
  return data ? [{ type: 'OpeningBalanceRecategorized', data }] : [];
}

export function restoreOpeningBalanceCategory(state: Customer, request: AppliedTo): CustomerEvent[] {
  const data = restorationOn(recordedCustomer(state).trail, request);
  return data ? [{ type: 'OpeningBalanceRecategorized', data }] : [];
}

export function categorizeOpeningBalance(state: Customer, request: CategoryRequest): CustomerEvent[] {
  const data = choiceOn(recordedCustomer(state).trail, request);
  return data ? [{ type: 'OpeningBalanceCategorized', data }] : [];
}

/** The caller must first check that the customer has no transactions. */
export function deleteCustomer(state: Customer): CustomerEvent[] {
  if (presentCustomer(state).isDefault) {
    throw conflict('DEFAULT_CUSTOMER', 'The default customer cannot be deleted.');
  }
  return [{ type: 'CustomerDeleted', data: {} }];
}

export type Restoration = {
  /**
   * Id of the event whose transaction referred to the deleted record, or of the deletion event if the transaction came
   * first.
   */
  readonly causedBy: string;
  /** The code and links that are still free. */
  readonly code: string | null;
  readonly links: readonly CustomerLink[];
};

export function restoreCustomer(state: Customer, { causedBy, code, links }: Restoration): CustomerEvent[] {
  if (state.status !== 'deleted' || state.restoredBy.includes(causedBy)) return [];
  return [{ type: 'CustomerRestored', data: { causedBy, code, links: [...links] } }];
}
