import { account, deleteAccount } from '../../src/aggregates/account.aggregate.js';
import { customer, deleteCustomer, linkCustomer } from '../../src/aggregates/customer.aggregate.js';
import { collection, saleInvoice, transfer, type LedgerTransaction } from '../../src/aggregates/ledger.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { TestService } from './service.js';

const DATE = '2026-03-04';
const CURRENCY = 'EUR';

/**
 * Appends the results of commands whose checks no longer hold. In the service, this happens if another command appends
 * between a command's checks and its append.
 */
export class LateWriter {
  constructor(
    private readonly service: TestService,
    private readonly tenantId: string,
  ) {}

  /** Deletes a customer without checking for transactions. Resolves when the read models reflect the deletion. */
  async deleteCustomer(id: string): Promise<void> {
    await this.acting(() => this.runner.execute(customer, { tenantId: this.tenantId, id }, {}, deleteCustomer));
    await this.service.quiet();
  }

  /** Deletes an account without checking for transactions. Resolves when the read models reflect the deletion. */
  async deleteAccount(id: string): Promise<void> {
    await this.acting(() => this.runner.execute(account, { tenantId: this.tenantId, id }, {}, deleteAccount));
    await this.service.quiet();
  }

  async linkCustomer(id: string, sourceId: string, externalId: string): Promise<void> {
    const link = { sourceId, externalId };
    await this.acting(() => this.runner.execute(customer, { tenantId: this.tenantId, id }, link, linkCustomer));
  }

  /** Records a collection of 100.00 from a customer into an account. Returns the event's id. */
  collect(customerId: string, accountId: string): Promise<string> {
    return this.record((facts) => collection(facts, { customerId, accountId, amount: '100.00' }));
  }

  /** Records a transfer of 100.00 from one account to another. Returns the event's id. */
  transfer(accountId: string, counterAccountId: string): Promise<string> {
    return this.record((facts) => transfer(facts, { accountId, counterAccountId, amount: '100.00' }));
  }

  /** Records a booked sale of 100.00. Returns the event's id. */
  async sell(customerId: string, salesAccountId: string): Promise<string> {
    const saleId = this.service.service.engines.ids.next();
    const facts = { id: this.service.service.engines.ids.next(), date: DATE, currency: CURRENCY, saleId };
    const amounts = { net: '100.00', tax: '0.00', gross: '100.00' };
    const invoice = saleInvoice(facts, { customerId, salesAccountId, taxAccountId: '', ...amounts });
    const data = { customerId, branchId: null, date: DATE, transactions: [invoice] };
    return this.write(streamName('sale', this.tenantId, saleId), { type: 'SaleBooked', data });
  }

  async eventsOf(kind: 'customer' | 'account', id: string): Promise<readonly RecordedEvent[]> {
    const { events } = this.service.service.engines;
    return (await events.readStream(streamName(kind, this.tenantId, id))).events;
  }

  private record(entry: (facts: { id: string; date: string; currency: string }) => LedgerTransaction): Promise<string> {
    const id = this.service.service.engines.ids.next();
    const transaction = entry({ id, date: DATE, currency: CURRENCY });
    const data = { transaction, categorizedBy: null, fieldHashes: null };
    return this.write(streamName('transaction', this.tenantId, id), { type: 'TransactionRecorded', data });
  }

  private async write(stream: string, event: { type: string; data: object }): Promise<string> {
    const appender = this.service.service.app.get(Appender);
    const { eventIds } = await this.acting(() => appender.write(stream, 'no_stream', [event]));
    return eventIds[0] ?? '';
  }

  private get runner(): CommandRunner {
    return this.service.service.app.get(CommandRunner);
  }

  private acting<T>(work: () => T): T {
    const id = this.service.service.engines.ids.next();
    const actor = { kind: 'system', name: 'test' } as const;
    return inContext({ tenantId: this.tenantId, actor, requestId: id, correlationId: id, commandId: id }, work);
  }
}
