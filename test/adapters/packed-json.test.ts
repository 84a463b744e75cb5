import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { packDocument } from '../../src/adapters/embedded/packed-json.document.js';
import { pack } from '../../src/adapters/embedded/packed-json.js';
import { DamagedText, unpack } from '../../src/adapters/embedded/packed-json.reader.js';
import { SCHEMA_VERSION as HISTORY_VERSION } from '../../src/adapters/embedded/event-store.schema.js';
import { SCHEMA_VERSION as MODELS_VERSION } from '../../src/adapters/embedded/read-store.schema.js';
import { WORDS } from '../../src/adapters/embedded/packed-json.words.js';

const sale = {
  customerId: '01a21ed3-dc59-7186-b45b-68ad2a93ad9e',
  branchId: null,
  date: '2026-03-04',
  occurredAt: '2026-03-04T10:00:00.169Z',
  type: 'SALE',
  description: 'Fünf "Brötchen", 🥨',
  isBooked: true,
  postings: [{ accountId: '01a21ed3-dc59-7186-b45b-68ad2a93ad9e', amount: '119.00' }],
};
/** The packed form of this sale in release 0.2.0, in Base64. Later releases must be able to read it. */
const packedSale =
  'HwkNAVY1AUAgPV1bF18fHANLG398KyACBAgGFB4VGwQFAwkCFRsEBQsBARE5WgMMFlQDFUbDvG5mIFwiQnLDtnRjaGVuXCIsIPCfpagFR3RydWUINVsJAR0BAwIxMTkuMDAifV19';

/** More UUIDs than packed text can number. Some occur several times in a string. */
const known = Array.from({ length: 40 }, (_, n) => `01a21ed3-dc59-7186-b45b-${String(n).padStart(12, '0')}`);
/**
 * Arbitrary strings, strings that packing replaces with codes, and strings that differ from such strings in one
 * character.
 */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uuid(),
  fc.constantFrom(...known, 'SALE', 'system:booking'),
  fc.uuid().map((id) => id.toUpperCase()),
  fc
    .tuple(fc.uuid(), fc.nat(35), fc.string({ minLength: 1, maxLength: 1 }))
    .map(([id, at, character]) => id.slice(0, at) + character + id.slice(at + 1)),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d[\dx][Z+]$/),
  fc.constantFrom('null', '","', ',"', '{"', '":', '\\', '"', '\u001f', '\u007f', '\u0000', '\u2028'),
);
const name = fc.oneof(fc.constantFrom(...WORDS), text);
const { object } = fc.letrec((tie) => ({
  object: fc.dictionary(name, tie('value'), { maxKeys: 8 }),
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.constantFrom(null, true, false, 0, -1),
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));

test('Every object is restored exactly', () => {
  fc.assert(
    fc.property(object, (value) => {
      const json = JSON.stringify(value);
      const packed = pack(json);
      expect(unpack(packed)).toBe(json);
      expect(packed).not.toContain('\0');
      expect(Buffer.byteLength(packed)).toBeLessThanOrEqual(Buffer.byteLength(json) + 1);
    }),
    { numRuns: 2_000 },
  );
});

/** Values that JSON omits or converts. */
const unusual = fc.constantFrom(undefined, NaN, -0, Infinity, new Date(0), Symbol('x'), [undefined], {
  id: new Date(0),
});

test('A document is packed like its JSON', () => {
  fc.assert(
    fc.property(object, fc.option(name), unusual, fc.nat(60_000), (value, added, odd, size) => {
      const document = added === null ? value : { ...value, [added]: odd, note: [{ head: 'ü'.repeat(size) }] };
      expect(packDocument(value)).toBe(pack(JSON.stringify(value)));
      expect(packDocument(document)).toBe(pack(JSON.stringify(document)));
      expect(packDocument([document])).toBe(pack(JSON.stringify([document])));
    }),
    { numRuns: 1_000 },
  );
  const long = { description: '\n'.repeat(40_000), postings: [...known, ...known.toReversed()] };
  const many = { ids: Array.from({ length: 40_000 }, () => sale.customerId), note: 'ü' };
  for (const document of [sale, long, many]) expect(packDocument(document)).toBe(pack(JSON.stringify(document)));
});

test('Text that is not JSON is restored exactly', () => {
  const parts = fc.oneof(
    name,
    fc.constantFrom('{"', '","', '":"', '":null', '":', '{"id":"', '","id":"', '","id":null'),
  );
  const anything = fc.array(parts).map((all) => `{${all.join('')}`);
  fc.assert(
    fc.property(anything, (json) => {
      expect(unpack(pack(json))).toBe(json);
    }),
    { numRuns: 2_000 },
  );
});

test('Text packed by an earlier release can be read', () => {
  expect(Buffer.from(pack(JSON.stringify(sale))).toString('base64')).toBe(packedSale);
  expect(unpack(Buffer.from(packedSale, 'base64').toString())).toBe(JSON.stringify(sale));
});

test('Words are only added at the end of the list, and only with new versions of both schemas', () => {
  const first = createHash('sha256').update(WORDS.slice(0, 230).join(' ')).digest('hex');
  expect(first).toBe('31c0180340ace131c4887c1d424d8135ffa648ce481aad1483fde276883df398');
  expect([WORDS.length, HISTORY_VERSION, MODELS_VERSION]).toEqual([230, 2, 4]);
  expect(new Set(WORDS).size).toBe(WORDS.length);
});

test('Arrays and long texts are stored unpacked, and can be read', () => {
  const long = JSON.stringify({ description: 'x'.repeat(65_536) });
  for (const json of ['[{"id":"a"}]', '"id"', 'null', '', long]) {
    expect(pack(json)).toBe(json);
    expect(unpack(json)).toBe(json);
  }
  const longest = JSON.stringify({
    description: '🥨'.repeat(32_000),
    note: 'ü'.repeat(1_000),
    tenantId: sale.customerId,
  });
  expect(unpack(pack(longest))).toBe(longest);
});

test('Damaged text is reported or returned as other text', () => {
  const packed = pack(JSON.stringify(sale));
  fc.assert(
    fc.property(fc.nat(packed.length - 1), fc.nat(0x7f), (at, code) => {
      const damaged = packed.slice(0, at) + String.fromCharCode(code) + packed.slice(at + 1);
      let result: unknown;
      try {
        result = unpack(damaged);
      } catch (error) {
        result = error;
      }
      expect(typeof result === 'string' || result instanceof DamagedText).toBe(true);
    }),
  );
  const tooLong = ' '.repeat(200_000);
  const faults = [
    '\u0016\u007f',
    '\u0017\u0001{}',
    '\u001c\u0001',
    '\u001d\u0001',
    '\u001d\u007f',
    '{"a":"\u0001',
    tooLong,
  ];
  for (const text of faults) expect(() => unpack(`\u001f${text}`)).toThrow(DamagedText);
});

test('Repeated UUIDs are restored, even if there are many', () => {
  const json = JSON.stringify({ postings: [...known, ...known, ...known.toReversed()].map((id) => ({ id })) });
  expect(unpack(pack(json))).toBe(json);
  expect(pack(json).length).toBeLessThan(2_000);
});

test('A packed sale takes less than half the space', () => {
  const json = JSON.stringify(sale);
  expect(pack(json).length).toBeLessThan(json.length / 2);
});
