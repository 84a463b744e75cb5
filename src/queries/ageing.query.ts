import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { eachSum, type LedgerEntryView } from '../projections/ledger-entry.projection.js';
import type { Minor } from '../projections/ledger-movements.js';
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
  /** Null if the report covers all value dates. Ages are then as of today. */
  readonly asOf: string | null;
  readonly currency: string;
  readonly rows: readonly AgeingRow[];
  readonly totals: Amounts;
};

export class GetAgeing extends query<Ageing, [books: BooksOf, asOf: string | undefined]>() {}

/**
 * Returns the customers with a balance, sorted by code. Reads only the entries that change customers' balances. Memory
 * usage grows only with the number of customers.
 */
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
  const buckets = new Map<string, number>();
  const add = (customerId: string, { net, date }: CustomerPosting): void => {
    const bucket = buckets.get(date) ?? bucketOf(date, asOf ?? today);
    buckets.set(date, bucket);
    const known = aged.get(customerId) ?? new AgedBalance();
    aged.set(customerId, known);
    known.add(bucket, net);
  };
  const take = ([, of, isLater, days, taxed]: LedgerEntryView): void => {
    eachPosting(days, others, asOf, (customerId, posting) => {
      if (isLater === 0) for (const one of later.joined(`${customerId} ${of}`, posting)) add(customerId, one);
      else if (isOwnItem(taxed?.[0] === 'RETURN', posting.net)) add(customerId, posting);
      else later.add(`${customerId} ${of}`, posting);
    });
  };
  await ledger.eachOwing(books, take);
  for (const [key, postings] of later.rest)
    for (const posting of postings) add(key.slice(0, key.indexOf(' ')), posting);
  return shown(aged, await names.of(books, owing(aged)), { asOf: asOf ?? null, currency, digits });
}

/** Calls `take` with an entry's postings to each customer up to and including the date. */
function eachPosting(
  days: LedgerEntryView[3],
  others: ReadonlyMap<string, unknown>,
  asOf: string | undefined,
  take: (customerId: string, posting: CustomerPosting) => void,
): void {
  const found = new Map<string, CustomerPosting>();
  eachSum(days, (customerId, date, debit, credit) => {
    if (others.has(customerId) || (asOf !== undefined && date > asOf)) return;
    const net = difference(debit, credit);
    // Nearly all entries have a single date, so each customer usually occurs only once.
    if (days.length === 1) {
      take(customerId, { net, date });
      return;
    }
    const known = found.get(customerId);
    const first = known && known.date < date ? known.date : date;
    found.set(customerId, { net: BigInt(known?.net ?? 0) + BigInt(net), date: first });
  });
  for (const [customerId, posting] of found) take(customerId, posting);
}

const difference = (debit: Minor, credit: Minor): number | bigint =>
  typeof debit === 'number' && typeof credit === 'number' ? debit - credit : BigInt(debit) - BigInt(credit);

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
