import { z } from 'zod';
import { accountRecord } from '../aggregates/account.aggregate.js';
import { customerRecord } from '../aggregates/customer-fields.js';
import { userRecord } from '../aggregates/user.aggregate.js';
import { branchRecord } from '../aggregates/branch.aggregate.js';
import { changesOf, contract, currency, date, exampleId, id, occasion, optionalText } from './contracts-fields.js';

const restoredCode = z.strictObject({
  code: optionalText.meta({ description: 'Null if another record has taken the code in the meantime.' }),
});

export const customerCreated = contract('customer', 'created', {
  description: 'A customer was created. Subject: the customer, which is also its ledger account.',
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

export const customerUpdated = contract('customer', 'updated', {
  description: 'A customer was changed. Subject: the customer.',
  data: z.strictObject({ changes: changesOf({ ...customerRecord.publishedChanges, currency }) }),
  example: { changes: { email: 'lovelace@example.com', phone: null } },
});

export const customerDeleted = occasion(
  'customer',
  'deleted',
  'A customer without transactions was deleted. Subject: the customer.',
);

export const customerRestored = contract('customer', 'restored', {
  description:
    'A deleted customer was restored because a transaction was booked at the same time. Subject: the customer.',
  data: restoredCode,
  example: { code: 'C-000001' },
});

export const accountCreated = contract('account', 'created', {
  description: 'An account was created. Customers have separate events. Subject: the account.',
  data: z.strictObject(accountRecord.published),
  example: { code: '102', name: 'Bank', type: 'BANK', currency: 'EUR', isActive: true, isSystem: false },
});

export const accountUpdated = contract('account', 'updated', {
  description: 'An account was changed. Subject: the account.',
  data: z.strictObject({ changes: changesOf(accountRecord.publishedChanges) }),
  example: { changes: { name: 'Savings bank' } },
});

export const accountDeleted = occasion(
  'account',
  'deleted',
  'An account without transactions was deleted. Subject: the account.',
);

export const accountRestored = contract('account', 'restored', {
  description:
    'A deleted account was restored because a transaction was booked at the same time. Subject: the account.',
  data: restoredCode,
  example: { code: null },
});

export const branchCreated = contract('branch', 'created', {
  description: 'A branch was created. Subject: the branch.',
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

export const branchUpdated = contract('branch', 'updated', {
  description: 'A branch was changed. Inactive branches cannot be used in new records. Subject: the branch.',
  data: z.strictObject({ changes: changesOf(branchRecord.publishedChanges) }),
  example: { changes: { isActive: false } },
});

export const userCreated = contract('user', 'created', {
  description: 'A user was created. Subject: the user.',
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

// Activation and deactivation have separate events.
const { isActive: _, ...userChanges } = userRecord.publishedChanges;
export const userUpdated = contract('user', 'updated', {
  description: 'A user was changed. Subject: the user.',
  data: z.strictObject({ changes: changesOf(userChanges) }),
  example: { changes: { role: 'ADMIN' } },
});

export const userDeactivated = occasion(
  'user',
  'deactivated',
  'A user was deactivated and cannot sign in. Subject: the user.',
);

export const userReactivated = occasion(
  'user',
  'reactivated',
  'A user was reactivated and can sign in again. Subject: the user.',
);

export const periodClosed = contract('period', 'closed', {
  description:
    'The books were closed up to and including a day. No transactions can be posted on or before that day. Subject: ' +
    'the tenant.',
  data: z.strictObject({ through: date }),
  example: { through: '2026-02-28' },
});

export const periodReopened = contract('period', 'reopened', {
  description: 'Closed books were reopened after a day, or entirely. Subject: the tenant.',
  data: z.strictObject({
    through: date.nullable().meta({ description: 'Last day that remains closed; null if no day remains closed.' }),
  }),
  example: { through: null },
});

export const periodLateEntries = contract('period', 'late-entries', {
  description:
    'Transactions were recorded while the period that contains their date was being closed. Subject: the tenant.',
  data: z.strictObject({
    closedThrough: date,
    entries: z.array(z.strictObject({ transactionId: id, date })),
  }),
  example: { closedThrough: '2026-02-28', entries: [{ transactionId: exampleId(2), date: '2026-02-27' }] },
});

export const userDeleted = occasion('user', 'deleted', 'A user was removed permanently. Subject: the user.');
