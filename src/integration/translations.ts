import type { z } from 'zod';
import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { BranchEvent } from '../aggregates/branch.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CancelledTransaction, CategoryChoice, ReplacementTransaction } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { tenant, type TenantEvent } from '../aggregates/tenant.aggregate.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { parseStreamName, PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { isUuid } from '../ports/uuid.js';
import { type Contract, type IntegrationEvent, pickContractFields } from './contracts-fields.js';
import { subjectOf, typeOf } from './contracts.js';
import * as records from './contracts-of-records.js';
import * as sales from './contracts-of-sales.js';

type PublicEvent = TransactionEvent | SaleEvent | CustomerEvent | AccountEvent | BranchEvent | UserEvent | TenantEvent;
type Of<T extends PublicEvent['type']> = Recorded<Extract<PublicEvent, { type: T }>>;

/** A partner-facing fact derived from a domain event. */
type Fact = {
  readonly contract: Contract;
  /** Id of the record that the fact is about. Default: the event's record. */
  readonly subject?: string;
  /** Computed on demand, because not every broker stores the messages. */
  readonly data: () => object;
  /** An additional fact from the same event. Its id is derived from the event's id and the fact's subject. */
  readonly ridesAlong?: true;
};

/** Creates a fact that contains only the contract's fields, regardless of other data in the event. */
const computedFact = <Data extends z.ZodObject>(contract: Contract<Data>, data: () => z.output<Data>): Fact => ({
  contract,
  data: () => pickContractFields(contract.data, data()),
});
const fact = <Data extends z.ZodObject>(contract: Contract<Data>, data: z.output<Data>): Fact =>
  computedFact(contract, () => data);

const transactionFact = (contract: Contract, transaction: LedgerTransaction): Fact => ({
  ...fact(contract, transaction),
  subject: transaction.id,
  ridesAlong: true,
});
const transactionFacts = (transactions: readonly LedgerTransaction[]): Fact[] =>
  transactions.map((transaction) =>
    transactionFact(
      transaction.reversalOf === null ? sales.transactionRecorded : sales.transactionCancelled,
      transaction,
    ),
  );

const cancelled = ({ reversal, reason }: CancelledTransaction): Fact[] => [
  transactionFact(sales.transactionCancelled, { ...reversal, ...{ reason } }),
];

const replaced = ({ transaction, correctionOf }: ReplacementTransaction): Fact[] => [
  transactionFact(sales.transactionRecorded, { ...transaction, ...{ correctionOf } }),
  {
    ...fact(sales.transactionCorrected, { transactionId: correctionOf, correctedBy: transaction.id }),
    ...{ subject: correctionOf, ridesAlong: true },
  },
];

const categorized = (choice: CategoryChoice): Fact[] => [
  { ...fact(sales.transactionCategorized, choice), subject: choice.transactionId },
];

type BookedData = z.output<typeof sales.saleBooked.data>;
const booked = (data: Omit<BookedData, 'transactionIds'>, transactions: readonly LedgerTransaction[]): Fact[] => [
  {
    ...computedFact(sales.saleBooked, () => ({ ...data, transactionIds: transactions.map(({ id }) => id) })),
    ...(data.saleId !== undefined && { subject: data.saleId }),
  },
  ...transactionFacts(transactions),
];

/** Translations of all public domain events, by type. */
const translations: { readonly [T in PublicEvent['type']]?: (event: Of<T>) => readonly Fact[] } = {
  SaleAccepted: ({ data }) => [fact(sales.saleAccepted, data)],
  SaleBooked: ({ data }) => booked(data, data.transactions),
  SaleRejected: ({ data }) => [fact(sales.saleRejected, data)],
  ReturnBooked: ({ data }) => booked(data, data.transactions),
  SaleCancelled: ({ data }) => booked(data, data.transactions),
  SaleTransactionCategorized: ({ data }) => categorized(data),
  SaleTransactionRecategorized: ({ data }) => categorized(data),
  TransactionRecorded: ({ data }) => [fact(sales.transactionRecorded, data.transaction)],
  TransactionCancelled: ({ data }) => cancelled(data),
  TransactionReplacementRecorded: ({ data }) => replaced(data),
  TransactionCategorized: ({ data }) => categorized(data),
  TransactionRecategorized: ({ data }) => categorized(data),
  OpeningBalanceCancelled: ({ data }) => cancelled(data),
  OpeningBalanceReplacementRecorded: ({ data }) => replaced(data),
  OpeningBalanceCategorized: ({ data }) => categorized(data),
  OpeningBalanceRecategorized: ({ data }) => categorized(data),
  CustomerCreated: ({ data }) => [
    fact(records.customerCreated, data),
    ...transactionFacts(data.openingTransaction ? [data.openingTransaction] : []),
  ],
  CustomerUpdated: ({ data }) => [fact(records.customerUpdated, data)],
  CustomerMadePassive: () => [fact(records.customerUpdated, { changes: { status: 'PASSIVE' } })],
  CustomerMadeActive: () => [fact(records.customerUpdated, { changes: { status: 'ACTIVE' } })],
  CustomerDeleted: () => [fact(records.customerDeleted, {})],
  CustomerRestored: ({ data }) => [fact(records.customerRestored, data)],
  AccountCreated: ({ data }) => [fact(records.accountCreated, data)],
  AccountUpdated: ({ data }) => [fact(records.accountUpdated, data)],
  AccountDeactivated: () => [fact(records.accountUpdated, { changes: { isActive: false } })],
  AccountReactivated: () => [fact(records.accountUpdated, { changes: { isActive: true } })],
  AccountDeleted: () => [fact(records.accountDeleted, {})],
  AccountRestored: ({ data }) => [fact(records.accountRestored, data)],
  BranchCreated: ({ data }) => [fact(records.branchCreated, data)],
  BranchUpdated: ({ data }) => [fact(records.branchUpdated, data)],
  BranchDeactivated: () => [fact(records.branchUpdated, { changes: { isActive: false } })],
  BranchReactivated: () => [fact(records.branchUpdated, { changes: { isActive: true } })],
  PeriodClosed: ({ data }) => [fact(records.periodClosed, data)],
  PeriodReopened: ({ data }) => [fact(records.periodReopened, data)],
  LateEntriesDetected: ({ data }) => [fact(records.periodLateEntries, data)],
  UserCreated: ({ data }) => [fact(records.userCreated, data)],
  UserUpdated: ({ data }) => [fact(records.userUpdated, data)],
  UserDeactivated: () => [fact(records.userDeactivated, {})],
  UserReactivated: () => [fact(records.userReactivated, {})],
  UserDeleted: () => [fact(records.userDeleted, {})],
};

/** The domain event types that are published as integration events. */
export const publicEventTypes: readonly string[] = Object.keys(translations);

/**
 * Returns the second stream to which an event's messages relate, if any. A RETURN or CANCELLATION is accepted or
 * rejected in its own stream, but booked in the stream of the original sale.
 */
export function alsoAbout({ type, stream, data }: Pick<RecordedEvent, 'type' | 'stream' | 'data'>): string | undefined {
  if (type !== 'ReturnBooked' && type !== 'SaleCancelled') return undefined;
  const { saleId } = data as Of<'ReturnBooked' | 'SaleCancelled'>['data'];
  return streamName('sale', parseStreamName(stream)?.tenantId ?? PLATFORM_TENANT, saleId);
}

/** Returns the integration events of a domain event, in publishing order. */
export const translate = (event: Recorded): readonly IntegrationEvent[] =>
  translateOnDemand(event).map((build) => build());

/**
 * Returns functions that build the integration events of a domain event, in publishing order.
 * @throws Error if the event cannot be translated. The returned functions do not throw, because a broker may call them
 * when it can no longer refuse the event.
 */
export function translateOnDemand(event: Recorded): readonly (() => IntegrationEvent)[] {
  const translation = translations[event.type as PublicEvent['type']] as
    ((event: Recorded) => readonly Fact[]) | undefined;
  return (translation?.(event) ?? []).map((known) => {
    requireIds(event, known);
    return () => integrationEvent(event, known);
  });
}

/** @throws TypeError if the id of an additional fact cannot be derived */
function requireIds({ id, type }: Recorded, { subject, ridesAlong }: Fact): void {
  if (ridesAlong && !(isUuid(id) && typeof subject === 'string'))
    throw new TypeError(`The ids of ${type} ${id} are not valid.`);
}

function integrationEvent(event: Recorded, { contract, subject, data, ridesAlong }: Fact): IntegrationEvent {
  // The stream of a tenant's own record belongs to the platform tenant.
  const tenantId = event.entity === tenant.name ? event.recordId : event.tenantId;
  return {
    subject: subjectOf(contract, tenantId),
    event: {
      specversion: '1.0',
      id: ridesAlong && subject !== undefined ? nameUuid(subject, event.id) : event.id,
      source: `/tenants/${tenantId}`,
      type: typeOf(contract),
      subject: subject ?? event.recordId,
      time: event.metadata.timestamp,
      datacontenttype: 'application/json',
      tenantid: tenantId,
      sequence: String(event.revision),
      data: data(),
    },
  };
}
