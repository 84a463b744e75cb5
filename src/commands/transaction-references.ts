import { account, type AccountType, type PresentAccount } from '../aggregates/account.aggregate.js';
import { ensureGivable } from '../aggregates/category.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import type { Direction } from '../aggregates/fields.js';
import type { CreateTransaction } from '../aggregates/transaction-input.js';
import { conflict, invalid, notFoundAt } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { ensureActiveBranch } from './branch-check.js';
import { categoryNamed } from './category-check.js';

type AccountField = 'accountId' | 'counterAccountId' | 'expenseItemId';

/** Account types that a field accepts. A field without an entry accepts any type. */
const TYPES: Readonly<Partial<Record<string, readonly AccountType[]>>> = {
  'PAYMENT counterAccountId': ['SUPPLIER', 'EMPLOYEE'],
  'PAYMENT expenseItemId': ['EXPENSE'],
};

/** Direction of the money in the ledger; null for a transfer. */
const directionOf = ({ type, direction }: CreateTransaction): Direction | null => {
  if (type === 'COLLECTION') return 'IN';
  if (type === 'PAYMENT') return 'OUT';
  return type === 'TRANSFER' ? null : (direction ?? null);
};

/**
 * Checks that the records referenced by a new transaction exist and accept new transactions. Returns the facts needed
 * from them.
 * @throws DomainError not_found, conflict CUSTOMER_PASSIVE, ACCOUNT_INACTIVE, BRANCH_INACTIVE, CATEGORY_ARCHIVED,
 * CATEGORY_DIRECTION, SAME_ACCOUNT; invalid for an account of a type that the field does not accept
 */
export async function ensureReferences(
  reader: RecordReader,
  tenantId: string,
  input: CreateTransaction,
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

async function ensureAccount(
  reader: RecordReader,
  tenantId: string,
  input: CreateTransaction,
  field: AccountField,
): Promise<void> {
  const id = input[field];
  if (!id) return;
  const { type, isActive } = await accountOf(reader, tenantId, id, field);
  const allowed = TYPES[`${input.type} ${field}`];
  if (allowed && !allowed.includes(type))
    throw invalid([{ path: field, message: `Must be an account of the type ${allowed.join(' or ')}.` }]);
  if (!isActive) throw conflict('ACCOUNT_INACTIVE', 'The account takes no new transactions.');
}

async function accountOf(reader: RecordReader, tenantId: string, id: string, path: string): Promise<PresentAccount> {
  const { state } = await reader.read(account, tenantId, id);
  if (state.status === 'present') return { ...state, status: 'present' };
  const owner = await reader.read(customer, tenantId, id);
  if (owner.state.status === 'present') throw invalid([{ path, message: 'A customer is named as customerId.' }]);
  throw notFoundAt(path, 'account');
}

async function customerName(reader: RecordReader, tenantId: string, id: string): Promise<string> {
  const { state } = await reader.read(customer, tenantId, id);
  if (state.status !== 'present') throw notFoundAt('customerId', 'customer');
  if (!state.isActive) throw conflict('CUSTOMER_PASSIVE', 'The customer takes no new transactions.');
  return state.name;
}
