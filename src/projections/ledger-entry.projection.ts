import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { TaxedAmount } from '../aggregates/sale-payload.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { entriesOf, type LedgerEvent, ledgerSources, movementsOf } from './ledger.projection.js';

/** An account, then its debits and its credits in minor units. Texts if a double cannot represent them exactly. */
export type EntrySums = readonly [accountId: string, debit: number | string, credit: number | string];

/** How a document affects the tax report. */
export type TaxedKind = 'SALE' | 'RETURN' | 'CANCELLATION';
/** `rate` is null if an event of an earlier release did not record it. */
export type TaxedEntry = {
  readonly kind: TaxedKind;
  readonly date: string;
  readonly amounts: readonly { readonly rate: string | null; readonly net: string; readonly tax: string }[];
};

/**
 * What one event posted, as short as possible: reports read the entries of a tenant from the first to the last. They
 * are never changed, so the reports of any past instant can be produced from them.
 */
export type LedgerEntryView = {
  readonly position: number;
  /** When the event was recorded, in milliseconds since 1970. */
  readonly at: number;
  /**
   * The record that carries the transactions: a sale, a transaction or a customer. Empty if no later posting can change
   * what is open of it: a sale that its own collections settled.
   */
  readonly of: string;
  /** Whether earlier events of that record have posted. */
  readonly later: boolean;
  /** The sums of each account on each date. */
  readonly days: readonly (readonly [date: string, ...sums: EntrySums[]])[];
  readonly taxed?: TaxedEntry;
};

export const ledgerEntries: ReadModel<LedgerEntryView> = {
  name: 'ledger_entries',
  version: 1,
  fields: { position: { type: 'integer', of: ({ position }) => position } },
  filters: [],
  order: { fields: ['position'], direction: 'ascending' },
};

/** Events that begin a carrier's postings. All others follow one of them on the same stream. */
const FIRST: readonly string[] = ['SaleBooked', 'CustomerCreated', 'TransactionRecorded'];
const POSITION_DIGITS = 16;

export const ledgerEntryProjection: Projection<LedgerEntryView, LedgerEvent> = {
  model: ledgerEntries,
  sources: ledgerSources,
  // Ascending ids are cheaper to store than the random ids of events.
  documents: (event) =>
    entriesOf(event).length === 0 ? [] : [String(event.position).padStart(POSITION_DIGITS, '0')],
  evolve: (_, event) => {
    const taxed = taxedOf(event);
    return {
      position: event.position,
      at: Date.parse(event.metadata.timestamp),
      of: isSettledSale(event) ? '' : event.recordId,
      later: !FIRST.includes(event.type),
      days: daysOf(event),
      ...(taxed && { taxed }),
    };
  },
};

function daysOf(event: LedgerEvent): LedgerEntryView['days'] {
  const days = new Map<string, EntrySums[]>();
  for (const { accountId, date, debit, credit } of movementsOf(event)) {
    const sums = days.get(date) ?? [];
    sums.push([accountId, exact(debit), exact(credit)]);
    days.set(date, sums);
  }
  return [...days].map(([date, sums]) => [date, ...sums]);
}

/** Half of the largest exact integer, so that the sum of an exact number and an amount is exact too. */
const MAX_EXACT = 2n ** 52n;
const exact = (minor: bigint): number | string => (minor < MAX_EXACT ? Number(minor) : minor.toString());

function isSettledSale(event: Recorded<LedgerEvent>): boolean {
  if (event.type !== 'SaleBooked') return false;
  const own = movementsOf(event).find(({ accountId }) => accountId === event.data.customerId);
  return own?.debit === own?.credit;
}

const KINDS = { SaleBooked: 'SALE', ReturnBooked: 'RETURN', SaleCancelled: 'CANCELLATION' } as const;

function taxedOf(event: LedgerEvent): TaxedEntry | undefined {
  if (event.type !== 'SaleBooked' && event.type !== 'ReturnBooked' && event.type !== 'SaleCancelled') return undefined;
  const { date, transactions, taxes } = event.data;
  const amounts: TaxedEntry['amounts'] = taxes ?? transactions.flatMap(unratedOf);
  return amounts.length === 0 ? undefined : { kind: KINDS[event.type], date, amounts };
}

/** Net and tax of a document whose event does not contain the rates. Its postings: the customer, Sales, then tax. */
function unratedOf({ documentEffect, postings }: LedgerTransaction): (Omit<TaxedAmount, 'rate'> & { rate: null })[] {
  const [, net, tax] = postings;
  if (documentEffect === null || !net) return [];
  return [{ rate: null, net: absolute(net.amount), tax: absolute(tax?.amount ?? '0') }];
}

const absolute = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : amount);
