import { stringify, type Options } from 'csv-stringify/sync';
import { answer, type Answer } from './answer.js';

/** Columns that hold amounts, which may begin with a minus. */
const AMOUNTS: readonly unknown[] = ['debit', 'credit', 'balance'];

/**
 * Rows as a CSV file (RFC 4180) with a header row. A text that a spreadsheet would take for a formula gets a quote in
 * front; an amount below zero is no formula.
 */
export function csvAnswer(rows: readonly object[], columns: readonly string[], fileName: string): Answer {
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
