import type { DeadLetterEvent, DeadLetterStatus, NewDeadLetter } from '../aggregates/dead-letter.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { texts } from './record-projection.js';

/** A letter of any tenant, as shown to operators. */
export type DeadLetterView = Omit<NewDeadLetter, 'revision' | 'position'> & {
  readonly id: string;
  readonly tenantId: string;
  /** The event's revision in its stream; null if the letter does not contain it. */
  readonly eventRevision: number | null;
  /** Subject of the event. */
  readonly subject: string;
  readonly attempts: number;
  readonly status: DeadLetterStatus;
  readonly firstFailedAt: string;
  readonly lastFailedAt: string;
  readonly resolvedAt: string | null;
  /** The operator who replayed or discarded it. */
  readonly resolvedBy: string | null;
  readonly discardReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Revision of the letter's own stream. */
  readonly revision: number;
};

export const deadLetters: ReadModel<DeadLetterView> = {
  name: 'dead_letters',
  version: 2,
  fields: texts<DeadLetterView>('firstFailedAt', 'status', 'origin', 'tenantId'),
  filters: ['status', 'origin', 'tenantId'],
  order: { fields: ['firstFailedAt'], direction: 'descending' },
  search: {
    reason: ({ reason: { code, message } }) => `${code} ${message}`,
    eventType: ({ eventType }) => eventType,
    subscriber: ({ subscriber }) => subscriber,
    subject: ({ subject }) => subject,
    eventId: ({ eventId }) => eventId,
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

type Parked = Extract<DeadLetterEvent, { type: 'DeadLetterParked' }>;

function parked(view: DeadLetterView | undefined, event: Recorded<Parked>): DeadLetterView {
  const { failedAt, position: _, revision: eventRevision = null, ...letter } = event.data;
  return {
    id: event.recordId,
    tenantId: event.tenantId,
    ...letter,
    eventRevision,
    subject: parseStreamName(letter.stream)?.id ?? letter.stream,
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
  const resolved = { resolvedAt: data.at, resolvedBy: metadata.operatorId ?? metadata.system ?? null };
  switch (event.type) {
    case 'DeadLetterReplayFailed':
      return { attempts: event.data.attempt, reason: event.data.reason, lastFailedAt: event.data.at };
    case 'DeadLetterReplayed':
      return { status: 'REPLAYED', ...resolved };
    case 'DeadLetterDiscarded':
      return { status: 'DISCARDED', ...resolved, discardReason: event.data.reason };
  }
}
