import { randomUUID } from 'node:crypto';
import { EventStoreUnavailable, WrongExpectedRevision, type EventStore } from '../../ports/event-store.js';

/** Stream of Kontor's own that belongs to no aggregate. Backups omit it. Its last event holds the id. */
const STREAM = 'kontor_history';
const TYPE = 'HistoryIdentified';

type Streams = Pick<EventStore, 'append' | 'readStream'>;

async function last(events: Streams) {
  const { revision, events: found } = await events.readStream(STREAM, { direction: 'backwards', maxCount: 1 });
  return { revision, id: (found[0]?.data as { readonly id?: string } | undefined)?.id };
}

/** Id of the history; undefined before it has one. @throws EventStoreUnavailable */
export const currentId = async (events: Streams): Promise<string | undefined> => (await last(events)).id;

/** Replicas may call this concurrently: the first one wins. @throws EventStoreUnavailable, AppendOutcomeUnknown */
export async function renewId(events: Streams, known: string | undefined, next: string): Promise<string> {
  const { revision, id } = await last(events);
  if (id !== undefined && id !== known) return id;
  const event = { id: randomUUID(), type: TYPE, data: { id: next }, metadata: {} };
  try {
    await events.append({ stream: STREAM, expected: revision < 0 ? 'no_stream' : revision, events: [event] });
    return next;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
  const other = await currentId(events);
  if (other === undefined) throw new EventStoreUnavailable('The id of the history cannot be read back');
  return other;
}
