import { z } from 'zod';
import { CurrencyText, PublicAmount, PublicDate, PublicId } from '../aggregates/fields.js';

// Field types of integration events. The published fields of records are picked from the record declarations. A
// published field stays, even if the domain events change.

/** A type of integration event. Fields may only be added; any other change is a new version beside this one. */
export type Contract<Data extends z.ZodObject = z.ZodObject> = {
  readonly entity: string;
  readonly event: string;
  /** States the occasion of the event and its subject. */
  readonly description: string;
  /** Everything that partners may see: a translation drops all fields that are not declared here. */
  readonly data: Data;
  readonly example: z.output<Data>;
};

export const contract = <Data extends z.ZodObject>(given: Contract<Data>): Contract<Data> => given;

export const id = PublicId;
export const optionalId = id.nullable();
export const text = z.string();
export const optionalText = z.string().nullable();
export const amount = PublicAmount;
export const currency = CurrencyText;
export const date = PublicDate;
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'UTC, with milliseconds.' });

/** The same fields, all optional: unchanged fields are absent. */
export const changesOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(
      Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as {
        [K in keyof Shape]: z.ZodExactOptional<Shape[K]>;
      },
    )
    .meta({ description: 'The fields that changed, as they are now.' });

export const nothing = z.strictObject({});

/** A fixed id for example events. */
export const exampleId = (digit: number): string => `0199d3a0-0000-7000-8000-00000000000${digit}`;
