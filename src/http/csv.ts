import { stringify, type Options } from 'csv-stringify/sync';
import { answer, type Answer } from './answer.js';

/** A number needs no escape, although a minus sign could begin a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

function textOf(rows: readonly object[], columns: readonly string[], header: boolean): string {
  const options: Options = {
    header,
    columns: [...columns],
    record_delimiter: 'windows',
    cast: { string: (value) => ({ value, escape_formulas: !NUMBER.test(value) }) },
  };
  return stringify([...rows], options);
}

const answerOf = (body: unknown, fileName: string): Answer =>
  answer(body, {
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': `attachment; filename="${fileName}"` },
  });

/** Rows as CSV (RFC 4180) with a header row. Text that spreadsheets would evaluate as a formula is escaped. */
export const csvAnswer = (rows: readonly object[], columns: readonly string[], fileName: string): Answer =>
  answerOf(textOf(rows, columns, true), fileName);

/** The same, sent while it is read. */
export const csvStream = (
  parts: AsyncIterable<readonly object[]>,
  columns: readonly string[],
  fileName: string,
): Answer => answerOf(lines(parts, columns), fileName);

async function* lines(parts: AsyncIterable<readonly object[]>, columns: readonly string[]): AsyncGenerator<string> {
  yield textOf([], columns, true);
  for await (const rows of parts) if (rows.length > 0) yield textOf(rows, columns, false);
}
