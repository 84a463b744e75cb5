import { Inject, Injectable } from '@nestjs/common';
import { account, accountCodeKey } from '../aggregates/account.aggregate.js';
import { branch } from '../aggregates/branch.aggregate.js';
import type { SalePayment } from '../aggregates/sale-events.js';
import { presentTenant, tenant, type TenantSeeds } from '../aggregates/tenant.aggregate.js';
import type { AcceptedSale } from '../aggregates/sale.aggregate.js';
import { calendarDate } from '../platform/calendar.js';
import { Claims } from '../platform/claims.js';
import { conflict } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { parseStreamName, PLATFORM_TENANT } from '../platform/stream-name.js';

/** What of the tenant's records a document is booked on. */
export type SaleFacts = {
  readonly branchId: string | null;
  /** occurredAt in the tenant's time zone. */
  readonly date: string;
  readonly accounts: { readonly sales: string; readonly tax: string; readonly byPayment: readonly string[] };
};

const DEFAULT_ACCOUNT = { CASH: 'cash', CARD: 'card', BANK: 'bank' } as const;

/** Finds what a partner names by code: branch and accounts, by the claims on their codes, which are always current. */
@Injectable()
export class SaleFactsReader {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /** @throws DomainError conflict BRANCH_UNKNOWN, ACCOUNT_UNKNOWN */
  async factsOf(tenantId: string, state: AcceptedSale): Promise<SaleFacts> {
    const branchId = await this.branchOf(tenantId, state.branchCode);
    const { timeZone, seeds } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    const byPayment: string[] = [];
    for (const payment of state.payments) byPayment.push(await this.accountOf(tenantId, payment, seeds));
    const accounts = { sales: seeds.accounts.sales, tax: seeds.accounts.tax, byPayment };
    return { branchId, date: calendarDate(Date.parse(state.occurredAt), timeZone), accounts };
  }

  private async branchOf(tenantId: string, code: string | null): Promise<string | null> {
    if (code === null) return null;
    const value = code.toUpperCase();
    const id = await this.holderOf(tenantId, 'branch-code', value);
    if (id === undefined) throw conflict('BRANCH_UNKNOWN', `There is no branch ${value}.`);
    const { state } = await this.reader.read(branch, tenantId, id);
    if (state.status !== 'active') throw conflict('BRANCH_UNKNOWN', `The branch ${value} is not active.`);
    return id;
  }

  /** The account with the payment's code, else the default one of its method. */
  private async accountOf(tenantId: string, payment: SalePayment, { accounts }: TenantSeeds): Promise<string> {
    if (payment.accountCode === null) return accounts[DEFAULT_ACCOUNT[payment.method]];
    const id = await this.holderOf(tenantId, 'account-code', accountCodeKey(payment.accountCode));
    if (id === undefined) throw conflict('ACCOUNT_UNKNOWN', `There is no account ${payment.accountCode}.`);
    const { state } = await this.reader.read(account, tenantId, id);
    if (state.status !== 'present' || !state.isActive)
      throw conflict('ACCOUNT_UNKNOWN', `The account ${payment.accountCode} is not active.`);
    return id;
  }

  private async holderOf(tenantId: string, kind: string, value: string): Promise<string | undefined> {
    const stream = await this.claims.holder({ scope: tenantId, kind, value, refusal: null });
    return stream === undefined ? undefined : parseStreamName(stream)?.id;
  }
}
