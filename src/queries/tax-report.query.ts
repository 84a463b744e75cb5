import { fromMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { eachSum, type LedgerEntryView, type TaxedKind } from '../projections/ledger-entry.projection.js';
import { AccountNames } from './account-names.js';
import { type BooksOf, type Dates, isWithin, LedgerSums } from './ledger-sums.js';
import { MinorSum, minorOf } from './minor-sum.js';

type Amounts = { readonly net: string; readonly tax: string };
/** Sums of documents. `net` and `tax` are sales less returns and cancellations. */
export type TaxSums = Amounts & { readonly [N in 'sales' | 'returns' | 'cancellations']: Amounts };
export type TaxRow = TaxSums & {
  /** In percent; null for documents of earlier releases, which did not record it. */
  readonly rate: string | null;
};
export type TaxReport = {
  readonly from: string | null;
  readonly to: string | null;
  readonly currency: string;
  readonly rows: readonly TaxRow[];
  readonly totals: TaxSums;
  /** The accounts of type TAX in the period, credits positive: `opening + documents + other = closing`. */
  readonly reconciliation: {
    readonly opening: string;
    /** Tax of the documents above. */
    readonly documents: string;
    /** Tax that other transactions posted, such as a supplier's bill or a payment. */
    readonly other: string;
    readonly closing: string;
  };
};

export class GetTaxReport extends query<TaxReport, [books: BooksOf, dates: Dates]>() {}

const KINDS = ['SALE', 'RETURN', 'CANCELLATION'] as const satisfies readonly TaxedKind[];
type Sums = Readonly<Record<TaxedKind, { readonly net: MinorSum; readonly tax: MinorSum }>>;
const noSums = (): Sums => {
  const none = () => ({ net: new MinorSum(), tax: new MinorSum() });
  return { SALE: none(), RETURN: none(), CANCELLATION: none() };
};

/** Returns the tax by rate, as recorded by each document, and compares it with the postings to the tax accounts. */
async function taxReportOf(ledger: LedgerSums, names: AccountNames, books: BooksOf, dates: Dates): Promise<TaxReport> {
  const { currency, digits } = await ledger.currencyOf(books);
  const accounts = await names.idsOf(books, (type) => type === 'TAX');
  const byRate = new Map<string | null, Sums>();
  const [opening, moved, all] = [new MinorSum(), new MinorSum(), noSums()];
  const { from = '', to } = dates;
  await ledger.eachEntry(books, ([, , , , days, taxed]) => {
    eachSum(days, (id, date, debit, credit) => {
      if (!accounts.has(id)) return;
      if (date < from) opening.add(credit).add(debit, -1);
      else if (isWithin(date, dates)) moved.add(credit).add(debit, -1);
    });
    if (taxed && isWithin(taxed[1], dates)) addTaxed(taxed, [all, byRate], digits);
  });
  const text = (minor: bigint): string => fromMinor(minor, digits);
  const documents = netOf(all, 'tax');
  const rows = [...byRate].map(([rate, sums]) => ({ rate, ...shown(sums, text) }));
  return {
    from: dates.from ?? null,
    to: to ?? null,
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

function addTaxed(
  [kind, , ...amounts]: NonNullable<LedgerEntryView[5]>,
  [all, byRate]: readonly [Sums, Map<string | null, Sums>],
  digits: number,
): void {
  for (let at = 0; at < amounts.length; at += 3) {
    const [rate = null, net, tax] = amounts.slice(at, at + 3);
    const own = byRate.get(rate) ?? noSums();
    byRate.set(rate, own);
    for (const sums of [own, all]) {
      sums[kind].net.add(minorOf(net ?? '0', digits));
      sums[kind].tax.add(minorOf(tax ?? '0', digits));
    }
  }
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
