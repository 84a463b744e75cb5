import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { invalid, notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import type { Scope } from '../ports/read-store.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { accountDays, transactions, type TransactionView } from '../projections/ledger.projection.js';
import { type Paging, ReadModels } from './query.js';

/** One transaction on an account; either debit or credit is "0.00". */
export type StatementLine = Pick<
  TransactionView,
  'date' | 'type' | 'documentEffect' | 'description' | 'reference' | 'reversalOf' | 'reason'
> & {
  readonly transactionId: string;
  /** The transaction's customer or, if there is none, its other accounts. */
  readonly counterparty: string | null;
  /** Descriptions of the journal entry lines that post to the account. */
  readonly lineDescription: string | null;
  readonly debit: string;
  readonly credit: string;
  /** Balance after this line: debits minus credits. */
  readonly balance: string;
};
/** A statement, or one of its pages: `opening` and `closing` are the balances before and after `lines`. */
export type Statement = {
  readonly account: Pick<AccountView, 'id' | 'code' | 'name' | 'type' | 'currency'>;
  /** `beginDate` and `endDate`: first and last day of the statement; null if unbounded. */
  readonly beginDate: string | null;
  readonly endDate: string | null;
  readonly opening: string;
  readonly lines: readonly StatementLine[];
  readonly closing: string;
} & Partial<Paging & { readonly totalPages: number; readonly totalCount: number }>;

export type StatementRequest = { readonly [N in keyof Paging]?: Paging[N] | undefined } & {
  readonly beginDate?: string | undefined;
  readonly endDate?: string | undefined;
};

export class GetStatement extends query<Statement, [scope: Scope, accountId: string, request: StatementRequest]>() {}
export class GetCustomerStatement extends query<
  Statement,
  [scope: Scope, customerId: string, request: StatementRequest]
>() {}

/** Maximum length of a statement. A longer statement would be unreadable and would block other requests. */
export const MAX_LINES = 20_000;
const PAGE_SIZE = 20;
const NAMES_AT_ONCE = 500;
/** Maximum number of accounts listed for a journal entry. The statement only counts further accounts. */
const MAX_NAMES = 3;

type Period = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Reads the postings to one account. */
class AccountPostings {
  readonly digits: number;

  constructor(
    private readonly models: ReadModels,
    private readonly scope: Scope,
    readonly account: Statement['account'],
  ) {
    this.digits = currencyDigits(account.currency);
  }

  /** Returns the sum of the postings before a date. */
  async before(date: string | undefined): Promise<bigint> {
    return date === undefined ? 0n : this.through(dayBefore(date));
  }

  /** Returns the sum of the postings up to and including a date. */
  async through(to: string | undefined): Promise<bigint> {
    let sum = 0n;
    const query = { where: { accountId: this.account.id }, between: { date: { to } } };
    for await (const { debit, credit } of this.models.each(accountDays, this.scope, query))
      sum += toMinor(debit, this.digits) - toMinor(credit, this.digits);
    return sum;
  }

  /** @throws DomainError invalid if there are more than MAX_LINES */
  async all(period: Period): Promise<TransactionView[]> {
    const found: TransactionView[] = [];
    for await (const transaction of this.models.each(transactions, this.scope, this.selected(period))) {
      if (found.length === MAX_LINES)
        throw invalid([
          {
            path: 'endDate',
            message: `The period has more than ${MAX_LINES} lines. Choose a shorter period, or request pages.`,
          },
        ]);
      found.push(transaction);
    }
    return found;
  }

  async page(period: Period, { pageNumber, pageSize }: Paging) {
    const query = this.selected(period);
    const { items, ...page } = await this.models.list(transactions, this.scope, { ...query, pageNumber, pageSize });
    const totalCount = page.totalIsCapped ? await this.models.count(transactions, this.scope, query) : page.totalCount;
    return { items, paging: { pageNumber, pageSize, totalPages: Math.ceil(totalCount / pageSize), totalCount } };
  }

  /** Returns the sum of the postings that precede a transaction in statement order. */
  async upTo({ id, date }: TransactionView): Promise<bigint> {
    let sum = await this.before(date);
    const sameDay = this.selected({ from: date, to: date });
    for await (const earlier of this.models.each(transactions, this.scope, sameDay)) {
      if (earlier.id === id) break;
      const [debit, credit] = this.sidesOf(earlier);
      sum += debit - credit;
    }
    return sum;
  }

  sidesOf({ postings }: TransactionView): readonly [bigint, bigint] {
    let [debit, credit] = [0n, 0n];
    for (const { accountId, amount } of postings) {
      if (accountId !== this.account.id) continue;
      const minor = toMinor(amount, this.digits);
      if (minor > 0n) debit += minor;
      else credit -= minor;
    }
    return [debit, credit];
  }

  /** Selects the account's transactions in a period, oldest first. */
  private selected({ from, to }: Period) {
    return { where: { posting: this.account.id }, reverse: true, between: { date: { from, to } } };
  }

  async lines(found: readonly TransactionView[], opening: bigint) {
    const names = await this.namesOf(found);
    let balance = opening;
    const lines = found.map((transaction): StatementLine => {
      const [debit, credit] = this.sidesOf(transaction);
      balance += debit - credit;
      const { id: transactionId, date, type, documentEffect, description, reference, reversalOf, reason } = transaction;
      return {
        ...{ transactionId, date, type, documentEffect, description, reference },
        counterparty: this.counterpartyOf(transaction, names),
        ...{ reversalOf, reason },
        ...{ debit: this.text(debit), credit: this.text(credit), balance: this.text(balance) },
        lineDescription: this.descriptionOf(transaction),
      };
    });
    return { opening: this.text(opening), lines, closing: this.text(balance) };
  }

  private text(minor: bigint): string {
    return fromMinor(minor, this.digits);
  }

  private descriptionOf({ postings }: TransactionView): string | null {
    const own = postings.filter(({ accountId }) => accountId === this.account.id);
    const descriptions = own.flatMap(({ description }) => description ?? []);
    return [...new Set(descriptions)].join('; ') || null;
  }

  private othersOf({ customerId, postings }: TransactionView): string[] {
    const { id } = this.account;
    if (customerId !== null && customerId !== id) return [customerId];
    return [...new Set(postings.map(({ accountId }) => accountId))].filter((other) => other !== id);
  }

  private counterpartyOf(transaction: TransactionView, names: ReadonlyMap<string, string>): string | null {
    const others = this.othersOf(transaction).map((id) => names.get(id) ?? id);
    const more = others.length - MAX_NAMES;
    return others.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '') || null;
  }

  private async namesOf(found: readonly TransactionView[]): Promise<Map<string, string>> {
    const ids = [...new Set(found.flatMap((transaction) => this.othersOf(transaction)))];
    const names = new Map<string, string>();
    for (let start = 0; start < ids.length; start += NAMES_AT_ONCE) {
      const some = await this.models.getMany(accounts, this.scope, ids.slice(start, start + NAMES_AT_ONCE));
      for (const [id, { name }] of some) names.set(id, name);
    }
    return names;
  }
}

