import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import { DocumentEffect, TransactionType } from '../aggregates/ledger.js';
import { dateOut, instantOut, named, recordId } from './shapes.js';

const amount = z.string();
const account = { accountId: recordId, code: z.string().nullable(), name: z.string(), type: AccountType };
const dates = { from: dateOut.nullable(), to: dateOut.nullable() };

export const TrialBalanceDto = named(
  'TrialBalanceDto',
  z.object({
    asOf: dateOut.nullable(),
    from: dateOut.nullable().optional(),
    to: dateOut.nullable().optional(),
    currency: z.string(),
    rows: z.array(
      z.object({
        ...account,
        opening: amount
          .optional()
          .meta({ description: 'Balance before the period. Present only if the report covers a period.' }),
        debit: amount,
        credit: amount,
        closing: amount
          .optional()
          .meta({ description: 'Balance at the end of the period. Present only if the report covers a period.' }),
        balance: amount.meta({ description: 'Debits minus credits of all postings up to and including the end date.' }),
      }),
    ),
    totalDebit: amount,
    totalCredit: amount,
  }),
);

export const ProfitAndLossDto = named(
  'ProfitAndLossDto',
  z.object({
    ...dates,
    by: z.enum(['none', 'month', 'quarter']),
    currency: z.string(),
    periods: z.array(z.object({ name: z.string(), ...dates })),
    sections: z.array(
      z.object({
        name: z.enum(['Income', 'Expenses']),
        rows: z.array(z.object({ ...account, amount, amounts: z.array(amount) })),
        total: amount,
        totals: z.array(amount),
      }),
    ),
    result: amount.meta({ description: 'Income minus expenses.' }),
    results: z.array(amount),
  }),
);

export const BalanceSheetDto = named(
  'BalanceSheetDto',
  z.object({
    asOf: dateOut.nullable(),
    currency: z.string(),
    sections: z.array(
      z.object({
        name: z.enum(['Assets', 'Liabilities', 'Equity']),
        rows: z.array(
          z.object({
            accountId: recordId
              .nullable()
              .meta({ description: 'Null in the rows `Customers`, `Retained earnings` and `Result for the year`.' }),
            code: z.string().nullable(),
            name: z.string(),
            type: AccountType.nullable(),
            amount,
          }),
        ),
        total: amount,
      }),
    ),
    totalAssets: amount,
    totalLiabilitiesAndEquity: amount,
  }),
);

const aged = { current: amount, d30: amount, d60: amount, d90: amount, older: amount, total: amount };
export const AgeingDto = named(
  'AgeingDto',
  z.object({
    asOf: dateOut.nullable(),
    currency: z.string(),
    rows: z.array(z.object({ customerId: recordId, code: z.string().nullable(), name: z.string(), ...aged })),
    totals: z.object(aged),
  }),
);

const nullable = z.string().nullable();
export const OpenItemsDto = named(
  'OpenItemsDto',
  z.object({
    customerId: recordId,
    asOf: dateOut.nullable(),
    currency: z.string(),
    items: z.array(
      z.object({
        transactionId: recordId.nullable().meta({ description: 'Null for a credit that does not settle any item.' }),
        date: dateOut.nullable(),
        days: z.int().nullable().meta({ description: 'Number of days since `date`.' }),
        type: TransactionType.nullable(),
        documentEffect: DocumentEffect.nullable(),
        externalId: nullable,
        reference: nullable,
        description: nullable,
        saleId: recordId.nullable(),
        amount: amount.meta({ description: 'Amount of the document.' }),
        open: amount.meta({ description: 'Amount not yet paid.' }),
      }),
    ),
    total: amount,
  }),
);

const taxed = z.object({ net: amount, tax: amount });
const taxSums = { sales: taxed, returns: taxed, cancellations: taxed, net: amount, tax: amount };
export const TaxReportDto = named(
  'TaxReportDto',
  z.object({
    ...dates,
    currency: z.string(),
    rows: z.array(
      z.object({
        rate: z
          .string()
          .nullable()
          .meta({ description: 'Tax rate in percent; null if the document did not record the rate.' }),
        ...taxSums,
      }),
    ),
    totals: z.object(taxSums),
    reconciliation: z.object({ opening: amount, documents: amount, other: amount, closing: amount }).meta({
      description: 'Totals of the TAX accounts. Credits are positive. opening + documents + other = closing.',
    }),
  }),
);

export const GeneralLedgerDto = named(
  'GeneralLedgerDto',
  z.object({
    ...dates,
    currency: z.string(),
    rows: z.array(
      z.object({
        date: dateOut,
        transactionId: recordId,
        type: TransactionType.nullable(),
        documentEffect: DocumentEffect.nullable(),
        accountId: recordId,
        code: nullable,
        name: z.string(),
        debit: amount,
        credit: amount,
        description: nullable,
        reference: nullable,
        externalId: nullable,
        reversalOf: recordId.nullable(),
        recordedAt: instantOut,
        lineDescription: nullable.meta({ description: 'Description of a journal entry line.' }),
      }),
    ),
    totalDebit: amount,
    totalCredit: amount,
  }),
);
