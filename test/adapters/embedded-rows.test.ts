import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { rowOf, shapeOf, termFor, type Row } from '../../src/adapters/embedded/read-store.shape.js';
import type { Field, ReadModel, Scalar } from '../../src/ports/read-store.js';
import { words } from '../../src/ports/search.js';

type Found = Scalar | null | undefined | readonly Scalar[];
type Doc = Readonly<Record<string, Found>>;
type TextDoc = Doc & { readonly text: string | null };

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const field = (name: string, type: Field<Doc>['type']): Field<TextDoc> => ({
  type,
  of: (document) => document[name] as Scalar | null,
});

const anyModel: fc.Arbitrary<ReadModel> = fc
  .record({
    types: fc.tuple(...NAMES.map(() => fc.constantFrom('text', 'integer', 'boolean'))),
    filters: fc.shuffledSubarray(NAMES),
    ordered: fc.shuffledSubarray(NAMES, { maxLength: 2 }),
    joined: fc.subarray(NAMES, { maxLength: 1 }),
  })
  .map(({ types, filters, ordered, joined }) => ({
    name: 'things',
    version: 1,
    fields: Object.fromEntries(NAMES.map((name, at) => [name, field(name, types[at] ?? 'text')])),
    filters,
    order: { fields: ordered, direction: 'ascending' },
    search: { text: ({ text }: TextDoc) => text, alpha: ({ alpha }: TextDoc) => String(alpha) },
    searchJoins: joined.map((name) => ({ field: name, model: 'others', texts: ['name'] })),
  }));

const anyText = fc.oneof(
  fc.constantFrom('SALE', 'RETURN', '', '1', 'true', 'shown:0199c0de-0000-7000-8000-000000000001'),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.uuid().map((id) => `${id}\n`),
  fc.string({ unit: 'binary', minLength: 36, maxLength: 36 }),
  fc.string({ unit: fc.constantFrom('0', 'f', '-'), minLength: 36, maxLength: 36 }),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.string({ minLength: 62, maxLength: 67 }),
);
const anyScalar = fc.oneof(anyText, fc.boolean(), fc.integer(), fc.maxSafeInteger());
const anyFound: fc.Arbitrary<Found> = fc.oneof(
  { weight: 3, arbitrary: anyScalar },
  fc.constantFrom(null, undefined),
  fc.array(anyScalar, { maxLength: 3 }),
);

/** Converts every value to its field's type, so that most documents are valid. */
const fitting = (model: ReadModel, document: Doc): Doc =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const type = model.fields[name]?.type;
      const converted = (each: Scalar): Scalar =>
        type === 'text' ? String(each) : type === 'integer' ? String(each).length : String(each) > 'a';
      return [
        name,
        value === null || value === undefined
          ? value
          : typeof value === 'object'
            ? value.map(converted)
            : converted(value),
      ];
    }),
  );

/** Returns the row in which existing files store this document. */
function expectedRow(model: ReadModel, scope: number, document: TextDoc): Row {
  const valuesOf = (name: string): readonly (string | number)[] => {
    const { type } = model.fields[name] as Field<never>;
    const found = document[name] ?? null;
    if (found !== null && typeof found === 'object') {
      if ([...model.order.fields, ...(model.searchJoins ?? []).map((join) => join.field)].includes(name))
        throw new TypeError();
    }
    return (found === null ? [] : [found].flat()).map((value) => {
      const isValid =
        type === 'integer' ? Number.isSafeInteger(value) : typeof value === (type === 'text' ? 'string' : type);
      if (!isValid) throw new TypeError();
      return typeof value !== 'string'
        ? Number(value)
        : value.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001');
    });
  };
  const values = new Map(NAMES.map((name) => [name, valuesOf(name)]));
  const code = scope.toString(36).padStart(5, '0');
  const needed = [...model.order.fields, ...(model.searchJoins ?? []).map((join) => join.field)];
  const isStored = (name: string) =>
    needed.includes(name) || model.fields[name]?.type !== 'text' || !model.filters.includes(name);
  const texts = [words(String(document['alpha'])), words(document.text ?? '')];
  return {
    values: NAMES.filter(isStored).map((name) => {
      const all = values.get(name) ?? [];
      if (all.length === 1) return all[0] ?? null;
      return model.order.fields.includes(name) ? (model.fields[name]?.type === 'text' ? 0 : -(2 ** 53)) : null;
    }),
    terms: [...model.filters]
      .sort()
      .flatMap((name, at) => (values.get(name) ?? []).map((value) => `${code}_${at}_${expectedWord(String(value))}`))
      .join(' '),
    words: texts.some((some) => some.length > 0) ? texts.map((some) => some.map((word) => code + word).join(' ')) : [],
  };
}

function expectedWord(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return `u${text.replaceAll('-', '')}`;
  const bytes = Buffer.from(text);
  return bytes.length <= 64 ? `h${bytes.toString('hex')}` : `s${createHash('sha256').update(bytes).digest('hex')}`;
}

const outcome = (row: () => Row): Row | string => {
  try {
    return row();
  } catch (error) {
    if (error instanceof TypeError) return 'TypeError';
    throw error;
  }
};

describe('The row of a document in SQLite', () => {
  test('never changes for the same document, whatever was stored before (property)', () => {
    const anyDocument = fc.record({
      ...Object.fromEntries(NAMES.map((name) => [name, anyFound])),
      text: fc.option(fc.string({ unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(
        anyModel,
        fc.nat(2 ** 21),
        fc.array(anyDocument, { minLength: 1 }),
        fc.boolean(),
        (model, scope, documents, isFitting) => {
          const shape = shapeOf({ model, generation: 1 });
          for (const each of documents) {
            const document = { ...(isFitting ? fitting(model, each) : each), text: each.text } as TextDoc;
            const expected = outcome(() => expectedRow(model, scope, document));
            expect(outcome(() => rowOf(shape, scope, document))).toEqual(expected);
            expect(rowOf(shape, scope, null)).toEqual({ ...expectedRow(model, scope, { text: null }), words: [] });
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('has the terms that queries search, even after very many different values', () => {
    const fields = { alpha: field('alpha', 'text') };
    const model: ReadModel = {
      name: 'things',
      version: 1,
      fields,
      filters: ['alpha'],
      order: { fields: [], direction: 'ascending' },
    };
    const shape = shapeOf({ model, generation: 1 });
    const [column] = shape.filters;
    if (!column) throw new Error('The model has no filter');
    for (let n = 0; n < 10_000; n += 1) {
      const value = ['SALE', `number ${n}`, `number ${n % 3_000}`][n % 3] ?? '';
      const { terms } = rowOf(shape, n, { alpha: value });
      expect(terms).toBe(`${n.toString(36).padStart(5, '0')}_0_${expectedWord(value)}`);
      expect(termFor(shape, n, column, value)).toBe(terms);
    }
  });
});
