import { z } from 'zod';
import { IdText, InstantText } from '../aggregates/fields.js';

/** Names a schema in the OpenAPI document. Names are unique, and no name is used for both requests and responses. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => schema.meta({ id: name });

/** Replaces a schema in the OpenAPI document. Queries need this, because their booleans and numbers arrive as text. */
export const documented = <S extends z.ZodType>(schema: S, openapi: object): S => schema.meta({ openapi });

export const ErrorResponseDto = named(
  'ErrorResponseDto',
  z.object({
    statusCode: z.int(),
    code: z.string(),
    message: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    tenants: z
      .array(z.object({ name: z.string(), slug: z.string() }))
      .optional()
      .meta({ description: 'For TENANT_REQUIRED: the tenants to choose from.' }),
    requestId: z.string(),
  }),
);

export const PartnerErrorDto = named(
  'PartnerErrorDto',
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      requestId: z.string(),
      errors: z.array(z.object({ path: z.string(), message: z.string().optional() })).optional(),
    }),
  }),
);

/** Result of most writes: the record's id and its new revision. */
export const CommandResponseDto = named(
  'CommandResponseDto',
  z.object({ success: z.literal(true), id: z.string(), revision: z.int() }),
);
export type CommandResponseDto = z.output<typeof CommandResponseDto>;

export const LookupDto = named(
  'LookupDto',
  z.object({ id: z.string(), name: z.string(), code: z.string().nullable() }),
);
export type LookupDto = z.output<typeof LookupDto>;

export const recordId = IdText;
/** An instant in a response: UTC with milliseconds. */
export const instantOut = InstantText;
export const dateOut = z.string().meta({ format: 'date' });

export const MoneyDto = named(
  'MoneyDto',
  z.object({
    amount: z
      .string()
      .meta({ description: 'Decimal string with the decimal places of the currency, such as "1250.00".' }),
    currency: z.string().meta({ description: 'ISO 4217.' }),
  }),
);

/** Fields of every record. */
export const recordFields = {
  id: recordId,
  createdAt: instantOut,
  updatedAt: instantOut,
  revision: z.int().min(0),
} as const;

/** Response field that marks a page's totals as lower bounds. */
export const totalIsCapped = z
  .literal(true)
  .optional()
  .meta({
    description:
      'Present if counting stopped at 10,000 records. The total is then a lower bound, and `hasNextPage` is true if ' +
      'the page is full.',
  });

export const page = <S extends z.ZodType>(item: S) =>
  z.object({
    items: z.array(item),
    pageNumber: z.int().min(1),
    pageSize: z.int().min(1),
    totalPages: z.int().min(0),
    totalCount: z.int().min(0),
    hasPreviousPage: z.boolean(),
    hasNextPage: z.boolean(),
    totalIsCapped,
  });

/** A page with a cursor for the next page. Totals are lower bounds while there is a next page. */
export const cursorPage = <S extends z.ZodType>(item: S) =>
  page(item).extend({
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description:
          'Value to send as `cursor` for the next page; null on the last page. Any page may contain fewer items than ' +
          'requested, or none.',
      }),
  });
