import { fromMinor, toMinor } from '../aggregates/money.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { customers } from '../projections/account.projection.js';
import { positionOf, transactions, type TransactionView } from '../projections/ledger.projection.js';
import { sales } from '../projections/sale.projection.js';
import { type BooksOf, LedgerSums, scopeOf } from './ledger-sums.js';
import { MinorSum } from './minor-sum.js';
import { daysBetween, isOwnItem, LaterPostings } from './open-amounts.js';
import { ReadModels } from './query.js';

type Shown = Pick<TransactionView, 'type' | 'documentEffect' | 'externalId' | 'reference' | 'description' | 'saleId'>;
export type OpenItem = { readonly [N in keyof Shown]: Shown[N] | null } & {
  /** Null for a credit that does not settle any item. */
  readonly transactionId: string | null;
  readonly date: string | null;
  /** Number of days since the item's date. */
  readonly days: number | null;
  /** Original amount of the document. */
  readonly amount: string;
  /** Amount not yet paid. */
  readonly open: string;
};
export type OpenItems = {
  readonly customerId: string;
  /** Null if the report covers all value dates. */
  readonly asOf: string | null;
  readonly currency: string;
  /** Open items, oldest first. */
  readonly items: readonly OpenItem[];
  /** Sum of the unpaid amounts. It equals the customer's balance. */
  readonly total: string;
};

export class GetOpenItems extends query<OpenItems, [books: BooksOf, customerId: string, asOf: string | undefined]>() {}

/**
 * Credits settle the oldest items, so the newest items that make up the balance are open. Transactions are therefore
 * read newest first until their amounts reach the balance.
 * @throws DomainError not_found
 */
async function openItemsOf(
  ledger: LedgerSums,
  models: ReadModels,
  books: BooksOf,
  customerId: string,
  asOf: string | undefined,
): Promise<OpenItems> {
  const customer = await models.get(customers, scopeOf(books), customerId);
  if (!customer || customer.isDeleted) throw notFound('customer');
  const { currency, digits, today } = await ledger.currencyOf(books);
  await ledger.whenKnown(books, transactions);
  await ledger.whenKnown(books, sales);
  const balance = new MinorSum();
  await ledger.eachDayOf(books, new Set([customerId]), { to: asOf }, digits, ({ debit, credit }) => {
    balance.add(debit).add(credit, -1);
  });
  const items: OpenItem[] = [];
  let left = balance.value;
  const text = (minor: bigint): string => fromMinor(minor, digits);
  for await (const { first, net, debit } of leftBy(models, books, { customerId, asOf, digits, left })) {
    const open = net < left ? net : left;
    left -= open;
    const { id: transactionId, date, type, documentEffect, externalId, reference, description, saleId } = first;
    const facts = { transactionId, date, type, documentEffect, externalId, reference, description, saleId };
    items.push({ ...facts, days: daysBetween(date, asOf ?? today), amount: text(debit), open: text(open) });
    if (left === 0n) break;
  }
  if (left < 0n) items.push({ ...CREDIT, amount: text(left), open: text(left) });
  return { customerId, asOf: asOf ?? null, currency, items: items.reverse(), total: text(balance.value) };
}

const CREDIT = {
  ...{ transactionId: null, date: null, days: null, type: null, documentEffect: null, externalId: null },
  ...{ reference: null, description: 'Credit', saleId: null },
};

type Asked = {
  readonly customerId: string;
  readonly asOf: string | undefined;
  readonly digits: number;
  readonly left: bigint;
};
/** A record with an unpaid amount, and the transaction that debited the customer. */
type Item = { readonly first: TransactionView; readonly net: bigint; readonly debit: bigint };

type Changed = { readonly entity: 'transaction' | 'sale'; readonly id: string };

/** Returns the records with unpaid amounts, newest first. */
async function* leftBy(
  models: ReadModels,
  books: BooksOf,
  { customerId, asOf, digits, left }: Asked,
): AsyncGenerator<Item> {
  if (left <= 0n) return;
  const later = new LaterPostings();
  for await (const event of eventsOf(models, books, customerId, asOf)) {
    const [first] = event;
    if (!first) continue;
    const key = recordOf(first);
    const minor = event.flatMap((transaction) => amountsOf(transaction, customerId, digits));
    const posting = { net: minor.reduce((sum, one) => sum + one, 0n), date: first.date };
    const change = changeOf(event, posting.net);
    if (change && !(await isBefore(first, change, models, books))) {
      later.add(key, posting);
      continue;
    }
    const [{ net } = posting] = change ? [posting] : later.joined(key, posting);
    const debited = event.find((one) => amountsOf(one, customerId, digits).some((amount) => amount > 0n)) ?? first;
    const debit = minor.filter((one) => one > 0n).reduce((sum, one) => sum + one, 0n);
    if (net > 0) yield { first: debited, net: BigInt(net), debit };
  }
}

/** Returns a transaction's record: the sale whose stream contains it, or the recorded or reversed transaction. */
const recordOf = ({ id, carrier, reversalOf }: TransactionView): string =>
  carrier.entity === 'sale' ? carrier.recordId : (reversalOf ?? id);

const amountsOf = ({ postings }: TransactionView, customerId: string, digits: number): bigint[] =>
  postings.filter(({ accountId }) => accountId === customerId).map(({ amount }) => toMinor(amount, digits));

/** Returns the record whose open amount the event changes; undefined if the event changes no open amount. */
function changeOf(event: readonly TransactionView[], net: bigint): Changed | undefined {
  const isReturn = event.some(({ documentEffect }) => documentEffect === 'RETURN');
  if (isOwnItem(isReturn, net)) return undefined;
  for (const { carrier, saleId, reversalOf } of event) {
    if (reversalOf !== null) return { entity: 'transaction', id: reversalOf };
    if (carrier.entity === 'sale' && saleId !== carrier.recordId) return { entity: 'sale', id: carrier.recordId };
  }
  return undefined;
}

/** Whether a change is dated before the transaction that it changes, and therefore counts separately. */
async function isBefore({ date }: TransactionView, { entity, id }: Changed, models: ReadModels, books: BooksOf) {
  const scope = scopeOf(books);
  const changed = entity === 'sale' ? (await models.get(sales, scope, id))?.transactionIds?.[0] : id;
  const original = changed === undefined ? undefined : await models.get(transactions, scope, changed);
  return original !== undefined && original.date > date;
}

/** Returns the transactions of each event that posted to the customer, newest value date first. */
async function* eventsOf(
  models: ReadModels,
  books: BooksOf,
  customerId: string,
  asOf: string | undefined,
): AsyncGenerator<readonly TransactionView[]> {
  const query = { where: { posting: customerId }, between: { date: { to: asOf } } };
  let event: TransactionView[] = [];
  for await (const transaction of models.each(transactions, scopeOf(books), query)) {
    if (books.knownAt !== undefined && transaction.createdAt > books.knownAt) continue;
    const [other] = event;
    const isSame = other && positionOf(other) === positionOf(transaction) && other.date === transaction.date;
    if (!isSame) {
      yield event;
      event = [];
    }
    event.push(transaction);
  }
  yield event;
}

export const openItemsHandler = answers(GetOpenItems, [LedgerSums, ReadModels], openItemsOf);
