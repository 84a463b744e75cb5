import { fromMinor } from '../aggregates/money.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { type AccountClass, AccountNames, byCode, CLASS_OF, type NamedAccount } from './account-names.js';
import { type BooksOf, type Dates, LedgerSums } from './ledger-sums.js';
import { MinorSum } from './minor-sum.js';

export type Division = 'none' | 'month' | 'quarter';
/** A part of the report's period. A bound is null if that side is unbounded. */
export type ReportPeriod = { readonly name: string; readonly from: string | null; readonly to: string | null };

export type PeriodRow = NamedAccount & {
  readonly amount: string;
  /** One amount per period. */
  readonly amounts: readonly string[];
};
export type PeriodSection = {
  readonly name: AccountClass;
  readonly rows: readonly PeriodRow[];
  readonly total: string;
  readonly totals: readonly string[];
};
/**
 * A profit and loss report. As usual in such reports, credits to income accounts and debits to expense accounts are
 * positive.
 */
export type ProfitAndLoss = {
  readonly from: string | null;
  readonly to: string | null;
  readonly by: Division;
  readonly currency: string;
  readonly periods: readonly ReportPeriod[];
  readonly sections: readonly PeriodSection[];
  /** Income minus expenses. */
  readonly result: string;
  readonly results: readonly string[];
};

export class GetProfitAndLoss extends query<ProfitAndLoss, [books: BooksOf, dates: Dates, by: Division]>() {}

/** Sums by account, and then by the period's key. */
type Sums = ReadonlyMap<string, ReadonlyMap<string, MinorSum>>;

async function profitAndLossOf(
  ledger: LedgerSums,
  names: AccountNames,
  books: BooksOf,
  { from, to }: Dates,
  by: Division,
): Promise<ProfitAndLoss> {
  const { currency, digits } = await ledger.currencyOf(books);
  const ids = new Set((await names.idsOf(books, isResult)).keys());
  const sums = new Map<string, Map<string, MinorSum>>();
  await ledger.eachDayOf(books, ids, { from, to }, digits, ({ accountId, date, debit, credit }) => {
    const own = sums.get(accountId) ?? new Map<string, MinorSum>();
    const key = keyOf(date, by);
    own.set(key, (own.get(key) ?? new MinorSum()).add(debit).add(credit, -1));
    sums.set(accountId, own);
  });
  const accounts = [...(await names.of(books, [...sums.keys()])).values()].sort(byCode);
  const keys = keysOf(sums, { from, to }, by);
  const amountsOf = (accountId: string, sign: bigint): bigint[] =>
    keys.map((key) => sign * (sums.get(accountId)?.get(key)?.value ?? 0n));
  const sectionOf = (name: AccountClass, sign: bigint) => {
    const rows = accounts
      .filter(({ type }) => CLASS_OF[type] === name)
      .map((account) => ({ account, amounts: amountsOf(account.accountId, sign) }));
    return { name, rows, totals: keys.map((_, at) => total(rows.map(({ amounts }) => amounts[at] ?? 0n))) };
  };
  const [income, expenses] = [sectionOf('Income', -1n), sectionOf('Expenses', 1n)];
  const results = keys.map((_, at) => (income.totals[at] ?? 0n) - (expenses.totals[at] ?? 0n));
  const text = (minor: bigint): string => fromMinor(minor, digits);
  const shown = (amounts: readonly bigint[]): string[] => amounts.map(text);
  return {
    from: from ?? null,
    to: to ?? null,
    by,
    currency,
    periods: keys.map((key) => periodOf(key, { from: from ?? null, to: to ?? null })),
    sections: [income, expenses].map(({ name, rows, totals }) => ({
      name,
      rows: rows.map(({ account, amounts }) => ({ ...account, amount: text(total(amounts)), amounts: shown(amounts) })),
      total: text(total(totals)),
      totals: shown(totals),
    })),
    result: text(total(results)),
    results: shown(results),
  };
}

const isResult = (type: NamedAccount['type']): boolean => ['Income', 'Expenses'].includes(CLASS_OF[type]);
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

const ALL = '';
const quarterOf = (date: string): number => Math.ceil(Number(date.slice(5, 7)) / 3);

/** Returns the key of a period, such as `2026-01` or `2026-Q1`. */
function keyOf(date: string, by: Division): string {
  if (by === 'none') return ALL;
  return by === 'month' ? date.slice(0, 7) : `${date.slice(0, 4)}-Q${quarterOf(date)}`;
}

/** A hundred years, in months. */
export const MAX_PERIODS = 1_200;

/**
 * Returns every period from the first to the last, including those without postings.
 * @throws DomainError invalid if there are more than `MAX_PERIODS`
 */
function keysOf(sums: Sums, { from, to }: Dates, by: Division): string[] {
  if (by === 'none') return [ALL];
  const posted = [...new Set([...sums.values()].flatMap((own) => [...own.keys()]))].sort();
  const first = from === undefined ? posted[0] : keyOf(from, by);
  const last = to === undefined ? posted.at(-1) : keyOf(to, by);
  if (first === undefined || last === undefined) return [];
  const start = ordinalOf(first);
  const count = Math.max(0, ordinalOf(last) - start + 1);
  if (count > MAX_PERIODS) {
    const message = `The report would have ${count} periods; at most ${MAX_PERIODS} are allowed. Specify from and to.`;
    throw invalid([{ path: 'by', message }]);
  }
  return Array.from({ length: count }, (_, index) => keyAt(start + index, by));
}

const perYear = (by: Division): number => (by === 'month' ? 12 : 4);

/** Returns the number of periods from the year 0 to a period. */
function ordinalOf(key: string): number {
  const [year = '', part = ''] = key.split('-');
  return Number(year) * perYear(part.startsWith('Q') ? 'quarter' : 'month') + Number(part.replace('Q', '')) - 1;
}

function keyAt(ordinal: number, by: Division): string {
  const year = String(Math.floor(ordinal / perYear(by))).padStart(4, '0');
  const part = (ordinal % perYear(by)) + 1;
  return `${year}-${by === 'month' ? String(part).padStart(2, '0') : `Q${part}`}`;
}

function periodOf(key: string, { from = null, to = null }: { from?: string | null; to?: string | null }): ReportPeriod {
  if (key === ALL) return { name: 'Total', from, to };
  const [first, last] = boundsOf(key);
  return { name: key, from: from !== null && from > first ? from : first, to: to !== null && to < last ? to : last };
}

function boundsOf(key: string): [first: string, last: string] {
  const [year = '', part = ''] = key.split('-');
  const isQuarter = part.startsWith('Q');
  const lastMonth = isQuarter ? Number(part.slice(1)) * 3 : Number(part);
  const month = (number: number): string => `${year}-${String(number).padStart(2, '0')}`;
  return [`${month(isQuarter ? lastMonth - 2 : lastMonth)}-01`, lastDayOf(month(lastMonth))];
}

function lastDayOf(month: string): string {
  const day = new Date(`${month}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + 1, 0);
  return day.toISOString().slice(0, 10);
}

export const profitAndLossHandler = answers(GetProfitAndLoss, [LedgerSums, AccountNames], profitAndLossOf);
