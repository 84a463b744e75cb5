import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import { transactionRecord } from '../aggregates/ledger.js';
import { GetCustomerStatement, GetStatement, type Statement } from '../queries/statement.query.js';
import type { Answer } from './answer.js';
import { csvAnswer, orTable } from './csv.js';
import { dateInput, MAX_PAGE_SIZE, pageNumber, queryInteger } from './input.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { dateOut, named, recordId } from './shapes.js';

const text = z.string().nullable();
const count = z.int().min(0).optional();
const { type, documentEffect } = transactionRecord.shown;
const lineFields = {
  transactionId: recordId,
  date: dateOut,
  type,
  documentEffect,
  description: text,
  reference: text,
  counterparty: text.meta({
    description: "The transaction's customer or, if it has none, its other accounts.",
  }),
  reversalOf: text,
  reason: text.meta({ description: 'Reason given by a user for a reversal.' }),
  debit: z.string(),
  credit: z.string(),
  balance: z.string().meta({ description: 'Balance after this line: debits minus credits.' }),
  lineDescription: text.meta({
    description:
      'Description of the line of a journal entry. If several lines post to the account, their distinct descriptions ' +
      'are separated by semicolons.',
  }),
};
const StatementDto = named(
  'StatementDto',
  z.object({
    account: z.object({ id: recordId, code: text, name: z.string(), type: AccountType, currency: z.string() }),
    beginDate: dateOut.nullable(),
    endDate: dateOut.nullable(),
    opening: z.string().meta({ description: 'Balance before the first entry in `lines`.' }),
    lines: z.array(z.object(lineFields)),
    closing: z.string().meta({ description: 'Balance after the last entry in `lines`.' }),
    ...{ pageNumber: count, pageSize: count, totalPages: count, totalCount: count },
  }),
);

const query = z
  .strictObject({
    beginDate: dateInput.optional(),
    endDate: dateInput.optional(),
    pageNumber: pageNumber.optional(),
    pageSize: queryInteger(1, MAX_PAGE_SIZE).optional(),
  })
  .refine(({ beginDate = '', endDate }) => endDate === undefined || beginDate <= endDate, {
    path: ['beginDate'],
    error: 'Must not be after endDate.',
  });

/** Returns a row with the opening balance, a row for each line, and a row with the closing balance. */
function csvOf({ beginDate, endDate, opening, lines, closing }: Statement): Answer {
  const rows = [
    { date: beginDate, description: 'Opening balance', balance: opening },
    ...lines,
    { date: endDate, description: 'Closing balance', balance: closing },
  ];
  return csvAnswer(rows, Object.keys(lineFields), 'statement.csv');
}

const details = {
  path: '/:id/statement',
  query,
  description:
    'Without `pageNumber` and `pageSize`, the response contains the whole statement. The last page contains the ' +
    'newest postings. In a CSV response, the first and last rows contain the opening and closing balances.',
  answers: { ...valueOf(StatementDto), media: ['text/csv'] },
} as const;
const shared = { who: 'tenant', permission: 'reports.read', tag: 'Reports' } as const;

export const StatementController = controllerOf(
  routesAt('/api/accounts', shared).query(
    'Get an account statement with the postings in a period and a running balance',
    details,
    ({ scope, id, query: request }) => new GetStatement(scope, id, request),
    orTable(csvOf),
  ),
  routesAt('/api/customers', shared).query(
    "Get a customer's statement",
    details,
    ({ scope, id, query: request }) => new GetCustomerStatement(scope, id, request),
    orTable(csvOf),
  ),
);
