import type { ReactNode } from 'react';
import { branchSource, type Customer } from '../api/books';
import type { Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { amountOf } from './amount';
import { AmountField, AreaField, cleared, given, OneOfField, TextField, type Draft, type Form } from './form';
import { RemoteField } from './remote-field';
import { t } from '../messages/catalogue';

const REQUIRED = ['name', 'code', 'type'] as const;
const CLEARABLE = [
  'email',
  'phone',
  'taxNumber',
  'taxOffice',
  'nationalId',
  'address',
  'city',
  'country',
  'branchId',
  'notes',
] as const;

export const CUSTOMER_TYPES = [
  ['COMPANY', t('Company')],
  ['INDIVIDUAL', t('Person')],
] as const;

const OPENING = {
  amount: 'openingBalance.amount',
  direction: 'openingBalance.direction',
  date: 'openingBalance.date',
} as const;
const DIRECTIONS = [
  ['OUT', t('The customer owes us')],
  ['IN', t('We owe the customer')],
] as const;

export const customerDraft = (today: string): Draft => ({
  ...Object.fromEntries([...REQUIRED, ...CLEARABLE].map((name) => [name, ''])),
  type: 'COMPANY',
  ...{ [OPENING.amount]: '', [OPENING.direction]: 'OUT', [OPENING.date]: today },
});

export const customerVersion = (customer: Customer): Version => ({
  values: Object.fromEntries([...REQUIRED, ...CLEARABLE].map((name) => [name, customer[name] ?? ''])),
  revision: customer.revision,
});

export const customerChanges = (values: Draft): Shapes['UpdateCustomerDto'] => cleared(values, CLEARABLE);

/**
 * Omits empty fields. If the code is omitted, the service assigns one. Without an amount, the service records no
 * opening balance.
 */
export function newCustomer(values: Draft): Shapes['CreateCustomerDto'] {
  const amount = given(values, OPENING.amount);
  const direction = values[OPENING.direction] === 'IN' ? 'IN' : 'OUT';
  return {
    ...Object.fromEntries(
      [...REQUIRED, ...CLEARABLE].flatMap((name) => (given(values, name) === undefined ? [] : [[name, values[name]]])),
    ),
    name: values['name'] ?? '',
    ...(amount !== undefined && {
      openingBalance: { amount: amountOf(amount), direction, date: values[OPENING.date] ?? '' },
    }),
  };
}

export const CustomerFields = ({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode => (
  <>
    <div className="k-fields">
      <TextField autoFocus form={form} label={t('Name')} name="name" required />
      <TextField
        form={form}
        hint={isNew ? t('Leave empty for the next number.') : undefined}
        label={t('Code')}
        name="code"
      />
      <OneOfField form={form} label={t('Type')} name="type" options={CUSTOMER_TYPES} />
      <RemoteField form={form} label={t('Branch')} name="branchId" source={branchSource} />
      <TextField form={form} label={t('E-mail')} name="email" type="email" />
      <TextField form={form} label={t('Phone')} name="phone" type="tel" />
      <TextField form={form} label={t('Tax number')} name="taxNumber" />
      <TextField form={form} label={t('Tax office')} name="taxOffice" />
      <TextField form={form} label={t('National ID')} name="nationalId" />
      <TextField form={form} label={t('City')} name="city" />
      <TextField form={form} label={t('Country')} name="country" />
      {isNew && (
        <AmountField
          form={form}
          hint={t('Leave empty if there is none.')}
          label={t('Opening balance')}
          name={OPENING.amount}
        />
      )}
      {given(form.values, OPENING.amount) !== undefined && (
        <>
          <OneOfField form={form} label={t('Direction')} name={OPENING.direction} options={DIRECTIONS} />
          <TextField form={form} label={t('Opening date')} name={OPENING.date} type="date" />
        </>
      )}
    </div>
    <AreaField form={form} label={t('Address')} name="address" />
    <AreaField form={form} label={t('Notes')} name="notes" />
  </>
);
