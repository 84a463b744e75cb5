import { z } from 'zod';
import { personal } from '../aggregates/personal.js';

// What integration events are made of. Written out here once more, apart from the events of the history, since what has
// been published is a contract for ever, and the history's schemas are free to change by upcasters.

/** A kind of integration event. Only added to; anything else is another version beside it. */
export type Contract<Data extends z.ZodObject = z.ZodObject> = {
  readonly entity: string;
  readonly event: string;
  /** When it is published, and what its subject is. */
  readonly description: string;
  /** All that partners may see of it: a translation passes nothing on that is not named here. */
  readonly data: Data;
  readonly example: z.output<Data>;
};

export const contract = <Data extends z.ZodObject>(given: Contract<Data>): Contract<Data> => given;

export const id = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  .meta({ format: 'uuid' });
export const optionalId = id.nullable();
export const text = z.string();
export const optionalText = z.string().nullable();
export const personalText = personal(z.string());
export const optionalPersonalText = personal(z.string().nullable());
export const freeText = personal(z.string().nullable().meta({ description: 'Free text, which may name a person.' }));
export const amount = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?$/)
  .meta({ description: 'A decimal with the digits of the currency.' });
export const currency = z.string().meta({ description: 'ISO 4217.' });
export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date' });
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'UTC, with milliseconds.' });

/** The same fields, each of which may be missing: those that did not change are. */
export const changesOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(
      Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as {
        [K in keyof Shape]: z.ZodExactOptional<Shape[K]>;
      },
    )
    .meta({ description: 'The fields that changed, as they are now.' });

export const nothing = z.strictObject({});

/** For examples. */
export const exampleId = (digit: number): string => `0199d3a0-0000-7000-8000-00000000000${digit}`;
