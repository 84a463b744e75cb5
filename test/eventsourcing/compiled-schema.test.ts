import fc from 'fast-check';
import { z } from 'zod';
import { SalePayload } from '../../src/aggregates/sale-payload.js';
import { catalogue } from '../../src/app/catalogue.js';
import { compiled } from '../../src/eventsourcing/compiled-schema.js';
import { recordings } from '../support/corpus.js';
import { saleOf } from '../support/service.js';

/** Returns the schema after enough uses for it to be compiled. */
function worn<S extends z.ZodType>(schema: S): S {
  let used = schema;
  for (let use = 0; use < 1_000; use += 1) used = compiled(schema);
  expect(used).not.toBe(schema);
  return used;
}

const resultOf = (schema: z.ZodType, value: unknown): unknown => {
  const { success, data, error } = schema.safeParse(value);
  return success ? JSON.stringify(data) : error.issues;
};

/** Replaces one member of a JSON value. */
function spoiled(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || value === null || typeof value !== 'object') return by;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)] ?? 'more';
  const member = (value as Record<string, unknown>)[key];
  if (Array.isArray(value)) return value.toSpliced(first % (value.length + 1), 1, spoiled(member, rest, by));
  return { ...value, [key]: spoiled(member, rest, by) };
}

describe('A compiled schema', () => {
  test('has the results of the original for sales with a wrong member', () => {
    const sale = saleOf('S-1', {
      customer: { externalId: 'C-1', name: 'Ada' },
      payments: [{ method: 'CARD', amount: '100.00' }],
      metadata: { till: '4' },
    });
    const fast = worn(SalePayload);
    const wrong = fc.oneof(fc.jsonValue(), fc.constantFrom('', '0', '1.005', 'EUR', 'RETURN', -1, 1e21, null));
    fc.assert(
      fc.property(fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }), wrong, (path, by) => {
        const body = spoiled(sale, path, by);
        expect(resultOf(fast, body)).toEqual(resultOf(SalePayload, body));
      }),
      { numRuns: 1_000 },
    );
  });

  test('has the results of the original for the events of all recorded histories, intact and damaged', () => {
    const events = recordings().flatMap(({ events }) => events);
    const byType = new Map(events.map((event) => [event.type, event]));
    expect(byType.size).toBeGreaterThan(100);
    for (const { type, data } of byType.values()) {
      const schema = catalogue.types.get(type)?.schema;
      if (!schema) continue;
      const fast = worn(schema);
      expect(resultOf(fast, data)).toEqual(resultOf(schema, data));
      fc.assert(
        fc.property(fc.array(fc.nat(12), { maxLength: 4 }), fc.jsonValue(), (path, by) => {
          const damaged = spoiled(data, path, by);
          expect(resultOf(fast, damaged)).toEqual(resultOf(schema, damaged));
        }),
        { numRuns: 20 },
      );
    }
  });
});
