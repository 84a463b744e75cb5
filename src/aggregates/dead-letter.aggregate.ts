import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { Instant, paragraph } from './fields.js';
import { nameUuid } from '../platform/name-uuid.js';

export const DeadLetterOrigin = z.enum(['PUBLISH', 'SALE', 'PUSH', 'POLICY', 'PROJECTION']);
export type DeadLetterOrigin = z.output<typeof DeadLetterOrigin>;
export const DeadLetterStatus = z.enum(['PARKED', 'REPLAYED', 'DISCARDED']);
export type DeadLetterStatus = z.output<typeof DeadLetterStatus>;

const Reason = z.object({ code: z.string(), message: z.string() });
export type Reason = z.output<typeof Reason>;

const DeadLetterParked = z.object({
  origin: DeadLetterOrigin,
  /** Who could not handle it: the forwarder's, policy's or projection's name. */
  subscriber: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  /** The event's stream, revision and position: where a replay finds it. */
  stream: z.string(),
  revision: z.exactOptional(z.number()),
  position: z.number(),
  reason: Reason,
  failedAt: Instant,
});
export type NewDeadLetter = Omit<z.output<typeof DeadLetterParked>, 'failedAt'>;

const Attempt = z.object({ attempt: z.int().min(1), at: Instant });

export const deadLetterEvents = {
  /** Again where it fails once more after it was replayed. */
  DeadLetterParked: domain('CREATE', 'dead-letter', DeadLetterParked),
  DeadLetterReplayFailed: domain('OTHER', 'dead-letter', Attempt.extend({ reason: Reason })),
  DeadLetterReplayed: domain('OTHER', 'dead-letter', Attempt),
  DeadLetterDiscarded: domain('UPDATE', 'dead-letter', z.object({ reason: z.string(), at: Instant })),
};
export type DeadLetterEvent = EventOf<typeof deadLetterEvents>;

/** `attempts`: how often it has failed. */
export type FiledLetter = NewDeadLetter & { readonly status: DeadLetterStatus; readonly attempts: number };
export type DeadLetter = { readonly status: 'absent' } | FiledLetter;

/** Something that was to be done because of an event and can't be, kept until somebody decides. */
export const deadLetter: Aggregate<DeadLetter, DeadLetterEvent> = {
  name: 'dead-letter',
  events: deadLetterEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'DeadLetterParked') {
      const { failedAt: _, ...data } = event.data;
      return { ...data, status: 'PARKED', attempts: state.status === 'absent' ? 1 : state.attempts + 1 };
    }
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'DeadLetterReplayFailed':
        return { ...state, attempts: event.data.attempt, reason: event.data.reason };
      case 'DeadLetterReplayed':
        return { ...state, status: 'REPLAYED' };
      case 'DeadLetterDiscarded':
        return { ...state, status: 'DISCARDED' };
    }
  },
};

// Fixed for ever: two subscribers at once (or one that repeats itself) park the same letter.
const LETTER_NAMESPACE = '0e2f4c52-2a0d-5e55-9d0f-0a1c3c6f1b7d';

export const deadLetterId = ({
  origin,
  subscriber,
  eventId,
}: Pick<NewDeadLetter, 'origin' | 'subscriber' | 'eventId'>): string =>
  nameUuid(JSON.stringify([origin, subscriber, eventId]), LETTER_NAMESPACE);

/** Nothing where it waits already, or where somebody has decided that it is not to be done. */
export function parkLetter(state: DeadLetter, data: NewDeadLetter, now: Date): DeadLetterEvent[] {
  if (state.status === 'PARKED' || state.status === 'DISCARDED') return [];
  return [{ type: 'DeadLetterParked', data: { ...data, failedAt: now.toISOString() } }];
}

/** What it stands for is done after all, without a replay. */
export const settleLetter = (state: DeadLetter, _: object, now: Date): DeadLetterEvent[] =>
  state.status === 'PARKED'
    ? [{ type: 'DeadLetterReplayed', data: { attempt: state.attempts + 1, at: now.toISOString() } }]
    : [];

/** @throws DomainError not_found; conflict ALREADY_RESOLVED */
export function parkedLetter(state: DeadLetter): FiledLetter {
  if (state.status === 'absent') throw notFound('dead letter');
  if (state.status !== 'PARKED') throw conflict('ALREADY_RESOLVED', `The letter is ${state.status} already.`);
  return state;
}

/** How a replay ended: `failure` null where all was done. */
export type ReplayOutcome = { readonly attempt: number; readonly failure: Reason | null };

/** Of two replays at once that fail, one counts. */
export function settleReplay(state: DeadLetter, { attempt, failure }: ReplayOutcome, now: Date): DeadLetterEvent[] {
  const { attempts } = parkedLetter(state);
  const at = now.toISOString();
  if (failure === null) return [{ type: 'DeadLetterReplayed', data: { attempt, at } }];
  return attempts >= attempt ? [] : [{ type: 'DeadLetterReplayFailed', data: { attempt, at, reason: failure } }];
}

export const DiscardDeadLetter = z.strictObject({ reason: paragraph(1000) }).meta({ id: 'DiscardDeadLetterDto' });

export function discardLetter(
  state: DeadLetter,
  { reason }: z.output<typeof DiscardDeadLetter>,
  now: Date,
): DeadLetterEvent[] {
  parkedLetter(state);
  return [{ type: 'DeadLetterDiscarded', data: { reason, at: now.toISOString() } }];
}
