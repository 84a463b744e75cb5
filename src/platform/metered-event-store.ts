import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  EventTooLarge,
  StreamTombstoned,
  WrongExpectedRevision,
  type AllRead,
  type AllSubscription,
  type Append,
  type Appended,
  type EventBatch,
  type EventStore,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../ports/event-store.js';
import type { EngineFacts } from '../ports/engine.js';
import type { Clock } from '../ports/time.js';

/** Why nothing was stored, or is not known to be. */
export type AppendFailure = 'conflict' | 'refused' | 'unavailable' | 'unknown_outcome' | 'other';

/** Told of every append. */
export type AppendWatch = {
  /** So many events were stored, from the call to the durable answer. */
  readonly appended: (seconds: number, events: number) => void;
  readonly failed: (reason: AppendFailure) => void;
};

/** An event store whose appends are watched; everything else is passed on as it is. */
export class MeteredEventStore implements EventStore {
  constructor(
    private readonly inner: EventStore,
    private readonly clock: Clock,
    private readonly watch: AppendWatch,
  ) {}

  async append(append: Append): Promise<Appended> {
    const beganAtMs = this.clock.monotonicMs();
    try {
      const appended = await this.inner.append(append);
      this.done(beganAtMs, append.events.length);
      return appended;
    } catch (error) {
      this.watch.failed(failureOf(error));
      throw error;
    }
  }

  async appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    const beganAtMs = this.clock.monotonicMs();
    try {
      const appended = await this.inner.appendInOrder(appends);
      this.done(
        beganAtMs,
        appends.reduce((sum, { events }) => sum + events.length, 0),
      );
      return appended;
    } catch (error) {
      this.watch.failed(failureOf(error));
      throw error;
    }
  }

  readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    return this.inner.readStream(stream, read);
  }

  readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    return this.inner.readAll(read);
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    return this.inner.subscribeToAll(subscription);
  }

  head(): Promise<Position> {
    return this.inner.head();
  }

  deleteStream(stream: string, expected: ExpectedRevision): Promise<void> {
    return this.inner.deleteStream(stream, expected);
  }

  facts(): Promise<EngineFacts> {
    return this.inner.facts();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private done(beganAtMs: number, events: number): void {
    this.watch.appended((this.clock.monotonicMs() - beganAtMs) / 1_000, events);
  }
}

function failureOf(error: unknown): AppendFailure {
  if (error instanceof WrongExpectedRevision) return 'conflict';
  if (error instanceof EventStoreUnavailable) return 'unavailable';
  if (error instanceof AppendOutcomeUnknown) return 'unknown_outcome';
  return error instanceof StreamTombstoned || error instanceof EventTooLarge ? 'refused' : 'other';
}
