import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { accountsOf, entriesOf, type LedgerEvent, ledgerSources } from './ledger-events.js';
import { added, exact, type Minor, type Movement, movementsOf, type Sums } from './ledger-movements.js';
import { texts } from './record-projection.js';

/** Sums of an account's postings dated within one quarter. */
export type QuarterSums = readonly [quarter: string, debit: Minor, credit: Minor];

/** Totals of an account over all value dates. A customer's account has the customer's id. */
export type BalanceView = Sums & {
  readonly accountId: string;
  /**
   * Each quarter with postings, in no particular order. Reports sum whole quarters. They read days only for quarters in
   * which a period begins or ends.
   */
  readonly quarters: readonly QuarterSums[];
};

export const balances: ReadModel<BalanceView> = {
  name: 'balances',
  version: 2,
  fields: texts<BalanceView>('accountId'),
  filters: [],
  order: { fields: ['accountId'], direction: 'ascending' },
};

const MONTHS = 3;

/** Returns the quarter of a date, named after its first month: `2026-04` for any date from April to June. */
export function quarterOf(date: string): string {
  const month = Number(date.slice(5, 7));
  const first = month - ((month - 1) % MONTHS);
  return `${date.slice(0, 5)}${first < 10 ? '0' : ''}${first}`;
}

/** Returns the last date of a quarter. */
export function lastDayOf(quarter: string): string {
  const month = Number(quarter.slice(5)) + MONTHS - 1;
  return `${quarter.slice(0, 5)}${String(month).padStart(2, '0')}-${month % 12 === 0 || month === 3 ? 31 : 30}`;
}

export const balanceProjection: Projection<BalanceView, LedgerEvent> = {
  model: balances,
  sources: ledgerSources,
  documents: (event) => accountsOf(entriesOf(event)),
  evolve: (view, event, accountId) => {
    let after = view;
    for (const movement of movementsOf(event)) {
      if (movement.accountId !== accountId) continue;
      const { currency, debit, credit } = added(after, movement);
      after = { accountId, currency, debit, credit, quarters: withMovement(after?.quarters ?? [], movement) };
    }
    return after;
  },
};

function withMovement(quarters: readonly QuarterSums[], { date, debit, credit }: Movement): readonly QuarterSums[] {
  const quarter = quarterOf(date);
  // Most postings are dated in the latest quarter.
  const at = quarters.findLastIndex(([name]) => name === quarter);
  const known = quarters[at];
  if (!known) return [...quarters, [quarter, exact(debit), exact(credit)]];
  return quarters.with(at, [quarter, plus(known[1], debit), plus(known[2], credit)]);
}

const plus = (sum: Minor, minor: bigint): Minor => (minor === 0n ? sum : exact(BigInt(sum) + minor));
