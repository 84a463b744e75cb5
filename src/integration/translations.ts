import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { BranchEvent } from '../aggregates/branch.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CategoryChoice } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import type { Recorded } from '../platform/event-catalogue.js';
import type { IntegrationEvent } from './cloud-event.js';
import { nameUuid } from '../platform/name-uuid.js';

type PublicEvent = TransactionEvent | SaleEvent | CustomerEvent | AccountEvent | BranchEvent | UserEvent;
type Of<T extends PublicEvent['type']> = Recorded<Extract<PublicEvent, { type: T }>>;

/** What a domain event becomes for partners: its public name and the data that they may see. */
type Fact = {
  readonly entity: string;
  readonly event: string;
  readonly subject?: string;
  readonly data: object;
  /** One of several that ride in the event. */
  readonly ridesAlong?: true;
};

const fact = (entity: string, event: string, data: object): Fact => ({ entity, event, data });

const transactionFacts = (transactions: readonly LedgerTransaction[]): Fact[] =>
  transactions.map((transaction) => ({
    entity: 'transaction',
    event: transaction.reversalOf === null ? 'recorded' : 'cancelled',
    subject: transaction.id,
    data: transaction,
    ridesAlong: true,
  }));

const categorized = (choice: CategoryChoice): Fact[] => [
  { ...fact('transaction', 'categorized', choice), subject: choice.transactionId },
];

/** Every domain event that partners see, by type. Contracts for ever: only added to; a change is a new version. */
const translations: { readonly [T in PublicEvent['type']]?: (event: Of<T>) => readonly Fact[] } = {
  SaleAccepted: ({ data: { externalId, sourceId, type, occurredAt, currency, total, acceptedAt } }) => [
    fact('sale', 'accepted', { externalId, sourceId, type, occurredAt, currency, total, acceptedAt }),
  ],
  SaleBooked: ({ data: { customerId, branchId, date, transactions } }) => [
    fact('sale', 'booked', { customerId, branchId, date, transactionIds: transactions.map(({ id }) => id) }),
    ...transactionFacts(transactions),
  ],
  SaleRejected: ({ data }) => [fact('sale', 'rejected', data)],
  ReturnBooked: ({ data: { transactions, categorizedBy: _, ...data } }) => [
    { ...fact('sale', 'booked', { ...data, transactionIds: transactions.map(({ id }) => id) }), subject: data.saleId },
    ...transactionFacts(transactions),
  ],
  SaleCancelled: ({ data: { transactions, categorizedBy: _, ...data } }) => [
    { ...fact('sale', 'booked', { ...data, transactionIds: transactions.map(({ id }) => id) }), subject: data.saleId },
    ...transactionFacts(transactions),
  ],
  CustomerCreated: ({ data: { links: _, openingTransaction, openingCategorizedBy: __, ...data } }) => [
    fact('customer', 'created', data),
    ...transactionFacts(openingTransaction ? [openingTransaction] : []),
  ],
  TransactionRecorded: ({ data: { transaction } }) => [fact('transaction', 'recorded', transaction)],
  TransactionCancelled: ({ data: { reversal } }) => transactionFacts([reversal]),
  OpeningBalanceCancelled: ({ data: { reversal } }) => transactionFacts([reversal]),
  TransactionCategorized: ({ data }) => categorized(data),
  SaleTransactionCategorized: ({ data }) => categorized(data),
  OpeningBalanceCategorized: ({ data }) => categorized(data),
  CustomerUpdated: ({ data }) => [fact('customer', 'updated', data)],
  CustomerMadePassive: () => [fact('customer', 'updated', { changes: { status: 'PASSIVE' } })],
  CustomerMadeActive: () => [fact('customer', 'updated', { changes: { status: 'ACTIVE' } })],
  CustomerDeleted: () => [fact('customer', 'deleted', {})],
  AccountCreated: ({ data }) => [fact('account', 'created', data)],
  AccountUpdated: ({ data }) => [fact('account', 'updated', data)],
  AccountDeactivated: () => [fact('account', 'updated', { changes: { isActive: false } })],
  AccountReactivated: () => [fact('account', 'updated', { changes: { isActive: true } })],
  AccountDeleted: () => [fact('account', 'deleted', {})],
  BranchCreated: ({ data }) => [fact('branch', 'created', data)],
  BranchUpdated: ({ data }) => [fact('branch', 'updated', data)],
  BranchDeactivated: () => [fact('branch', 'updated', { changes: { isActive: false } })],
  BranchReactivated: () => [fact('branch', 'updated', { changes: { isActive: true } })],
  UserCreated: ({ data: { passwordHash: _, ...data } }) => [fact('user', 'created', data)],
  UserDeactivated: () => [fact('user', 'deactivated', {})],
};

/** Types of the domain events that become integration events. */
export const publicEventTypes: readonly string[] = Object.keys(translations);

/** The integration events of a domain event, in the order in which they are published. */
export function translate(event: Recorded): readonly IntegrationEvent[] {
  const translation = translations[event.type as PublicEvent['type']] as
    ((event: Recorded) => readonly Fact[]) | undefined;
  return (translation?.(event) ?? []).map((known) => integrationEvent(event, known));
}

function integrationEvent(event: Recorded, { entity, event: name, subject, data, ridesAlong }: Fact): IntegrationEvent {
  return {
    subject: `kontor.${event.tenantId}.${entity}.${name}`,
    event: {
      specversion: '1.0',
      id: ridesAlong && subject !== undefined ? nameUuid(subject, event.id) : event.id,
      source: `/tenants/${event.tenantId}`,
      type: `kontor.${entity}.${name}.v1`,
      subject: subject ?? event.recordId,
      time: event.metadata.timestamp,
      datacontenttype: 'application/json',
      tenantid: event.tenantId,
      sequence: String(event.revision),
      data,
    },
  };
}
