import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import type { EventDeclarations } from '../../src/eventsourcing/aggregate.js';

/** The prefix of every value that an event marks as secret. No output may contain this prefix. */
export const SECRET = 'secret-';

/** Values that an event's schema accepts. Supports every kind of schema used in events. */
function samplesOf(schema: z.ZodType): Arbitrary<unknown> {
  if (schema.meta()?.['secret'] === true) return fc.uuid().map((id) => `${SECRET}${id}`);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape);
    const requiredKeys = fields.filter(([, field]) => !(field instanceof z.ZodExactOptional)).map(([name]) => name);
    const record = Object.fromEntries(fields.map(([name, field]) => [name, samplesOf(field)]));
    return fc.record(record, { requiredKeys });
  }
  if (schema instanceof z.ZodNullable) return fc.option(samplesOf(schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodExactOptional) return samplesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map((option) => samplesOf(option as z.ZodType)));
  if (schema instanceof z.ZodArray) return fc.array(samplesOf(schema.element as z.ZodType), { maxLength: 3 });
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string(), samplesOf(schema.valueType as z.ZodType));
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber) return fc.integer({ min: 1, max: 1000 });
  if (schema instanceof z.ZodUnknown) return fc.jsonValue();
  if (schema instanceof z.ZodISODateTime) return someDate.map((date) => date.toISOString());
  if (schema instanceof z.ZodISODate) return someDate.map((date) => date.toISOString().slice(0, 10));
  if (schema instanceof z.ZodString) return fc.string({ maxLength: 8 });
  throw new Error(`No samples for schemas of type ${schema.type}`);
}

const someDate = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

/** Generates arbitrary sequences of events with the declared types. A sequence need not be plausible. */
export const histories = (declarations: EventDeclarations): Arbitrary<{ type: string; data: object }[]> =>
  fc.array(
    fc.oneof(
      ...Object.entries(declarations).map(([type, { schema }]) =>
        fc.record({ type: fc.constant(type), data: samplesOf(schema) as Arbitrary<object> }),
      ),
    ),
    { maxLength: 12 },
  );
