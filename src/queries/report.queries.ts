import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { invalid, notFound, readModelBehind } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { type Scope, tenantScope } from '../ports/read-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import {
  accountDays,
  balances,
  type Sums,
  transactions,
  type TransactionView,
} from '../projections/ledger.projection.js';
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

export type TrialBalanceRow = {
  readonly accountId: string;
  readonly code: string | null;
  readonly name: string;
  readonly type: string;
  /** Sums of debits and credits, and debits minus credits. */
  readonly debit: string;
  readonly credit: string;
  readonly balance: string;
};
export type TrialBalance = {
  /** Null for all value dates. */
  readonly asOf: string | null;
  readonly currency: string;
  readonly rows: readonly TrialBalanceRow[];
  readonly totalDebit: string;
  readonly totalCredit: string;
};

export class GetTrialBalance extends query<TrialBalance, [tenantId: string, asOf: string | undefined]>() {}

type MinorSums = { debit: bigint; credit: bigint };
const NAMES_AT_ONCE = 500;
const MAX_READS = 6;
const BETWEEN_READS_MS = 50;

/**
 * All accounts with postings, sorted by code. Total debits always equal total credits: the sums are read in parts, and
 * a write between two reads could add only one side, so they are reread until both totals match.
 */
@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError unavailable READ_MODEL_BEHIND if the tenant's books change faster than they can be read */
  async execute({ args: [tenantId, asOf] }: GetTrialBalance): Promise<TrialBalance> {
    const { currency } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    const digits = currencyDigits(currency);
    const { sums, total } = await this.balancedSums(tenantId, asOf, digits);
    const named = await this.accountsOf(tenantId, [...sums.keys()]);
    const rows = [...sums].map(([accountId, { debit, credit }]) => {
      const { code = null, name = '', type = 'OTHER' } = named.get(accountId) ?? {};
      const amounts = { debit: fromMinor(debit, digits), credit: fromMinor(credit, digits) };
      return { accountId, code, name, type, ...amounts, balance: fromMinor(debit - credit, digits) };
    });
    rows.sort((a, b) => compare(a.code ?? '', b.code ?? '') || compare(a.accountId, b.accountId));
    const amount = fromMinor(total, digits);
    return { asOf: asOf ?? null, currency, rows, totalDebit: amount, totalCredit: amount };
  }

  private async balancedSums(tenantId: string, asOf: string | undefined, digits: number) {
    for (let reads = 1; reads <= MAX_READS; reads += 1) {
      const sums = await this.sumsUntil(tenantId, asOf, digits);
      const [total, credits] = [totalOf(sums, 'debit'), totalOf(sums, 'credit')];
      if (total === credits) return { sums, total };
      await this.clock.sleep(BETWEEN_READS_MS);
    }
    throw readModelBehind();
  }

  private async sumsUntil(tenantId: string, asOf: string | undefined, digits: number): Promise<Map<string, MinorSums>> {
    const scope = tenantScope(tenantId);
    const source =
      asOf === undefined
        ? this.models.each(balances, scope)
        : this.models.each(accountDays, scope, { between: { date: { to: asOf } } });
    const sums = new Map<string, MinorSums>();
    for await (const { accountId, debit, credit } of source as AsyncIterable<Sums & { accountId: string }>) {
      const known = sums.get(accountId) ?? { debit: 0n, credit: 0n };
      sums.set(accountId, {
        debit: known.debit + toMinor(debit, digits),
        credit: known.credit + toMinor(credit, digits),
      });
    }
    return sums;
  }

  private async accountsOf(tenantId: string, ids: readonly string[]): Promise<Map<string, AccountView>> {
    const found = new Map<string, AccountView>();
    for (let start = 0; start < ids.length; start += NAMES_AT_ONCE) {
      const some = await this.models.getMany(accounts, tenantScope(tenantId), ids.slice(start, start + NAMES_AT_ONCE));
      for (const [id, view] of some) found.set(id, view);
    }
    return found;
  }
}

const totalOf = (sums: ReadonlyMap<string, MinorSums>, side: keyof MinorSums): bigint =>
  [...sums.values()].reduce((sum, entry) => sum + entry[side], 0n);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
