import { z } from 'zod';
import { type Fault, invalid } from '../eventsourcing/domain-error.js';
import { Direction, EntryDate, line, paragraph, RecordId, someOf } from './fields.js';
import { TransactionType } from './ledger.js';
import { Currency, MoneyInput } from './money.js';

const MIN_LINES = 2;
export const MAX_LINES = 100;

/** Fields whose errors do not prevent the validation of a line's debit and credit. */
const BESIDE_SIDES: readonly unknown[] = ['accountId', 'description'];
const haveReadableSides = ({ issues }: z.core.ParsePayload): boolean =>
  issues.every(({ code, path = [] }) => code === 'unrecognized_keys' || BESIDE_SIDES.includes(path[0]));

/**
 * A line of a journal entry, which debits or credits an account. A customer's account has the same id as the customer.
 */
const JournalLine = z
  .strictObject({
    accountId: RecordId,
    debit: z.exactOptional(MoneyInput),
    credit: z.exactOptional(MoneyInput),
    description: z.exactOptional(paragraph(1000).nullable()),
  })
  .superRefine(
    ({ debit, credit }, context) => {
      if ((debit === undefined) !== (credit === undefined)) return;
      for (const side of ['debit', 'credit'])
        context.addIssue({ code: 'custom', path: [side], message: 'A line requires either a debit or a credit.' });
    },
    { when: haveReadableSides },
  )
  .meta({ id: 'JournalLineDto' });
export type JournalLine = z.output<typeof JournalLine>;

const optional = {
  amount: MoneyInput,
  lines: z.array(JournalLine).min(MIN_LINES).max(MAX_LINES),
  currency: Currency,
  customerId: RecordId.nullable(),
  accountId: RecordId.nullable(),
  counterAccountId: RecordId.nullable(),
  direction: Direction.nullable(),
  expenseItemId: RecordId.nullable(),
  categoryId: RecordId.nullable(),
  branchId: RecordId.nullable(),
  description: paragraph(1000).nullable(),
  reference: line(100).nullable(),
};

export const CreateTransaction = z
  .strictObject({ type: TransactionType, date: EntryDate, ...someOf(optional).shape })
  .meta({ id: 'CreateTransactionDto' });
export type CreateTransaction = z.output<typeof CreateTransaction>;

type Part = 'amount' | 'lines' | 'customerId' | 'accountId' | 'counterAccountId' | 'expenseItemId' | 'direction';
const PARTS: readonly Part[] = [
  ...(['amount', 'lines', 'customerId', 'accountId', 'counterAccountId', 'expenseItemId', 'direction'] as const),
];

type Form = {
  readonly needs: readonly Part[];
  /** Exactly one of these fields is required. */
  readonly oneOf?: readonly Part[];
};

/** The fields of each transaction type. Any other field of PARTS is rejected. */
const FORMS: Readonly<Record<z.output<typeof TransactionType>, Form>> = {
  COLLECTION: { needs: ['amount', 'customerId', 'accountId'] },
  PAYMENT: { needs: ['amount', 'accountId'], oneOf: ['customerId', 'counterAccountId', 'expenseItemId'] },
  TRANSFER: { needs: ['amount', 'accountId', 'counterAccountId'] },
  ADJUSTMENT: { needs: ['amount', 'direction'], oneOf: ['customerId', 'accountId'] },
  OPENING_BALANCE: { needs: ['amount', 'direction'], oneOf: ['customerId', 'accountId'] },
  JOURNAL: { needs: ['lines'] },
};

const isGiven = (input: CreateTransaction, field: Part): boolean => (input[field] ?? null) !== null;

/** @throws DomainError invalid, which lists every missing or unexpected field */
export function ensureForm(input: CreateTransaction): void {
  const { needs, oneOf = [] } = FORMS[input.type];
  const given = PARTS.filter((field) => isGiven(input, field));
  const faults: Fault[] = [
    ...needs
      .filter((field) => !given.includes(field))
      .map((path) => ({ path, message: `Must be specified if the type is ${input.type}.` })),
    ...given
      .filter((field) => !needs.includes(field) && !oneOf.includes(field))
      .map((path) => ({ path, message: `Must not be specified if the type is ${input.type}.` })),
  ];
  const chosen = oneOf.filter((field) => given.includes(field));
  if (oneOf.length > 0 && chosen.length !== 1)
    faults.push(
      ...oneOf.map((path) => ({
        path,
        message: `The type ${input.type} requires exactly one of ${oneOf.join(', ')}.`,
      })),
    );
  if (faults.length > 0) throw invalid(faults);
}
