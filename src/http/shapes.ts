import { z } from 'zod';

/** Gives a schema the name under which the OpenAPI document has it. Names are unique; a request's are not an answer's. */
export const named = <S extends z.ZodType>(name: string, schema: S): S => schema.meta({ id: name });

/** Replaces what the OpenAPI document would say of a schema: for queries, whose booleans and numbers arrive as text. */
export const documented = <S extends z.ZodType>(schema: S, openapi: object): S => schema.meta({ openapi });

export const ErrorResponseDto = named(
  'ErrorResponseDto',
  z.object({
    statusCode: z.int(),
    code: z.string(),
    message: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
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

/** Result of most writes: the record's id and the revision that it has now. */
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

export const recordId = z.string().meta({ format: 'uuid' });
/** An instant as sent: UTC with milliseconds. */
export const instantOut = z.string().meta({ format: 'date-time' });
export const dateOut = z.string().meta({ format: 'date' });

export const MoneyDto = named(
  'MoneyDto',
  z.object({
    amount: z.string().meta({ description: 'Decimal with the digits of the currency: "1250.00".' }),
    currency: z.string().meta({ description: 'ISO 4217.' }),
  }),
);

/** What every record carries. */
export const recordFields = {
  id: recordId,
  createdAt: instantOut,
  updatedAt: instantOut,
  revision: z.int().min(0),
} as const;

/** A page of a list. */
export const page = <S extends z.ZodType>(item: S) =>
  z.object({
    items: z.array(item),
    pageNumber: z.int().min(1),
    pageSize: z.int().min(1),
    totalPages: z.int().min(0),
    totalCount: z.int().min(0),
    hasPreviousPage: z.boolean(),
    hasNextPage: z.boolean(),
  });
