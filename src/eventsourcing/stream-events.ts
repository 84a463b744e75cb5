import {
  BEFORE_ALL,
  type EventFilter,
  type EventReader,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.js';
import type { EventCatalogue } from './event-catalogue.js';

/**
 * Number of events per read. The limit bounds memory use for long streams and lets other work run between read
 * operations.
 */
const PART = 500;

/**
 * Yields all events of a stream in order, starting at a revision. Yields none if the stream does not exist.
 * @throws errors from readStream
 */
export async function* eventsOf(
  events: Pick<EventReader, 'readStream'>,
  stream: string,
  from = 0,
): AsyncGenerator<RecordedEvent, void> {
  for (;;) {
    const part = (await events.readStream(stream, { from, maxCount: PART })).events;
    yield* part;
    if (part.length < PART) return;
    from = (part.at(-1)?.revision ?? from) + 1;
  }
}

/** Returns the event at a revision of a stream. @throws errors from readStream */
export async function eventAt(
  events: Pick<EventReader, 'readStream'>,
  stream: string,
  revision: number,
): Promise<RecordedEvent | undefined> {
  return (await events.readStream(stream, { from: revision, maxCount: 1 })).events[0];
}

/** Returns the first event of a type in a stream, which is usually the stream's first event. */
export async function firstOf(
  events: Pick<EventReader, 'readStream'>,
  stream: string,
  type: string,
): Promise<RecordedEvent | undefined> {
  const [first] = (await events.readStream(stream, { maxCount: 1 })).events;
  if (first === undefined || first.type === type) return first;
  for await (const event of eventsOf(events, stream, first.revision + 1)) if (event.type === type) return event;
  return undefined;
}

type History = Pick<EventReader, 'readAll'>;

/** Yields all events after a position that match a filter, in order. @throws errors from readAll */
export async function* eventsAfter(
  events: History,
  from: Position,
  filter: EventFilter,
): AsyncGenerator<RecordedEvent, void> {
  for (;;) {
    const part = await events.readAll({ from, filter, maxCount: PART });
    yield* part;
    if (part.length < PART) return;
    from = part.at(-1)?.position ?? from;
  }
}
type Prefixes = Pick<EventCatalogue, 'streamPrefixes'>;

/**
 * Selects the service's own streams. The store may also contain other applications' events, which no projection
 * receives.
 */
export const ownStreams = ({ streamPrefixes }: Prefixes) => ({ on: 'stream', prefixes: streamPrefixes }) as const;

/**
 * Returns the last events in the service's own streams, newest first.
 * @throws EventStoreUnavailable, CorruptEvent
 */
export const lastEvents = (events: History, prefixes: Prefixes, maxCount: number): Promise<readonly RecordedEvent[]> =>
  events.readAll({ direction: 'backwards', filter: ownStreams(prefixes), maxCount });

/** Returns the last event in the service's own streams. @throws EventStoreUnavailable, CorruptEvent */
export const lastEvent = async (events: History, prefixes: Prefixes): Promise<RecordedEvent | undefined> =>
  (await lastEvents(events, prefixes, 1))[0];

/** Returns the position of the last event in the service's own streams; BEFORE_ALL if there is none. */
export const lastOwnEvent = async (events: History, prefixes: Prefixes): Promise<Position> =>
  (await lastEvent(events, prefixes))?.position ?? BEFORE_ALL;

/**
 * Returns the position that precedes another position. Reads the preceding position from the store, because positions
 * cannot be computed.
 * @throws EventStoreUnavailable
 */
export async function positionBefore(events: History, position: Position): Promise<Position> {
  const [previous] = await events.readAll({ from: position, direction: 'backwards', maxCount: 1 });
  return previous?.position ?? BEFORE_ALL;
}
