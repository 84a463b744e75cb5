import type { FiledLetter, Reason } from './dead-letter.aggregate.js';

export const DEAD_LETTER_OFFICE = Symbol('DEAD_LETTER_OFFICE');

/** A letter with what its stream's name says. */
export type AddressedLetter = Pick<
  FiledLetter,
  'origin' | 'subscriber' | 'eventId' | 'eventType' | 'stream' | 'revision'
> & { readonly id: string; readonly tenantId: string };

/** Knows what letters of each origin are about, and how what they stand for is done again. */
export interface DeadLetterOffice {
  /**
   * Does it again; `attempt` counts from 2 and names what is sent, so that two replays of one attempt have one effect.
   * Answers why it is refused again, undefined where it is done.
   * @throws DomainError unavailable where an engine is away: nothing is known then, and nothing to be noted
   */
  redeliver(letter: AddressedLetter, attempt: number): Promise<Reason | undefined>;
  /** What was to be delivered, without secrets; null where the event is not there (any more) or tells nothing. */
  payloadOf(letter: AddressedLetter): Promise<unknown>;
}
