import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { invalid, notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import type { Scope } from '../ports/read-store.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { accountDays, transactions, type TransactionView } from '../projections/ledger.projection.js';
import { ReadModels } from './query.js';

/** One transaction on an account; either debit or credit is "0.00". */
export type StatementLine = {
  readonly transactionId: string;
  readonly date: string;
  readonly description: string | null;
  readonly debit: string;
  readonly credit: string;
  /** Balance after this line: debits minus credits. */
  readonly balance: string;
};
export type Statement = {
  readonly account: Pick<AccountView, 'id' | 'code' | 'name' | 'type' | 'currency'>;
  /** Null if unbounded. */
  readonly beginDate: string | null;
  readonly endDate: string | null;
  readonly opening: string;
  readonly lines: readonly StatementLine[];
  readonly closing: string;
};

export type Period = { readonly beginDate?: string | undefined; readonly endDate?: string | undefined };

export class GetStatement extends query<Statement, [scope: Scope, accountId: string, period: Period]>() {}

/** A longer statement is unreadable, and would block other requests. */
export const MAX_LINES = 20_000;

async function sumBefore(
  models: ReadModels,
  scope: Scope,
  accountId: string,
  date: string | undefined,
  digits: number,
): Promise<bigint> {
  if (date === undefined) return 0n;
  let sum = 0n;
  const query = { where: { accountId }, between: { date: { to: dayBefore(date) } } };
  for await (const { debit, credit } of models.each(accountDays, scope, query))
    sum += toMinor(debit, digits) - toMinor(credit, digits);
  return sum;
}

/** All postings to an account within a period, oldest first, with opening, running and closing balances. */
async function statementOf(models: ReadModels, scope: Scope, accountId: string, period: Period): Promise<Statement> {
  const account = await models.get(accounts, scope, accountId);
  if (!account || account.isDeleted) throw notFound('account');
  const { id, code, name, type, currency } = account;
  const { beginDate: from, endDate: to } = period;
  const digits = currencyDigits(currency);
  const opening = await sumBefore(models, scope, id, from, digits);
  let balance = opening;
  const lines: StatementLine[] = [];
  const posted = { where: { posting: id }, reverse: true, between: { date: { from, to } } };
  for await (const transaction of models.each(transactions, scope, posted)) {
    if (lines.length === MAX_LINES)
      throw invalid([
        { path: 'endDate', message: `The period has more than ${MAX_LINES} lines. Choose a shorter one.` },
      ]);
    const [debit, credit] = sidesOf(transaction, id, digits);
    balance += debit - credit;
    const amounts = { debit: fromMinor(debit, digits), credit: fromMinor(credit, digits) };
    const { id: transactionId, date, description } = transaction;
    lines.push({ transactionId, date, description, ...amounts, balance: fromMinor(balance, digits) });
  }
  return {
    account: { id, code, name, type, currency },
    beginDate: from ?? null,
    endDate: to ?? null,
    opening: fromMinor(opening, digits),
    lines,
    closing: fromMinor(balance, digits),
  };
}
export const statementHandler = answers(GetStatement, [ReadModels], statementOf);

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
