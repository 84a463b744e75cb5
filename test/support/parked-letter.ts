import { deadLetterId, type DeadLetterOrigin } from '../../src/aggregates/dead-letter.aggregate.js';
import type { Append, EventStore, RecordedEvent } from '../../src/ports/event-store.js';
import { call } from '../e2e/kontor-process.js';

const MESSAGE = { origin: 'PUBLISH', subscriber: 'integration-events' } as const;

/** Parks a dead letter for an event. Default: as if the broker had rejected the event's message. */
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

/** Subscriber that does not exist. A replay of its letters fails again. */
const GONE = { origin: 'POLICY', subscriber: 'policy-of-an-earlier-release' } as const;
const AT_ONCE = 20;

/**
 * Creates customers, and parks a letter about each of them. Every fifth letter fails again when it is replayed. Returns
 * the tenant and the ids of the letters.
 */
export async function parkLetters(
  store: EventStore,
  url: string,
  token: string,
  count: number,
): Promise<[tenantId: string, ids: string[]]> {
  const from = await store.head();
  const create = (name: string) => call(`${url}/api/customers`, { token, body: { name } });
  for (let made = 0; made < count; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(`C ${made + n}`)));
  const filter = { on: 'type', prefixes: ['CustomerCreated'] } as const;
  const created = await store.readAll({ from, filter, maxCount: count });
  const { tenantId } = created[0]?.metadata as { readonly tenantId: string };
  const ids: string[] = [];
  for (const [n, event] of created.entries()) {
    const letter = parkedLetter(event, tenantId, n % 5 === 0 ? GONE : undefined);
    await store.append(letter);
    ids.push(letter.stream.split('_')[1] ?? '');
  }
  return [tenantId, ids];
}
