import type { LedgerTransaction } from '../aggregates/ledger.js';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import type { Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** Sums of an account's postings: debits and credits apart, both positive. */
export type Sums = { readonly currency: string; readonly debit: string; readonly credit: string };

/** All postings of an account (a customer's has the customer's id), whatever their date. */
export type BalanceView = Sums & { readonly accountId: string };
/** The postings of an account on one date. */
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
const dayOf = (accountId: string, date: string): string => `${accountId}${SEPARATOR}${date}`;

export const balanceProjection: Projection<BalanceView, LedgerEvent> = {
  model: balances,
  sources: ledgerSources,
  documents: (event) => unique(entriesOf(event).flatMap(accountsOf)),
  evolve: (view, event, accountId) => {
    const sums = added(view, entriesOf(event), accountId);
    return sums && { accountId, ...sums };
  },
};

export const accountDayProjection: Projection<AccountDayView, LedgerEvent> = {
  model: accountDays,
  sources: ledgerSources,
  documents: (event) =>
    unique(entriesOf(event).flatMap((entry) => accountsOf(entry).map((accountId) => dayOf(accountId, entry.date)))),
  evolve: (view, event, id) => {
    const [accountId = '', date = ''] = id.split(SEPARATOR);
    const entries = entriesOf(event).filter((entry) => entry.date === date);
    const sums = added(view, entries, accountId);
    return sums && { accountId, date, ...sums };
  },
};

const accountsOf = ({ postings }: LedgerTransaction): string[] => postings.map(({ accountId }) => accountId);
const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

function added(sums: Sums | undefined, entries: readonly LedgerTransaction[], accountId: string): Sums | undefined {
  const currency = sums?.currency ?? entries[0]?.currency;
  if (currency === undefined) return undefined;
  const digits = currencyDigits(currency);
  const amounts = entries
    .flatMap(({ postings }) => postings)
    .filter((posting) => posting.accountId === accountId)
    .map(({ amount }) => toMinor(amount, digits));
  const total = (from: string | undefined, parts: readonly bigint[]) =>
    fromMinor(
      parts.reduce((sum, part) => sum + part, toMinor(from ?? '0', digits)),
      digits,
    );
  return {
    currency,
    debit: total(
      sums?.debit,
      amounts.filter((amount) => amount > 0n),
    ),
    credit: total(
      sums?.credit,
      amounts.filter((amount) => amount < 0n).map((amount) => -amount),
    ),
  };
}

/** Debits minus credits. */
export function balanceOf({ currency, debit, credit }: Sums): string {
  const digits = currencyDigits(currency);
  return fromMinor(toMinor(debit, digits) - toMinor(credit, digits), digits);
}
