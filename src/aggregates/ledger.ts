import { z } from 'zod';
import { CalendarDate, Direction } from './fields.js';
import { isZero, negated, sumOf } from './money.js';

export const TransactionType = z.enum(['COLLECTION', 'PAYMENT', 'TRANSFER', 'ADJUSTMENT', 'OPENING_BALANCE']);
export const DocumentEffect = z.enum(['INVOICE', 'RETURN', 'CANCELLATION']);

/** One side of a transaction, in the transaction's currency: debits positive, credits negative. */
export const Posting = z.object({ accountId: z.string(), amount: z.string() });
export type Posting = z.output<typeof Posting>;

/** A transaction as it rides in the event that causes it. Its postings sum to zero. A customer's account id is its own. */
export const LedgerTransaction = z.object({
  id: z.string(),
  date: CalendarDate,
  type: TransactionType.nullable(),
  documentEffect: DocumentEffect.nullable(),
  direction: Direction.nullable(),
  amount: z.string(),
  currency: z.string(),
  customerId: z.string().nullable(),
  accountId: z.string().nullable(),
  counterAccountId: z.string().nullable(),
  expenseItemId: z.string().nullable(),
  categoryId: z.string().nullable(),
  branchId: z.string().nullable(),
  description: z.string().nullable(),
  reference: z.string().nullable(),
  systemGenerated: z.boolean(),
  sourceId: z.string().nullable(),
  externalId: z.string().nullable(),
  saleId: z.string().nullable(),
  reversalOf: z.string().nullable(),
  postings: z.array(Posting),
});
export type LedgerTransaction = z.output<typeof LedgerTransaction>;

/** What a transaction carries whatever its kind. */
export type EntryFacts = Pick<LedgerTransaction, 'id' | 'date' | 'currency'> &
  Partial<
    Pick<
      LedgerTransaction,
      | 'categoryId'
      | 'branchId'
      | 'description'
      | 'reference'
      | 'systemGenerated'
      | 'sourceId'
      | 'externalId'
      | 'saleId'
      | 'reversalOf'
    >
  >;

const debit = (accountId: string, amount: string): Posting => ({ accountId, amount });
const credit = (accountId: string, amount: string): Posting => ({ accountId, amount: negated(amount) });

type Kind = Pick<LedgerTransaction, 'amount' | 'postings'> & Partial<LedgerTransaction>;

function entry(facts: EntryFacts, kind: Kind): LedgerTransaction {
  const transaction: LedgerTransaction = {
    type: null,
    documentEffect: null,
    direction: null,
    customerId: null,
    accountId: null,
    counterAccountId: null,
    expenseItemId: null,
    categoryId: null,
    branchId: null,
    description: null,
    reference: null,
    systemGenerated: false,
    sourceId: null,
    externalId: null,
    saleId: null,
    reversalOf: null,
    ...facts,
    ...kind,
  };
  return balanced(transaction);
}

/** The transaction itself. @throws Error when its postings do not sum to zero: a defect that must never be written */
export function balanced(transaction: LedgerTransaction): LedgerTransaction {
  const amounts = transaction.postings.map((posting) => posting.amount);
  const sum = sumOf(amounts, transaction.currency);
  if (!isZero(sum)) throw new Error(`Transaction ${transaction.id} is out of balance by ${sum}`);
  return transaction;
}

export type DocumentAmounts = {
  readonly customerId: string;
  readonly salesAccountId: string;
  readonly taxAccountId: string;
  readonly net: string;
  readonly tax: string;
  readonly gross: string;
};

// The customer and Sales are posted to even when nothing is owed, so that statements list the document; tax only if any.
function documentPostings({ customerId, salesAccountId, taxAccountId, net, tax, gross }: DocumentAmounts): Posting[] {
  const taxed = isZero(tax) ? [] : [credit(taxAccountId, tax)];
  return [debit(customerId, gross), credit(salesAccountId, net), ...taxed];
}

const mirrored = (postings: readonly Posting[]): Posting[] =>
  postings.map(({ accountId, amount }) => ({ accountId, amount: negated(amount) }));

