import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isTimeZone } from '../eventsourcing/calendar.js';
import { personal } from './personal.js';

// Control characters and lone surrogates break logs, CSV files and stores, and have no legitimate use.
const without = (unprintable: RegExp) =>
  z.refine<string>((text) => !unprintable.test(text), 'Must not contain control characters.');
export const printable = without(/[\p{Cc}\p{Cs}]/u);
const printableLines = without(/[^\P{Cc}\n\r\t]|\p{Cs}/u);

// Rejects line separators, bidirectional controls and zero-width characters, which make look-alike names possible.
// Joiners are allowed where scripts and emoji need them: after an Arabic letter, a combining mark or a pictograph.
const HIDDEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]/u;
const visible = z.refine<string>((text) => !HIDDEN.test(text), 'Must not contain invisible characters.');

/** Single-line text: trimmed, not empty, without invisible characters. */
export const line = (maxLength: number) => z.string().trim().min(1).max(maxLength).check(printable, visible);

/** Multi-line text: trimmed, not empty. */
export const paragraph = (maxLength: number) => z.string().trim().min(1).max(maxLength).check(printableLines);

/**
 * An id in a request, in upper or lower case. The format is not validated, so a malformed id results in a 404 response.
 */
export const RecordId = z.string().toLowerCase().min(1).max(100);

/** Maximum length of the local part (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART = 64;
// zod's e-mail pattern, restricted to valid DNS labels: at most 63 characters, no trailing hyphen.
const MAILBOX =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
export const Email = z
  .email({ pattern: MAILBOX })
  .max(254)
  .refine((text) => text.indexOf('@') <= MAX_LOCAL_PART, 'Must have at most 64 characters before the @.');
export const Phone = line(40);

/** Returns the comparison key for a code. Codes that differ only in case have the same key. */
export const codeKey = (code: string): string => code.normalize('NFC').toUpperCase();
/** Returns the comparison key for an e-mail address. */
export const emailKey = (email: string): string => email.trim().toLowerCase();

export const CalendarDate = z.iso.date();

/** Year checks ignore text without a year, because the format check already reports an error for it. */
const hasYear = (text: string): boolean => /^\d{4}-/.test(text);
const EARLIEST_DATE = '1900-01-01';
/** Pattern for the OpenAPI document. Together with `format: date`, it allows valid dates from 1900-01-01 onwards. */
export const DATE_FORM = '^(?:19|[2-9]\\d)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$';
/** A date entered by a user. */
export const EntryDate = z.iso
  .date()
  .refine((date) => !hasYear(date) || date >= EARLIEST_DATE, 'Must not be before 1900.')
  .meta({ pattern: DATE_FORM });

/** An instant in a request. It may have any UTC offset, and is converted to UTC. */
export const InstantInput = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((text) => !hasYear(text) || /^(?:19|2\d)\d\d-/.test(text), 'Must be in a year from 1900 to 2999.')
  .transform((text) => new Date(text).toISOString());
/** An instant in events: ISO 8601, UTC, milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 });
export const TimeZone = z.string().max(64).refine(isTimeZone, 'Must be a time zone from the IANA database.');
export const Direction = z.enum(['IN', 'OUT']);
export type Direction = z.output<typeof Direction>;

/** Schemas for ids, instants and dates in API responses. */
export const IdText = z.string().meta({ format: 'uuid' });
export const InstantText = z.string().meta({ format: 'date-time' });
export const DateText = z.string().meta({ format: 'date' });
/** Schemas for ids, amounts, dates and strings in integration events. */
export const PublicId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  .meta({ format: 'uuid' });
export const PublicAmount = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?$/)
  .meta({ description: 'Decimal string with the decimal places of the currency.' });
export const PublicDate = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date' });
export const FreeText = personal(
  z.string().nullable().meta({ description: 'Free text that may contain personal data.' }),
);
/** A currency code in API responses and integration events. */
export const CurrencyText = z.string().meta({ description: 'ISO 4217.' });

export const IdList = z
  .array(RecordId)
  .max(100)
  .transform((ids) => [...new Set(ids)]);

/** Returns the schemas for an update: every field is optional, but must not be `undefined`. */
export const someOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as {
      [K in keyof Shape]: z.ZodExactOptional<Shape[K]>;
    },
  );

/**
 * Returns the fields of `patch` that differ from `current`; undefined if none do. Ignores fields that `current` does
 * not have.
 */
export function changesTo<T extends object>(current: T, patch: Partial<T>): Partial<T> | undefined {
  const changed = (Object.keys(patch) as (keyof T)[]).filter(
    (name) => name in current && patch[name] !== undefined && !isDeepStrictEqual(patch[name], current[name]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, patch[name]])) as Partial<T>;
}
