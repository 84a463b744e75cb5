import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { ensureSameRequest, fieldHashes } from '../../src/aggregates/request-key.aggregate.js';
import { refusal } from './given.js';

describe('the digests of a request', () => {
  const digest = (json: string) => fieldHashes(JSON.parse(json) as object);
  const compared = (known: string, given: string) =>
    refusal(() => {
      ensureSameRequest(digest(known), digest(given));
    });
  test('do not depend on white space, the order of members, or the notation of numbers and characters', () => {
    expect(digest('{"a": {"x": 10.0, "y": [1e2]}, "b": "\\u00e9"}')).toEqual(
      digest('{"b":"é","a":{"y":[100],"x":10}}'),
    );
    expect(digest('{"a":-0}')).toEqual(digest('{"a":0}'));
    expect(digest('{"a":{"\\ufb33":1,"\\ud83d\\ude00":2}}')).toEqual(digest('{"a":{"😀":2,"\\ufb33":1}}'));
  });
  test('differ for every value, type, order of items and omission', () => {
    const known = '{"a":1,"b":[1,2],"c":null}';
    expect(compared(known, '{"a":"1","b":[2,1]}')).toBe('conflict IDEMPOTENCY_CONFLICT a b c');
    expect(compared(known, '{"a":1,"b":[1,2],"c":null,"d":0}')).toBe('conflict IDEMPOTENCY_CONFLICT d');
    expect(compared(known, known)).toBe('not refused');
    // Strings differ if their characters look the same but have different code points.
    expect(compared('{"a":"\\u00e9"}', '{"a":"e\\u0301"}')).toBe('conflict IDEMPOTENCY_CONFLICT a');
  });
  test('are SHA-256 over the canonical form of RFC 8785', () => {
    // The example in section 3.2.2 of the RFC. The expected digest was computed from the canonical text.
    const example =
      '{"n":{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"literals":[null,true,false]}}';
    const canonical = '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}';
    expect(digest(example)).toEqual({ n: sha256(canonical) });
  });
  test('handle any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const shuffled = Object.fromEntries(Object.entries(value).reverse());
        expect(fieldHashes(JSON.parse(JSON.stringify(value)) as object)).toEqual(fieldHashes(shuffled));
      }),
    );
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url');
}
