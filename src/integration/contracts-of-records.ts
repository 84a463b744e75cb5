import { z } from 'zod';
import { accountRecord } from '../aggregates/account.aggregate.js';
import { customerRecord } from '../aggregates/customer-fields.js';
import { userRecord } from '../aggregates/user.aggregate.js';
import { branchRecord } from '../aggregates/branch.aggregate.js';
import { changesOf, contract, currency, exampleId, nothing, optionalText } from './contracts-fields.js';

const restoredCode = z.strictObject({ code: optionalText.meta({ description: 'Null where another has it by now.' }) });

export const customerCreated = contract({
  entity: 'customer',
  event: 'created',
  description: 'There is a new customer. Subject: the customer, which is also the account of what it owes.',
  data: z.strictObject(customerRecord.published),
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
  data: z.strictObject({ changes: changesOf({ ...customerRecord.publishedChanges, currency }) }),
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

export const accountCreated = contract({
  entity: 'account',
  event: 'created',
  description: 'There is a new account; customers have events of their own. Subject: the account.',
  data: z.strictObject(accountRecord.published),
  example: { code: '102', name: 'Bank', type: 'BANK', currency: 'EUR', isActive: true, isSystem: false },
});

export const accountUpdated = contract({
  entity: 'account',
  event: 'updated',
  description: 'An account was changed. Subject: the account.',
  data: z.strictObject({ changes: changesOf(accountRecord.publishedChanges) }),
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

export const branchCreated = contract({
  entity: 'branch',
  event: 'created',
  description: 'There is a new branch. Subject: the branch.',
  data: z.strictObject(branchRecord.published),
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
  data: z.strictObject({ changes: changesOf(branchRecord.publishedChanges) }),
  example: { changes: { isActive: false } },
});

export const userCreated = contract({
  entity: 'user',
  event: 'created',
  description: 'The tenant has a new user. Subject: the user.',
  data: z.strictObject(userRecord.published),
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

// Activation and deactivation are separate events.
const { isActive: _, ...userChanges } = userRecord.publishedChanges;
export const userUpdated = contract({
  entity: 'user',
  event: 'updated',
  description: 'A user was changed. Subject: the user.',
  data: z.strictObject({ changes: changesOf(userChanges) }),
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
