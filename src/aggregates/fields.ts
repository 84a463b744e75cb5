import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isTimeZone } from '../platform/calendar.js';

// Control characters and half surrogate pairs: they break logs, CSV files and stores, and nobody types them.
const without = (unprintable: RegExp) =>
  z.refine<string>((text) => !unprintable.test(text), 'Must not contain control characters.');
export const printable = without(/[\p{Cc}\p{Cs}]/u);
const printableLines = without(/[^\P{Cc}\n\r\t]|\p{Cs}/u);

/** One line of text: trimmed, not empty. */
export const line = (maxLength: number) => z.string().trim().min(1).max(maxLength).check(printable);

/** Text of several lines: trimmed, not empty. */
export const paragraph = (maxLength: number) => z.string().trim().min(1).max(maxLength).check(printableLines);

/** An id as a caller gives it, in any case. Its form is not checked here: a malformed one is simply not found (404). */
export const RecordId = z.string().toLowerCase().min(1).max(100);

/** Of what stands before the @ (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART = 64;
// zod's own, with parts of the domain as DNS has them: at most 63 characters, and none ends in a hyphen.
const MAILBOX =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
export const Email = z
  .email({ pattern: MAILBOX })
  .max(254)
  .refine((text) => text.indexOf('@') <= MAX_LOCAL_PART, 'Must have at most 64 characters before the @.');
export const Phone = line(40);

/** What tells codes apart: those that differ only in case are the same code. */
export const codeKey = (code: string): string => code.normalize('NFC').toUpperCase();
/** What tells e-mail addresses apart. */
export const emailKey = (email: string): string => email.trim().toLowerCase();

export const CalendarDate = z.iso.date();

const EARLIEST_DATE = '1900-01-01';
/** What the API's document says of them: with the format it leaves dates that exist, from 1900. */
export const DATE_FORM = '^(?:19|[2-9]\\d)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$';
/** The date of what people enter. */
export const EntryDate = z.iso
  .date()
  .refine((date) => date >= EARLIEST_DATE, 'Must not be before 1900.')
  .meta({ pattern: DATE_FORM });

/** An instant as events hold it: ISO 8601, UTC, milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 });
export const TimeZone = z.string().max(64).refine(isTimeZone, 'Must be a time zone of the IANA database.');
export const Direction = z.enum(['IN', 'OUT']);
export type Direction = z.output<typeof Direction>;

/** A list of ids without repeats. */
export const IdList = z
  .array(RecordId)
  .max(100)
  .transform((ids) => [...new Set(ids)]);

/** The same fields, each of which may be left out (but not `undefined`): what an update may change. */
export const someOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as {
      [K in keyof Shape]: z.ZodExactOptional<Shape[K]>;
    },
  );

/** What of `patch` differs from `current`; undefined when nothing does. Fields that `current` lacks are left out. */
export function changesTo<T extends object>(current: T, patch: Partial<T>): Partial<T> | undefined {
  const changed = (Object.keys(patch) as (keyof T)[]).filter(
    (name) => name in current && patch[name] !== undefined && !isDeepStrictEqual(patch[name], current[name]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, patch[name]])) as Partial<T>;
}
