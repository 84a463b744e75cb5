import type { CategorizedBy, CategorizedBys } from '../aggregates/categorized-by.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { Carrier, CategoryChoice } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import type { SaleEvent } from '../aggregates/sale.aggregate.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { keyedBy, searchIn, texts } from './record-projection.js';

/** Events of the streams that contain ledger transactions. */
export type LedgerEvent = SaleEvent | CustomerEvent | TransactionEvent;
export const ledgerSources = ['sale', 'customer', 'transaction'] as const;

/** The transactions that an event contains, in order; empty if it moves no money. */
export function entriesOf(event: LedgerEvent): readonly LedgerTransaction[] {
  switch (event.type) {
    case 'SaleBooked':
    case 'ReturnBooked':
    case 'SaleCancelled':
      return event.data.transactions;
    case 'CustomerCreated':
      return event.data.openingTransaction ? [event.data.openingTransaction] : [];
    case 'TransactionRecorded':
      return [event.data.transaction];
    case 'TransactionCancelled':
    case 'OpeningBalanceCancelled':
      return [event.data.reversal];
    default:
      return [];
  }
}

const NONE: CategorizedBys = {};

/** The rules that categorized an event's transactions, by transaction id. */
export function categorizedBysOf(event: LedgerEvent): CategorizedBys {
  switch (event.type) {
    case 'SaleBooked':
    case 'ReturnBooked':
      return event.data.categorizedBy ?? NONE;
    case 'CustomerCreated':
      return named(event.data.openingTransaction, event.data.openingCategorizedBy);
    case 'TransactionRecorded':
      return named(event.data.transaction, event.data.categorizedBy);
    default:
      return NONE;
  }
}

const named = (transaction: LedgerTransaction | null, rule: CategorizedBy | null | undefined): CategorizedBys =>
  transaction && rule ? { [transaction.id]: rule } : NONE;

/** One hit per transaction that a rule categorized. */
export const ruleHitsOf = (event: LedgerEvent): readonly CategorizedBy[] => Object.values(categorizedBysOf(event));

/** A user's choice of category for an already recorded transaction; undefined for other events. */
export function choiceOf(event: LedgerEvent): CategoryChoice | undefined {
  switch (event.type) {
    case 'TransactionCategorized':
    case 'SaleTransactionCategorized':
    case 'OpeningBalanceCategorized':
      return event.data;
    default:
      return undefined;
  }
}

/** Totals of an account's postings: debits and credits separately, both non-negative. */
export type Sums = { readonly currency: string; readonly debit: string; readonly credit: string };

/** Totals of an account over all value dates. A customer's account has the customer's id. */
export type BalanceView = Sums & { readonly accountId: string };
/** Totals of an account on one value date. */
export type AccountDayView = Sums & { readonly accountId: string; readonly date: string };

export const balances = keyedBy<BalanceView>('balances', 'accountId');

export const accountDays: ReadModel<AccountDayView> = {
  name: 'account_days',
  version: 1,
  fields: texts<AccountDayView>('accountId', 'date'),
  filters: ['accountId'],
  order: { fields: ['date', 'accountId'], direction: 'ascending' },
};

const SEPARATOR = '@';
const dayOf = ({ accountId, date }: Movement): string => `${accountId}${SEPARATOR}${date}`;

export const balanceProjection: Projection<BalanceView, LedgerEvent> = {
  model: balances,
  sources: ledgerSources,
  documents: (event) => unique(movementsOf(event).map(({ accountId }) => accountId)),
  evolve: (view, event, id) => {
    const sums = added(
      view,
      movementsOf(event).filter(({ accountId }) => accountId === id),
    );
    return sums && { accountId: id, ...sums };
  },
};

export const accountDayProjection: Projection<AccountDayView, LedgerEvent> = {
  model: accountDays,
  sources: ledgerSources,
  documents: (event) => movementsOf(event).map(dayOf),
  evolve: (view, event, id) => {
    const own = movementsOf(event).filter((movement) => dayOf(movement) === id);
    const [accountId = '', date = ''] = id.split(SEPARATOR);
    const sums = added(view, own);
    return sums && { accountId, date, ...sums };
  },
};

/** Postings of an event to one account on one date, in minor units, both sides non-negative. */
export type Movement = {
  readonly accountId: string;
  readonly date: string;
  readonly currency: string;
  debit: bigint;
  credit: bigint;
};

const NOTHING: readonly Movement[] = [];
/** Caches the sums per event, because several projections need them for each of their documents. */
const known = new WeakMap<LedgerEvent, readonly Movement[]>();

/** What an event posted to each account on each date. */
export function movementsOf(event: LedgerEvent): readonly Movement[] {
  const entries = entriesOf(event);
  if (entries.length === 0) return NOTHING;
  const found = known.get(event);
  if (found) return found;
  const made = addedUp(entries);
  known.set(event, made);
  return made;
}

