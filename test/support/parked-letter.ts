import { deadLetterId } from '../../src/aggregates/dead-letter.aggregate.js';
import type { Append, RecordedEvent } from '../../src/ports/event-store.js';

/** Parks a dead letter for the message of an event, as if the broker had rejected the message. */
export function parkedLetter(event: RecordedEvent, tenantId: string): Append {
  const { id: eventId, type: eventType, stream, revision, position, metadata } = event;
  const about = { origin: 'PUBLISH', subscriber: 'integration-events', eventId } as const;
  const id = deadLetterId(about);
  const reason = { code: 'REFUSED', message: 'The message is too large.' };
  const failedAt = new Date().toISOString();
  const own = { version: 1, timestamp: failedAt, system: 'integration-events' };
  return {
    stream: `dead-letter-${tenantId}_${id}`,
    expected: 'no_stream',
    events: [
      {
        id: crypto.randomUUID(),
        type: 'DeadLetterParked',
        data: { ...about, eventType, stream, revision, position, reason, failedAt },
        metadata: { ...metadata, ...own },
      },
    ],
  };
}
