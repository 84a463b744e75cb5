import type { ReactNode } from 'react';
import { branchSource, type Customer } from '../api/books';
import type { Shapes } from '../api/client';
import type { Version } from './edit-dialog';
import { AreaField, cleared, OneOfField, TextField, type Draft, type Form } from './form';
import { RemoteField } from './remote-field';

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

const TYPES = [
  ['COMPANY', 'Company'],
  ['INDIVIDUAL', 'Person'],
] as const;

export const NEW_CUSTOMER: Draft = {
  ...Object.fromEntries([...REQUIRED, ...CLEARABLE].map((name) => [name, ''])),
  type: 'COMPANY',
};

export const customerVersion = (customer: Customer): Version => ({
  values: Object.fromEntries([...REQUIRED, ...CLEARABLE].map((name) => [name, customer[name] ?? ''])),
  revision: customer.revision,
});

export const customerChanges = (values: Draft): Shapes['UpdateCustomerDto'] => cleared(values, CLEARABLE);

/** Omits empty fields. If the code is omitted, the service assigns one. */
export const newCustomer = (values: Draft): Shapes['CreateCustomerDto'] => ({
  ...Object.fromEntries(Object.entries(values).filter(([, typed]) => typed.trim() !== '')),
  name: values['name'] ?? '',
});

export const CustomerFields = ({ form, isNew = false }: { form: Form; isNew?: boolean }): ReactNode => (
  <>
    <div className="k-fields">
      <TextField autoFocus form={form} label="Name" name="name" required />
      <TextField form={form} hint={isNew ? 'Leave empty for the next number' : undefined} label="Code" name="code" />
      <OneOfField form={form} label="Type" name="type" options={TYPES} />
      <RemoteField form={form} label="Branch" name="branchId" source={branchSource} />
      <TextField form={form} label="E-mail" name="email" type="email" />
      <TextField form={form} label="Phone" name="phone" type="tel" />
      <TextField form={form} label="Tax number" name="taxNumber" />
      <TextField form={form} label="Tax office" name="taxOffice" />
      <TextField form={form} label="National ID" name="nationalId" />
      <TextField form={form} label="City" name="city" />
      <TextField form={form} label="Country" name="country" />
    </div>
    <AreaField form={form} label="Address" name="address" />
    <AreaField form={form} label="Notes" name="notes" />
  </>
);
