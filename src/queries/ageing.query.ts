import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { eachSum, type LedgerEntryView } from '../projections/ledger-entry.projection.js';
import { AccountNames, byCode, type NamedAccount } from './account-names.js';
import { type BooksOf, LedgerSums } from './ledger-sums.js';
import { MinorSum } from './minor-sum.js';
import {
  AgedBalance,
  type Bucket,
  BUCKETS,
  bucketOf,
  type CustomerPosting,
  isOwnItem,
  LaterPostings,
} from './open-amounts.js';

type Amounts = Readonly<Record<Bucket | 'total', string>>;
export type AgeingRow = Pick<NamedAccount, 'code' | 'name'> & Amounts & { readonly customerId: string };
export type Ageing = {
  /** Null for all value dates; ages are then those of today. */
  readonly asOf: string | null;
  readonly currency: string;
  readonly rows: readonly AgeingRow[];
  readonly totals: Amounts;
};

export class GetAgeing extends query<Ageing, [books: BooksOf, asOf: string | undefined]>() {}

/** Customers with a balance, by code. Reads all entries; its memory grows with the number of customers only. */
async function ageingOf(
  ledger: LedgerSums,
  names: AccountNames,
  books: BooksOf,
  asOf: string | undefined,
): Promise<Ageing> {
  const { currency, digits, today } = await ledger.currencyOf(books);
  const others = await names.idsOf(books, (type) => type !== 'CUSTOMER');
  const aged = new Map<string, AgedBalance>();
  const later = new LaterPostings();
  const add = (customerId: string, { net, date }: CustomerPosting): void => {
    const known = aged.get(customerId) ?? new AgedBalance();
    aged.set(customerId, known);
    known.add(bucketOf(date, asOf ?? today), net);
  };
  const take = ([, , of, isLater, days, taxed]: LedgerEntryView): void => {
    for (const [customerId, posting] of customersOf(days, others, asOf)) {
      const key = `${customerId} ${of}`;
      if (isLater === 1 && !isOwnItem(taxed?.[0] === 'RETURN', posting.net)) later.add(key, posting);
      else if (of === '' || isLater === 1) add(customerId, posting);
      else for (const one of later.joined(key, posting)) add(customerId, one);
    }
  };
  await ledger.eachEntry(books, take, true);
  for (const [key, postings] of later.rest)
    for (const posting of postings) add(key.slice(0, key.indexOf(' ')), posting);
  return shown(aged, await names.of(books, owing(aged)), { asOf: asOf ?? null, currency, digits });
}

/** What an entry posted to each customer until the date. */
function customersOf(
  days: LedgerEntryView[4],
  others: ReadonlyMap<string, unknown>,
  asOf: string | undefined,
): ReadonlyMap<string, CustomerPosting> {
  const found = new Map<string, CustomerPosting>();
  eachSum(days, (accountId, date, debit, credit) => {
    if (others.has(accountId) || (asOf !== undefined && date > asOf)) return;
    const net = BigInt(debit) - BigInt(credit);
    const known = found.get(accountId);
    if (!known) found.set(accountId, { net, date });
    else found.set(accountId, { net: known.net + net, date: known.date < date ? known.date : date });
  });
  return found;
}

const owing = (aged: ReadonlyMap<string, AgedBalance>): string[] =>
  [...aged].filter(([, { balance }]) => balance !== 0n).map(([id]) => id);

type Facts = { readonly asOf: string | null; readonly currency: string; readonly digits: number };

function shown(
  aged: ReadonlyMap<string, AgedBalance>,
  named: ReadonlyMap<string, NamedAccount>,
  { asOf, currency, digits }: Facts,
): Ageing {
  const totals = BUCKETS.map(() => new MinorSum());
  const amountsOf = (open: readonly bigint[]): Amounts => {
    const texts = BUCKETS.map((bucket, at) => [bucket, fromMinor(open[at] ?? 0n, digits)] as const);
    const total = open.reduce((sum, amount) => sum + amount, 0n);
    return { ...(Object.fromEntries(texts) as Record<Bucket, string>), total: fromMinor(total, digits) };
  };
  const rows = [...named.values()].sort(byCode).map(({ accountId: customerId, code, name }) => {
    const open = aged.get(customerId)?.open ?? [];
    for (const [at, amount] of open.entries()) totals[at]?.add(amount);
    return { customerId, code, name, ...amountsOf(open) };
  });
  return { asOf, currency, rows, totals: amountsOf(totals.map(({ value }) => value)) };
}

export const ageingHandler = answers(GetAgeing, [LedgerSums, AccountNames], ageingOf);