/** Returns the postings to an account within a period, oldest first, with opening, running and closing balances. */
async function statementOf(
  models: ReadModels,
  scope: Scope,
  view: AccountView | undefined,
  { beginDate: from, endDate: to, pageNumber, pageSize }: StatementRequest,
): Promise<Statement> {
  if (!view || view.isDeleted) throw notFound('account');
  const { id, code, name, type, currency } = view;
  const postings = new AccountPostings(models, scope, { id, code, name, type, currency });
  const facts = { account: postings.account, beginDate: from ?? null, endDate: to ?? null };
  if (pageNumber === undefined && pageSize === undefined) {
    const found = await postings.all({ from, to });
    return { ...facts, ...(await postings.lines(found, await postings.before(from))) };
  }
  const paging = { pageNumber: pageNumber ?? 1, pageSize: pageSize ?? PAGE_SIZE };
  const page = await postings.page({ from, to }, paging);
  const [first] = page.items;
  const opening = first ? await postings.upTo(first) : await postings.through(to);
  return { ...facts, ...(await postings.lines(page.items, opening)), ...page.paging };
}

export const statementHandlers = [
  answers(GetStatement, [ReadModels], async (models, scope, id, request) =>
    statementOf(models, scope, await models.get(accounts, scope, id), request),
  ),
  answers(GetCustomerStatement, [ReadModels], async (models, scope, id, request) => {
    const view = await models.get(accounts, scope, id);
    if (view?.type !== 'CUSTOMER') throw notFound('customer');
    return statementOf(models, scope, view, request);
  }),
];

function dayBefore(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}
