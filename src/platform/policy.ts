import { asService } from './context.js';
import type { EventMetadata, Recorded } from './event-catalogue.js';

/**
 * Reacts to events with commands, at least once for each event, in order per stream. Exact under redelivery by its own
 * decisions: what it creates has ids derived from the event, what it changes remembers the event (see design notes in
 * docs/adr/0005).
 */
export interface Policy {
  readonly name: string;
  /** Types of the events that it reacts to. */
  readonly types: readonly string[];
  /** The origin of its letters. Default POLICY. */
  readonly letters?: 'SALE';
  /** Whether it needs the events of different streams in their order, too: one after another. */
  readonly inOrder?: boolean;
  /**
   * @throws what it cannot do for good: the event is then parked as a letter, and its reason is the error's
   */
  react(event: Recorded): Promise<void>;
}

/** The facts of an event that a reaction to it needs. */
export type Cause = Pick<Recorded, 'id' | 'tenantId'> & {
  readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'>;
};

/**
 * Runs `work` as the service's own reaction to an event: the same event always gives the same command id, so the ids of
 * equal events appended in it at the same revision repeat on redelivery. `tenantId`: the tenant that is acted for, where it is not the event's.
 */
export const inReactionTo = <T>(cause: Cause, name: string, work: () => T, tenantId = cause.tenantId): T =>
  asService(
    {
      tenantId,
      name,
      requestId: cause.metadata.requestId,
      correlationId: cause.metadata.$correlationId,
      causationId: cause.id,
      commandId: cause.id,
    },
    work,
  );
