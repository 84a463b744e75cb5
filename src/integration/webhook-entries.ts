import type { RecordedEvent } from '../ports/event-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ResendRequest } from '../aggregates/webhook.aggregate.js';
import type { CloudEvent } from './contracts-fields.js';
import { alsoAbout, translate } from './translations.js';

/** Cause of an entry: a new event, a recovery of past deliveries, or a user's request to resend one message. */
export type EntryKind = 'live' | 'recovery' | 'resend';

/**
 * An event with messages that have not been delivered yet. The entry is stored with the lane, so that delivery
 * continues after a restart.
 */
export type SavedEntry = {
  readonly kind: EntryKind;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** Position that the dispatcher had reached before this event; see `doneUpTo`. */
  readonly before: number;
  /** Number of the event's messages that were delivered or became dead letters. */
  readonly done: number;
  /** Number of attempts to deliver the next message, and the time of its first failure. */
  readonly attempts: number;
  readonly failedAtMs: number | null;
  readonly dueMs: number;
  /** A second stream in which the event must also be delivered in order. */
  readonly also: string | null;
  /** Log entry for the next message. */
  readonly logged: LoggedAt | null;
  /** Id of the only message that a resend delivers. */
  readonly messageId: string | null;
};
/**
 * Identifies an entry in the log. `number`: sequence number of the delivery. Each delivery overwrites the log entry for
 * the delivery whose number is lower by KEPT_DELIVERIES.
 */
export type LoggedAt = { readonly id: string; readonly number: number; readonly createdAt: string };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** An entry in memory. The event is kept only until the first failure, so that waiting entries are small. */
export type Entry = Mutable<SavedEntry> & { event: Recorded | undefined };

export const savedOf = ({ event: _, ...saved }: Entry): SavedEntry => saved;

/** Creates an entry for an event before the first attempt. */
export const entryOf = (
  kind: EntryKind,
  event: Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position' | 'data'>,
  before: number,
): SavedEntry => {
  const { id: eventId, stream, revision, position } = event;
  return {
    ...{ kind, eventId, stream, revision, position, before, also: alsoAbout(event) ?? null },
    ...{ done: 0, attempts: 0, failedAtMs: null, dueMs: 0, logged: null, messageId: null },
  };
};

/** A message for an event. Its body is serialized once for all webhooks. */
export type Outgoing = Pick<CloudEvent, 'id' | 'type' | 'subject'> & { readonly body: string; readonly again: string };

const known = new WeakMap<Recorded, readonly Outgoing[]>();

/** Returns the messages for an event, in publishing order. */
export function outgoingOf(event: Recorded): readonly Outgoing[] {
  let messages = known.get(event);
  if (!messages) known.set(event, (messages = translate(event).map(({ event: content }) => outgoing(content))));
  return messages;
}

function outgoing(content: CloudEvent): Outgoing {
  const { id, type, subject } = content;
  let body: string | undefined;
  return {
    ...{ id, type, subject },
    get body() {
      return (body ??= JSON.stringify(content));
    },
    get again() {
      return JSON.stringify({ ...content, replayed: true });
    },
  };
}

/** Creates an entry for a message that a user resends. */
export const resentOf = ({ source, ...resend }: ResendRequest): SavedEntry => ({
  ...source,
  ...{ kind: 'resend', before: source.position, also: null, done: 0, failedAtMs: null, dueMs: 0 },
  ...resend,
});
