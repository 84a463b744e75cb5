import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { AccountNames, byCode, type NamedAccount } from './account-names.js';
import {
  type AccountSums,
  type BooksOf,
  hasEqualSides,
  LedgerSums,
  netOf,
  type SumsByAccount,
  sumsOf,
  totalOf,
} from './ledger-sums.js';

export type TrialBalanceRow = NamedAccount & {
  /** Balance before the period: debits minus credits. */
  readonly opening?: string;
  /** Total debits, within the period if there is one. `credit` contains the corresponding total credits. */
  readonly debit: string;
  readonly credit: string;
  /** Balance after the period. */
  readonly closing?: string;
  /** Debits minus credits of all postings up to and including the last day of the report. */
  readonly balance: string;
};
export type TrialBalance = {
  /** Null if the report covers a period or all value dates. */
  readonly asOf: string | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly currency: string;
  readonly rows: readonly TrialBalanceRow[];
  readonly totalDebit: string;
  readonly totalCredit: string;
};

export type TrialBalanceOptions = {
  readonly asOf?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether to include accounts whose amounts are all zero. */
  readonly zero: boolean;
};

export class GetTrialBalance extends query<TrialBalance, [books: BooksOf, options: TrialBalanceOptions]>() {}

/** Sums before a period and within it. */
type Parts = { readonly before: SumsByAccount; readonly within: SumsByAccount };

async function partsOf(ledger: LedgerSums, books: BooksOf, options: TrialBalanceOptions, digits: number) {
  const { asOf, from, to = asOf } = options;
  const parts: Parts = { before: new Map(), within: new Map() };
  const add = (sums: AccountSums, debit: number | bigint | string, credit: number | bigint | string): void => {
    sums.debit.add(debit);
    sums.credit.add(credit);
  };
  if (from === undefined && to === undefined)
    await ledger.eachBalance(books, digits, ({ accountId, debit, credit }) => {
      add(sumsOf(parts.within, accountId), debit, credit);
    });
  else
    await ledger.eachSpan(books, { from, to }, digits, ({ accountId, date, debit, credit }) => {
      const part = from !== undefined && date < from ? parts.before : parts.within;
      add(sumsOf(part, accountId), debit, credit);
    });
  return parts;
}

const isBalanced = ({ before, within }: Parts): boolean => [before, within].every(hasEqualSides);

/** Returns all accounts with postings, sorted by code. Total debits always equal total credits. */
async function trialBalanceOf(
  ledger: LedgerSums,
  names: AccountNames,
  books: BooksOf,
  options: TrialBalanceOptions,
): Promise<TrialBalance> {
  const { currency, digits } = await ledger.currencyOf(books);
  const { before, within } = await ledger.balanced(() => partsOf(ledger, books, options, digits), isBalanced);
  const isPeriod = options.from !== undefined || options.to !== undefined;
  const text = (minor: bigint): string => fromMinor(minor, digits);
  const named = await names.of(books, [...new Set([...before.keys(), ...within.keys()])]);
  const rows = [...named.values()].flatMap((account) => {
    const opening = netOf(sumsOf(before, account.accountId));
    const { debit, credit } = sumsOf(within, account.accountId);
    return rowOf(account, [opening, debit.value, credit.value], { isPeriod, zero: options.zero, text });
  });
  const total = text(totalOf(within, 'debit'));
  return {
    asOf: options.asOf ?? null,
    ...(isPeriod && { from: options.from ?? null, to: options.to ?? null }),
    currency,
    rows: rows.sort(byCode),
    totalDebit: total,
    totalCredit: total,
  };
}

type Shape = { readonly isPeriod: boolean; readonly zero: boolean; readonly text: (minor: bigint) => string };

function rowOf(
  account: NamedAccount,
  [opening, debit, credit]: readonly [bigint, bigint, bigint],
  { isPeriod, zero, text }: Shape,
): TrialBalanceRow[] {
  if (!zero && opening === 0n && debit === 0n && credit === 0n) return [];
  const closing = text(opening + debit - credit);
  const sides = { debit: text(debit), credit: text(credit) };
  return [{ ...account, ...(isPeriod ? { opening: text(opening), ...sides, closing } : sides), balance: closing }];
}

export const trialBalanceHandler = answers(GetTrialBalance, [LedgerSums, AccountNames], trialBalanceOf);
