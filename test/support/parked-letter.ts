import { deadLetterId, type DeadLetterOrigin } from '../../src/aggregates/dead-letter.aggregate.js';
import type { Append, RecordedEvent } from '../../src/ports/event-store.js';

const MESSAGE = { origin: 'PUBLISH', subscriber: 'integration-events' } as const;

/**
 * Returns an append that parks a dead letter for an event. Default: as if the broker had rejected the event's message.
 */
export function parkedLetter(
  event: RecordedEvent,
  tenantId: string,
  failed: { readonly origin: DeadLetterOrigin; readonly subscriber: string } = MESSAGE,
): Append {
  const { id: eventId, type: eventType, stream, revision, position, metadata } = event;
  const about = { ...failed, eventId };
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
