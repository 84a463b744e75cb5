import { z } from 'zod';
import { transactionRecord } from '../aggregates/ledger.js';
import { personal } from '../aggregates/personal.js';
import { amount, contract, currency, date, exampleId, id, instant, optionalId, text } from './contracts-fields.js';

const SALE = exampleId(1);
const INVOICE = exampleId(2);
const CUSTOMER = exampleId(3);

export const saleAccepted = contract('sale', 'accepted', {
  description:
    'A sale, return or cancellation was accepted and will be booked or rejected. Subject: the sale, return or ' +
    'cancellation.',
  data: z.strictObject({
    externalId: text.meta({ description: 'Id assigned by the partner.' }),
    sourceId: text.meta({ description: "The partner's system." }),
    type: z.enum(['SALE', 'RETURN', 'CANCELLATION']),
    occurredAt: instant,
    currency,
    total: amount,
    acceptedAt: instant,
  }),
  example: {
    externalId: 'order-1001',
    sourceId: 'shop',
    type: 'SALE',
    occurredAt: '2026-03-04T10:00:00.000Z',
    currency: 'EUR',
    total: '119.00',
    acceptedAt: '2026-03-04T10:00:01.250Z',
  },
});

export const saleBooked = contract('sale', 'booked', {
  description:
    'A sale, return or cancellation was booked. `transactionIds` lists its transactions; each has a separate event. ' +
    'This is the last message about its subject. Subject: the sale, return or cancellation. For a return or ' +
    "cancellation, `sequence` counts the related sale's events.",
  data: z.strictObject({
    saleId: z.exactOptional(
      id.meta({ description: 'Id of the return or cancellation, equal to the subject. Absent for sales.' }),
    ),
    externalId: z.exactOptional(
      text.meta({ description: 'Id assigned by the partner to the return or cancellation. Absent for sales.' }),
    ),
    gross: z.exactOptional(
      amount.meta({ description: 'Amount of the return, including tax. Absent for sales and cancellations.' }),
    ),
    customerId: id,
    branchId: optionalId,
    date,
    transactionIds: z.array(id),
  }),
  example: { customerId: CUSTOMER, branchId: null, date: '2026-03-04', transactionIds: [INVOICE] },
});

export const saleRejected = contract('sale', 'rejected', {
  description:
    'A sale, return or cancellation could not be booked. An operator can retry it. Subject: the sale, return or ' +
    'cancellation.',
  data: z.strictObject({ code: text, message: text, attempts: z.int().min(1) }),
  example: { code: 'BRANCH_UNKNOWN', message: 'The branch does not exist.', attempts: 1 },
});

const transaction = z.strictObject(transactionRecord.published);
const invoice: z.output<typeof transaction> = {
  id: INVOICE,
  date: '2026-03-04',
  type: null,
  documentEffect: 'INVOICE',
  direction: 'OUT',
  amount: '119.00',
  currency: 'EUR',
  customerId: CUSTOMER,
  accountId: null,
  counterAccountId: null,
  expenseItemId: null,
  categoryId: null,
  branchId: null,
  description: 'Sale order-1001',
  reference: null,
  systemGenerated: true,
  sourceId: 'shop',
  externalId: 'order-1001',
  saleId: SALE,
  reversalOf: null,
  postings: [
    { accountId: CUSTOMER, amount: '119.00' },
    { accountId: exampleId(4), amount: '-100.00' },
    { accountId: exampleId(5), amount: '-19.00' },
  ],
};
const mirrored = invoice.postings.map(({ accountId, amount: posted }) => ({
  accountId,
  amount: posted.startsWith('-') ? posted.slice(1) : `-${posted}`,
}));

export const transactionRecorded = contract('transaction', 'recorded', {
  description: 'A transaction was booked. Subject: the transaction.',
  data: transaction.extend({
    correctionOf: z.exactOptional(
      id.meta({
        description: 'The cancelled transaction that this transaction replaces. Absent for all other transactions.',
      }),
    ),
  }),
  example: invoice,
});

export const transactionCancelled = contract('transaction', 'cancelled', {
  description:
    'A transaction was cancelled. The data describes its reversal; `reversalOf` is the id of the cancelled ' +
    'transaction. Subject: the reversal.',
  data: transaction.extend({
    reason: z.exactOptional(
      personal(
        text.meta({
          description: 'Free text that may contain personal data. Absent if a partner cancelled the transaction.',
        }),
      ),
    ),
  }),
  example: {
    ...invoice,
    id: exampleId(6),
    documentEffect: 'CANCELLATION',
    direction: 'IN',
    reversalOf: INVOICE,
    postings: mirrored,
  },
});

export const transactionCorrected = contract('transaction', 'corrected', {
  description:
    'A transaction was cancelled and replaced by another transaction. The reversal and the replacement have separate ' +
    'events, which are published before this event. Subject: the cancelled transaction.',
  data: z.strictObject({ transactionId: id, correctedBy: id.meta({ description: 'The replacement.' }) }),
  example: { transactionId: INVOICE, correctedBy: exampleId(8) },
});

export const transactionCategorized = contract('transaction', 'categorized', {
  description:
    'A user, or a rule applied to past transactions, set or cleared the category of a transaction. Subject: the ' +
    'transaction.',
  data: z.strictObject({ transactionId: id, categoryId: optionalId, customerId: optionalId }),
  example: { transactionId: INVOICE, categoryId: exampleId(7), customerId: CUSTOMER },
});
