import fc from 'fast-check';
import { passes } from '../../src/adapters/event-store.input.js';
import { subscriptionRequest } from '../../src/adapters/eventstoredb/event-store.read.js';

test('The pattern sent to EventStoreDB selects exactly the streams of a narrowed filter', () => {
  const name = fc.string({ unit: fc.constantFrom('s', 'a', 'l', 'e', '-', '.', '[', '0', '7', '\\'), maxLength: 8 });
  const prefixes = fc.array(fc.constantFrom('s', 'sale-', 'sale-0', 'a', 'l.', '['), { minLength: 1, maxLength: 3 });
  const narrowing = fc.record({
    prefix: fc.constantFrom('sale-', 's', 'l.'),
    further: fc.integer({ min: 0, max: 2 }),
    characters: fc.constantFrom('', '0', '07', ']a', '-^.'),
  });
  fc.assert(
    fc.property(fc.array(name), prefixes, narrowing, (names, given, { prefix, further, characters }) => {
      const filter = {
        on: 'stream',
        prefixes: given,
        narrowing: { prefix, at: prefix.length + further, characters },
      } as const;
      const expression = subscriptionRequest(0, filter).getOptions()?.getFilter()?.getStreamIdentifier();
      const pattern = new RegExp(expression?.getRegex() ?? '');
      const isSelected = passes(filter);
      for (const stream of [...names, ...names.map((one) => `sale-${one}`)])
        expect([stream, pattern.test(stream)]).toEqual([stream, isSelected({ stream, type: '' })]);
    }),
    { numRuns: 2_000 },
  );
});
