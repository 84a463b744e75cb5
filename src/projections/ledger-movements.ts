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

const DAY_SEPARATOR = '@';

/** Sums of an event's postings to one account on one date, in minor units. Debits and credits are non-negative. */
export type Movement = {
  readonly accountId: string;
  readonly date: string;
  readonly currency: string;
  /** Id of the account's `AccountDayView`. */
  readonly day: string;
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
  for (const entry of entries) {
    const digits = currencyDigits(entry.currency);
    for (const { accountId, amount } of entry.postings) {
      const minor = toMinor(amount, digits);
      const movement = movementIn(movements, accountId, entry);
      if (minor > 0n) movement.debit += minor;
      else movement.credit -= minor;
    }
  }
  return movements;
}

/** Returns the movement of an account on an entry's date, adding it if necessary. */
function movementIn(movements: Movement[], accountId: string, { currency, date }: LedgerTransaction): Movement {
  for (const known of movements) if (known.accountId === accountId && known.date === date) return known;
  const day = `${accountId}${DAY_SEPARATOR}${date}`;
  const movement = { accountId, date, currency, day, debit: 0n, credit: 0n };
  movements.push(movement);
  return movement;
}

export function added(sums: Sums | undefined, movement: Movement): Sums {
  const { currency, debit, credit } = sums ?? { currency: movement.currency, debit: undefined, credit: undefined };
  const digits = currencyDigits(currency);
  return { currency, debit: plus(debit, movement.debit, digits), credit: plus(credit, movement.credit, digits) };
}

/** Adds a movement to a debit or credit total. Most movements change only one of the two totals. */
const plus = (sum: string | undefined, minor: bigint, digits: number): string =>
  sum !== undefined && minor === 0n ? sum : fromMinor(toMinor(sum ?? '0', digits) + minor, digits);

/** Returns debits minus credits. */
export function balanceOf({ currency, debit, credit }: Sums): string {
  const digits = currencyDigits(currency);
  return fromMinor(toMinor(debit, digits) - toMinor(credit, digits), digits);
}
