import { token } from '../ports/token.js';
import type { FiledLetter, Reason } from '../aggregates/dead-letter.aggregate.js';

export const DEAD_LETTER_REPLAYER = token<DeadLetterReplayer>('DEAD_LETTER_REPLAYER');

/** A letter with the id and tenant parsed from its stream name. */
export type AddressedLetter = Pick<
  FiledLetter,
  'origin' | 'subscriber' | 'eventId' | 'eventType' | 'stream' | 'revision'
> & { readonly id: string; readonly tenantId: string };

/** Shows and repeats the work behind dead letters of each origin. */
export interface DeadLetterReplayer {
  /**
   * Repeats the work. `attempt` counts from 2 and identifies the delivery: two replays with the same attempt have one
   * effect. Returns the reason of a new failure, or undefined on success.
   * @throws DomainError unavailable if an engine is down: the outcome is unknown and is not recorded
   */
  redeliver(letter: AddressedLetter, attempt: number): Promise<Reason | undefined>;
  /** The undelivered content without secrets; null if the event is missing or has none. */
  payloadOf(letter: AddressedLetter): Promise<unknown>;
}
