import { z } from 'zod';
import { categorized } from '../aggregates/categorization.js';
import { Categorizer } from '../queries/categorizer.js';
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
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, type Receipt } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { ensureReferences } from './transaction-references.js';

/** The receipt. `isReplay` is true if the same request already recorded the transaction. */
export type RecordedReceipt = Receipt & { readonly isReplay: boolean };

export class CreateTransaction extends command<typeof CreateInput, RecordedReceipt>(CreateInput) {
  /** Digests of the request's members if it had an Idempotency-Key, otherwise null. */
  fieldHashes: Readonly<Record<string, string>> | null = null;
}

type Input = z.output<typeof CreateInput>;

/** The request must be valid. */
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

/** The accounts Adjustments and Opening balances cannot balance their own entries. */
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
  const { currency, seeds } = presentTenant((await reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
  ensureCurrency(data.currency, currency);
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
        // Repeats the first response: revision 0, whatever changed since.
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
];
