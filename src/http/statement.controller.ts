import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import { GetStatement } from '../queries/statement.query.js';
import { csvAnswer } from './csv.js';
import { dateInput } from './input.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { dateOut, named, recordId } from './shapes.js';

const StatementDto = named(
  'StatementDto',
  z.object({
    account: z.object({
      id: recordId,
      code: z.string().nullable(),
      name: z.string(),
      type: AccountType,
      currency: z.string(),
    }),
    beginDate: dateOut.nullable(),
    endDate: dateOut.nullable(),
    opening: z.string(),
    lines: z.array(
      z.object({
        transactionId: recordId,
        date: dateOut,
        description: z.string().nullable(),
        debit: z.string(),
        credit: z.string(),
        balance: z.string().meta({ description: 'Balance after this line: debits minus credits.' }),
      }),
    ),
    closing: z.string(),
  }),
);

const statementQuery = z.strictObject({ beginDate: dateInput.optional(), endDate: dateInput.optional() });
const STATEMENT_COLUMNS = ['transactionId', 'date', 'description', 'debit', 'credit', 'balance'];

const routes = routesAt('/api', { who: 'tenant', permission: 'reports.read', tag: 'Reports' });

export const StatementController = controllerOf(
  routes.query(
    'Get the statement of an account: its postings in a period, with running balance',
    {
      path: '/accounts/:id/statement',
      query: statementQuery,
      answers: { ...valueOf(StatementDto), media: ['text/csv'] },
    },
    ({ scope, id, query: period }) => new GetStatement(scope, id, period),
    (statement, call) =>
      call.prefers('text/csv') ? csvAnswer(statement.lines, STATEMENT_COLUMNS, 'statement.csv') : statement,
  ),
);
