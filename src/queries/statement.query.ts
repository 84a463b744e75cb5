import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { invalid, notFound } from '../platform/domain-error.js';
import { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { accountDays } from '../projections/balance.projection.js';
import { transactions, type TransactionView } from '../projections/transaction.projection.js';

/** One transaction on an account; of its two sides the other is "0.00". */
export type StatementLine = {
  readonly transactionId: string;
  readonly date: string;
  readonly description: string | null;
  readonly debit: string;
  readonly credit: string;
  /** After this line: debits minus credits. */
  readonly balance: string;
};
export type Statement = {
  readonly account: Pick<AccountView, 'id' | 'code' | 'name' | 'type' | 'currency'>;
  /** Null: from the first posting, to the last. */
  readonly beginDate: string | null;
  readonly endDate: string | null;
  readonly opening: string;
  readonly lines: readonly StatementLine[];
  readonly closing: string;
};

export type Period = { readonly beginDate?: string | undefined; readonly endDate?: string | undefined };

export class GetStatement extends Query<Statement> {
  constructor(
    readonly scope: Scope,
    readonly accountId: string,
    readonly period: Period,
  ) {
    super();
  }
}

/** More are for nobody to read, and would hold up everybody else. */
export const MAX_LINES = 20_000;

/** Every posting to an account within a period, by date, with what it was before and after. */
@QueryHandler(GetStatement)
export class GetStatementHandler implements IQueryHandler<GetStatement> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, accountId, period }: GetStatement): Promise<Statement> {
    const account = await this.models.get(accounts, scope, accountId);
    if (!account || account.isDeleted) throw notFound('account');
    const { id, code, name, type, currency } = account;
    const digits = currencyDigits(currency);
    const opening = await this.sumBefore(scope, id, period.beginDate, digits);
    let balance = opening;
    const lines: StatementLine[] = [];
    for await (const transaction of this.postedTo(scope, id, period)) {
      if (lines.length === MAX_LINES)
        throw invalid([
          { path: 'endDate', message: `The period has more than ${MAX_LINES} lines: choose a shorter one.` },
        ]);
      const [debit, credit] = sidesOf(transaction, id, digits);
      balance += debit - credit;
      const amounts = { debit: fromMinor(debit, digits), credit: fromMinor(credit, digits) };
      const { id: transactionId, date, description } = transaction;
      lines.push({ transactionId, date, description, ...amounts, balance: fromMinor(balance, digits) });
    }
    return {
      account: { id, code, name, type, currency },
      beginDate: period.beginDate ?? null,
      endDate: period.endDate ?? null,
      opening: fromMinor(opening, digits),
      lines,
      closing: fromMinor(balance, digits),
    };
  }

  private async sumBefore(scope: Scope, accountId: string, date: string | undefined, digits: number): Promise<bigint> {
    if (date === undefined) return 0n;
    let sum = 0n;
    const query = { where: { accountId }, between: { date: { to: dayBefore(date) } } };
    for await (const { debit, credit } of this.models.each(accountDays, scope, query))
      sum += toMinor(debit, digits) - toMinor(credit, digits);
    return sum;
  }

  /** Oldest first. */
  private postedTo(
    scope: Scope,
    posting: string,
    { beginDate: from, endDate: to }: Period,
  ): AsyncIterable<TransactionView> {
    const date = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const between = from === undefined && to === undefined ? {} : { between: { date } };
    return this.models.each(transactions, scope, { where: { posting }, reverse: true, ...between });
  }
}

function sidesOf({ postings }: TransactionView, accountId: string, digits: number): readonly [bigint, bigint] {
  const own = postings.filter((posting) => posting.accountId === accountId);
  const amounts = own.map(({ amount }) => toMinor(amount, digits));
  const sum = (some: readonly bigint[]) => some.reduce((total, amount) => total + amount, 0n);
  return [sum(amounts.filter((amount) => amount > 0n)), -sum(amounts.filter((amount) => amount < 0n))];
}

function dayBefore(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}
