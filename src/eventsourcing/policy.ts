import type { RecordedEvent } from '../ports/event-store.js';
import { asService } from './context.js';
import type { EventMetadata, Recorded } from './event-catalogue.js';

/**
 * Reacts to events by executing commands. Events are delivered at least once, and in order within a stream. Policies
 * must handle redelivery idempotently (docs/adr/0005). The records that they create have ids derived from the event,
 * and the records that they change store a reference to the event.
 */
export interface Policy {
  readonly name: string;
  /** The event types that the policy handles. */
  readonly types: readonly string[];
  /** Origin of the policy's dead letters. Default: POLICY. */
  readonly letters?: 'SALE';
  /** Returns true for an event that requires no reaction. The event is then skipped before it is decoded. */
  isSettled?(event: RecordedEvent): boolean;
  /** Whether the policy must receive all events in order, one at a time, even if they belong to different streams. */
  readonly inOrder?: boolean;
  /**
   * Reacts to an event. When the policy stops, a long-running reaction throws the abort reason of `stopping`, and its
   * event is delivered again. @throws transient errors, after which the event is retried. After any other error, the
   * event is parked as a dead letter.
   */
  react(event: Recorded, stopping: AbortSignal): Promise<void>;
}

/** The fields of an event that a reaction needs. */
export type Cause = Pick<Recorded, 'id' | 'tenantId'> & {
  readonly metadata: Pick<EventMetadata, 'requestId' | '$correlationId'>;
};

/**
 * Runs `work` as the service's reaction to an event. The same event always results in the same command id. Therefore,
 * after a redelivery, equal events at the same revision get the same ids. `tenantId` is the tenant of the action.
 * Default: the event's tenant.
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
