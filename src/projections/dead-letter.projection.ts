import type { DeadLetterEvent, DeadLetterStatus, NewDeadLetter } from '../aggregates/dead-letter.aggregate.js';
import type { EventMetadata, Recorded } from '../eventsourcing/event-catalogue.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { texts } from './record-projection.js';

/** A dead letter of any tenant, as displayed to operators. */
export type DeadLetterView = Omit<NewDeadLetter, 'revision' | 'position' | 'externalId' | 'awaits'> & {
  readonly id: string;
  readonly tenantId: string;
  /** The event's revision in its stream; null if the letter does not contain it. */
  readonly eventRevision: number | null;
  /** Subject of the event. */
  readonly subject: string;
  /** The sale to which the event belongs. */
  readonly saleId: string | null;
  /** The condition for which the sale is waiting. */
  readonly awaits?: string | undefined;
  /** External id of the sale, or of the return or cancellation that the event books. */
  readonly externalId: string | null;
  readonly attempts: number;
  readonly status: DeadLetterStatus;
  readonly firstFailedAt: string;
  readonly lastFailedAt: string;
  readonly resolvedAt: string | null;
  /** The user or operator who resolved the letter, or `system:` followed by the name of a service component. */
  readonly resolvedBy: string | null;
  readonly discardReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Revision of the letter's own stream. */
  readonly revision: number;
};

/** Returns the filter value for a tenant's parked letters whose sales are waiting until a cause is removed. */
export const awaitedIn = (tenantId: string, cause: string): string => `${tenantId} ${cause}`;

export const deadLetters: ReadModel<DeadLetterView> = {
  name: 'dead_letters',
  version: 4,
  fields: {
    ...texts<DeadLetterView>('firstFailedAt', 'status', 'origin', 'tenantId', 'eventType'),
    code: { type: 'text', of: ({ reason: { code } }) => code },
    awaits: {
      type: 'text',
      of: ({ status, tenantId, awaits }) =>
        status === 'PARKED' && awaits !== undefined ? awaitedIn(tenantId, awaits) : null,
    },
  },
  filters: ['status', 'origin', 'tenantId', 'eventType', 'code', 'awaits'],
  order: { fields: ['firstFailedAt'], direction: 'descending' },
  search: {
    reason: ({ reason: { code, message } }) => `${code} ${message}`,
    eventType: ({ eventType }) => eventType,
    subscriber: ({ subscriber }) => subscriber,
    subject: ({ subject }) => subject,
    eventId: ({ eventId }) => eventId,
    externalId: ({ externalId }) => externalId,
  },
};

export const deadLetterProjection: Projection<DeadLetterView, DeadLetterEvent> = {
  model: deadLetters,
  sources: ['dead-letter'],
  documents: ofRecord,
  scope: () => PLATFORM,
  evolve: (view, event) => {
    if (event.type === 'DeadLetterParked') return parked(view, event);
    return view && { ...view, ...change(event), updatedAt: event.metadata.timestamp, revision: event.revision };
  },
};

const resolverIn = ({ operatorId, userId, system }: EventMetadata): string | null =>
  operatorId ?? userId ?? (system === undefined ? null : `system:${system}`);

type Parked = Extract<DeadLetterEvent, { type: 'DeadLetterParked' }>;

/** Returns the record to which the event belongs. */
function recordIn(stream: string): Pick<DeadLetterView, 'subject' | 'saleId'> {
  const record = parseStreamName(stream);
  if (!record) return { subject: stream, saleId: null };
  return { subject: record.id, saleId: record.entity === 'sale' ? record.id : null };
}

function parked(view: DeadLetterView | undefined, event: Recorded<Parked>): DeadLetterView {
  const { failedAt, position: _, revision: eventRevision = null, externalId = null, ...letter } = event.data;
  return {
    id: event.recordId,
    tenantId: event.tenantId,
    ...letter,
    eventRevision,
    ...recordIn(letter.stream),
    externalId,
    attempts: (view?.attempts ?? 0) + 1,
    status: 'PARKED',
    firstFailedAt: view?.firstFailedAt ?? failedAt,
    lastFailedAt: failedAt,
    resolvedAt: null,
    resolvedBy: null,
    discardReason: null,
    createdAt: view?.createdAt ?? event.metadata.timestamp,
    updatedAt: event.metadata.timestamp,
    revision: event.revision,
  };
}

function change(event: Recorded<Exclude<DeadLetterEvent, Parked>>): Partial<DeadLetterView> {
  const { data, metadata } = event;
  const resolved = { resolvedAt: data.at, resolvedBy: resolverIn(metadata) };
  switch (event.type) {
    case 'DeadLetterReplayFailed':
      return {
        reason: event.data.reason,
        awaits: event.data.awaits,
        attempts: event.data.attempt,
        lastFailedAt: event.data.at,
      };
    case 'DeadLetterReplayed':
      return { status: 'REPLAYED', ...resolved };
    case 'DeadLetterDiscarded':
      return { status: 'DISCARDED', ...resolved, discardReason: event.data.reason };
  }
}
