import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import type { AccountType } from '../aggregates/account.aggregate.js';
import type { TaxedKind } from '../projections/document-taxes.js';
import { eachSum } from '../projections/ledger-entry.projection.js';
import { taxedOf } from '../projections/ledger.projection.js';
import { AccountNames } from './account-names.js';
import { type BooksOf, type Dates, isWithin, LedgerSums } from './ledger-sums.js';
import { MinorSum, minorOf } from './minor-sum.js';

type Amounts = { readonly net: string; readonly tax: string };
/** Sums of documents. `net` and `tax` are sales minus returns and cancellations. */
export type TaxSums = Amounts & { readonly [N in 'sales' | 'returns' | 'cancellations']: Amounts };
export type TaxRow = TaxSums & {
  /** In percent; null for documents of earlier releases, which did not record the rate. */
  readonly rate: string | null;
};
export type TaxReport = {
  readonly from: string | null;
  readonly to: string | null;
  readonly currency: string;
  readonly rows: readonly TaxRow[];
  readonly totals: TaxSums;
  /** The accounts of type TAX in the period: `opening + documents + other = closing`. Credits are positive. */
  readonly reconciliation: {
    readonly opening: string;
    /** Tax on the documents in `rows`. */
    readonly documents: string;
    /** Tax posted by other transactions, such as a supplier's bill or a payment. */
    readonly other: string;
    readonly closing: string;
  };
};

type Minor = number | string | bigint;

export class GetTaxReport extends query<TaxReport, [books: BooksOf, dates: Dates]>() {}

const KINDS = ['SALE', 'RETURN', 'CANCELLATION'] as const satisfies readonly TaxedKind[];
type Sums = Readonly<Record<TaxedKind, { readonly net: MinorSum; readonly tax: MinorSum }>>;
const noSums = (): Sums => {
  const none = () => ({ net: new MinorSum(), tax: new MinorSum() });
  return { SALE: none(), RETURN: none(), CANCELLATION: none() };
};

type Found = {
  readonly byRate: Map<string | null, Sums>;
  readonly all: Sums;
  /** Credits minus debits on the tax accounts, before the period and within it. */
  readonly opening: MinorSum;
  readonly moved: MinorSum;
};

/** Returns the tax by rate, as recorded by each document, and compares it with the postings to the tax accounts. */
async function taxReportOf(ledger: LedgerSums, names: AccountNames, books: BooksOf, dates: Dates): Promise<TaxReport> {
  const { currency, digits } = await ledger.currencyOf(books);
  const accounts = await names.idsOf(books, (type) => type === 'TAX' || type === 'INCOME');
  const read = books.knownAt === undefined ? currentSums : pastSums;
  const { byRate, all, opening, moved } = await read(ledger, books, accounts, dates, digits);
  const text = (minor: bigint): string => fromMinor(minor, digits);
  const documents = netOf(all, 'tax');
  const rows = [...byRate].map(([rate, sums]) => ({ rate, ...shown(sums, text) }));
  return {
    from: dates.from ?? null,
    to: dates.to ?? null,
    currency,
    rows: rows.sort((a, b) => Number(a.rate ?? -1) - Number(b.rate ?? -1)),
    totals: shown(all, text),
    reconciliation: {
      opening: text(opening.value),
      documents: text(documents),
      other: text(moved.value - documents),
      closing: text(opening.value + moved.value),
    },
  };
}

const nothing = (): Found => ({ byRate: new Map(), all: noSums(), opening: new MinorSum(), moved: new MinorSum() });
type Reading = (
  ledger: LedgerSums,
  books: BooksOf,
  accounts: ReadonlyMap<string, AccountType>,
  dates: Dates,
  digits: number,
) => Promise<Found>;

/**
 * Reads the sums from the accounts' daily totals. If a write between two read operations makes the taxes in the Sales
 * accounts differ from the taxes in the tax accounts, reads the sums again.
 */
const currentSums: Reading = async (ledger, books, accounts, dates, digits) => {
  const read = async () => {
    const [found, ofTaxAccounts] = [nothing(), noSums()];
    for (const [accountId, type] of accounts)
      for await (const days of ledger.daysOf(books, accountId, { to: dates.to }))
        for (const { date, debit, credit, taxed = {} } of days) {
          if (type === 'TAX') addMoved(found, date, dates, minorOf(debit, digits), minorOf(credit, digits));
          if (!isWithin(date, dates)) continue;
          for (const [key, [net, tax]] of Object.entries(taxed)) {
            const { kind, rate } = taxedOf(key);
            const into = type === 'TAX' ? [ofTaxAccounts] : [found.all, sumsOf(found, rate)];
            addTaxed(into, kind, minorOf(net, digits), minorOf(tax, digits));
          }
        }
    return { found, isWhole: netOf(found.all, 'tax') === netOf(ofTaxAccounts, 'tax') };
  };
  return (await ledger.balanced(read, ({ isWhole }) => isWhole)).found;
};

const pastSums: Reading = async (ledger, books, accounts, dates, digits) => {
  const found = nothing();
  await ledger.eachEntry(books, ([, , , days, taxed]) => {
    eachSum(days, (id, date, debit, credit) => {
      if (accounts.get(id) === 'TAX') addMoved(found, date, dates, debit, credit);
    });
    if (!taxed || !isWithin(taxed[1], dates)) return;
    const [kind, , ...amounts] = taxed;
    for (let at = 0; at < amounts.length; at += 3) {
      const [rate = null, net, tax] = amounts.slice(at, at + 3);
      addTaxed([found.all, sumsOf(found, rate)], kind, minorOf(net ?? '0', digits), minorOf(tax ?? '0', digits));
    }
  });
  return found;
};

function addMoved({ opening, moved }: Found, date: string, { from = '', to }: Dates, debit: Minor, credit: Minor) {
  if (date < from) opening.add(credit).add(debit, -1);
  else if (isWithin(date, { to })) moved.add(credit).add(debit, -1);
}

function addTaxed(into: readonly Sums[], kind: TaxedKind, net: number | bigint, tax: number | bigint): void {
  for (const sums of into) {
    sums[kind].net.add(net);
    sums[kind].tax.add(tax);
  }
}

function sumsOf({ byRate }: Found, rate: string | null): Sums {
  const known = byRate.get(rate);
  if (known) return known;
  const made = noSums();
  byRate.set(rate, made);
  return made;
}

const netOf = (sums: Sums, of: 'net' | 'tax'): bigint =>
  sums.SALE[of].value - sums.RETURN[of].value - sums.CANCELLATION[of].value;

function shown(sums: Sums, text: (minor: bigint) => string): TaxSums {
  const [sales, returns, cancellations] = KINDS.map((kind) => ({
    net: text(sums[kind].net.value),
    tax: text(sums[kind].tax.value),
  })) as [Amounts, Amounts, Amounts];
  return { sales, returns, cancellations, net: text(netOf(sums, 'net')), tax: text(netOf(sums, 'tax')) };
}

export const taxReportHandler = answers(GetTaxReport, [LedgerSums, AccountNames], taxReportOf);
