import type { LateEntry } from '../aggregates/tenant-periods.js';
import type { TenantEvent } from '../aggregates/tenant.aggregate.js';
import type { EventMetadata, Recorded } from '../eventsourcing/event-catalogue.js';
import { PLATFORM, type ReadModel, tenantScope } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { entriesOf, type LedgerEvent, ledgerSources } from './ledger-events.js';
import { keyedBy } from './record-projection.js';

/** A closing or reopening. The `note` of a reopening is its reason. */
export type PeriodChange = {
  readonly action: 'CLOSED' | 'REOPENED';
  readonly through: string | null;
  readonly at: string;
  readonly userId: string | null;
  readonly note: string | null;
};

/** The periods of a tenant. `history` is in chronological order. */
export type PeriodsView = {
  readonly tenantId: string;
  readonly closedThrough: string | null;
  readonly history: readonly PeriodChange[];
};

export const periods = keyedBy<PeriodsView>('periods', 'tenantId');

export const periodProjection: Projection<PeriodsView, TenantEvent> = {
  model: periods,
  sources: ['tenant'],
  scope: ({ recordId }) => tenantScope(recordId),
  documents: (event) => (changeBy(event) ? [event.recordId] : []),
  evolve: (view, event) => {
    const change = changeBy(event);
    if (!change) return view;
    const { recordId: tenantId } = event;
    return { tenantId, closedThrough: change.through, history: [...(view?.history ?? []), change] };
  },
};

function changeBy({ type, data, metadata }: Recorded<TenantEvent>): PeriodChange | undefined {
  const facts = { at: metadata.timestamp, userId: metadata.userId ?? null };
  switch (type) {
    case 'PeriodClosed':
      return { action: 'CLOSED', through: data.through, ...facts, note: data.note };
    case 'PeriodReopened':
      return { action: 'REOPENED', through: data.through, ...facts, note: data.reason };
    default:
      return undefined;
  }
}

/** A transaction recorded after its date had been closed. */
export type LateEntryView = LateEntry & {
  readonly description: string | null;
  readonly recordedAt: string;
  /** The user who recorded the transaction; null if the service did. */
  readonly userId: string | null;
  /** The last closed day at the time of recording. */
  readonly closedThrough: string;
  /** Whether a LateEntriesDetected event lists the transaction. */
  readonly isDetected: boolean;
  /** The event that contains the transaction, with the metadata that a reaction needs. */
  readonly cause: { readonly id: string; readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'> };
};

/** A tenant's last closed day, and the transactions recorded after their dates had been closed. */
export type LateEntriesView = {
  readonly tenantId: string;
  readonly closedThrough: string;
  readonly entries: readonly LateEntryView[];
};

export const lateEntries: ReadModel<LateEntriesView> = {
  name: 'late_entries',
  version: 1,
  fields: {
    tenantId: { type: 'text', of: ({ tenantId }) => tenantId },
    isWaiting: { type: 'boolean', of: ({ entries }) => entries.some(({ isDetected }) => !isDetected) },
  },
  filters: ['isWaiting'],
  order: { fields: ['tenantId'], direction: 'ascending' },
};

type ClosingEvent = TenantEvent | LedgerEvent;

/**
 * Identifies late entries solely by the order of events in the history, so it works with any event store and any number
 * of replicas. An entry is late if its event follows the event of the closing in force. Only tenants with a closed
 * period have a document. For all others, a batch of sales merely looks up an absent document.
 *
 * Reopening the date of a late entry removes the entry from the list. A later closing then includes it.
 */
export const lateEntriesProjection: Projection<LateEntriesView, ClosingEvent> = {
  model: lateEntries,
  sources: ['tenant', ...ledgerSources],
  recordsOf: [],
  // All tenants share one scope, because the watch reads their late entries together.
  scope: () => PLATFORM,
  documents: (event) => {
    if (event.entity === 'tenant') return CLOSING.includes(event.type) ? [event.recordId] : [];
    return entriesOf(event as Recorded<LedgerEvent>).length > 0 ? [event.tenantId] : [];
  },
  evolve: (view, event, tenantId) => {
    switch (event.type) {
      case 'PeriodClosed':
      case 'PeriodReopened':
        return moved(view, tenantId, event.data.through);
      case 'LateEntriesDetected': {
        const detected = event.data.entries.map(({ transactionId }) => transactionId);
        const marked = (entry: LateEntryView) =>
          detected.includes(entry.transactionId) ? { ...entry, isDetected: true } : entry;
        return view && { ...view, entries: view.entries.map(marked) };
      }
      default:
        return view && withEntriesOf(view, event as Recorded<LedgerEvent>);
    }
  },
};

const CLOSING: readonly string[] = ['PeriodClosed', 'PeriodReopened', 'LateEntriesDetected'];

/** Returns the document after a closing or reopening. */
function moved(
  view: LateEntriesView | undefined,
  tenantId: string,
  closedThrough: string | null,
): LateEntriesView | undefined {
  if (closedThrough === null) return undefined;
  return { tenantId, closedThrough, entries: (view?.entries ?? []).filter(({ date }) => date <= closedThrough) };
}

function withEntriesOf(view: LateEntriesView, event: Recorded<LedgerEvent>): LateEntriesView {
  const { closedThrough } = view;
  const late = entriesOf(event).filter(({ date }) => date <= closedThrough);
  if (late.length === 0) return view;
  const { requestId, $correlationId, timestamp, userId = null } = event.metadata;
  const cause = { id: event.id, metadata: { requestId, $correlationId } };
  const found = late.map(({ id, date, description, amount, currency }) => ({
    ...{ transactionId: id, date, description, amount, currency, recordedAt: timestamp, userId },
    ...{ closedThrough, isDetected: false, cause },
  }));
  return { ...view, entries: [...view.entries, ...found] };
}