export const saleInvoice = (facts: EntryFacts, document: DocumentAmounts): LedgerTransaction =>
  entry(facts, {
    documentEffect: 'INVOICE',
    direction: 'OUT',
    amount: document.gross,
    customerId: document.customerId,
    postings: documentPostings(document),
  });

export const saleReturn = (facts: EntryFacts, document: DocumentAmounts): LedgerTransaction =>
  entry(facts, {
    documentEffect: 'RETURN',
    direction: 'IN',
    amount: document.gross,
    customerId: document.customerId,
    postings: mirrored(documentPostings(document)),
  });

export const collection = (
  facts: EntryFacts,
  { customerId, accountId, amount }: { customerId: string; accountId: string; amount: string },
): LedgerTransaction =>
  entry(facts, {
    type: 'COLLECTION',
    direction: 'IN',
    amount,
    customerId,
    accountId,
    postings: [debit(accountId, amount), credit(customerId, amount)],
  });

/** Who is paid: a customer, a supplier's or employee's account, or an expense. */
export type Payee =
  { readonly customerId: string } | { readonly counterAccountId: string } | { readonly expenseItemId: string };

const payeeAccount = (payee: Payee): string => {
  if ('customerId' in payee) return payee.customerId;
  return 'counterAccountId' in payee ? payee.counterAccountId : payee.expenseItemId;
};

export const payment = (
  facts: EntryFacts,
  { payee, accountId, amount }: { payee: Payee; accountId: string; amount: string },
): LedgerTransaction =>
  entry(facts, {
    type: 'PAYMENT',
    direction: 'OUT',
    amount,
    accountId,
    ...payee,
    postings: [debit(payeeAccount(payee), amount), credit(accountId, amount)],
  });

export const transfer = (
  facts: EntryFacts,
  { accountId, counterAccountId, amount }: { accountId: string; counterAccountId: string; amount: string },
): LedgerTransaction =>
  entry(facts, {
    type: 'TRANSFER',
    amount,
    accountId,
    counterAccountId,
    postings: [debit(counterAccountId, amount), credit(accountId, amount)],
  });

/** What an adjustment or an opening balance is about: an account, or a customer. */
export type Subject = { readonly accountId: string } | { readonly customerId: string };

export type Correction = {
  readonly type: 'ADJUSTMENT' | 'OPENING_BALANCE';
  readonly subject: Subject;
  /** IN: the account gets, or the customer gives. OUT: the account gives, or the customer gets (owes more). */
  readonly direction: Direction;
  readonly amount: string;
  /** Adjustments or Opening balances. */
  readonly balancingAccountId: string;
};

export function correction(facts: EntryFacts, data: Correction): LedgerTransaction {
  const { type, subject, direction, amount, balancingAccountId } = data;
  const onCustomer = 'customerId' in subject;
  const subjectId = onCustomer ? subject.customerId : subject.accountId;
  const isDebited = onCustomer ? direction === 'OUT' : direction === 'IN';
  const [debited, credited] = isDebited ? [subjectId, balancingAccountId] : [balancingAccountId, subjectId];
  const postings = [debit(debited, amount), credit(credited, amount)];
  return entry(facts, { type, direction, amount, ...subject, postings });
}

const opposite = { IN: 'OUT', OUT: 'IN' } as const;

/** What a user gives to undo a transaction, with the id of the reversal to be. */
export type Cancellation = { readonly reversalId: string; readonly date: string; readonly reason: string };

/** Undoes a transaction. `documentEffect` is CANCELLATION when a partner's CANCELLATION undoes a document. */
export function reversal(
  original: LedgerTransaction,
  facts: Omit<EntryFacts, 'currency' | 'reversalOf'>,
  documentEffect = original.documentEffect,
): LedgerTransaction {
  return balanced({
    ...original,
    systemGenerated: false,
    ...facts,
    documentEffect,
    direction: original.direction === null ? null : opposite[original.direction],
    reversalOf: original.id,
    postings: mirrored(original.postings),
  });
}
