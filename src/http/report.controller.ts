import { Controller, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { stringify, type Options } from 'csv-stringify/sync';
import { z } from 'zod';
import type { UserPrincipal } from '../platform/principal.js';
import { GetTrialBalance, type TrialBalance } from '../queries/trial-balance.query.js';
import { answer } from './answer.js';
import { Caller, Endpoint, Wants } from './endpoint.js';
import { dateInput } from './input.js';
import { dateOut, named } from './shapes.js';

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
    return csv ? asCsv(report) : report;
  }
}

const AMOUNTS: readonly unknown[] = ['debit', 'credit', 'balance'];
// A text that a spreadsheet would take for a formula gets a quote in front; an amount below zero is no formula.
const csvOptions: Options = {
  header: true,
  columns: COLUMNS,
  record_delimiter: 'windows',
  cast: { string: (value, { column }) => ({ value, escape_formulas: !AMOUNTS.includes(column) }) },
};

const asCsv = ({ rows }: TrialBalance) =>
  answer(stringify([...rows], csvOptions), {
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': 'attachment; filename="trial-balance.csv"' },
  });
