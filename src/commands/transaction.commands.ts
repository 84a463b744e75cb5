import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { CATEGORIZER, type Categorizer } from '../aggregates/categorizer.js';
import { line } from '../aggregates/fields.js';
import {
  collection,
  correction,
  payment,
  transfer,
  type EntryFacts,
  type LedgerTransaction,
  type Payee,
} from '../aggregates/ledger.js';
import { amountIn } from '../aggregates/money.js';
import { CreateTransaction as CreateInput, ensureForm } from '../aggregates/transaction-input.js';
import {
  cancelTransaction,
  recordTransaction,
  transactionAggregate,
  type Transaction,
} from '../aggregates/transaction.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { calendarDate } from '../platform/calendar.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt, type Target } from '../platform/command.js';
import { conflict, invalid } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { LEDGER_DIRECTORY, type LedgerDirectory } from '../aggregates/ledger-use.js';
import { TransactionReferences } from './transaction-references.js';

/** The receipt; `isReplay` where the same request has recorded it before. */
export type RecordedReceipt = Receipt & { readonly isReplay: boolean };

export class CreateTransaction extends command<typeof CreateInput, RecordedReceipt>(CreateInput) {
  /** Digests of the request's members where it came with an Idempotency-Key. */
  fieldHashes: Readonly<Record<string, string>> | null = null;
}
export const CancelTransactionInput = z.strictObject({ reason: line(500) }).meta({ id: 'CancelTransactionDto' });
export class CancelTransaction extends command(CancelTransactionInput) {}

type Input = z.output<typeof CreateInput>;

/** What the ledger books for a request whose form is right. */
function entryOf(input: Input, facts: EntryFacts, amount: string, balancingAccountId: string): LedgerTransaction {
  const { type, direction } = input;
  const [customerId, accountId, counterAccountId] = [input.customerId, input.accountId, input.counterAccountId].map(
    (id) => id ?? '',
  ) as [string, string, string];
  switch (type) {
    case 'COLLECTION':
      return collection(facts, { customerId, accountId, amount });
    case 'PAYMENT':
      return payment(facts, { payee: payeeOf(input), accountId, amount });
    case 'TRANSFER':
      return transfer(facts, { accountId, counterAccountId, amount });
    case 'ADJUSTMENT':
    case 'OPENING_BALANCE': {
      const subject = input.customerId ? { customerId } : { accountId };
      return correction(facts, { type, subject, direction: direction ?? 'IN', amount, balancingAccountId });
    }
  }
}

function factsOf(id: string, currency: string, input: Input): EntryFacts {
  const { date, branchId = null, categoryId = null, description = null, reference = null } = input;
  return { id, date, currency, branchId, categoryId, description, reference };
}

function payeeOf({ customerId, counterAccountId, expenseItemId }: Input): Payee {
  if (customerId) return { customerId };
  return counterAccountId ? { counterAccountId } : { expenseItemId: expenseItemId ?? '' };
}

@CommandHandler(CreateTransaction)
export class CreateTransactionHandler implements ICommandHandler<CreateTransaction, RecordedReceipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(TransactionReferences) private readonly references: TransactionReferences,
    @Inject(CATEGORIZER) private readonly categorizer: Categorizer,
  ) {}

  async execute({ target, data, fieldHashes }: CreateTransaction): Promise<RecordedReceipt> {
    const { tenantId, id } = target;
    const known = fieldHashes && (await this.reader.read(transactionAggregate, tenantId, id));
    if (known && known.state.status !== 'absent')
      return this.replayed(known.state, fieldHashes, target, known.position);
    const recorded = { ...(await this.prepare(target, data)), fieldHashes: fieldHashes && { ...fieldHashes } };
    const made = await this.runner.execute(transactionAggregate, target, recorded, recordTransaction);
    return { id, revision: 0, position: made.position, isReplay: made.events.length === 0 };
  }

  private async prepare({ tenantId, id }: Target, data: Input) {
    ensureForm(data);
    const { currency, seeds } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    if ((data.currency ?? currency) !== currency)
      throw invalid([{ path: 'currency', message: `The books are kept in ${currency}.` }], 'CURRENCY_MISMATCH');
    const amount = amountIn(currency, data.amount);
    const { customerName } = await this.references.ensure(tenantId, data);
    const { openingBalances, adjustments } = seeds.accounts;
    const balancingAccountId = data.type === 'ADJUSTMENT' ? adjustments : openingBalances;
    const entry = entryOf(data, factsOf(id, currency, data), amount, balancingAccountId);
    return this.categorized(tenantId, entry, customerName);
  }

  /** The first answer again: the transaction was recorded at revision 0, whatever became of it. */
  private replayed(
    state: Transaction,
    fieldHashes: Readonly<Record<string, string>>,
    { id }: { readonly id: string },
    position: number,
  ): RecordedReceipt {
    const { transaction } = state as Exclude<Transaction, { status: 'absent' }>;
    recordTransaction(state, { transaction, categorizedBy: null, fieldHashes: { ...fieldHashes } });
    return { id, revision: 0, position, isReplay: true };
  }

  private async categorized(tenantId: string, transaction: LedgerTransaction, merchant: string | null) {
    const { amount, direction, description, accountId, counterAccountId } = transaction;
    const accountIds = [accountId, counterAccountId].filter((id) => id !== null);
    const found =
      transaction.categoryId === null
        ? await this.categorizer.categorize(tenantId, { merchant, description, amount, direction, accountIds })
        : undefined;
    if (!found) return { transaction, categorizedBy: null };
    return { transaction: { ...transaction, categoryId: found.categoryId }, categorizedBy: found.categorizedBy };
  }
}

@CommandHandler(CancelTransaction)
export class CancelTransactionHandler implements ICommandHandler<CancelTransaction, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LEDGER_DIRECTORY) private readonly directory: LedgerDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ target, data: { reason } }: CancelTransaction): Promise<Receipt> {
    const { tenantId, id } = target;
    const { state } = await this.reader.read(transactionAggregate, tenantId, id);
    if (state.status === 'absent') await this.refuse(tenantId, id);
    const { timeZone } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    const date = calendarDate(this.clock.nowMs(), timeZone);
    const cancellation = { reversalId: this.ids.next(), date, reason };
    const { revision, position } = await this.runner.execute(
      transactionAggregate,
      target,
      cancellation,
      cancelTransaction,
    );
    return { id, revision, position };
  }

  /** What has no stream of its own is a reversal, or was made by the service; or there is no such transaction. */
  private async refuse(tenantId: string, id: string): Promise<void> {
    const origin = await this.directory.originOf(tenantId, id);
    if (origin === 'reversal') throw conflict('IS_REVERSAL', 'A reversal cannot be cancelled.');
    if (origin === 'service')
      throw conflict('SYSTEM_GENERATED', 'The service made it: it is undone where it came from.');
  }
}

export const transactionCommandHandlers = [TransactionReferences, CreateTransactionHandler, CancelTransactionHandler];
