import { Inject } from '@nestjs/common';
import { z } from 'zod';
import { account, type AccountType, type PresentAccount } from '../aggregates/account.aggregate.js';
import { categorized } from '../aggregates/categorization.js';
import { ensureGivable } from '../aggregates/category.aggregate.js';
import { cancelOpeningBalance, categorizeOpeningBalance, customer } from '../aggregates/customer.aggregate.js';
import { type Direction, line, RecordId } from '../aggregates/fields.js';
import { type Carrier, type CategoryRequest, type LedgerTrail, revisionIn } from '../aggregates/ledger-trail.js';
import {
  type Cancellation,
  collection,
  correction,
  type EntryFacts,
  type LedgerTransaction,
  type Payee,
  payment,
  transfer,
} from '../aggregates/ledger.js';
import { amountIn, ensureCurrency } from '../aggregates/money.js';
import { ensureSameRequest } from '../aggregates/request-key.aggregate.js';
import { categorizeSaleTransaction, sale } from '../aggregates/sale.aggregate.js';
import { ensureOpen } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import {
  cancelTransaction,
  categorizeTransaction,
  CreateTransaction as CreateInput,
  ensureForm,
  recordTransaction,
  transactionAggregate,
} from '../aggregates/transaction.aggregate.js';
import type { Aggregate, Decision, DomainEvent } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, type Receipt, type Target } from '../eventsourcing/command.js';
import { conflict, invalid, notFound, notFoundAt } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK, IDS } from '../ports/time.js';
import { Categorizer } from '../queries/category.queries.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { ensureActiveBranch } from './branch-check.js';
import { categoryNamed } from './category.commands.js';

type AccountField = 'accountId' | 'counterAccountId' | 'expenseItemId';

/** Account types that a field accepts. A field without an entry accepts any type. */
const TYPES: Readonly<Partial<Record<string, readonly AccountType[]>>> = {
  'PAYMENT counterAccountId': ['SUPPLIER', 'EMPLOYEE'],
  'PAYMENT expenseItemId': ['EXPENSE'],
};

/** Direction of the money in the ledger; null for a transfer. */
const directionOf = ({ type, direction }: Input): Direction | null => {
  if (type === 'COLLECTION') return 'IN';
  if (type === 'PAYMENT') return 'OUT';
  return type === 'TRANSFER' ? null : (direction ?? null);
};

/**
 * Checks that the records referenced by a new transaction exist and accept new transactions. Returns the facts about
 * these records that the transaction needs.
 * @throws DomainError not_found, conflict CUSTOMER_PASSIVE, ACCOUNT_INACTIVE, BRANCH_INACTIVE, CATEGORY_ARCHIVED,
 * CATEGORY_DIRECTION, SAME_ACCOUNT; invalid for an account of a type that the field does not accept
 */
export async function ensureReferences(
  reader: RecordReader,
  tenantId: string,
  input: Input,
): Promise<{ readonly customerName: string | null }> {
  const { accountId, counterAccountId, branchId, categoryId } = input;
  if (accountId && accountId === counterAccountId)
    throw conflict('SAME_ACCOUNT', 'The two accounts of a transaction must differ.');
  for (const field of ['accountId', 'counterAccountId', 'expenseItemId'] as const)
    await ensureAccount(reader, tenantId, input, field);
  if (branchId) await ensureActiveBranch(reader, tenantId, branchId);
  if (categoryId) ensureGivable(await categoryNamed(reader, tenantId, categoryId), directionOf(input));
  return { customerName: input.customerId ? await customerName(reader, tenantId, input.customerId) : null };
}

async function ensureAccount(reader: RecordReader, tenantId: string, input: Input, field: AccountField): Promise<void> {
  const id = input[field];
  if (!id) return;
  const { type, isActive } = await accountOf(reader, tenantId, id, field);
  const allowed = TYPES[`${input.type} ${field}`];
  if (allowed && !allowed.includes(type))
    throw invalid([{ path: field, message: `Must be an account of type ${allowed.join(' or ')}.` }]);
  if (!isActive) throw conflict('ACCOUNT_INACTIVE', 'The account accepts no new transactions.');
}

