import { z } from 'zod';
import {
  CurrencyText,
  Direction,
  Email,
  EntryDate,
  IdText,
  line,
  paragraph,
  Phone,
  PublicId,
  RecordId,
} from './fields.js';
import { Currency, MoneyInput } from './money.js';
import { derived, input, optional, optionalText, record, system, text, type ChangesTo } from './record.js';

export const CustomerType = z.enum(['COMPANY', 'INDIVIDUAL']);
export const CustomerStatus = z.enum(['ACTIVE', 'PASSIVE']);

const seen = { personal: true, published: true } as const;
const found = { ...seen, searched: true } as const;
const code = line(40).meta({
  description:
    'On creation, the service replaces a missing or null code with the next number. In an update, null removes the ' +
    'code.',
});
export const customerRecord = record({
  code: optional(code.nullable(), z.string().nullable(), null, { searched: true, published: true }),
  name: text(line(200), found),
  type: optional(CustomerType, CustomerType, 'COMPANY', { published: true }),
  taxNumber: optionalText(line(40), found),
  taxOffice: optionalText(line(120), { published: true }),
  nationalId: optionalText(line(40), found),
  email: optionalText(Email, found),
  phone: optionalText(Phone, found),
  address: optionalText(paragraph(500), seen),
  city: optionalText(line(120), seen),
  country: optionalText(line(120), { published: true }),
  branchId: optionalText(RecordId, { published: PublicId.nullable() }),
  notes: optionalText(paragraph(2000), seen),
  currency: system(z.string(), { published: CurrencyText }),
  status: optional(CustomerStatus, CustomerStatus, 'ACTIVE', {
    apart: true,
    published: CustomerStatus.meta({ description: 'PASSIVE: the customer cannot be used in new transactions.' }),
  }),
  isDefault: system(z.boolean(), { filter: 'list', published: true }),
  accountId: derived(IdText),
});

// Optional safeguard: the request is rejected if this currency differs from the tenant's currency.
const currency = z.exactOptional(Currency);
export const CreateCustomer = input('CreateCustomerDto', {
  ...customerRecord.create,
  currency,
  openingBalance: z.exactOptional(
    z.strictObject({ amount: MoneyInput, direction: Direction, date: EntryDate }).nullable(),
  ),
});
export type CreateCustomer = z.output<typeof CreateCustomer>;
export const UpdateCustomer = input('UpdateCustomerDto', { ...customerRecord.update, currency });
export type UpdateCustomer = z.output<typeof UpdateCustomer>;

export type CustomerDetails = ChangesTo<typeof customerRecord>;

/** A partner's identifier for a customer. */
export const CustomerLink = z.object({ sourceId: z.string(), externalId: z.string() });
export type CustomerLink = z.output<typeof CustomerLink>;
