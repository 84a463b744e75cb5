import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { entriesOf, type LedgerEvent, ledgerSources } from './ledger-events.js';
import { movementsOf } from './ledger.projection.js';

/** A number, or text if a double cannot represent it exactly. */
export type Minor = number | string;

/** How a document affects the tax report. */
export type TaxedKind = 'SALE' | 'RETURN' | 'CANCELLATION';

/**
 * What one event posted. Reports read all entries of a tenant in order; arrays are parsed in half the time of objects.
 * Entries never change, so reports as of any past instant can be produced from them.
 */
export type LedgerEntryView = readonly [
  position: number,
  /** When the event was recorded, in milliseconds since 1970. */
  at: number,
  /**
   * The sale whose stream contains the event, or the transaction that it records or reverses. Empty for a sale that its
   * own collections settled, because no part of it is open.
   */
  of: string,
  /** 1 if an earlier event recorded that sale or transaction. */
  later: 0 | 1,
  /** For each date: the date, then for each account its id, debits and credits in minor units. */
  days: readonly (readonly [date: string, ...sums: Minor[]])[],
  /** The net and tax of a document: its kind and date, then for each rate the rate, net and tax. */
  taxed?: readonly [kind: TaxedKind, date: string, ...amounts: (string | null)[]],
];

/** Calls `take` for each account on each date of an entry. */
export function eachSum(
  days: LedgerEntryView[4],
  take: (accountId: string, date: string, debit: Minor, credit: Minor) => void,
): void {
  for (const day of days)
    for (let at = 1; at < day.length; at += 3)
      take(day[at] as string, day[0], day[at + 1] as Minor, day[at + 2] as Minor);
}

export const ledgerEntries: ReadModel<LedgerEntryView> = {
  name: 'ledger_entries',
  version: 2,
  fields: { position: { type: 'integer', of: ([position]) => position } },
  filters: [],
  order: { fields: ['position'], direction: 'ascending' },
};

const POSITION_DIGITS = 16;

export const ledgerEntryProjection: Projection<LedgerEntryView, LedgerEvent> = {
  model: ledgerEntries,
  sources: ledgerSources,
  // Ascending ids are cheaper to store than the random ids of events.
  documents: (event) => (entriesOf(event).length === 0 ? [] : [String(event.position).padStart(POSITION_DIGITS, '0')]),
  evolve: (_, event) => {
    const at = Date.parse(event.metadata.timestamp);
    const [of, later] = recordOf(event);
    const entry = [event.position, at, of, later, daysOf(event)] as const;
    const taxed = taxedOf(event);
    return taxed ? [...entry, taxed] : entry;
  },
};

function daysOf(event: LedgerEvent): LedgerEntryView[4] {
  const days = new Map<string, [string, ...Minor[]]>();
  for (const { accountId, date, debit, credit } of movementsOf(event)) {
    const day = days.get(date) ?? [date];
    day.push(accountId, exact(debit), exact(credit));
    days.set(date, day);
  }
  return [...days.values()];
}

/** Half of the largest exact integer, so that the sum of an exact number and an amount is exact, too. */
const MAX_EXACT = 2n ** 52n;
const exact = (minor: bigint): Minor => (minor < MAX_EXACT ? Number(minor) : minor.toString());

function recordOf(event: Recorded<LedgerEvent>): readonly [of: string, later: 0 | 1] {
  if (event.type === 'SaleBooked') return [isSettled(event) ? '' : event.recordId, 0];
  if (event.entity === 'sale') return [event.recordId, 1];
  const [{ id, reversalOf } = { id: event.recordId, reversalOf: null }] = entriesOf(event);
  return [reversalOf ?? id, reversalOf === null ? 0 : 1];
}

function isSettled(event: Extract<LedgerEvent, { type: 'SaleBooked' }>): boolean {
  const own = movementsOf(event).find(({ accountId }) => accountId === event.data.customerId);
  return own?.debit === own?.credit;
}

const KINDS = { SaleBooked: 'SALE', ReturnBooked: 'RETURN', SaleCancelled: 'CANCELLATION' } as const;

function taxedOf(event: LedgerEvent): LedgerEntryView[5] {
  if (event.type !== 'SaleBooked' && event.type !== 'ReturnBooked' && event.type !== 'SaleCancelled') return undefined;
  const { date, transactions, taxes } = event.data;
  const amounts = taxes?.flatMap(({ rate, net, tax }) => [rate, net, tax]) ?? transactions.flatMap(unratedOf);
  return amounts.length === 0 ? undefined : [KINDS[event.type], date, ...amounts];
}

/**
 * Returns the net and tax of a document whose event does not contain the rates. Its postings are in the order customer,
 * Sales, tax.
 */
function unratedOf({ documentEffect, postings }: LedgerTransaction): (string | null)[] {
  const [, net, tax] = postings;
  return documentEffect === null || !net ? [] : [null, absolute(net.amount), absolute(tax?.amount ?? '0')];
}

const absolute = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : amount);
