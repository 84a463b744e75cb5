import { z } from 'zod';
import {
  CalendarDate,
  CurrencyText,
  DateText,
  Direction,
  FreeText,
  IdText,
  PublicAmount,
  PublicDate,
  PublicId,
} from './fields.js';
import { record, system } from './record.js';
import { isZero, negated, sumOf } from './money.js';
import { personal } from './personal.js';

export const TransactionType = z.enum([
  ...(['COLLECTION', 'PAYMENT', 'TRANSFER', 'ADJUSTMENT', 'OPENING_BALANCE', 'JOURNAL'] as const),
]);
export const DocumentEffect = z.enum(['INVOICE', 'RETURN', 'CANCELLATION']);

/** A posting in the transaction's currency. Debits are positive and credits are negative. */
export const Posting = z.object({
  accountId: z.string(),
  amount: z.string(),
  /** Description of a journal entry line. */
  description: z.exactOptional(z.string()),
});
export type Posting = z.output<typeof Posting>;

const text = z.string().nullable();
const reference = system(text, { published: PublicId.nullable() });
const freeText = system(text, { published: FreeText });
const seen = system(text, { published: true });

/** A transaction. Its postings sum to zero. A customer's ledger account has the customer's id. */
export const transactionRecord = record({
  id: system(z.string(), { shown: IdText, published: PublicId }),
  date: system(CalendarDate, {
    shown: DateText,
    published: PublicDate.meta({ description: "Date in the tenant's time zone." }),
  }),
  /**
   * Original date of the document. Present only if the document was booked on a later date, because its period was
   * closed or its sale was booked later.
   */
  documentDate: system(z.exactOptional(CalendarDate), {
    shown: DateText.meta({
      description:
        'Original date of the document. Earlier than `date` if its period was closed, or if its sale was booked later.',
    }),
    published: z.exactOptional(
      PublicDate.meta({
        description:
          'Original date of the document. Present only if the document was booked on a later date (`date`), because ' +
          'its period was closed or its sale was booked later.',
      }),
    ),
  }),
  type: system(TransactionType.nullable(), { published: true }),
  documentEffect: system(DocumentEffect.nullable(), { published: true }),
  direction: system(Direction.nullable(), { published: true }),
  amount: system(z.string(), { published: PublicAmount }),
  currency: system(z.string(), { published: CurrencyText }),
  customerId: reference,
  accountId: reference,
  counterAccountId: reference,
  expenseItemId: reference,
  categoryId: reference,
  branchId: reference,
  description: freeText,
  reference: freeText,
  systemGenerated: system(z.boolean(), { published: true }),
  sourceId: seen,
  externalId: seen,
  saleId: reference,
  reversalOf: system(text, {
    published: PublicId.nullable().meta({ description: 'Transaction that this transaction reverses.' }),
  }),
  postings: system(z.array(Posting), {
    published: z
      .array(
        z.strictObject({
          accountId: PublicId,
          amount: PublicAmount,
          description: z.exactOptional(
            personal(z.string().meta({ description: 'Free text that may contain personal data.' })),
          ),
        }),
      )
      .meta({ description: 'Postings: debits are positive, credits are negative, and the sum is zero.' }),
  }),
});
/** A transaction as stored in the event that records it. */
export const LedgerTransaction = z.object(transactionRecord.stored);
export type LedgerTransaction = z.output<typeof LedgerTransaction>;

/** Data common to transactions of every type. */
export type EntryFacts = Pick<LedgerTransaction, 'id' | 'date' | 'currency'> &
  Partial<Omit<LedgerTransaction, 'amount' | 'postings'>>;

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

/**
 * Returns the transaction. @throws Error if its postings do not sum to zero, because such a transaction must never be
 * stored
 */
export function balanced(transaction: LedgerTransaction): LedgerTransaction {
  const sum = imbalanceOf(transaction.postings, transaction.currency);
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

// A zero total is still posted to the customer and to Sales, so that the document appears on statements. Zero tax is
// not posted.
function documentPostings({ customerId, salesAccountId, taxAccountId, net, tax, gross }: DocumentAmounts): Posting[] {
  const taxed = isZero(tax) ? [] : [credit(taxAccountId, tax)];
  return [debit(customerId, gross), credit(salesAccountId, net), ...taxed];
}

const mirrored = (postings: readonly Posting[]): Posting[] =>
  postings.map(({ amount, ...rest }) => ({ ...rest, amount: negated(amount) }));

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

/** The payee: a customer, a supplier's or employee's account, or an expense account. */
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

/** The account or customer of an adjustment or opening balance. */
export type Subject = { readonly accountId: string } | { readonly customerId: string };

export type Correction = {
  readonly type: 'ADJUSTMENT' | 'OPENING_BALANCE';
  readonly subject: Subject;
  /**
   * IN: the account receives money, or the customer pays. OUT: the account pays, or the customer receives money and
   * owes more.
   */
  readonly direction: Direction;
  readonly amount: string;
  /** The "Adjustments" or "Opening balances" account. */
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

/** Returns the sum of the debits minus the sum of the credits. */
export const imbalanceOf = (postings: readonly Posting[], currency: string): string =>
  sumOf(
    postings.map(({ amount }) => amount),
    currency,
  );

/** A journal entry. Its amount is the sum of the debits. */
export function journal(facts: EntryFacts, postings: readonly Posting[]): LedgerTransaction {
  const debits = postings.map(({ amount }) => amount).filter((amount) => !amount.startsWith('-'));
  return entry(facts, { type: 'JOURNAL', amount: sumOf(debits, facts.currency), postings: [...postings] });
}

/** Returns the accounts that users chose for a transaction. For a journal entry, these are all of its accounts. */
export function chosenAccounts({ type, accountId, counterAccountId, postings }: AccountsChosen): string[] {
  if (type === 'JOURNAL') return postings.map((posting) => posting.accountId);
  return [accountId, counterAccountId].filter((id) => id !== null);
}
export type AccountsChosen = Pick<LedgerTransaction, 'type' | 'accountId' | 'counterAccountId' | 'postings'>;

const opposite = { IN: 'OUT', OUT: 'IN' } as const;

/**
 * Creates the reversal of a transaction. `documentEffect` is CANCELLATION if a partner's CANCELLATION reverses a
 * document.
 */
export function reversal(
  { documentDate: _, ...original }: LedgerTransaction,
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
