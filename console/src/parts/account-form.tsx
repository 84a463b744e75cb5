import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import type { Account } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { cleared, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';

export const ACCOUNT_TYPES = [
  ['CASH', 'Cash'],
  ['BANK', 'Bank'],
  ['POS', 'Card terminal'],
  ['CREDIT_CARD', 'Credit card'],
  ['SUPPLIER', 'Supplier'],
  ['EMPLOYEE', 'Employee'],
  ['EXPENSE', 'Expense'],
  ['INCOME', 'Income'],
  ['TAX', 'Tax'],
  ['EQUITY', 'Equity'],
  ['OTHER', 'Other'],
] as const;

export const accountTypeWords = (type: Account['type']): string =>
  ACCOUNT_TYPES.find(([each]) => each === type)?.[1] ?? 'Customer';

export const accountVersion = ({ name, code, revision }: Account): Version => ({
  values: { name, code: code ?? '' },
  revision,
});

export const accountChanges = (values: Draft): Shapes['UpdateAccountDto'] => cleared(values, ['code']);

export const AccountFields = ({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode => (
  <div className="k-fields">
    <TextField autoFocus form={form} label="Name" name="name" required />
    {isNew && <OneOfField form={form} label="Type" name="type" options={ACCOUNT_TYPES} required />}
    <TextField form={form} hint="Partners and exports name the account by its code" label="Code" name="code" />
  </div>
);

/** Creates an account. `code` is its initial code, for an account that a sale names. */
export function CreateAccount({ code = '', type = 'BANK' }: { code?: string; type?: Account['type'] }): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={(values) => {
        const { name = '', type: chosen = '' } = values;
        return data(api.POST('/api/accounts', { body: { name, type: chosen, ...someOf(values, ['code']) } }));
      }}
      buttonProps={{ variant: 'filled', ...(code === '' && { size: 'sm' }) }}
      fields={(form) => <AccountFields form={form} isNew />}
      icon="plus"
      initial={{ name: '', type, code }}
      label={code === '' ? 'Create an account' : `Create the account ${code}`}
      onDone={() => {
        for (const key of ['accounts', 'account-choice', 'sale', 'sales']) askAgain(cache, [key]);
      }}
      send="Create"
    />
  );
}
