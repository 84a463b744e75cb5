import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { Instant, paragraph } from './fields.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';

export const DeadLetterOrigin = z.enum(['PUBLISH', 'SALE', 'PUSH', 'POLICY', 'PROJECTION', 'WEBHOOK']);
export type DeadLetterOrigin = z.output<typeof DeadLetterOrigin>;
export const DeadLetterStatus = z.enum(['PARKED', 'REPLAYED', 'DISCARDED']);
export type DeadLetterStatus = z.output<typeof DeadLetterStatus>;

const Reason = z.object({ code: z.string(), message: z.string() });
export type Reason = z.output<typeof Reason>;
/** `awaits`: the unmet condition of a rejected sale; see rejection-causes.ts. */
const Awaiting = { awaits: z.exactOptional(z.string()) };
export type Failure = Reason & { readonly awaits?: string };

const DeadLetterParked = z.object({
  origin: DeadLetterOrigin,
  /** Name of the forwarder, policy or projection that failed to handle the event. */
  subscriber: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  /** Stream, revision and position of the event. The replay needs all three. */
  stream: z.string(),
  revision: z.exactOptional(z.number()),
  position: z.number(),
  reason: Reason,
  /** External id of the sale, or of the return or cancellation that the event books. */
  externalId: z.exactOptional(z.string()),
  ...Awaiting,
  failedAt: Instant,
});
export type NewDeadLetter = Omit<z.output<typeof DeadLetterParked>, 'failedAt'>;

const Attempt = z.object({ attempt: z.int().min(1), at: Instant });

export const deadLetterEvents = {
  /** Also appended if the event fails again after the dead letter was resolved. */
  DeadLetterParked: domain('CREATE', 'dead-letter', DeadLetterParked),
  DeadLetterReplayFailed: domain('OTHER', 'dead-letter', Attempt.extend({ reason: Reason, ...Awaiting })),
  DeadLetterReplayed: domain('OTHER', 'dead-letter', Attempt),
  DeadLetterDiscarded: domain('UPDATE', 'dead-letter', z.object({ reason: z.string(), at: Instant })),
};
export type DeadLetterEvent = EventOf<typeof deadLetterEvents>;

/** `attempts`: number of failed attempts. */
export type FiledLetter = NewDeadLetter & { readonly status: DeadLetterStatus; readonly attempts: number };
export type DeadLetter = { readonly status: 'absent' } | FiledLetter;

/** An event that a subscriber failed to process. It remains parked until an operator replays or discards it. */
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
        return { ...withoutCause(state), ...failureOf(event.data), attempts: event.data.attempt };
      case 'DeadLetterReplayed':
        return { ...state, status: 'REPLAYED' };
      case 'DeadLetterDiscarded':
        return { ...state, status: 'DISCARDED' };
    }
  },
};

const withoutCause = ({ awaits: _, ...letter }: FiledLetter): FiledLetter => letter;
const failureOf = ({ reason, awaits }: { readonly reason: Reason; readonly awaits?: string }) => ({
  reason,
  ...(awaits !== undefined && { awaits }),
});

// Must never change, because concurrent and restarted subscribers must derive the same id for a dead letter.
const LETTER_NAMESPACE = '0e2f4c52-2a0d-5e55-9d0f-0a1c3c6f1b7d';

export const deadLetterId = ({
  origin,
  subscriber,
  eventId,
}: Pick<NewDeadLetter, 'origin' | 'subscriber' | 'eventId'>): string =>
  nameUuid(JSON.stringify([origin, subscriber, eventId]), LETTER_NAMESPACE);

/**
 * Returns `[]` if the dead letter is already parked, or if it was discarded and the event was not retried on an
 * operator's request (`isRequested`).
 */
export function parkLetter(
  state: DeadLetter,
  { isRequested = false, ...data }: NewDeadLetter & { readonly isRequested?: boolean },
  now: Date,
): DeadLetterEvent[] {
  if (state.status === 'PARKED' || (state.status === 'DISCARDED' && !isRequested)) return [];
  return [{ type: 'DeadLetterParked', data: { ...data, failedAt: now.toISOString() } }];
}

/** Resolves a parked dead letter whose event was processed without a replay. */
export const settleLetter = (state: DeadLetter, _: object, now: Date): DeadLetterEvent[] =>
  state.status === 'PARKED'
    ? [{ type: 'DeadLetterReplayed', data: { attempt: state.attempts + 1, at: now.toISOString() } }]
    : [];

/** @throws DomainError not_found; conflict ALREADY_RESOLVED */
export function parkedLetter(state: DeadLetter): FiledLetter {
  if (state.status === 'absent') throw notFound('dead letter');
  if (state.status !== 'PARKED') throw conflict('ALREADY_RESOLVED', `The dead letter is already ${state.status}.`);
  return state;
}

/** Outcome of a replay. `failure` is null on success. */
export type ReplayOutcome = { readonly attempt: number; readonly failure: Failure | null };

/** If two concurrent replays fail, only one failure is recorded. */
export function settleReplay(state: DeadLetter, { attempt, failure }: ReplayOutcome, now: Date): DeadLetterEvent[] {
  const { attempts } = parkedLetter(state);
  const at = now.toISOString();
  if (failure === null) return [{ type: 'DeadLetterReplayed', data: { attempt, at } }];
  if (attempts >= attempt) return [];
  const { awaits, ...reason } = failure;
  return [{ type: 'DeadLetterReplayFailed', data: { attempt, at, reason, ...(awaits !== undefined && { awaits }) } }];
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
