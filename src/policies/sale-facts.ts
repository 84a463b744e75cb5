import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNT_DEFAULTS_ID, accountDefaults } from '../aggregates/account-defaults.aggregate.js';
import { account, accountCodeClaim } from '../aggregates/account.aggregate.js';
import { branch, branchCodeClaim } from '../aggregates/branch.aggregate.js';
import type { SalePayment } from '../aggregates/sale-events.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import type { AcceptedSale } from '../aggregates/sale.aggregate.js';
import type { Claim } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { Claims } from '../eventsourcing/claims.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

/** The tenant's branch and accounts that a document is booked on, and its date. */
export type SaleFacts = {
  readonly branchId: string | null;
  /** Calendar date of `occurredAt` in the tenant's time zone. */
  readonly date: string;
  readonly accounts: { readonly sales: string; readonly tax: string; readonly byPayment: readonly string[] };
};

const ACCOUNT_TYPE = { CASH: 'CASH', CARD: 'POS', BANK: 'BANK' } as const;

/** Resolves a partner's branch and account codes by the claims on them, which are always current. */
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
    for (const payment of state.payments) byPayment.push(await this.accountOf(tenantId, payment));
    const accounts = { sales: seeds.accounts.sales, tax: seeds.accounts.tax, byPayment };
    return { branchId, date: calendarDate(Date.parse(state.occurredAt), timeZone), accounts };
  }

  private async branchOf(tenantId: string, code: string | null): Promise<string | null> {
    if (code === null) return null;
    const value = code.toUpperCase();
    const id = await this.holderOf(branchCodeClaim(tenantId, value));
    if (id === undefined) throw conflict('BRANCH_UNKNOWN', `There is no branch ${value}.`);
    const { state } = await this.reader.read(branch, tenantId, id);
    if (state.status !== 'active') throw conflict('BRANCH_UNKNOWN', `The branch ${value} is not active.`);
    return id;
  }

  /** The account with the payment's code, otherwise the default account of its method. */
  private accountOf(tenantId: string, { accountCode, method }: SalePayment): Promise<string> {
    return accountCode === null ? this.defaultOf(tenantId, method) : this.codedAccount(tenantId, accountCode);
  }

  private async defaultOf(tenantId: string, method: SalePayment['method']): Promise<string> {
    const type = ACCOUNT_TYPE[method];
    const { state } = await this.reader.read(accountDefaults, tenantId, ACCOUNT_DEFAULTS_ID);
    const id = state.byType[type];
    if (id === undefined || !(await this.isOpen(tenantId, id)))
      throw conflict('ACCOUNT_UNKNOWN', `There is no active default account of the type ${type}.`);
    return id;
  }

  private async codedAccount(tenantId: string, code: string): Promise<string> {
    const id = await this.holderOf(accountCodeClaim(tenantId, code));
    if (id === undefined) throw conflict('ACCOUNT_UNKNOWN', `There is no account ${code}.`);
    if (!(await this.isOpen(tenantId, id))) throw conflict('ACCOUNT_UNKNOWN', `The account ${code} is not active.`);
    return id;
  }

  private async isOpen(tenantId: string, id: string): Promise<boolean> {
    const { state } = await this.reader.read(account, tenantId, id);
    return state.status === 'present' && state.isActive;
  }

  private async holderOf(claim: Claim): Promise<string | undefined> {
    const stream = await this.claims.holder(claim);
    return stream === undefined ? undefined : parseStreamName(stream)?.id;
  }
}
