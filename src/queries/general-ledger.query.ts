import { LRUCache } from 'lru-cache';
import { fromMinor, toMinor } from '../aggregates/money.js';
import { answers, query } from '../eventsourcing/handler.js';
import { atMost } from '../ports/entry-limit.js';
import { transactions, type TransactionView } from '../projections/ledger.projection.js';
import { AccountNames, byCode, type NamedAccount } from './account-names.js';
import {
  type BooksOf,
  type Dates,
  hasEqualSides,
  LedgerSums,
  netOf,
  scopeOf,
  type SumsByAccount,
  sumsOf,
} from './ledger-sums.js';
import { ReadModels } from './query.js';

type Copied = 'type' | 'documentEffect' | 'description' | 'reference' | 'externalId' | 'reversalOf';
/** One posting; either debit or credit is zero. */
export type GeneralLedgerRow = Pick<TransactionView, 'date' | Copied> &
  Pick<NamedAccount, 'accountId' | 'code' | 'name'> & {
    readonly transactionId: string;
    readonly recordedAt: string;
    /** Description of a journal entry line. */
    readonly lineDescription: string | null;
    readonly debit: string;
    readonly credit: string;
  };

/** A transaction with the names of the accounts to which it posts. */
export type NamedTransaction = {
  readonly transaction: TransactionView;
  readonly accounts: ReadonlyMap<string, NamedAccount>;
};

export type GeneralLedgerOptions = Dates & { readonly accountId?: string | undefined };

/** A general ledger. It is read while the response is being sent, because it may not fit into memory. */
export type GeneralLedger = {
  readonly currency: string;
  readonly digits: number;
  /** Every transaction, in batches, ordered by value date and then by time of recording. */
  readonly parts: () => AsyncIterable<readonly NamedTransaction[]>;
  /**
   * Returns the accounts with postings up to and including the last day of the period, sorted by code. `opening`:
   * balance before the period, in minor units.
   */
  readonly openings: () => Promise<readonly { readonly account: NamedAccount; readonly opening: bigint }[]>;
};

export class GetGeneralLedger extends query<GeneralLedger, [books: BooksOf, options: GeneralLedgerOptions]>() {}

const REMEMBERED = 10_000;

async function generalLedgerOf(
  ledger: LedgerSums,
  names: AccountNames,
  models: ReadModels,
  books: BooksOf,
  options: GeneralLedgerOptions,
): Promise<GeneralLedger> {
  const { currency, digits } = await ledger.currencyOf(books);
  await ledger.whenKnown(books, transactions);
  return {
    currency,
    digits,
    parts: () => named(parts(models, books, options), names, books),
    openings: async () => {
      const sums = await ledger.balanced(() => sumsBefore(ledger, books, options, digits), hasEqualSides);
      const accounts = await names.of(books, [...sums.keys()]);
      return [...accounts.values()]
        .sort(byCode)
        .map((account) => ({ account, opening: netOf(sumsOf(sums, account.accountId)) }));
    },
  };
}

/** Returns the sums before the period of every account with postings until its last day. */
async function sumsBefore(
  ledger: LedgerSums,
  books: BooksOf,
  { from, to }: GeneralLedgerOptions,
  digits: number,
): Promise<SumsByAccount> {
  const sums: SumsByAccount = new Map();
  await ledger.eachSpan(books, { from, to }, digits, ({ accountId, date, debit, credit }) => {
    const own = sumsOf(sums, accountId);
    if (from === undefined || date >= from) return;
    own.debit.add(debit);
    own.credit.add(credit);
  });
  return sums;
}

async function* parts(models: ReadModels, books: BooksOf, { from, to, accountId }: GeneralLedgerOptions) {
  const query = { where: { posting: accountId }, between: { date: { from, to } }, reverse: true };
  for await (const part of models.parts(transactions, scopeOf(books), query))
    yield books.knownAt === undefined ? part : part.filter(({ createdAt }) => createdAt <= (books.knownAt ?? ''));
}

async function* named(
  all: AsyncIterable<readonly TransactionView[]>,
  names: AccountNames,
  books: BooksOf,
): AsyncGenerator<readonly NamedTransaction[]> {
  const known = new LRUCache<string, NamedAccount>(atMost(REMEMBERED));
  for await (const part of all) {
    const ids = new Set(part.flatMap(({ postings }) => postings.map(({ accountId }) => accountId)));
    const accounts = await names.of(
      books,
      [...ids].filter((id) => !known.has(id)),
    );
    for (const id of ids) {
      const account = accounts.get(id) ?? known.get(id);
      if (account) accounts.set(id, account);
    }
    for (const [id, account] of accounts) known.set(id, account);
    yield part.map((transaction) => ({ transaction, accounts }));
  }
}

export const generalLedgerHandler = answers(GetGeneralLedger, [LedgerSums, AccountNames, ReadModels], generalLedgerOf);

/** Returns the postings of a transaction, or only those to `accountId` if it is given. */
export function rowsOf(
  { transaction, accounts }: NamedTransaction,
  { digits }: Pick<GeneralLedger, 'digits'>,
  accountId: string | undefined,
): GeneralLedgerRow[] {
  const { id: transactionId, date, type, documentEffect, createdAt: recordedAt } = transaction;
  const { description, reference, externalId, reversalOf } = transaction;
  const wanted = transaction.postings.filter((posting) => accountId === undefined || posting.accountId === accountId);
  return wanted.map((posting) => {
    const { code = null, name = '' } = accounts.get(posting.accountId) ?? {};
    const minor = toMinor(posting.amount, digits);
    const debit = fromMinor(minor > 0n ? minor : 0n, digits);
    const credit = fromMinor(minor < 0n ? -minor : 0n, digits);
    const account = { accountId: posting.accountId, code, name, debit, credit };
    return {
      date,
      transactionId,
      type,
      documentEffect,
      ...account,
      description,
      reference,
      externalId,
      reversalOf,
      recordedAt,
      lineDescription: posting.description ?? null,
    };
  });
}
