import fc from 'fast-check';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { ALL_ENTITIES, counted, countWanted } from '../../src/projecting/projection.js';

test('The count of the events that a projection folds is that of its sources (property)', () => {
  const entity = fc.constantFrom('sale', 'sale-source', 'customer', 'tenant');
  const sources = fc.oneof(fc.array(entity, { maxLength: 4 }), fc.constant(ALL_ENTITIES));
  fc.assert(
    fc.property(sources, fc.array(fc.record({ entity })), (wanted, events) => {
      const reference = events.filter((event) => wanted === ALL_ENTITIES || wanted.includes(event.entity)).length;
      expect(countWanted({ sources: wanted }, counted(events as Recorded[]))).toBe(reference);
    }),
  );
});
