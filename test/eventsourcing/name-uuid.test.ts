import fc from 'fast-check';
import { v5, v7, validate, version } from 'uuid';
import { nameUuid, nameUuidAfter, nameUuidAt } from '../../src/eventsourcing/name-uuid.js';

describe('A name-based UUID', () => {
  test('matches RFC 9562 for every name and namespace', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (name, namespace) => {
        expect(nameUuid(name, namespace)).toBe(v5(name, namespace));
      }),
    );
  });

  test('matches RFC 9562 for long names', () => {
    const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    for (const length of [335, 336, 337, 1_007, 1_008, 1_009, 5_000])
      for (const name of ['x'.repeat(length), '€'.repeat(length)])
        expect([length, nameUuid(name, namespace)]).toEqual([length, v5(name, namespace)]);
  });

  test('matches the example of the RFC', () => {
    expect(nameUuid('www.example.com', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  test.each(['', 'x', '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', '6ba7b810-9dad-11d1-80b4-00c04fd430c8 '])(
    'requires a namespace that is a UUID in lower case: %j',
    (namespace) => {
      expect(() => nameUuid('a', namespace)).toThrow(TypeError);
    },
  );
});

describe('A name-based UUID with a time', () => {
  const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  const instant = fc.integer({ min: 0, max: Date.parse('9999-12-31') });

  test('is a UUIDv7 that is the same for the same time, name and namespace, and differs for another name', () => {
    fc.assert(
      fc.property(instant, fc.string(), fc.string(), fc.uuid(), (ms, name, other, namespace) => {
        const id = nameUuidAt(ms, name, namespace);
        expect([validate(id), version(id)]).toEqual([true, 7]);
        expect(nameUuidAt(ms, name, namespace)).toBe(id);
        expect(nameUuidAt(ms, other, namespace) === id).toBe(other === name);
      }),
    );
  });

  test('is sorted by its time', () => {
    fc.assert(
      fc.property(instant, instant, fc.string(), fc.string(), (ms, later, name, other) => {
        fc.pre(ms < later);
        expect(nameUuidAt(ms, name, NAMESPACE) < nameUuidAt(later, other, NAMESPACE)).toBe(true);
      }),
    );
  });

  test('has the time of a UUIDv7 namespace, and is a UUIDv5 for any other namespace', () => {
    fc.assert(
      fc.property(instant, fc.string(), fc.uuid(), (msecs, name, other) => {
        const origin = v7({ msecs });
        expect(nameUuidAfter(name, origin)).toBe(nameUuidAt(msecs, name, origin));
        fc.pre(version(other) !== 7);
        expect(nameUuidAfter(name, other)).toBe(nameUuid(name, other));
      }),
    );
  });
});
