import { z } from 'zod';
import { GetAgeing } from '../queries/ageing.query.js';
import { GetBalanceSheet } from '../queries/balance-sheet.query.js';
import { GetGeneralLedger } from '../queries/general-ledger.query.js';
import { GetOpenItems } from '../queries/open-items.query.js';
import { GetProfitAndLoss, MAX_PERIODS } from '../queries/profit-and-loss.query.js';
import { GetTaxReport } from '../queries/tax-report.query.js';
import { GetTrialBalance } from '../queries/trial-balance.query.js';
import { orTable } from './csv.js';
import { ledgerBeancount, ledgerJson, ledgerTable } from './general-ledger.answer.js';
import { dateInput, idInput, instantInput, queryBooleanOr } from './input.js';
import {
  AgeingDto,
  BalanceSheetDto,
  GeneralLedgerDto,
  OpenItemsDto,
  ProfitAndLossDto,
  TaxReportDto,
  TrialBalanceDto,
} from './report.shapes.js';
import * as tables from './report.tables.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { documented } from './shapes.js';

const knownAt = instantInput.optional().meta({
  description: 'Returns the report as it was at this instant: events recorded later are ignored.',
});
const asOf = dateInput
  .optional()
  .meta({ description: 'Last value date to include. By default, all dates are included, with ages as of today.' });
const dates = { from: dateInput.optional(), to: dateInput.optional() };

type Dated = { readonly from?: string | undefined; readonly to?: string | undefined };
const isOrdered = ({ from, to }: Dated): boolean => from === undefined || to === undefined || from <= to;
const reversed = { path: ['to'], error: 'Must not be before from.' };

const periodQuery = z.strictObject({ ...dates, knownAt }).refine(isOrdered, reversed);
const asOfQuery = z.strictObject({ asOf, knownAt });
const trialBalanceQuery = z
  .strictObject({ asOf: dateInput.optional(), ...dates, zero: queryBooleanOr(true), knownAt })
  .refine(isOrdered, reversed)
  .refine(({ asOf: day, from, to }) => day === undefined || (from === undefined && to === undefined), {
    path: ['asOf'],
    error: 'Must not be combined with from or to.',
  });
const profitQuery = z
  .strictObject({
    ...dates,
    by: documented(
      z
        .enum(['none', 'month', 'quarter'])
        .optional()
        .transform((by) => by ?? 'none'),
      {
        ...{ type: 'string', enum: ['none', 'month', 'quarter'], default: 'none' },
        description: `Periods of more than ${MAX_PERIODS} months or quarters are rejected with 400.`,
      },
    ),
    knownAt,
  })
  .refine(isOrdered, reversed);
const ledgerQuery = z
  .strictObject({ ...dates, accountId: idInput.optional(), format: z.enum(['beancount']).optional(), knownAt })
  .refine(isOrdered, reversed);

const csv = { media: ['text/csv'] } as const;
const reports = routesAt('/api/reports', { who: 'tenant', permission: 'reports.read', tag: 'Reports' });
const items = routesAt('/api/customers', { who: 'tenant', permission: 'customers.read', tag: 'Customers' });

export const ReportController = controllerOf(
  reports.query(
    'Get the trial balance as of a date or for a period',
    { path: '/trial-balance', query: trialBalanceQuery, answers: { ...valueOf(TrialBalanceDto), ...csv } },
    ({ tenantId, query: { knownAt: at, ...options } }) => new GetTrialBalance({ tenantId, knownAt: at }, options),
    orTable(tables.trialBalanceTable),
  ),
  reports.query(
    'Get the profit and loss statement for a period, optionally broken down by month or quarter',
    { path: '/profit-and-loss', query: profitQuery, answers: { ...valueOf(ProfitAndLossDto), ...csv } },
    ({ tenantId, query: { knownAt: at, by, ...period } }) =>
      new GetProfitAndLoss({ tenantId, knownAt: at }, period, by),
    orTable(tables.profitAndLossTable),
  ),
  reports.query(
    'Get the balance sheet, with the result for the year',
    { path: '/balance-sheet', query: asOfQuery, answers: { ...valueOf(BalanceSheetDto), ...csv } },
    ({ tenantId, query }) => new GetBalanceSheet({ tenantId, knownAt: query.knownAt }, query.asOf),
    orTable(tables.balanceSheetTable),
  ),
  reports.query(
    "Get the customers' open items by age",
    { path: '/ageing', query: asOfQuery, answers: { ...valueOf(AgeingDto), ...csv } },
    ({ tenantId, query }) => new GetAgeing({ tenantId, knownAt: query.knownAt }, query.asOf),
    orTable(tables.ageingTable),
  ),
  reports.query(
    'Get net amounts and tax by rate, with a reconciliation of the tax accounts',
    { path: '/tax', query: periodQuery, answers: { ...valueOf(TaxReportDto), ...csv } },
    ({ tenantId, query: { knownAt: at, ...period } }) => new GetTaxReport({ tenantId, knownAt: at }, period),
    orTable(tables.taxTable),
  ),
  reports.query(
    'Get all postings in a period, ordered by date, optionally as a Beancount file',
    {
      path: '/general-ledger',
      query: ledgerQuery,
      answers: { ...valueOf(GeneralLedgerDto), media: ['text/csv', 'text/plain'] },
    },
    ({ tenantId, query: { knownAt: at, format: _, ...options } }) =>
      new GetGeneralLedger({ tenantId, knownAt: at }, options),
    (ledger, call) => {
      const show = call.query.format === 'beancount' ? ledgerBeancount : orCsv(call.prefers('text/csv'));
      return show(ledger, call.query);
    },
  ),
  items.query(
    "List a customer's open items, oldest first",
    { path: '/:id/open-items', query: asOfQuery, answers: { ...valueOf(OpenItemsDto), ...csv } },
    ({ tenantId, id, query }) => new GetOpenItems({ tenantId, knownAt: query.knownAt }, id, query.asOf),
    orTable(tables.openItemsTable),
  ),
);

const orCsv = (isTable: boolean) => (isTable ? ledgerTable : ledgerJson);
