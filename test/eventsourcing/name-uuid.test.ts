import fc from 'fast-check';
import { v5 } from 'uuid';
import { nameUuid } from '../../src/eventsourcing/name-uuid.js';

describe('A name-based UUID', () => {
  test('matches RFC 9562 for every name and namespace', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (name, namespace) => {
        expect(nameUuid(name, namespace)).toBe(v5(name, namespace));
      }),
    );
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
