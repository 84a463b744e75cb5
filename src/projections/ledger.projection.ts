import type { Carrier } from '../aggregates/ledger-trail.js';
import { chosenAccounts, type LedgerTransaction } from '../aggregates/ledger.js';
import { MAX_DECIMALS, sumOf, toMinor } from '../aggregates/money.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { type TaxedKind, taxesOf } from './document-taxes.js';
import {
  type CategoryChange,
  categorizedBysOf,
  categoryChangeOf,
  entriesOf,
  type LedgerEvent,
  ledgerSources,
} from './ledger-events.js';
import { added, movementsOf, type Sums } from './ledger-movements.js';
import { searchIn, texts } from './record-projection.js';

/** An account's totals on one value date. */
export type AccountDayView = Sums & {
  readonly accountId: string;
  readonly date: string;
  /** For a Sales or tax account: net and tax of the documents posted to it, by kind and rate (see `taxedKey`). */
  readonly taxed?: Readonly<Record<string, readonly [net: string, tax: string]>>;
};

export const accountDays: ReadModel<AccountDayView> = {
  name: 'account_days',
  version: 2,
  fields: texts<AccountDayView>('accountId', 'date'),
  filters: ['accountId'],
  order: { fields: ['date', 'accountId'], direction: 'ascending' },
};

export const accountDayProjection: Projection<AccountDayView, LedgerEvent> = {
  model: accountDays,
  sources: ledgerSources,
  documents: (event) => movementsOf(event).map(({ day }) => day),
  evolve: (view, event, id) => {
    const movement = movementsOf(event).find(({ day }) => day === id);
    if (!movement) return view;
    const { accountId, date } = movement;
    const { currency, debit, credit } = added(view, movement);
    const taxed = taxedWith(view?.taxed, event, accountId);
    const sums = { accountId, date, currency, debit, credit };
    return taxed ? { ...sums, taxed } : sums;
  },
};

const taxedKey = (kind: TaxedKind, rate: string | null): string => (rate === null ? kind : `${kind} ${rate}`);

/** Returns the kind and rate contained in a key of `taxed`. */
export function taxedOf(key: string): { readonly kind: TaxedKind; readonly rate: string | null } {
  const [kind, rate = null] = key.split(' ');
  return { kind: kind as TaxedKind, rate };
}

/** All transactions in a sale's event have the same date. */
function taxedWith(taxed: AccountDayView['taxed'], event: LedgerEvent, accountId: string): AccountDayView['taxed'] {
  const document = taxesOf(event);
  if (!document?.accountIds.includes(accountId)) return taxed;
  const currency = entriesOf(event)[0]?.currency ?? '';
  const sums = { ...taxed };
  for (const { rate, net, tax } of document.amounts) {
    const key = taxedKey(document.kind, rate);
    const [netBefore, taxBefore] = sums[key] ?? ['0', '0'];
    sums[key] = [sumOf([netBefore, net], currency), sumOf([taxBefore, tax], currency)];
  }
  return sums;
}

/** The reversal of a cancelled transaction. `reason` and `userId` are null if a partner cancelled the sale. */
export type ReversedBy = {
  readonly transactionId: string;
  readonly reason: string | null;
  readonly date: string;
  readonly userId: string | null;
};

/** A transaction. The names of other records are added when the transaction is read. */
export type TransactionView = LedgerTransaction & {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Number of changes since the transaction was recorded. */
  readonly revision: number;
  /** Orders transactions by the position of their event, then by their index within that event. */
  readonly sequence: number;
  readonly isCancelled: boolean;
  readonly reversedBy: ReversedBy | null;
  /** The reason that the user gave for a reversal; null for all other transactions. */
  readonly reason: string | null;
  /**
   * `correctionOf`: the cancelled transaction that this transaction replaces. `correctedBy`: the transaction that
   * replaces this one.
   */
  readonly correctionOf: string | null;
  readonly correctedBy: string | null;
  readonly categorizedBy: { readonly ruleId: string; readonly source: string } | null;
  /** Whether a user chose the category or explicitly chose none. */
  readonly isChosen: boolean;
  /** The user who recorded the transaction; null if the service did. */
  readonly createdBy: string | null;
  /** The record whose stream contains the transaction. */
  readonly carrier: Carrier;
};

const FILTERS = ['type', 'documentEffect', 'direction', 'categoryId', 'expenseItemId', 'branchId'] as const;

/**
 * Length of amounts formatted as strings. Because all strings have this length, they sort in numerical order in any
 * currency. The length suffices for the sum of any journal entry's lines.
 */
const AMOUNT_LENGTH = 24;
/** Converts an amount to the string by which transactions are filtered. */
export const amountKey = (amount: string): string =>
  toMinor(amount, MAX_DECIMALS).toString().padStart(AMOUNT_LENGTH, '0');

