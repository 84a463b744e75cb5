import type { LedgerTransaction } from '../aggregates/ledger.js';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { entriesOf, type LedgerEvent } from './ledger-events.js';

/** Minor units: a number, or a string if a double cannot represent it exactly. */
export type Minor = number | string;

/** Half of the largest exact integer, so that the sum of two such numbers is also exact. */
const MAX_EXACT = 2n ** 52n;
export const exact = (minor: bigint): Minor => (minor < MAX_EXACT ? Number(minor) : minor.toString());

/** Totals of an account's postings. Debits and credits are separate and non-negative. */
export type Sums = { readonly currency: string; readonly debit: string; readonly credit: string };

/** Postings of an event to one account on one date, in minor units. Debits and credits are non-negative. */
export type Movement = {
  readonly accountId: string;
  readonly date: string;
  readonly currency: string;
  debit: bigint;
  credit: bigint;
};

const NOTHING: readonly Movement[] = [];
/** Caches the sums by event, because several projections need them for each of their documents. */
const known = new WeakMap<LedgerEvent, readonly Movement[]>();

/** Returns the postings of an event to each account on each date. */
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

/** Adds movements to the totals. Returns undefined if there are neither totals nor movements. */
export function added(sums: Sums | undefined, movements: readonly Movement[]): Sums | undefined {
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
