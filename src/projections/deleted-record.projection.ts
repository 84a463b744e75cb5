import type { AccountEvent } from '../aggregates/account.aggregate.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { EventMetadata, Recorded } from '../platform/event-catalogue.js';
import type { Projection } from '../platform/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** The event whose transaction reached a deleted record, with what a reaction to it needs. */
export type Reach = { readonly id: string; readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'> };

/**
 * A customer or account from its deletion to its restoration. `reachedBy`: the first event after the deletion that
 * posted to it, which nothing should; null: none did.
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
 * Only what was deleted has a document, so that a sale costs no more than looking for documents that are not there. All
 * tenants' are in one scope: who restores them asks for all at once.
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