export const transactions: ReadModel<TransactionView> = {
  name: 'transactions',
  version: 7,
  fields: {
    ...texts<TransactionView>('date', 'customerId'),
    sequence: { type: 'integer', of: ({ sequence }) => sequence },
    ...texts<TransactionView>(...FILTERS),
    // Queries select manual transactions only, so no other transactions are indexed.
    manual: { type: 'boolean', of: ({ systemGenerated }) => (systemGenerated ? null : true) },
    /** Every account with a posting. `account` contains only those that users chose. */
    posting: { type: 'text', of: ({ postings }) => postings.map(({ accountId }) => accountId) },
    account: { type: 'text', of: chosenAccounts },
    amount: { type: 'text', of: ({ amount }) => amountKey(amount) },
    // `cancelled` and `standing` are separate fields, so that the index covers only the few cancelled transactions.
    cancelled: { type: 'boolean', of: ({ isCancelled }) => isCancelled || null },
    standing: { type: 'boolean', of: ({ isCancelled }) => !isCancelled || null },
  },
  filters: ['posting', ...FILTERS, 'manual', 'account', 'cancelled', 'standing'],
  common: ['standing'],
  ranged: ['amount'],
  order: { fields: ['date', 'sequence'], direction: 'descending' },
  large: true,
  search: searchIn<TransactionView>('description', 'reference', 'externalId', 'reason'),
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};

/**
 * Upper bound on the number of transactions in an event: a sale has at most 50 payments. A position multiplied by this
 * bound is a safe integer for positions up to nine trillion. A position is a byte offset in an EventStoreDB log, or an
 * event number in an embedded history.
 */
const MAX_PER_EVENT = 1_000;

/** Returns the position of the event that contains a transaction. */
export const positionOf = ({ sequence }: Pick<TransactionView, 'sequence'>): number =>
  Math.floor(sequence / MAX_PER_EVENT);

export const transactionProjection: Projection<TransactionView, LedgerEvent> = {
  model: transactions,
  sources: ledgerSources,
  documents: (event) => {
    const choice = categoryChangeOf(event);
    if (choice) return [choice.transactionId];
    const ids: string[] = [];
    for (const { id, reversalOf } of entriesOf(event)) {
      ids.push(id);
      if (reversalOf !== null) ids.push(reversalOf);
    }
    return ids;
  },
  begins: (event, id) => entriesOf(event).some((entry) => entry.id === id),
  rarelyChanges: () => true,
  evolve: (view, event, id) => {
    const entries = entriesOf(event);
    const ordinal = entries.findIndex((entry) => entry.id === id);
    const entry = entries[ordinal];
    if (entry) return viewOf(entry, event, ordinal);
    const choice = categoryChangeOf(event);
    const change = choice ? changeOf(choice) : cancelledBy(entries, event, id);
    return view && { ...view, ...change, updatedAt: event.metadata.timestamp, revision: view.revision + 1 };
  },
};

const changeOf = ({ categoryId, categorizedBy, isChosen }: CategoryChange): Partial<TransactionView> => ({
  categoryId,
  categorizedBy,
  isChosen,
});

/** Returns the data of a user's cancellation, such as the reason. A partner's cancellation contains no such data. */
const toldBy = (event: LedgerEvent) =>
  event.type === 'TransactionCancelled' || event.type === 'OpeningBalanceCancelled' ? event.data : undefined;

function cancelledBy(
  entries: readonly LedgerTransaction[],
  event: Recorded<LedgerEvent>,
  id: string,
): Partial<TransactionView> {
  const reversal = entries.find(({ reversalOf }) => reversalOf === id);
  if (!reversal) return {};
  const { reason = null, correctedBy = null } = toldBy(event) ?? {};
  const { userId = null } = event.metadata;
  const reversedBy = { transactionId: reversal.id, reason, date: reversal.date, userId };
  return { isCancelled: true, reversedBy, correctedBy };
}

function viewOf(entry: LedgerTransaction, event: Recorded<LedgerEvent>, ordinal: number): TransactionView {
  const { timestamp, userId } = event.metadata;
  const categorizedBy = categorizedBysOf(event)[entry.id] ?? null;
  return {
    ...entry,
    createdAt: timestamp,
    updatedAt: timestamp,
    revision: 0,
    sequence: event.position * MAX_PER_EVENT + ordinal,
    isCancelled: false,
    reversedBy: null,
    reason: toldBy(event)?.reason ?? null,
    correctionOf: 'correctionOf' in event.data ? event.data.correctionOf : null,
    correctedBy: null,
    categorizedBy,
    // A reversal inherits the reversed transaction's category, so no user chose it.
    isChosen: entry.categoryId !== null && categorizedBy === null && entry.reversalOf === null,
    createdBy: userId ?? null,
    carrier: { entity: event.entity as Carrier['entity'], recordId: event.recordId },
  };
}
