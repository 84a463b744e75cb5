import { z } from 'zod';
import { faultsOf } from '../../src/eventsourcing/faults.js';

const said = (schema: z.ZodType, value: unknown): readonly string[] => {
  const { error } = schema.safeParse(value);
  return error ? faultsOf(error).map(({ path, message }) => `${path}: ${message}`) : [];
};
const name = z.strictObject({ name: z.string().min(1).max(3) });

describe('A validation error', () => {
  test.each([
    ['a missing field', name, {}, 'name: Must be specified.'],
    ['a missing choice', z.object({ type: z.enum(['IN', 'OUT']) }), {}, 'type: Must be specified.'],
    ['a value of another type', name, { name: 5 }, 'name: Must be a string.'],
    ['an empty text', name, { name: '' }, 'name: Must not be empty.'],
    ['a text that is too long', name, { name: 'Kontor' }, 'name: Must have at most 3 characters.'],
    ['a text that is too short', z.string().min(10), 'short', ': Must have at least 10 characters.'],
    ['a text of another length', z.string().length(1), 'no', ': Must have exactly 1 character.'],
    ['an empty list', z.array(z.string()).min(1), [], ': Must not be empty.'],
    ['too many entries', z.array(z.string()).max(1), ['a', 'b'], ': Must have at most 1 entry.'],
    ['a number that is too small', z.number().min(1), 0, ': Must be at least 1.'],
    ['a number that is too large', z.number().lt(100), 100, ': Must be less than 100.'],
    ['a number that is not whole', z.int(), 1.5, ': Must be a whole number.'],
    ['a value that is not a number', z.coerce.number(), 'x', ': Must be a number.'],
    ['another choice', z.enum(['IN', 'OUT']), 'UP', ': Must be one of IN, OUT.'],
    ['an invalid e-mail address', z.email(), 'ada', ': Must be an e-mail address.'],
    ['a date that does not exist', z.iso.date(), '2026-02-30', ': Must be a calendar date, YYYY-MM-DD.'],
    ['a text of another form', z.string().regex(/^[A-Z]$/), 'a', ': Must match /^[A-Z]$/.'],
    ['an unknown field', name, { name: 'Ada', nick: 'A' }, 'nick: Unknown field.'],
  ])('of %s states the requirement', (_, schema, value, words) => {
    expect(said(schema, value)).toEqual([words]);
  });

  it('uses the message of the schema if there is one', () => {
    expect(said(z.string().min(1, 'Give a name.'), '')).toEqual([': Give a name.']);
  });

  it('names the path of each fault, and truncates unknown names', () => {
    const lines = z.object({ lines: z.array(z.strictObject({ quantity: z.string() })) });
    expect(said(lines, { lines: [{ quantity: '1' }, { quantity: 1 }] })).toEqual([
      'lines[1].quantity: Must be a string.',
    ]);
    expect(said(name, { name: 'Ada', ['x'.repeat(5_000)]: 1 })).toEqual([`${'x'.repeat(100)}: Unknown field.`]);
  });

  it('contains the first fifty faults', () => {
    expect(said(z.array(z.string()), Array<number>(60).fill(1))).toHaveLength(50);
  });
});
