import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { type TaxedKind, taxesOf } from './document-taxes.js';
import { entriesOf, type LedgerEvent, ledgerSources } from './ledger-events.js';
import { exact, type Minor, movementsOf } from './ledger-movements.js';

/**
 * The postings of one event. Reports read all entries of a tenant in order. Entries are arrays, because arrays are
 * parsed in half the time of objects. Entries never change, so reports as of any past instant can be produced from
 * them.
 */
export type LedgerEntryView = readonly [
  /** Time at which the event was recorded, in milliseconds since 1970. */
  at: number,
  /**
   * The sale whose stream contains the event, or the transaction that the event records or reverses. Empty if the event
   * does not change customers' balances, for example because a sale's own collections settle the sale.
   */
  of: string,
  /** 1 if an earlier event recorded the sale or transaction in `of`. */
  later: 0 | 1,
  /** For each date: the date, then for each account its id, debits and credits in minor units. */
  days: readonly (readonly [date: string, ...sums: Minor[]])[],
  /** A document's tax data: its kind and date, and then the rate, net and tax for each tax rate. */
  taxed?: readonly [kind: TaxedKind, date: string, ...amounts: (string | null)[]],
];

/** Calls `take` for each account on each date of an entry. */
export function eachSum(
  days: LedgerEntryView[3],
  take: (accountId: string, date: string, debit: Minor, credit: Minor) => void,
): void {
  for (const day of days)
    for (let at = 1; at < day.length; at += 3)
      take(day[at] as string, day[0], day[at + 1] as Minor, day[at + 2] as Minor);
}

/**
 * Entries are ordered by id: first those that do not change customers' balances, then all others. Both groups are in
 * order of position. Most sales are paid immediately, so the ageing report reads only a small part of the entries.
 */
export const ledgerEntries: ReadModel<LedgerEntryView> = {
  name: 'ledger_entries',
  version: 3,
  fields: {},
  filters: [],
  order: { fields: [], direction: 'ascending' },
};

const POSITION_DIGITS = 16;

const [SETTLED, OPEN] = ['0', '1'];
/** Short, ascending ids are cheap to store. */
const idOf = (event: Recorded<LedgerEvent>): string =>
  `${isSettled(event) ? SETTLED : OPEN}${String(event.position).padStart(POSITION_DIGITS, '0')}`;

export const ledgerEntryProjection: Projection<LedgerEntryView, LedgerEvent> = {
  model: ledgerEntries,
  sources: ledgerSources,
  documents: (event) => (entriesOf(event).length === 0 ? [] : [idOf(event)]),
  begins: () => true,
  rarelyChanges: () => true,
  evolve: (_, event, id) => {
    const at = Date.parse(event.metadata.timestamp);
    const [of, later] = id.startsWith(SETTLED) ? NO_RECORD : recordOf(event);
    const days = daysOf(event);
    const taxed = taxedOf(event);
    return taxed ? [at, of, later, days, taxed] : [at, of, later, days];
  },
};

const NO_RECORD = ['', 0] as const;

function daysOf(event: LedgerEvent): LedgerEntryView[3] {
  const days: [string, ...Minor[]][] = [];
  for (const { accountId, date, debit, credit } of movementsOf(event)) {
    const day = days.find(([known]) => known === date);
    if (day) day.push(accountId, exact(debit), exact(credit));
    else days.push([date, accountId, exact(debit), exact(credit)]);
  }
  return days;
}

function recordOf(event: Recorded<LedgerEvent>): readonly [of: string, later: 0 | 1] {
  if (event.entity === 'sale') return [event.recordId, event.type === 'SaleBooked' ? 0 : 1];
  const [{ id, reversalOf } = { id: event.recordId, reversalOf: null }] = entriesOf(event);
  return [reversalOf ?? id, reversalOf === null ? 0 : 1];
}

/** Only sales name their customer. In any other transaction, every account may be a customer's account. */
function isSettled(event: Recorded<LedgerEvent>): boolean {
  const { data } = event;
  if (event.entity !== 'sale' || !('customerId' in data)) return false;
  return movementsOf(event).every(({ accountId, debit, credit }) => accountId !== data.customerId || debit === credit);
}

function taxedOf(event: LedgerEvent): LedgerEntryView[4] {
  const taxes = taxesOf(event);
  if (!taxes || taxes.amounts.length === 0) return undefined;
  return [taxes.kind, taxes.date, ...taxes.amounts.flatMap(({ rate, net, tax }) => [rate, net, tax])];
}
