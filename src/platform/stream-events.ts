import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { EventCatalogue } from './event-catalogue.js';

/** Read at once: a long stream is never in memory as a whole, and others have their turn in between. */
const PART = 500;

/** All events of a stream from the first, in order; none where there is no such stream. @throws what readStream throws */
export async function* eventsOf(
  events: Pick<EventReader, 'readStream'>,
  stream: string,
): AsyncGenerator<RecordedEvent, void> {
  for (let from = 0; ;) {
    const part = (await events.readStream(stream, { from, maxCount: PART })).events;
    yield* part;
    if (part.length < PART) return;
    from = (part.at(-1)?.revision ?? from) + 1;
  }
}

/** The store may hold events of others, which no projection here ever passes by itself. @throws EventStoreUnavailable */
export async function lastOwnEvent(
  events: Pick<EventReader, 'readAll'>,
  { streamPrefixes }: Pick<EventCatalogue, 'streamPrefixes'>,
): Promise<Position> {
  const filter = { on: 'stream', prefixes: streamPrefixes } as const;
  const [last] = await events.readAll({ direction: 'backwards', filter, maxCount: 1 });
  return last?.position ?? BEFORE_ALL;
}
