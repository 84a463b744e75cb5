import { z } from 'zod';
import { DATE_FORM, EntryDate, printable } from '../aggregates/fields.js';
import { documented } from './shapes.js';

/** Building blocks for input schemas. Text is trimmed, length-limited, and free of control characters. */

/**
 * An id in a body or query. Any short text is valid. A malformed id is treated like an unknown one. In a body, it
 * results in a 404 response. In a filter, it results in an empty list.
 */
export const idInput = z.string().trim().toLowerCase().min(1).max(100).check(printable);

const INSTANT_FORM = z.regexes.datetime({ offset: true }).source;
export const dateDocument = { type: 'string', format: 'date', pattern: DATE_FORM } as const;
export const instantDocument = { type: 'string', format: 'date-time', pattern: INSTANT_FORM } as const;

/** A valid calendar date, 1900 or later. */
export const dateInput = EntryDate;

const instantText = z.iso.datetime({
  offset: true,
  error: 'Must be an ISO 8601 instant, such as 2026-01-31T08:30:00.000Z.',
});
const toInstant = (value: string): string => new Date(value).toISOString();
// An offset can move an instant out of the years 0000 to 9999. ISO strings for other years differ in length and sort
// order.
const isInstant = (value: string): boolean =>
  !Number.isNaN(Date.parse(value)) && toInstant(value).length === '2026-01-31T08:30:00.000Z'.length;

/** An instant with an offset, converted to UTC with milliseconds. */
export const instantInput = documented(
  instantText.refine(isInstant, { error: 'Must be a valid date and time.', abort: true }).transform(toInstant),
  instantDocument,
);

const dayOrInstant = (timeOfDay: string) =>
  documented(
    z
      .union([dateInput.transform((date) => `${date}T${timeOfDay}Z`), instantInput], {
        // For a date that is too early, returns the message about the year.
        error: ({ errors }) =>
          errors[0]?.find(({ code }) => code === 'custom')?.message ??
          'Must be a date (YYYY-MM-DD) or an ISO 8601 instant.',
      })
      .transform((value) => value),
    { description: 'A date (the whole UTC day) or an instant.', anyOf: [dateDocument, instantDocument] },
  );

/** `dateFrom`: an instant or a date. A date means the first instant of that UTC day. */
export const fromInput = dayOrInstant('00:00:00.000');
/** `dateTo`, inclusive: an instant or a date. A date means the last instant of that UTC day. */
export const toInput = dayOrInstant('23:59:59.999');

// ── Queries: all values arrive as text ──

/** Accepts only `true` and `false`. */
export const queryBoolean = documented(
  z.enum(['true', 'false'], 'Must be true or false.').transform((value) => value === 'true'),
  { type: 'boolean' },
);

/** A whole number within bounds, without a sign, decimal point or leading zeros. */
export const queryInteger = (minimum: number, maximum: number) =>
  documented(
    z
      .string()
      .regex(/^(?:0|[1-9]\d{0,15})$/, `Must be a whole number from ${minimum} to ${maximum}.`)
      .transform(Number)
      .refine((n) => n >= minimum && n <= maximum, `Must be a whole number from ${minimum} to ${maximum}.`),
    { type: 'integer', minimum, maximum },
  );

/** Search text. An empty string matches everything. A string that contains only blanks matches nothing. */
export const searchInput = z
  .string()
  .overwrite((given) => given.trim() || given.slice(0, 1))
  .max(200)
  .check(printable);

export const MAX_PAGE_SIZE = 100;
/** A page beyond the end of a list is empty, not an error. */
const MAX_PAGE_NUMBER = Number.MAX_SAFE_INTEGER;
/** A number too large for JavaScript to represent is also treated as a page beyond the end. */
export const pageNumber = documented(
  z
    .string()
    .regex(/^[1-9]\d{0,99}$/, 'Must be a whole number of at least 1.')
    .transform((digits) => Math.min(Number(digits), MAX_PAGE_NUMBER)),
  { type: 'integer', minimum: 1 },
);
const pageSize = queryInteger(1, MAX_PAGE_SIZE);

/** Paging parameters, both required. Spread into `z.strictObject({ ...requiredPaging, … })`. */
export const requiredPaging = { pageNumber, pageSize } as const;

/** A whole number from 1 to `maximum`. Default: `value`. */
export const optionalInteger = (maximum: number, value: number) =>
  documented(
    queryInteger(1, maximum)
      .optional()
      .transform((given) => given ?? value),
    { type: 'integer', minimum: 1, maximum, default: value },
  );

/** A page number that defaults to the first page. */
export const optionalPageNumber = documented(
  pageNumber.optional().transform((given) => given ?? 1),
  { type: 'integer', minimum: 1, default: 1 },
);

/** Paging parameters, both optional. */
export const optionalPaging = {
  pageNumber: optionalPageNumber,
  pageSize: optionalInteger(MAX_PAGE_SIZE, 20),
} as const;

/** An optional parameter that may be given more than once. Its value is always a list. */
export const repeatable = <S extends z.ZodType>(one: S, item: object) =>
  z
    .union([one.transform((value) => [value]), z.array(one).max(50)])
    .exactOptional()
    .meta({ openapi: { type: 'array', items: item }, repeatable: true });

/** A boolean parameter with a default. */
export const queryBooleanOr = (value: boolean) =>
  documented(
    queryBoolean.optional().transform((given) => given ?? value),
    { type: 'boolean', default: value },
  );
