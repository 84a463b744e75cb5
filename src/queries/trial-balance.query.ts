import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { currencyDigits, fromMinor, toMinor } from '../aggregates/money.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import { ReadModels } from './query.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { tenantScope } from '../ports/read-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { accountDays, balances, type Sums } from '../projections/balance.projection.js';

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
  /** Null: all value dates. */
  readonly asOf: string | null;
  readonly currency: string;
  readonly rows: readonly TrialBalanceRow[];
  readonly totalDebit: string;
  readonly totalCredit: string;
};

export class GetTrialBalance extends Query<TrialBalance> {
  constructor(
    readonly tenantId: string,
    readonly asOf: string | undefined,
  ) {
    super();
  }
}

type MinorSums = { debit: bigint; credit: bigint };
const NAMES_AT_ONCE = 500;
const MAX_READS = 6;
const BETWEEN_READS_MS = 50;

/**
 * Every account with postings, by code. Both totals are always equal: the sums are read in parts, and a write in
 * between could add only one side, so they are reread until both sides match.
 */
@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError unavailable READ_MODEL_BEHIND if the tenant's books change faster than they can be read */
  async execute({ tenantId, asOf }: GetTrialBalance): Promise<TrialBalance> {
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