async function accountOf(reader: RecordReader, tenantId: string, id: string, path: string): Promise<PresentAccount> {
  const { state } = await reader.read(account, tenantId, id);
  if (state.status === 'present') return { ...state, status: 'present' };
  const owner = await reader.read(customer, tenantId, id);
  if (owner.state.status === 'present') throw invalid([{ path, message: 'Use customerId for a customer.' }]);
  throw notFoundAt(path, 'account');
}

async function customerName(reader: RecordReader, tenantId: string, id: string): Promise<string> {
  const { state } = await reader.read(customer, tenantId, id);
  if (state.status !== 'present') throw notFoundAt('customerId', 'customer');
  if (!state.isActive) throw conflict('CUSTOMER_PASSIVE', 'The customer accepts no new transactions.');
  return state.name;
}

/** The receipt. `isReplay` is true if the same request already recorded the transaction. */
export type RecordedReceipt = Receipt & { readonly isReplay: boolean };

export class CreateTransaction extends command<typeof CreateInput, RecordedReceipt>(CreateInput) {
  /** Digests of the request's members if it had an Idempotency-Key, otherwise null. */
  fieldHashes: Readonly<Record<string, string>> | null = null;
}

type Input = z.output<typeof CreateInput>;

/** Expects a validated request. */
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

/** An entry on the Adjustments or Opening balances account cannot be balanced by the same account. */
function ensureOther({ type, accountId }: Input, balancingAccountId: string): void {
  const isBalanced = type === 'ADJUSTMENT' || type === 'OPENING_BALANCE';
  if (isBalanced && accountId === balancingAccountId)
    throw conflict('SAME_ACCOUNT', 'The two accounts of a transaction must differ.');
}

async function prepare(
  reader: RecordReader,
  categorizer: Categorizer,
  { target: { tenantId, id }, data }: CreateTransaction,
) {
  ensureForm(data);
  const found = presentTenant((await reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
  const { currency, seeds } = found;
  ensureCurrency(data.currency, currency);
  ensureOpen(found, data.date);
  const amount = amountIn(currency, data.amount);
  const { customerName } = await ensureReferences(reader, tenantId, data);
  const { openingBalances, adjustments } = seeds.accounts;
  const balancingAccountId = data.type === 'ADJUSTMENT' ? adjustments : openingBalances;
  ensureOther(data, balancingAccountId);
  const entry = entryOf(data, factsOf(id, currency, data), amount, balancingAccountId);
  const rules = await categorizer.rulesOf(tenantId);
  const { transactions, categorizedBy } = categorized([entry], customerName, rules);
  return { transaction: transactions[0] ?? entry, categorizedBy: categorizedBy[entry.id] ?? null };
}

const CancelTransactionInput = z.strictObject({ reason: line(500) }).meta({ id: 'CancelTransactionDto' });
export class CancelTransaction extends command(CancelTransactionInput) {}

const CategorizeTransactionInput = z
  .strictObject({ categoryId: RecordId.nullable() })
  .meta({ id: 'CategorizeTransactionDto' });
export class CategorizeTransaction extends command(CategorizeTransactionInput) {}

/** State of a stream that contains transactions. */
type Carrying = { readonly status: string; readonly trail?: LedgerTrail };
type Place = { readonly carrier: Carrier; readonly isReversal: boolean };

/** Finds the streams that contain transactions, and changes a transaction on its stream. */
export class TransactionCarriers {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LedgerUse) private readonly ledger: LedgerUse,
  ) {}

  /** @throws DomainError not_found; unavailable READ_MODEL_BEHIND */
  async find({ tenantId, id }: Target): Promise<Place> {
    const { state } = await this.reader.read(transactionAggregate, tenantId, id);
    if (state.status !== 'absent') return { carrier: { entity: 'transaction', recordId: id }, isReversal: false };
    const found = await this.ledger.find(tenantId, id);
    if (!found) throw notFound('transaction');
    return found;
  }

  /** The receipt and If-Match use the transaction's revision, not that of its stream. */
  async change<S extends Carrying, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    { tenantId, id, recordId }: Target & { readonly recordId: string },
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<Receipt> {
    const target = { tenantId, id: recordId };
    const revisionOf = ({ trail }: S) => (trail ? revisionIn(trail, id) : -1);
    const { revision, position } = await this.runner.execute(aggregate, target, data, decide, revisionOf);
    return { id, revision, position };
  }
}

