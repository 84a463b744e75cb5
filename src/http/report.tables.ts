import type { Ageing } from '../queries/ageing.query.js';
import type { BalanceSheet } from '../queries/balance-sheet.query.js';
import { BUCKETS } from '../queries/open-amounts.js';
import type { OpenItems } from '../queries/open-items.query.js';
import type { ProfitAndLoss } from '../queries/profit-and-loss.query.js';
import type { TaxReport, TaxSums } from '../queries/tax-report.query.js';
import type { TrialBalance } from '../queries/trial-balance.query.js';
import type { Answer } from './answer.js';
import { csvAnswer } from './csv.js';

// Reports as tables: one line per row of the report, followed by the totals.

const ACCOUNT = ['accountId', 'code', 'name', 'type'];

export function trialBalanceTable({ rows, from }: TrialBalance): Answer {
  const columns = from === undefined ? ['debit', 'credit'] : ['opening', 'debit', 'credit', 'closing'];
  return csvAnswer(rows, [...ACCOUNT, ...columns, 'balance'], 'trial-balance.csv');
}

export function profitAndLossTable({ sections, periods, result, results, by }: ProfitAndLoss): Answer {
  const names = by === 'none' ? [] : periods.map(({ name }) => name);
  const divided = (amounts: readonly string[]) =>
    Object.fromEntries(names.map((name, at) => [name, amounts[at] ?? '']));
  const rows = sections.flatMap(({ name: section, rows: own, total, totals }) => [
    ...own.map(({ amounts, ...row }) => ({ section, ...row, ...divided(amounts) })),
    { section, name: 'Total', amount: total, ...divided(totals) },
  ]);
  const last = { section: 'Result', name: 'Total', amount: result, ...divided(results) };
  return csvAnswer([...rows, last], ['section', ...ACCOUNT, 'amount', ...names], 'profit-and-loss.csv');
}

export function balanceSheetTable({ sections }: BalanceSheet): Answer {
  const rows = sections.flatMap(({ name: section, rows: own, total }) => [
    ...own.map((row) => ({ section, ...row })),
    { section, name: 'Total', amount: total },
  ]);
  return csvAnswer(rows, ['section', ...ACCOUNT, 'amount'], 'balance-sheet.csv');
}

export const ageingTable = ({ rows, totals }: Ageing): Answer =>
  csvAnswer([...rows, { name: 'Total', ...totals }], ['customerId', 'code', 'name', ...BUCKETS, 'total'], 'ageing.csv');

const ITEM = ['transactionId', 'date', 'days', 'type', 'documentEffect', 'externalId', 'reference', 'description'];
export const openItemsTable = ({ items }: OpenItems): Answer =>
  csvAnswer(items, [...ITEM, 'saleId', 'amount', 'open'], 'open-items.csv');

export function taxTable({ rows, totals, reconciliation }: TaxReport): Answer {
  const flat = ({ sales, returns, cancellations, net, tax }: TaxSums) => ({
    ...{ salesNet: sales.net, salesTax: sales.tax, returnsNet: returns.net, returnsTax: returns.tax },
    ...{ cancellationsNet: cancellations.net, cancellationsTax: cancellations.tax, net, tax },
  });
  const lines = Object.entries(reconciliation).map(([name, tax]) => ({ rate: `Account: ${name}`, tax }));
  const all = [
    ...rows.map(({ rate, ...sums }) => ({ rate: rate ?? 'unknown', ...flat(sums) })),
    { rate: 'Total', ...flat(totals) },
  ];
  return csvAnswer([...all, ...lines], ['rate', ...Object.keys(flat(totals))], 'tax.csv');
}
