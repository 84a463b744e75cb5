import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { type AccountClass, AccountNames, byCode, CLASS_OF, type NamedAccount } from './account-names.js';
import { type BooksOf, LedgerSums } from './ledger-sums.js';
import { MinorSum } from './minor-sum.js';

/**
 * `accountId` and `type` are null for amounts that do not belong to a single account: the total of all customers, and
 * the results.
 */
export type BalanceSheetRow = { readonly [N in 'accountId' | 'code' | 'type']: NamedAccount[N] | null } & {
  readonly name: string;
  /** As usual in balance sheets, debits to assets and credits to liabilities and equity are positive. */
  readonly amount: string;
};
export type BalanceSheetSection = {
  readonly name: AccountClass;
  readonly rows: readonly BalanceSheetRow[];
  readonly total: string;
};
export type BalanceSheet = {
  /** Null if the report covers all value dates. */
  readonly asOf: string | null;
  readonly currency: string;
  readonly sections: readonly BalanceSheetSection[];
  readonly totalAssets: string;
  /** Always equals `totalAssets`. */
  readonly totalLiabilitiesAndEquity: string;
};

export class GetBalanceSheet extends query<BalanceSheet, [books: BooksOf, asOf: string | undefined]>() {}

/** Debits minus credits. Customers are combined. Income and expenses are split at the start of the year. */
type Balances = {
  readonly own: Map<string, MinorSum>;
  readonly customers: MinorSum;
  readonly retained: MinorSum;
  readonly ofYear: MinorSum;
};

const MANY = { accountId: null, code: null, type: null } as const;

/** Assets equal liabilities plus equity, because every transaction balances and the results are part of equity. */
async function balanceSheetOf(
  ledger: LedgerSums,
  names: AccountNames,
  books: BooksOf,
  asOf: string | undefined,
): Promise<BalanceSheet> {
  const { currency, digits, today } = await ledger.currencyOf(books);
  const yearStart = `${(asOf ?? today).slice(0, 4)}-01-01`;
  const read = async () => sums(ledger, names, { books, asOf, yearStart, digits });
  const { own, customers, retained, ofYear } = await ledger.balanced(read, (found) => totalOf(found) === 0n);
  const text = (minor: bigint): string => fromMinor(minor, digits);
  const accounts = [...(await names.of(books, [...own.keys()])).values()].sort(byCode);
  const sectionOf = (name: AccountClass, more: readonly (readonly [string, bigint])[] = []) => {
    const sign = name === 'Assets' ? 1n : -1n;
    const rows = [
      ...more.filter(([, amount]) => amount !== 0n).map(([label, amount]) => ({ ...MANY, name: label, amount })),
      ...accounts
        .filter(({ type }) => CLASS_OF[type] === name)
        .map((account) => ({ ...account, amount: own.get(account.accountId)?.value ?? 0n })),
    ].map((row) => ({ ...row, amount: sign * row.amount }));
    return { name, rows, total: rows.reduce((total, { amount }) => total + amount, 0n) };
  };
  const assets = sectionOf('Assets', [['Customers', customers.value]]);
  const liabilities = sectionOf('Liabilities');
  const equity = sectionOf('Equity', [
    ['Retained earnings', retained.value],
    ['Result for the year', ofYear.value],
  ]);
  return {
    asOf: asOf ?? null,
    currency,
    sections: [assets, liabilities, equity].map(({ name, rows, total }) => ({
      name,
      rows: rows.map((row) => ({ ...row, amount: text(row.amount) })),
      total: text(total),
    })),
    totalAssets: text(assets.total),
    totalLiabilitiesAndEquity: text(liabilities.total + equity.total),
  };
}

type Asked = {
  readonly books: BooksOf;
  readonly asOf: string | undefined;
  readonly yearStart: string;
  readonly digits: number;
};

async function sums(ledger: LedgerSums, names: AccountNames, { books, asOf, yearStart, digits }: Asked) {
  const found: Balances = {
    own: new Map(),
    customers: new MinorSum(),
    retained: new MinorSum(),
    ofYear: new MinorSum(),
  };
  const types = await names.idsOf(books, (type) => type !== 'CUSTOMER');
  await ledger.eachSpan(books, { from: yearStart, to: asOf }, digits, ({ accountId, date, debit, credit }) => {
    sumFor(found, types.get(accountId), accountId, date < yearStart)
      .add(debit)
      .add(credit, -1);
  });
  return found;
}

function sumFor(found: Balances, type: NamedAccount['type'] | undefined, accountId: string, isEarlier: boolean) {
  if (type === undefined) return found.customers;
  const named = CLASS_OF[type];
  if (named === 'Income' || named === 'Expenses') return isEarlier ? found.retained : found.ofYear;
  const known = found.own.get(accountId) ?? new MinorSum();
  found.own.set(accountId, known);
  return known;
}

const totalOf = ({ own, customers, retained, ofYear }: Balances): bigint =>
  [...own.values(), customers, retained, ofYear].reduce((total, { value }) => total + value, 0n);

export const balanceSheetHandler = answers(GetBalanceSheet, [LedgerSums, AccountNames], balanceSheetOf);