function cancel(
  carriers: TransactionCarriers,
  target: Target & { readonly recordId: string },
  entity: Carrier['entity'],
  data: Cancellation,
): Promise<Receipt> {
  switch (entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, target, data, cancelTransaction);
    case 'customer':
      return carriers.change(customer, target, data, cancelOpeningBalance);
    case 'sale':
      throw conflict('SYSTEM_GENERATED', 'A sale created this transaction. Cancel it through the partner.');
  }
}

function choose(
  carriers: TransactionCarriers,
  target: Target & { readonly recordId: string },
  entity: Carrier['entity'],
  request: CategoryRequest,
): Promise<Receipt> {
  switch (entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, target, request, categorizeTransaction);
    case 'customer':
      return carriers.change(customer, target, request, categorizeOpeningBalance);
    case 'sale':
      return carriers.change(sale, target, request, categorizeSaleTransaction);
  }
}

export const transactionCommandHandlers = [
  handles(
    CreateTransaction,
    [CommandRunner, RecordReader, Categorizer],
    async (runner, reader, categorizer, received) => {
      const { target, fieldHashes } = received;
      const { tenantId, id } = target;
      const known = fieldHashes && (await reader.read(transactionAggregate, tenantId, id));
      if (known && known.state.status !== 'absent') {
        ensureSameRequest(known.state.fieldHashes ?? {}, fieldHashes);
        // Repeats the first response: revision 0, regardless of changes since then.
        return { id, revision: 0, position: known.position, isReplay: true };
      }
      const recorded = {
        ...(await prepare(reader, categorizer, received)),
        fieldHashes: fieldHashes && { ...fieldHashes },
      };
      const made = await runner.execute(transactionAggregate, target, recorded, recordTransaction);
      return { id, revision: 0, position: made.position, isReplay: made.events.length === 0 };
    },
  ),
  TransactionCarriers,
  handles(
    CancelTransaction,
    [RecordReader, TransactionCarriers, CLOCK, IDS],
    async (reader, carriers, clock, ids, { target, data: { reason } }) => {
      const { carrier, isReversal } = await carriers.find(target);
      if (isReversal) throw conflict('IS_REVERSAL', 'A reversal cannot be cancelled.');
      const found = presentTenant((await reader.read(tenant, PLATFORM_TENANT, target.tenantId)).state);
      const date = calendarDate(clock.nowMs(), found.timeZone);
      ensureOpen(found, date);
      const cancellation = { reversalId: ids.next(), date, reason };
      return cancel(carriers, { ...target, recordId: carrier.recordId }, carrier.entity, cancellation);
    },
  ),
  handles(
    CategorizeTransaction,
    [RecordReader, TransactionCarriers],
    async (reader, carriers, { target, data: { categoryId } }) => {
      const { carrier } = await carriers.find(target);
      const category = categoryId === null ? null : await categoryNamed(reader, target.tenantId, categoryId);
      const request = { transactionId: target.id, categoryId, category };
      return choose(carriers, { ...target, recordId: carrier.recordId }, carrier.entity, request);
    },
  ),
];
