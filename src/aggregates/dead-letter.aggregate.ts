import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { Instant } from './fields.js';
import { nameUuid } from '../platform/name-uuid.js';

export const DeadLetterOrigin = z.enum(['PUBLISH', 'SALE', 'PUSH', 'POLICY', 'PROJECTION']);
export type DeadLetterOrigin = z.output<typeof DeadLetterOrigin>;

const DeadLetterParked = z.object({
  origin: DeadLetterOrigin,
  /** Who could not handle it: the forwarder's, policy's or projection's name. */
  subscriber: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  /** The event's stream and position: where a replay finds it. */
  stream: z.string(),
  position: z.number(),
  reason: z.object({ code: z.string(), message: z.string() }),
  failedAt: Instant,
});
export type NewDeadLetter = Omit<z.output<typeof DeadLetterParked>, 'failedAt'>;

export const deadLetterEvents = { DeadLetterParked: domain('CREATE', 'dead-letter', DeadLetterParked) };
export type DeadLetterEvent = EventOf<typeof deadLetterEvents>;
export type DeadLetter = { status: 'absent' } | ({ status: 'parked' } & z.output<typeof DeadLetterParked>);

/** Something that was to be done because of an event and can't be, kept until somebody decides. */
export const deadLetter: Aggregate<DeadLetter, DeadLetterEvent> = {
  name: 'dead-letter',
  events: deadLetterEvents,
  initial: { status: 'absent' },
  evolve: (_, { data }) => ({ status: 'parked', ...data }),
};

// Fixed for ever: two subscribers at once (or one that repeats itself) park the same letter.
const LETTER_NAMESPACE = '0e2f4c52-2a0d-5e55-9d0f-0a1c3c6f1b7d';

export const deadLetterId = ({ origin, subscriber, eventId }: Omit<NewDeadLetter, 'stream'>): string =>
  nameUuid(JSON.stringify([origin, subscriber, eventId]), LETTER_NAMESPACE);

export function parkLetter(state: DeadLetter, data: NewDeadLetter, now: Date): DeadLetterEvent[] {
  if (state.status !== 'absent') return [];
  return [{ type: 'DeadLetterParked', data: { ...data, failedAt: now.toISOString() } }];
}
