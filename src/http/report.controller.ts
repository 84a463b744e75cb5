import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import { GetStatement, GetTrialBalance } from '../queries/report.queries.js';
import { stringify, type Options } from 'csv-stringify/sync';
import { answer, type Answer } from './answer.js';
import { dateInput } from './input.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { dateOut, named, recordId } from './shapes.js';

const TrialBalanceDto = named(
  'TrialBalanceDto',
  z.object({
    asOf: dateOut.nullable(),
    currency: z.string(),
    rows: z.array(
      z.object({
        accountId: z.string(),
        code: z.string().nullable(),
        name: z.string(),
        type: z.string(),
        debit: z.string(),
        credit: z.string(),
        balance: z.string(),
      }),
    ),
    totalDebit: z.string(),
    totalCredit: z.string(),
  }),
);

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

const query = z.strictObject({ asOf: dateInput.optional() });
const routes = routesAt('/api', { who: 'tenant', permission: 'reports.read', tag: 'Reports' });
const COLUMNS = ['accountId', 'code', 'name', 'type', 'debit', 'credit', 'balance'];

export const ReportController = controllerOf(
  routes.query(
    'Get the trial balance as of a date',
    { path: '/reports/trial-balance', query, answers: { ...valueOf(TrialBalanceDto), media: ['text/csv'] } },
    ({ tenantId, query: { asOf } }) => new GetTrialBalance(tenantId, asOf),
    (report, call) => (call.prefers('text/csv') ? csvAnswer(report.rows, COLUMNS, 'trial-balance.csv') : report),
  ),
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

/** Amount columns, whose values may start with a minus sign. */
const AMOUNTS: readonly unknown[] = ['debit', 'credit', 'balance'];

/** Rows as CSV (RFC 4180) with a header row. Text that spreadsheets would evaluate as a formula is escaped. */
function csvAnswer(rows: readonly object[], columns: readonly string[], fileName: string): Answer {
  const options: Options = {
    header: true,
    columns: [...columns],
    record_delimiter: 'windows',
    cast: { string: (value, { column }) => ({ value, escape_formulas: !AMOUNTS.includes(column) }) },
  };
  return answer(stringify([...rows], options), {
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': `attachment; filename="${fileName}"` },
  });
}
