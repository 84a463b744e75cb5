import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { categorized } from '../aggregates/categorization.js';
import { CATEGORIZER, type Categorizer } from '../aggregates/categorizer.js';
import {
  collection,
  correction,
  payment,
  transfer,
  type EntryFacts,
  type LedgerTransaction,
  type Payee,
} from '../aggregates/ledger.js';
import { amountIn, ensureCurrency } from '../aggregates/money.js';
import { ensureSameRequest } from '../aggregates/request-digest.js';
import { CreateTransaction as CreateInput, ensureForm } from '../aggregates/transaction-input.js';
import { recordTransaction, transactionAggregate } from '../aggregates/transaction.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt, type Target } from '../platform/command.js';
import { conflict } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { TransactionReferences } from './transaction-references.js';

/** The receipt; `isReplay` where the same request has recorded it before. */
export type RecordedReceipt = Receipt & { readonly isReplay: boolean };

export class CreateTransaction extends command<typeof CreateInput, RecordedReceipt>(CreateInput) {
  /** Digests of the request's members where it came with an Idempotency-Key. */
  fieldHashes: Readonly<Record<string, string>> | null = null;
}

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

/** Adjustments is not adjusted by itself, nor are Opening balances opened. */
function ensureOther({ type, accountId }: Input, balancingAccountId: string): void {
  const isBalanced = type === 'ADJUSTMENT' || type === 'OPENING_BALANCE';
  if (isBalanced && accountId === balancingAccountId)
    throw conflict('SAME_ACCOUNT', 'The two accounts of a transaction must differ.');
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
    if (known && known.state.status !== 'absent') {
      ensureSameRequest(known.state.fieldHashes ?? {}, fieldHashes);
      // The first answer again: it was recorded at revision 0, whatever became of it.
      return { id, revision: 0, position: known.position, isReplay: true };
    }
    const recorded = { ...(await this.prepare(target, data)), fieldHashes: fieldHashes && { ...fieldHashes } };
    const made = await this.runner.execute(transactionAggregate, target, recorded, recordTransaction);
    return { id, revision: 0, position: made.position, isReplay: made.events.length === 0 };
  }

  private async prepare({ tenantId, id }: Target, data: Input) {
    ensureForm(data);
    const { currency, seeds } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    ensureCurrency(data.currency, currency);
    const amount = amountIn(currency, data.amount);
    const { customerName } = await this.references.ensure(tenantId, data);
    const { openingBalances, adjustments } = seeds.accounts;
    const balancingAccountId = data.type === 'ADJUSTMENT' ? adjustments : openingBalances;
    ensureOther(data, balancingAccountId);
    const entry = entryOf(data, factsOf(id, currency, data), amount, balancingAccountId);
    return this.withCategory(tenantId, entry, customerName);
  }

  private async withCategory(tenantId: string, transaction: LedgerTransaction, merchant: string | null) {
    const rules = await this.categorizer.rulesOf(tenantId);
    const { transactions, categorizedBy } = categorized([transaction], merchant, rules);
    return { transaction: transactions[0] ?? transaction, categorizedBy: categorizedBy[transaction.id] ?? null };
  }
}

export const transactionCommandHandlers = [TransactionReferences, CreateTransactionHandler];
