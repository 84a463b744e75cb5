import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import type { Account } from '../api/books';
import { api, data, type Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { cleared, OneOfField, someOf, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { t } from '../messages/catalogue';

export const ACCOUNT_TYPES = [
  ['CASH', t('Cash')],
  ['BANK', t('Bank')],
  ['POS', t('Card terminal')],
  ['CREDIT_CARD', t('Credit card')],
  ['SUPPLIER', t('Supplier')],
  ['EMPLOYEE', t('Employee')],
  ['EXPENSE', t('Expense')],
  ['INCOME', t('Income')],
  ['TAX', t('Tax')],
  ['EQUITY', t('Equity')],
  ['OTHER', t('Other')],
] as const;

export const accountTypeWords = (type: Account['type']): string =>
  ACCOUNT_TYPES.find(([each]) => each === type)?.[1] ?? t('Customer');

export const accountVersion = ({ name, code, revision }: Account): Version => ({
  values: { name, code: code ?? '' },
  revision,
});

export const accountChanges = (values: Draft): Shapes['UpdateAccountDto'] => cleared(values, ['code']);

export const AccountFields = ({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode => (
  <div className="k-fields">
    <TextField autoFocus form={form} label={t('Name')} name="name" required />
    {isNew && <OneOfField form={form} label={t('Type')} name="type" options={ACCOUNT_TYPES} required />}
    <TextField
      form={form}
      hint={t('Partners and exports use this code to identify the account.')}
      label={t('Code')}
      name="code"
    />
  </div>
);

/** Creates an account. `code` is the initial value of the code field, for an account to which a sale refers. */
export function CreateAccount({ code = '', type = 'BANK' }: { code?: string; type?: Account['type'] }): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={(values, header) => {
        const { name = '', type: chosen = '' } = values;
        const body = { name, type: chosen, ...someOf(values, ['code']) };
        return data(api.POST('/api/accounts', { params: { header }, body }));
      }}
      buttonProps={{ variant: 'filled', ...(code === '' && { size: 'sm' }) }}
      fields={(form) => <AccountFields form={form} isNew />}
      icon="plus"
      initial={{ name: '', type, code }}
      label={code === '' ? t('Create an account') : t('Create the account {code}', { code })}
      onDone={() => {
        for (const key of ['accounts', 'account-choice', 'sale', 'sales']) askAgain(cache, [key]);
      }}
      send={t('Create')}
    />
  );
}
