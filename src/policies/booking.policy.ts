import { Inject, Injectable } from '@nestjs/common';
import { account, accountCodeKey } from '../aggregates/account.aggregate.js';
import { branch } from '../aggregates/branch.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import { bookSale } from '../aggregates/sale-booking.js';
import type { SaleEvent, SalePayment } from '../aggregates/sale-events.js';
import { rejectSale, sale, type AcceptedSale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant, type TenantSeeds } from '../aggregates/tenant.aggregate.js';
import { calendarDate } from '../platform/calendar.js';
import { Claims } from '../platform/claims.js';
import { CommandRunner } from '../platform/command-runner.js';
import { conflict, DomainError } from '../platform/domain-error.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { inReactionTo, type Policy } from '../platform/policy.js';
import { RecordReader } from '../platform/record-reader.js';
import { parseStreamName, PLATFORM_TENANT } from '../platform/stream-name.js';
import { CustomerMatching } from './customer-matching.js';

/**
 * Books accepted sales: one SaleBooked with all transactions, or SaleRejected with the reason. The sale's own state says
 * whether it is booked, so a redelivered event changes nothing.
 */
@Injectable()
export class BookingPolicy implements Policy {
  readonly name = 'booking';
  readonly types = ['SaleAccepted'];

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(CustomerMatching) private readonly matching: CustomerMatching,
  ) {}

  async react(event: Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>): Promise<void> {
    const { tenantId, recordId: saleId } = event;
    const { state } = await this.reader.read(sale, tenantId, saleId, { maxAgeMs: Number.MAX_SAFE_INTEGER });
    if (state.status === 'absent' || state.booking || state.rejection) return;
    await inReactionTo(event, this.name, () => this.bookOrReject(tenantId, saleId, state));
  }

  private async bookOrReject(tenantId: string, saleId: string, state: AcceptedSale): Promise<void> {
    try {
      await this.book(tenantId, saleId, state);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      const rejection = { code: error.code, message: error.message, attempts: 1 };
      await this.runner.execute(sale, { tenantId, id: saleId }, rejection, rejectSale);
    }
  }

  private async book(tenantId: string, saleId: string, state: AcceptedSale): Promise<void> {
    if (state.type !== 'SALE') throw conflict('RELATED_SALE_UNKNOWN', 'Returns and cancellations are not booked yet.');
    const branchId = await this.branchOf(tenantId, state.branchCode);
    const { timeZone, seeds } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    const byPayment: string[] = [];
    for (const payment of state.payments) byPayment.push(await this.accountOf(tenantId, payment, seeds));
    const customerId = await this.matching.customerOf({ tenantId, saleId, state });
    await this.checkCustomer(tenantId, customerId);
    const accounts = { sales: seeds.accounts.sales, tax: seeds.accounts.tax, byPayment };
    const date = calendarDate(Date.parse(state.occurredAt), timeZone);
    await this.runner.execute(
      sale,
      { tenantId, id: saleId },
      { saleId, customerId, branchId, date, accounts },
      bookSale,
    );
  }

  private async branchOf(tenantId: string, code: string | null): Promise<string | null> {
    if (code === null) return null;
    const value = code.toUpperCase();
    const stream = await this.claims.holder({ scope: tenantId, kind: 'branch-code', value, refusal: null });
    const id = stream === undefined ? undefined : parseStreamName(stream)?.id;
    if (id === undefined) throw conflict('BRANCH_UNKNOWN', `There is no branch ${value}.`);
    const { state } = await this.reader.read(branch, tenantId, id);
    if (state.status !== 'active') throw conflict('BRANCH_UNKNOWN', `The branch ${value} is not active.`);
    return id;
  }

  /** The account with the payment's code, else the default one of its method. */
  private async accountOf(tenantId: string, payment: SalePayment, { accounts }: TenantSeeds): Promise<string> {
    if (payment.accountCode === null) return accounts[DEFAULT_ACCOUNT[payment.method]];
    const value = accountCodeKey(payment.accountCode);
    const stream = await this.claims.holder({ scope: tenantId, kind: 'account-code', value, refusal: null });
    const id = stream === undefined ? undefined : parseStreamName(stream)?.id;
    if (id === undefined) throw conflict('ACCOUNT_UNKNOWN', `There is no account ${payment.accountCode}.`);
    const { state } = await this.reader.read(account, tenantId, id);
    if (state.status !== 'present' || !state.isActive)
      throw conflict('ACCOUNT_UNKNOWN', `The account ${payment.accountCode} is not active.`);
    return id;
  }

  private async checkCustomer(tenantId: string, customerId: string): Promise<void> {
    const { state } = await this.reader.read(customer, tenantId, customerId);
    if (state.status !== 'absent' && !state.isActive)
      throw conflict('CUSTOMER_PASSIVE', 'The customer is passive: it takes no new transactions.');
  }
}

const DEFAULT_ACCOUNT = { CASH: 'cash', CARD: 'card', BANK: 'bank' } as const;
