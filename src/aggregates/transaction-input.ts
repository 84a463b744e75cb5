import { z } from 'zod';
import { invalid, type Fault } from '../eventsourcing/domain-error.js';
import { Direction, EntryDate, line, paragraph, RecordId, someOf } from './fields.js';
import { TransactionType } from './ledger.js';
import { Currency, MoneyInput } from './money.js';

const optional = {
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
  .strictObject({
    type: TransactionType,
    date: EntryDate,
    amount: MoneyInput,
    ...someOf(optional).shape,
  })
  .meta({ id: 'CreateTransactionDto' });
export type CreateTransaction = z.output<typeof CreateTransaction>;

type Party = 'customerId' | 'accountId' | 'counterAccountId' | 'expenseItemId' | 'direction';
const PARTIES: readonly Party[] = ['customerId', 'accountId', 'counterAccountId', 'expenseItemId', 'direction'];

type Form = {
  readonly needs: readonly Party[];
  /** Exactly one of these is required. */
  readonly oneOf?: readonly Party[];
};

/** Fields of each type; all other PARTIES are rejected. */
const FORMS: Readonly<Record<z.output<typeof TransactionType>, Form>> = {
  COLLECTION: { needs: ['customerId', 'accountId'] },
  PAYMENT: { needs: ['accountId'], oneOf: ['customerId', 'counterAccountId', 'expenseItemId'] },
  TRANSFER: { needs: ['accountId', 'counterAccountId'] },
  ADJUSTMENT: { needs: ['direction'], oneOf: ['customerId', 'accountId'] },
  OPENING_BALANCE: { needs: ['direction'], oneOf: ['customerId', 'accountId'] },
};

const isGiven = (input: CreateTransaction, field: Party): boolean => (input[field] ?? null) !== null;

/** @throws DomainError invalid naming every missing or rejected field */
export function ensureForm(input: CreateTransaction): void {
  const { needs, oneOf = [] } = FORMS[input.type];
  const given = PARTIES.filter((field) => isGiven(input, field));
  const faults: Fault[] = [
    ...needs.filter((field) => !given.includes(field)).map((path) => ({ path, message: `A ${input.type} needs it.` })),
    ...given
      .filter((field) => !needs.includes(field) && !oneOf.includes(field))
      .map((path) => ({ path, message: `A ${input.type} does not take it.` })),
  ];
  const chosen = oneOf.filter((field) => given.includes(field));
  if (oneOf.length > 0 && chosen.length !== 1)
    faults.push(
      ...oneOf.map((path) => ({ path, message: `A ${input.type} takes exactly one of ${oneOf.join(', ')}.` })),
    );
  if (faults.length > 0) throw invalid(faults);
}
