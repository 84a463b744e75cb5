import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify, type Options } from 'csv-stringify/sync';
import { z } from 'zod';
import { answer, type Answer } from './answer.js';
import { MoneyDto } from './shapes.js';

/** A column, with its header and the path of the member that it contains. */
type Column = { readonly header: string; readonly key: string };
type Columns = readonly (string | Column)[];
type Parts = AsyncIterable<readonly object[]> | Iterable<readonly object[]>;

/** Number of rows that are written before other requests get a turn. Writing them takes up to ten milliseconds. */
const SLICE = 100;

/** Numbers are not escaped, although a minus sign could be the start of a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

function textOf(rows: readonly object[], columns: Columns, header: boolean): string {
  const options: Options = {
    header,
    columns: [...columns],
    record_delimiter: 'windows',
    // Quotes fields with a single CR or LF. An explicit record delimiter disables this default.
    quote_record_delimiter: true,
    cast: { boolean: String, string: (value) => ({ value, escape_formulas: !NUMBER.test(value) }) },
  };
  return stringify([...rows], options);
}

const answerOf = (body: unknown, fileName: string): Answer =>
  answer(body, {
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': `attachment; filename="${fileName}"` },
  });

/** Sends rows as CSV (RFC 4180) with a header row. Escapes text that spreadsheets would evaluate as a formula. */
export const csvAnswer = (rows: readonly object[], columns: Columns, fileName: string): Answer =>
  rows.length <= SLICE ? answerOf(textOf(rows, columns, true), fileName) : csvStream([rows], columns, fileName);

/** Returns a result as JSON, or as a table if the client prefers CSV. */
export const orTable =
  <Result>(table: (result: Result) => Answer) =>
  (result: Result, call: { prefers(type: string): boolean }): unknown =>
    call.prefers('text/csv') ? table(result) : result;

/** Like `csvAnswer`, but sends rows while reading them. */
export const csvStream = (parts: Parts, columns: Columns, fileName: string): Answer =>
  answerOf(lines(parts, columns), fileName);

async function* lines(parts: Parts, columns: Columns): AsyncGenerator<string> {
  yield textOf([], columns, true);
  for await (const rows of parts)
    for (let at = 0; at < rows.length; at += SLICE) {
      yield textOf(rows.slice(at, at + SLICE), columns, false);
      await nextTurn();
    }
}

/**
 * Reads the first batch of rows before the response begins. If that fails, the client gets an error response instead of
 * an incomplete file.
 */
export async function begun<T>(parts: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  async function* all(): AsyncIterable<T> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return all();
}

/**
 * Returns the columns of a record: one for each scalar member, including the members of nested objects
 * (`reversedBy.reason`). An amount with a currency becomes one column that contains only the amount. Lists are omitted.
 */
export function csvColumns(record: z.ZodType, prefix = ''): Column[] {
  if (!(record instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(record.shape).flatMap(([name, member]): Column[] => {
    const path = prefix + name;
    const schema = member instanceof z.ZodNullable || member instanceof z.ZodOptional ? member.unwrap() : member;
    if (schema instanceof z.ZodArray) return [];
    if (!(schema instanceof z.ZodObject)) return [{ header: path, key: path }];
    const isMoney = Object.keys(schema.shape).join() === Object.keys(MoneyDto.shape).join();
    return isMoney ? [{ header: path, key: `${path}.amount` }] : csvColumns(schema, `${path}.`);
  });
}
