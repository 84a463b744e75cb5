import { randomUUID } from 'node:crypto';
import { account, deleteAccount } from '../../src/aggregates/account.aggregate.js';
import { customerRecord } from '../../src/aggregates/customer-fields.js';
import {
  customer,
  deleteCustomer,
  type Customer,
  type CustomerEvent,
} from '../../src/aggregates/customer.aggregate.js';
import type { LedgerUse } from '../../src/queries/ledger-use.js';
import { collection } from '../../src/aggregates/ledger.js';
import { recordTransaction, transactionAggregate } from '../../src/aggregates/transaction.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { DeleteCustomer, ensureUnused } from '../../src/commands/customer.commands.js';
import { ensureReferences } from '../../src/commands/entry-preparation.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { Memberships } from '../../src/eventsourcing/memberships.js';
import { documentsOf, evolveWith, wants } from '../../src/projecting/projection.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { RestorationPolicy, Restoring } from '../../src/policies/restoration.policy.js';
import type { EventStore, Position } from '../../src/ports/event-store.js';
import type { Clock, Ids } from '../../src/ports/time.js';
import { type DeletedRecord, deletedRecordProjection } from '../../src/projections/account.projection.js';
import { entriesOf, type LedgerEvent } from '../../src/projections/ledger-events.js';

const FACTS = { date: '2026-03-04', currency: 'EUR' };

/** Whether an event posts to an account. */
export const postsTo = (event: Recorded, accountId: string): boolean =>
  entriesOf(event as Recorded<LedgerEvent>).some(({ postings }) =>
    postings.some((posting) => posting.accountId === accountId),
  );

/** Returns the deleted records with postings after their deletion, as an up-to-date read model lists them. */
export function reachedIn(history: readonly Recorded[]): readonly DeletedRecord[] {
  const documents = new Map<string, object | undefined>();
  for (const event of history.filter(({ entity }) => wants(deletedRecordProjection, entity)))
    for (const id of documentsOf(deletedRecordProjection, event))
      documents.set(id, evolveWith(deletedRecordProjection, documents.get(id), event, id));
  return ([...documents.values()] as (DeletedRecord | undefined)[]).filter(
    (record): record is DeletedRecord => record !== undefined && record.reachedBy !== null,
  );
}

/** Reads all stored events. Takes the place of a read model that is up to date. */
export type Look = () => Promise<readonly Recorded[]>;

export const lookAt =
  (store: EventStore, from: Position): Look =>
  async () =>
    (await store.readAll({ from, maxCount: 1_000 }))
      .filter((event) => event.position > from)
      .map((event) => catalogue.decode(event));

/**
 * One process of the service, with separate caches and queues on the shared store. Offers the commands that create and
 * delete customers, accounts and transactions, and the policy that restores deleted records.
 */
export class Office implements Pick<LedgerUse, 'hasTransactions' | 'isInRule'> {
  private readonly reader: RecordReader;
  private readonly appender: Appender;
  private readonly runner: CommandRunner;
  private readonly restoring: Restoring;

  constructor(
    private readonly tenantId: string,
    store: EventStore,
    clock: Clock,
    private readonly ids: Ids,
    private readonly look: Look,
  ) {
    this.reader = new RecordReader(store, catalogue, clock);
    this.appender = new Appender(store, catalogue, clock);
    const claims = new Claims(this.reader, this.appender, catalogue, clock, ids);
    const memberships = new Memberships(this.reader, this.appender, catalogue, clock, ids);
    this.runner = new CommandRunner(this.reader, this.appender, claims, memberships, clock, () => 0.5);
    this.restoring = new Restoring(this.runner, this.reader, claims);
  }

  async hasTransactions(_tenantId: string, accountId: string): Promise<boolean> {
    return (await this.look()).some((event) => postsTo(event, accountId));
  }

  /** The office has no category rules, so no rule uses a record. */
  isInRule(): Promise<boolean> {
    return Promise.resolve(false);
  }

  openCustomer(id: string, code: string | null, externalIds: readonly string[] = []): Promise<unknown> {
    const links = externalIds.map((externalId) => ({ sourceId: 'shop', externalId }));
    const facts = { status: 'ACTIVE', isDefault: false, openingTransaction: null, currency: 'EUR' } as const;
    const created: CustomerEvent = {
      type: 'CustomerCreated',
      data: { ...customerRecord.otherwise, name: id, code, ...facts, links },
    };
    const open = ({ status }: Customer) => (status === 'absent' ? [created] : []);
    return this.acting(() => this.runner.execute(customer, this.target(id), {}, open));
  }

  openAccount(id: string, code: string | null): Promise<unknown> {
    const data = { type: 'BANK', code, name: id, currency: 'EUR', isActive: true, isSystem: false } as const;
    const created = { type: 'AccountCreated', data } as const;
    return this.acting(() =>
      this.runner.execute(account, this.target(id), {}, ({ status }) => (status === 'absent' ? [created] : [])),
    );
  }

  deleteCustomer(id: string): Promise<unknown> {
    return this.acting(async () => {
      await ensureUnused(this.reader, this, new DeleteCustomer(this.target(id), {}));
      await this.runner.execute(customer, this.target(id), {}, deleteCustomer);
    });
  }

  /**
   * Deletes an account as the command's handler does, but does not check whether the account is the default for its
   * type.
   */
  async deleteAccount(id: string): Promise<void> {
    await this.acting(async () => {
      if (await this.hasTransactions(this.tenantId, id)) return;
      await this.runner.execute(account, this.target(id), {}, deleteAccount);
    });
  }

  /** Records a collection of 1.00 from a customer into an account. */
  collect(customerId: string, accountId: string): Promise<unknown> {
    return this.acting(async () => {
      const input = { type: 'COLLECTION', date: FACTS.date, amount: '1.00', customerId, accountId } as const;
      await ensureReferences(this.reader, this.tenantId, input);
      await this.post(customerId, accountId);
    });
  }

  /** Posts 1.00 without checks, regardless of the state of the customer and the account. */
  async post(customerId: string, accountId: string): Promise<void> {
    await this.acting(() => {
      const id = this.ids.next();
      const transaction = collection({ ...FACTS, id }, { customerId, accountId, amount: '1.00' });
      const data = { transaction, categorizedBy: null, fieldHashes: null };
      return this.runner.execute(transactionAggregate, this.target(id), data, recordTransaction);
    });
  }

  /** Runs the restoration policy on all deletions so far. */
  async reactToDeletions(): Promise<void> {
    const policy = new RestorationPolicy(this, this.restoring);
    for (const event of await this.look())
      if (policy.types.includes(event.type)) await policy.react(event as Parameters<RestorationPolicy['react']>[0]);
  }

  /** Restores records that were posted to after their deletion, as the watch does. */
  async restoreReached(): Promise<void> {
    for (const { kind, recordId, tenantId, reachedBy } of reachedIn(await this.look()))
      if (reachedBy) await this.restoring.restore(kind, recordId, { ...reachedBy, tenantId });
  }

  private target(id: string) {
    return { tenantId: this.tenantId, id };
  }

  private acting<T>(work: () => Promise<T>): Promise<T> {
    const id = randomUUID();
    const actor = { kind: 'system', name: 'test' } as const;
    const context = { tenantId: this.tenantId, actor, requestId: id, correlationId: id, commandId: id };
    return inContext(context, work);
  }
}
