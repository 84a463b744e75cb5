import { z } from 'zod';
import { Direction, Email, EntryDate, line, paragraph, Phone, RecordId, someOf } from './fields.js';
import { Currency, MoneyInput } from './money.js';
import { personal } from './personal.js';

export const CustomerType = z.enum(['COMPANY', 'INDIVIDUAL']);
export const CustomerStatus = z.enum(['ACTIVE', 'PASSIVE']);

// The limits of a request, which are tighter than what events may hold.
const required = { code: line(40), name: line(200), type: CustomerType, currency: Currency, status: CustomerStatus };
const clearable = {
  taxNumber: line(40).nullable(),
  taxOffice: line(120).nullable(),
  nationalId: line(40).nullable(),
  email: Email.nullable(),
  phone: Phone.nullable(),
  address: paragraph(500).nullable(),
  city: line(120).nullable(),
  country: line(120).nullable(),
  branchId: RecordId.nullable(),
  notes: paragraph(2000).nullable(),
};

export const CreateCustomer = z
  .strictObject({
    ...someOf({ ...required, ...clearable }).shape,
    name: required.name,
    openingBalance: z.exactOptional(
      z.strictObject({ amount: MoneyInput, direction: Direction, date: EntryDate }).nullable(),
    ),
  })
  .meta({ id: 'CreateCustomerDto' });
export type CreateCustomer = z.output<typeof CreateCustomer>;

export const UpdateCustomer = z
  .strictObject(someOf({ ...required, ...clearable }).shape)
  .meta({ id: 'UpdateCustomerDto' });
export type UpdateCustomer = z.output<typeof UpdateCustomer>;

/** Everything about a customer that an update changes, as events hold it. */
export const CustomerDetails = z.object({
  code: z.string().nullable(),
  name: personal(z.string()),
  type: CustomerType,
  taxNumber: personal(z.string().nullable()),
  taxOffice: z.string().nullable(),
  nationalId: personal(z.string().nullable()),
  email: personal(z.string().nullable()),
  phone: personal(z.string().nullable()),
  address: personal(z.string().nullable()),
  city: personal(z.string().nullable()),
  country: z.string().nullable(),
  branchId: z.string().nullable(),
  notes: personal(z.string().nullable()),
});
export type CustomerDetails = z.output<typeof CustomerDetails>;

/** A partner's name for a customer. */
export const CustomerLink = z.object({ sourceId: z.string(), externalId: z.string() });
export type CustomerLink = z.output<typeof CustomerLink>;

export const noDetails: Omit<CustomerDetails, 'code' | 'name'> = {
  type: 'COMPANY',
  taxNumber: null,
  taxOffice: null,
  nationalId: null,
  email: null,
  phone: null,
  address: null,
  city: null,
  country: null,
  branchId: null,
  notes: null,
};
