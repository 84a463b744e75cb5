import { z } from 'zod';
import {
  changesOf,
  contract,
  currency,
  exampleId,
  id,
  nothing,
  optionalId,
  optionalPersonalText,
  optionalText,
  personalText,
  text,
} from './contracts-fields.js';

const customerFields = {
  code: optionalText,
  name: personalText,
  type: z.enum(['COMPANY', 'INDIVIDUAL']),
  taxNumber: optionalPersonalText,
  taxOffice: optionalText,
  nationalId: optionalPersonalText,
  email: optionalPersonalText,
  phone: optionalPersonalText,
  address: optionalPersonalText,
  city: optionalPersonalText,
  country: optionalText,
  branchId: optionalId,
  notes: optionalPersonalText,
};
const customerStatus = z.enum(['ACTIVE', 'PASSIVE']).meta({ description: 'PASSIVE: it takes no new transactions.' });
const restoredCode = z.strictObject({ code: optionalText.meta({ description: 'Null where another has it by now.' }) });

export const customerCreated = contract({
  entity: 'customer',
  event: 'created',
  description: 'There is a new customer. Subject: the customer, which is also the account of what it owes.',
  data: z.strictObject({ ...customerFields, currency, status: customerStatus, isDefault: z.boolean() }),
  example: {
    code: 'C-000001',
    name: 'Ada Lovelace',
    type: 'INDIVIDUAL',
    taxNumber: null,
    taxOffice: null,
    nationalId: null,
    email: 'ada@example.com',
    phone: null,
    address: null,
    city: 'London',
    country: 'GB',
    branchId: null,
    notes: null,
    currency: 'EUR',
    status: 'ACTIVE',
    isDefault: false,
  },
});

export const customerUpdated = contract({
  entity: 'customer',
  event: 'updated',
  description: 'A customer was changed. Subject: the customer.',
  data: z.strictObject({ changes: changesOf({ ...customerFields, currency, status: customerStatus }) }),
  example: { changes: { email: 'lovelace@example.com', phone: null } },
});

export const customerDeleted = contract({
  entity: 'customer',
  event: 'deleted',
  description: 'A customer without transactions was deleted. Subject: the customer.',
  data: nothing,
  example: {},
});

export const customerRestored = contract({
  entity: 'customer',
  event: 'restored',
  description: 'A transaction reached a customer as it was deleted, so that it is there again. Subject: the customer.',
  data: restoredCode,
  example: { code: 'C-000001' },
});

const accountFields = { code: optionalText, name: text };
const accountType = z.enum([
  'SUPPLIER',
  'EMPLOYEE',
  'CASH',
  'BANK',
  'POS',
  'CREDIT_CARD',
  'EXPENSE',
  'INCOME',
  'TAX',
  'EQUITY',
  'OTHER',
]);

export const accountCreated = contract({
  entity: 'account',
  event: 'created',
  description: 'There is a new account; customers have events of their own. Subject: the account.',
  data: z.strictObject({
    ...accountFields,
    type: accountType,
    currency,
    isActive: z.boolean(),
    isSystem: z.boolean(),
  }),
  example: { code: '102', name: 'Bank', type: 'BANK', currency: 'EUR', isActive: true, isSystem: false },
});

export const accountUpdated = contract({
  entity: 'account',
  event: 'updated',
  description: 'An account was changed. Subject: the account.',
  data: z.strictObject({ changes: changesOf({ ...accountFields, isActive: z.boolean() }) }),
  example: { changes: { name: 'Savings bank' } },
});

export const accountDeleted = contract({
  entity: 'account',
  event: 'deleted',
  description: 'An account without transactions was deleted. Subject: the account.',
  data: nothing,
  example: {},
});

export const accountRestored = contract({
  entity: 'account',
  event: 'restored',
  description: 'A transaction reached an account as it was deleted, so that it is there again. Subject: the account.',
  data: restoredCode,
  example: { code: null },
});

const branchFields = {
  name: text,
  description: optionalText,
  address: optionalText,
  phone: optionalText,
  email: optionalText,
};

export const branchCreated = contract({
  entity: 'branch',
  event: 'created',
  description: 'There is a new branch. Subject: the branch.',
  data: z.strictObject({ code: text, ...branchFields, isActive: z.boolean() }),
  example: {
    code: 'MAIN',
    name: 'Main branch',
    description: null,
    address: '1 High Street',
    phone: null,
    email: null,
    isActive: true,
  },
});

export const branchUpdated = contract({
  entity: 'branch',
  event: 'updated',
  description: 'A branch was changed; one that is not active takes no new records. Subject: the branch.',
  data: z.strictObject({ changes: changesOf({ ...branchFields, isActive: z.boolean() }) }),
  example: { changes: { isActive: false } },
});

const userFields = {
  fullName: personalText,
  email: personalText,
  phone: optionalPersonalText,
  role: z.enum(['OWNER', 'ADMIN', 'USER']),
  roleIds: z.array(id),
  branchId: optionalId,
  branchIds: z.array(id),
};

export const userCreated = contract({
  entity: 'user',
  event: 'created',
  description: 'The tenant has a new user. Subject: the user.',
  data: z.strictObject({ ...userFields, isActive: z.boolean() }),
  example: {
    fullName: 'Grace Hopper',
    email: 'grace@example.com',
    phone: null,
    role: 'USER',
    roleIds: [exampleId(8)],
    branchId: null,
    branchIds: [],
    isActive: true,
  },
});

export const userUpdated = contract({
  entity: 'user',
  event: 'updated',
  description: 'A user was changed. Subject: the user.',
  data: z.strictObject({ changes: changesOf(userFields) }),
  example: { changes: { role: 'ADMIN' } },
});

export const userDeactivated = contract({
  entity: 'user',
  event: 'deactivated',
  description: 'A user may not sign in any more. Subject: the user.',
  data: nothing,
  example: {},
});

export const userReactivated = contract({
  entity: 'user',
  event: 'reactivated',
  description: 'A deactivated user may sign in again. Subject: the user.',
  data: nothing,
  example: {},
});

export const userDeleted = contract({
  entity: 'user',
  event: 'deleted',
  description: 'A user was removed for ever. Subject: the user.',
  data: nothing,
  example: {},
});
