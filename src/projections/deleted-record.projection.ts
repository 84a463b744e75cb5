import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { EventMetadata, Recorded } from '../eventsourcing/event-catalogue.js';
import type { Projection } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** The event whose transaction posted to a deleted record, with the metadata needed for a reaction. */
export type Reach = { readonly id: string; readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'> };

/**
 * A customer or account between deletion and restoration. `reachedBy`: the first event after the deletion that posted
 * to it, against the rules; null if none did.
 */
export type DeletedRecord = {
  readonly tenantId: string;
  readonly recordId: string;
  readonly kind: 'customer' | 'account';
  readonly reachedBy: Reach | null;
};

export const deletedRecords: ReadModel<DeletedRecord> = {
  name: 'deleted_records',
  version: 1,
  fields: {
    recordId: { type: 'text', of: ({ recordId }) => recordId },
    isReached: { type: 'boolean', of: ({ reachedBy }) => reachedBy !== null },
  },
  filters: ['isReached'],
  order: { fields: ['recordId'], direction: 'ascending' },
};

type Event = LedgerEvent | CustomerEvent | AccountEvent;

/**
 * Only deleted records have a document, so a sale costs no more than a lookup of absent documents. All tenants share
 * one scope because the restoration policy reads them together.
 */
export const deletedRecordProjection: Projection<DeletedRecord, Event> = {
  model: deletedRecords,
  sources: [...ledgerSources, 'account'],
  recordsOf: [],
  scope: () => PLATFORM,
  documents: (event) => touchedBy(event).map((recordId) => `${event.tenantId}_${recordId}`),
  evolve: (record, event) => {
    const { tenantId, recordId, id, metadata } = event;
    switch (event.type) {
      case 'CustomerDeleted':
        return { tenantId, recordId, kind: 'customer', reachedBy: null };
      case 'AccountDeleted':
        return { tenantId, recordId, kind: 'account', reachedBy: null };
      case 'CustomerRestored':
      case 'AccountRestored':
        return undefined;
      default: {
        const { requestId, $correlationId } = metadata;
        return record && { ...record, reachedBy: record.reachedBy ?? { id, metadata: { requestId, $correlationId } } };
      }
    }
  },
};

const RECORDS_OWN: readonly string[] = ['CustomerDeleted', 'CustomerRestored', 'AccountDeleted', 'AccountRestored'];

function touchedBy(event: Recorded<Event>): readonly string[] {
  if (RECORDS_OWN.includes(event.type)) return [event.recordId];
  if (event.entity === 'account') return [];
  const entries = entriesOf(event as Recorded<LedgerEvent>);
  return [...new Set(entries.flatMap(({ postings }) => postings.map(({ accountId }) => accountId)))];
}
