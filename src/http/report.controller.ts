import { Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { GetStatement } from '../queries/statement.query.js';
import { GetTrialBalance } from '../queries/trial-balance.query.js';
import { csvAnswer } from './csv.js';
import { Caller, Endpoint, Wants } from './endpoint.js';
import { dateInput } from './input.js';
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
        balance: z.string().meta({ description: 'After this line: debits minus credits.' }),
      }),
    ),
    closing: z.string(),
  }),
);

const statementQuery = z.strictObject({ beginDate: dateInput.optional(), endDate: dateInput.optional() });
const STATEMENT_COLUMNS = ['transactionId', 'date', 'description', 'debit', 'credit', 'balance'];

const query = z.strictObject({ asOf: dateInput.optional() });
const COLUMNS = ['accountId', 'code', 'name', 'type', 'debit', 'credit', 'balance'];

@Controller()
export class ReportController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Endpoint({
    method: 'GET',
    path: '/api/reports/trial-balance',
    who: 'tenant',
    permission: 'reports.read',
    tag: 'Reports',
    summary: 'Debits and credits of every account, by a date',
    query,
    answers: { status: 200, shape: 'envelope', schema: TrialBalanceDto, media: ['text/csv'] },
  })
  async trialBalance(
    @Caller() { tenantId }: UserPrincipal,
    @Query() { asOf }: z.output<typeof query>,
    @Wants('text/csv') csv: boolean,
  ): Promise<unknown> {
    const report = await this.queries.execute(new GetTrialBalance(tenantId, asOf));
    return csv ? csvAnswer(report.rows, COLUMNS, 'trial-balance.csv') : report;
  }

  @Endpoint({
    method: 'GET',
    path: '/api/accounts/:id/statement',
    who: 'tenant',
    permission: 'reports.read',
    tag: 'Reports',
    summary: 'Every posting to an account within a period, by date, with the balance after each',
    query: statementQuery,
    answers: { status: 200, shape: 'envelope', schema: StatementDto, media: ['text/csv'] },
  })
  async statement(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Query() period: z.output<typeof statementQuery>,
    @Wants('text/csv') csv: boolean,
  ): Promise<unknown> {
    const statement = await this.queries.execute(new GetStatement(tenantScope(tenantId), id, period));
    return csv ? csvAnswer(statement.lines, STATEMENT_COLUMNS, 'statement.csv') : statement;
  }
}
