import fc from 'fast-check';
import * as body from '../../src/http/json-body.js';

const { MAX_JSON_DEPTH } = body;
const ENOUGH = 10_000_000;
const parseJson = (text: string): unknown => body.parseJson(text, ENOUGH);
const decodeJson = (bytes: Buffer): unknown => body.decodeJson(bytes, ENOUGH);

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('a JSON body', () => {
  test('is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('can contain colons, quotes, brackets and backslashes in strings', () => {
    const value = { 'a:b': 'c":"d', 'e\\': '\\"{[:', f: ['\\\\', { g: '}' }] };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  test.each([
    ['{"a":1,"a":1}'],
    ['{"a":1,"b":{"c":1,"c":2}}'],
    ['[{"a":{"a":1}},{"a":1,"a":2}]'],
    ['{"a":1,"\\u0061":2}'],
    ['{"1":1,"1":2}'],
    ['{"":1,"":2}'],
  ])('with a repeated member name is rejected: %s', (text) => {
    expect(() => parseJson(text)).toThrow('A member name is repeated in one object.');
  });

  test('can use one name in several objects', () => {
    expect(parseJson('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }]);
  });

  test.each([['{"__proto__":{"admin":true}}'], ['{"a":[{"\\u005f_proto__":1}]}']])(
    'cannot pollute a prototype: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow('__proto__ is not allowed');
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  test('can have a member "constructor"', () => {
    expect(Object.keys(parseJson('{"constructor":{"prototype":{"a":1}}}') as object)).toEqual(['constructor']);
  });

  test('can be nested up to the limit', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow('nested deeper');
  });

  test('of a megabyte of brackets is rejected without a stack overflow', () => {
    expect(() => parseJson('['.repeat(1_000_000))).toThrow('nested deeper');
    expect(() => parseJson('{"a":'.repeat(200_000))).toThrow('nested deeper');
  });

  test.each([['{'], ['{"a":1}}'], ['{a:1}'], ["{'a':1}"], ['nul'], ['\ufeff{}'], ['{"a":01}'], ['"'], ['"\\']])(
    'that is malformed is rejected: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(/valid JSON|nested deeper/);
    },
  );

  test.each([
    ['1.0000000000000001'],
    ['12345678901234567890'],
    ['0.30000000000000000004'],
    ['1e400'],
    ['[1e-400]'],
    ['-9007199254740993'],
  ])('with a number that a double cannot hold is refused: %s', (text) => {
    expect(() => parseJson(`{"n":${text}}`)).toThrow('Send it as a string');
  });

  test.each([
    ['0.30000000000000004'],
    ['9007199254740991'],
    ['100000000000000000000'],
    ['1.000000000000000000'],
    ['1e21'],
    ['1.5E+3'],
    ['0.000001'],
    ['-0'],
    ['0e5'],
  ])('with a number that a double represents exactly is accepted: %s', (text) => {
    expect(parseJson(`[${text}]`)).toEqual([Number(text)]);
  });

  test('with a number of a million digits is rejected quickly', () => {
    const started = performance.now();
    expect(() => parseJson(`[1${'0'.repeat(900_000)}1]`)).toThrow('Send it as a string');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('keeps long digit sequences in strings', () => {
    expect(parseJson('{"iban":"12345678901234567890"}')).toEqual({ iban: '12345678901234567890' });
  });

  test('must be UTF-8', () => {
    expect(() => decodeJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not UTF-8');
    expect(decodeJson(Buffer.from('"ı"'))).toBe('ı');
  });

  test.each([
    ['elements', '[1,2,3]', 4],
    ['members', '{"a":1,"b":2}', 3],
    ['empty lists', '[[],[],[]]', 7],
    ['nested objects', '{"a":{"b":{}}}', 4],
    ['commas within strings, which count for nothing', '[",,,,[[[["]', 2],
  ])('can contain as many values as its route allows: %s', (_, text, values) => {
    expect(body.parseJson(text, values)).toEqual(JSON.parse(text));
    expect(() => body.parseJson(text, values - 1)).toThrow(`more than ${values - 1} values`);
  });

  test('with too many values is rejected before parsing, so later errors are not found', () => {
    expect(() => body.parseJson(`[${'1,'.repeat(100)}oops`, 50)).toThrow('more than 50 values');
  });
});