function addedUp(entries: readonly LedgerTransaction[]): Movement[] {
  const movements: Movement[] = [];
  for (const { currency, date, postings } of entries) {
    const digits = currencyDigits(currency);
    for (const { accountId, amount } of postings) {
      const minor = toMinor(amount, digits);
      let movement = movements.find((one) => one.accountId === accountId && one.date === date);
      if (!movement) movements.push((movement = { accountId, date, currency, debit: 0n, credit: 0n }));
      if (minor > 0n) movement.debit += minor;
      else movement.credit -= minor;
    }
  }
  return movements;
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

function added(sums: Sums | undefined, movements: readonly Movement[]): Sums | undefined {
  const currency = sums?.currency ?? movements[0]?.currency;
  if (currency === undefined) return undefined;
  const digits = currencyDigits(currency);
  let [debit, credit] = [toMinor(sums?.debit ?? '0', digits), toMinor(sums?.credit ?? '0', digits)];
  for (const movement of movements) {
    debit += movement.debit;
    credit += movement.credit;
  }
  return { currency, debit: fromMinor(debit, digits), credit: fromMinor(credit, digits) };
}

/** Debits minus credits. */
export function balanceOf({ currency, debit, credit }: Sums): string {
  const digits = currencyDigits(currency);
  return fromMinor(toMinor(debit, digits) - toMinor(credit, digits), digits);
}

/** A transaction. The names of other records are added when it is read. */
export type TransactionView = LedgerTransaction & {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Number of changes since it was recorded. */
  readonly revision: number;
  /** Orders transactions by the position of their event, then by their index within it. */
  readonly sequence: number;
  readonly isCancelled: boolean;
  readonly categorizedBy: { readonly ruleId: string; readonly source: string } | null;
  /** The user who recorded it; null if the service did. */
  readonly createdBy: string | null;
  /** The record whose stream contains the transaction. */
  readonly carrier: Carrier;
};

const REFERENCES = ['customerId', 'categoryId', 'expenseItemId', 'branchId'] as const;
const FILTERS = ['type', 'documentEffect', 'direction', ...REFERENCES] as const;

export const transactions: ReadModel<TransactionView> = {
  name: 'transactions',
  version: 5,
  fields: {
    ...texts<TransactionView>('date'),
    sequence: { type: 'integer', of: ({ sequence }) => sequence },
    ...texts<TransactionView>(...FILTERS),
    // Queries filter only for manual transactions, so only those are indexed.
    manual: { type: 'boolean', of: ({ systemGenerated }) => (systemGenerated ? null : true) },
    /** Every account with a posting. `account` contains only those chosen by users. */
    posting: { type: 'text', of: ({ postings }) => postings.map(({ accountId }) => accountId) },
    account: {
      type: 'text',
      of: ({ accountId, counterAccountId }) => [accountId, counterAccountId].filter((id) => id !== null),
    },
  },
  filters: ['posting', ...FILTERS, 'manual', 'account'],
  common: ['direction'],
  order: { fields: ['date', 'sequence'], direction: 'descending' },
  large: true,
  search: searchIn<TransactionView>('description', 'reference', 'externalId'),
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};

/**
 * Upper bound on the transactions of an event: a sale has at most 50 payments. A position multiplied by this bound is a
 * safe integer for positions up to nine trillion (bytes of an EventStoreDB log, events of an embedded history).
 */
const MAX_PER_EVENT = 1_000;

/** Position of the event that contains a transaction. */
export const positionOf = ({ sequence }: Pick<TransactionView, 'sequence'>): number =>
  Math.floor(sequence / MAX_PER_EVENT);

export const transactionProjection: Projection<TransactionView, LedgerEvent> = {
  model: transactions,
  sources: ledgerSources,
  documents: (event) => {
    const choice = choiceOf(event);
    if (choice) return [choice.transactionId];
    return entriesOf(event).flatMap(({ id, reversalOf }) => (reversalOf === null ? [id] : [id, reversalOf]));
  },
  evolve: (view, event, id) => {
    const entries = entriesOf(event);
    const ordinal = entries.findIndex((entry) => entry.id === id);
    const entry = entries[ordinal];
    if (entry) return viewOf(entry, event, ordinal);
    const choice = choiceOf(event);
    const change = choice ? { categoryId: choice.categoryId, categorizedBy: null } : { isCancelled: true };
    return view && { ...view, ...change, updatedAt: event.metadata.timestamp, revision: view.revision + 1 };
  },
};

function viewOf(entry: LedgerTransaction, event: Recorded<LedgerEvent>, ordinal: number): TransactionView {
  const { timestamp, userId } = event.metadata;
  return {
    ...entry,
    createdAt: timestamp,
    updatedAt: timestamp,
    revision: 0,
    sequence: event.position * MAX_PER_EVENT + ordinal,
    isCancelled: false,
    categorizedBy: categorizedBysOf(event)[entry.id] ?? null,
    createdBy: userId ?? null,
    carrier: { entity: event.entity as Carrier['entity'], recordId: event.recordId },
  };
}
