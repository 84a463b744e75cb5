import type { RecordedEvent } from '../ports/event-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { CloudEvent } from './contracts-fields.js';
import { alsoAbout, translate } from './translations.js';

/** The first attempts of new events; a later delivery that a recovery requests; one message that a user sends again. */
export type EntryKind = 'live' | 'recovery' | 'resend';

/** An event whose messages are not all delivered. It is stored with the lane, so a restart continues with it. */
export type SavedEntry = {
  readonly kind: EntryKind;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** A position of the history before the event. */
  readonly before: number;
  /** Number of messages that are delivered or dead. */
  readonly done: number;
  /** Attempts of the next message, and the time of its first failure. */
  readonly attempts: number;
  readonly failedAtMs: number | null;
  readonly dueMs: number;
  /** A second stream whose order is preserved for the event. */
  readonly also: string | null;
  /** Log entry of the next message. */
  readonly logged: LoggedAt | null;
  /** The only message of a resend. */
  readonly messageId: string | null;
};
/** `number`: the webhook's deliveries are numbered, and each takes the slot of one that is KEPT_DELIVERIES older. */
export type LoggedAt = { readonly id: string; readonly number: number; readonly createdAt: string };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** An entry in memory. The event is kept until the first failure, so that waiting entries are small. */
export type Entry = Mutable<SavedEntry> & { event: Recorded | undefined };

export const savedOf = ({ event: _, ...saved }: Entry): SavedEntry => saved;

/** An entry for an event that was not attempted yet. */
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

/** A message of an event, whose text is computed once for all webhooks. */
export type Outgoing = Pick<CloudEvent, 'id' | 'type' | 'subject'> & { readonly body: string; readonly again: string };

const known = new WeakMap<Recorded, readonly Outgoing[]>();

/** The messages of an event, in publishing order. */
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
