import fc from 'fast-check';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { documentsOf, wants } from '../../src/projecting/projection.js';
import { entriesOf, type LedgerEvent } from '../../src/projections/ledger-events.js';
import { transactionProjection, type TransactionView } from '../../src/projections/ledger.projection.js';
import { anyHistory } from './arbitrary-history.js';

const isOfLedger = (event: Recorded): event is Recorded<LedgerEvent> => wants(transactionProjection, event.entity);

test('Transactions of the same millisecond are in the order of their events, and within each event in its order', () => {
  const timestamp = '2026-01-31T21:00:00.000Z';
  fc.assert(
    fc.property(anyHistory, (history) => {
      const known = new Set<string>();
      const isNew = ({ id }: { readonly id: string }): boolean => known.size < known.add(id).size;
      const events = history
        .filter(isOfLedger)
        // Removes duplicates, because the histories contain random transactions, and a transaction can be recorded only
        // once.
        .filter((event) => entriesOf(event).every(isNew))
        .map((event) => ({ ...event, metadata: { ...event.metadata, timestamp } }));
      const views = new Map<string, TransactionView>();
      for (const event of events)
        for (const id of documentsOf(transactionProjection, event)) {
          const view = transactionProjection.evolve(views.get(id), event, id);
          if (view) views.set(id, view);
        }
      const inOrder = [...views.values()].sort((a, b) => a.sequence - b.sequence);
      expect(inOrder.map(({ id }) => id)).toEqual(events.flatMap((event) => entriesOf(event).map(({ id }) => id)));
    }),
  );
});
