import type { LedgerTransaction } from '../aggregates/ledger.js';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** Totals of an account's postings: debits and credits separately, both non-negative. */
export type Sums = { readonly currency: string; readonly debit: string; readonly credit: string };

/** Totals of an account over all value dates. A customer's account has the customer's id. */
export type BalanceView = Sums & { readonly accountId: string };
/** Totals of an account on one value date. */
export type AccountDayView = Sums & { readonly accountId: string; readonly date: string };

export const balances: ReadModel<BalanceView> = {
  name: 'balances',
  version: 1,
  fields: { accountId: { type: 'text', of: ({ accountId }) => accountId } },
  filters: [],
  order: { fields: ['accountId'], direction: 'ascending' },
};

export const accountDays: ReadModel<AccountDayView> = {
  name: 'account_days',
  version: 1,
  fields: {
    accountId: { type: 'text', of: ({ accountId }) => accountId },
    date: { type: 'text', of: ({ date }) => date },
  },
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
type Movement = {
  readonly accountId: string;
  readonly date: string;
  readonly currency: string;
  debit: bigint;
  credit: bigint;
};

const NOTHING: readonly Movement[] = [];
/** Caches the sums per event: both projections need them for each of their documents. */
const known = new WeakMap<LedgerEvent, readonly Movement[]>();

function movementsOf(event: LedgerEvent): readonly Movement[] {
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
