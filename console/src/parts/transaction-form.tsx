import type { ReactNode } from 'react';
import { customerSource, expenseSource, moneySource, ownSource, payeeSource, type Transaction } from '../api/books';
import type { Shapes } from '../api/client';
import { amountOf, typedAmount } from './amount';
import { AmountField, AreaField, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { ClassFields, classOf } from './class-fields';
import type { Source } from './remote-choice';
import { RemoteField } from './remote-field';
import { RECORDED_TYPES } from './transaction-words';
import { t } from '../messages/catalogue';

type Body = Shapes['CreateTransactionDto'];
type Reference = 'customerId' | 'accountId' | 'counterAccountId' | 'expenseItemId';
type Party = { readonly name: Reference; readonly label: string; readonly source: Source; readonly required?: boolean };

/** Types of transactions that this form records. */
type FormType = Exclude<Body['type'], 'JOURNAL'>;

const customer = (label: string, required = false): Party => ({
  ...{ name: 'customerId', label, source: customerSource, required },
});
const account = (label: string, source: Source, name: Reference = 'accountId', required = true): Party => ({
  ...{ name, label, source, required },
});
const EITHER = [customer(t('Customer')), account(t('Account'), ownSource, 'accountId', false)];

/** Description and parties of each transaction type. Each party accepts only suitable records. */
const FORMS: Readonly<Record<FormType, { readonly lead: string; readonly parties: readonly Party[] }>> = {
  COLLECTION: {
    lead: t('A customer pays into an account.'),
    parties: [customer(t('From customer'), true), account(t('Into account'), moneySource)],
  },
  PAYMENT: {
    lead: t('Money leaves an account. Choose a customer, a supplier or employee, or an expense.'),
    parties: [
      account(t('From account'), moneySource),
      customer(t('To customer')),
      account(t('To supplier or employee'), payeeSource, 'counterAccountId', false),
      account(t('For expense'), expenseSource, 'expenseItemId', false),
    ],
  },
  TRANSFER: {
    lead: t('Money moves between two of your own accounts.'),
    parties: [account(t('From account'), moneySource), account(t('To account'), moneySource, 'counterAccountId')],
  },
  ADJUSTMENT: { lead: t('Corrects the balance of either a customer or an account.'), parties: EITHER },
  OPENING_BALANCE: { lead: t('The balance of a customer or account before bookkeeping began.'), parties: EITHER },
};

const DIRECTIONS = [
  ['IN', t("In: increases an account's balance, or decreases a customer's balance")],
  ['OUT', t("Out: decreases an account's balance, or increases a customer's balance")],
] as const;
const OPTIONAL = ['description', 'reference', 'branchId', 'categoryId'] as const;

const typeOf = (values: Draft): FormType =>
  RECORDED_TYPES.map(([type]) => type).find((type) => type === values['type']) ?? 'COLLECTION';

/** Returns whether the user chooses the direction for this transaction type. All other types imply it. */
const hasDirection = (type: FormType): boolean => type === 'ADJUSTMENT' || type === 'OPENING_BALANCE';

export const newTransaction = (date: string, customerId: string): Draft => ({
  ...{ type: 'COLLECTION', date, amount: '', customerId, accountId: '', counterAccountId: '' },
  ...{ expenseItemId: '', direction: 'IN', description: '', reference: '', branchId: '', categoryId: '' },
});

/** Returns a transaction's form values. */
export const transactionDraft = (transaction: Transaction): Draft => ({
  ...newTransaction(transaction.date, transaction.customerId ?? ''),
  ...{
    type: transaction.type ?? 'COLLECTION',
    amount: typedAmount(transaction.amount),
    direction: transaction.direction ?? 'IN',
  },
  ...{ accountId: transaction.accountId ?? '', counterAccountId: transaction.counterAccountId ?? '' },
  expenseItemId: transaction.expenseItemId ?? '',
  ...{ description: transaction.description ?? '', reference: transaction.reference ?? '' },
  ...classOf(transaction),
});

/**
 * Returns the request body for a transaction. It includes only the parties of the selected type, and omits values that
 * were typed for another type.
 */
export function transactionBody(values: Draft): Body {
  const type = typeOf(values);
  const { direction } = values;
  const amount = amountOf(values['amount'] ?? '');
  return {
    type,
    date: values['date'] ?? '',
    ...(amount !== '' && { amount }),
    ...someOf(
      values,
      FORMS[type].parties.map(({ name }) => name),
    ),
    ...(hasDirection(type) && (direction === 'IN' || direction === 'OUT') && { direction }),
    ...someOf(values, OPTIONAL),
  };
}

export function TransactionFields({ form }: { form: Form }): ReactNode {
  const type = typeOf(form.values);
  const { lead, parties } = FORMS[type];
  return (
    <>
      <OneOfField form={form} hint={lead} label={t('Type')} name="type" options={RECORDED_TYPES} required />
      <div className="k-fields">
        <TextField form={form} label={t('Date')} name="date" required type="date" />
        <AmountField autoFocus form={form} label={t('Amount')} name="amount" required />
        {parties.map((party) => (
          <RemoteField form={form} key={`${type} ${party.name}`} {...party} />
        ))}
        {hasDirection(type) && (
          <OneOfField form={form} label={t('Direction')} name="direction" options={DIRECTIONS} required />
        )}
        <TextField form={form} label={t('Reference')} name="reference" />
        <ClassFields form={form} />
      </div>
      <AreaField form={form} hint={t('Used by category rules.')} label={t('Description')} name="description" />
    </>
  );
}
