import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { EventCatalogue } from './event-catalogue.js';

/** Events per read. Bounds memory for long streams, and gives other work a turn between reads. */
const PART = 500;

/**
 * All events of a stream from a revision on, in order; none if the stream does not exist.
 * @throws the errors of readStream
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

/**
 * Position of the last event in the service's own streams. The store may hold events of other applications, which no
 * projection receives.
 * @throws EventStoreUnavailable
 */
export async function lastOwnEvent(
  events: Pick<EventReader, 'readAll'>,
  { streamPrefixes }: Pick<EventCatalogue, 'streamPrefixes'>,
): Promise<Position> {
  const filter = { on: 'stream', prefixes: streamPrefixes } as const;
  const [last] = await events.readAll({ direction: 'backwards', filter, maxCount: 1 });
  return last?.position ?? BEFORE_ALL;
}

/**
 * The last position before another, as reported by the store: positions are never computed.
 * @throws EventStoreUnavailable
 */
export async function positionBefore(events: Pick<EventReader, 'readAll'>, position: Position): Promise<Position> {
  const [previous] = await events.readAll({ from: position, direction: 'backwards', maxCount: 1 });
  return previous?.position ?? BEFORE_ALL;
}
