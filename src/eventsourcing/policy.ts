import { asService } from './context.js';
import type { EventMetadata, Recorded } from './event-catalogue.js';

/**
 * Reacts to events with commands, at least once per event and in order within a stream. Each policy makes redelivery
 * idempotent: created records have ids derived from the event, and changed records store a reference to the event
 * (docs/adr/0005).
 */
export interface Policy {
  readonly name: string;
  /** Types of events that it handles. */
  readonly types: readonly string[];
  /** Origin of its dead letters. Default POLICY. */
  readonly letters?: 'SALE';
  /** Whether it also needs events of different streams in order, one at a time. */
  readonly inOrder?: boolean;
  /**
   * A long-running reaction throws the reason of `stopping` when the policy stops; its event is delivered again.
   * @throws transient errors, after which the event is retried; after any other error it is parked as a dead letter
   */
  react(event: Recorded, stopping: AbortSignal): Promise<void>;
}

/** The event fields that a reaction needs. */
export type Cause = Pick<Recorded, 'id' | 'tenantId'> & {
  readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'>;
};

/**
 * Runs `work` as the service's reaction to an event. The same event always yields the same command id, so that on
 * redelivery equal events at the same revision get the same ids. `tenantId` is the tenant of the action. Default: the
 * event's tenant.
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
