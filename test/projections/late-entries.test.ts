import fc from 'fast-check';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { documentsOf, evolveWith, wants } from '../../src/projecting/projection.js';
import { type LateEntriesView, lateEntriesProjection } from '../../src/projections/period.projection.js';
import { lateIn } from '../support/late-scan.js';
import { anyHistory } from './arbitrary-history.js';

/** Returns the late entries by tenant, as the read model lists them. */
function listedIn(history: readonly Recorded[]): ReadonlyMap<string, LateEntriesView> {
  const documents = new Map<string, object | undefined>();
  for (const event of history.filter(({ entity }) => wants(lateEntriesProjection, entity)))
    for (const id of documentsOf(lateEntriesProjection, event))
      documents.set(id, evolveWith(lateEntriesProjection, documents.get(id), event, id));
  return new Map([...documents].filter((entry): entry is [string, LateEntriesView] => entry[1] !== undefined));
}

test('Late entries are exactly those that follow the closing of their date in the history (property)', () => {
  let late = 0;
  fc.assert(
    fc.property(anyHistory, (history) => {
      const listed = listedIn(history);
      for (const tenantId of new Set(history.map(({ metadata }) => metadata.tenantId))) {
        const own = history.filter((event) => event.tenantId === tenantId || event.recordId === tenantId);
        const expected = lateIn(own as never);
        late += expected.length;
        expect(listed.get(tenantId)?.entries.map(({ transactionId }) => transactionId) ?? []).toEqual(expected);
      }
    }),
    { numRuns: 500 },
  );
  expect(late).toBeGreaterThan(10);
});
