import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  type Append,
  type Appended,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { DomainEvent } from './aggregate.js';
import { currentContext } from './context.js';
import { metadataOf, type EventCatalogue } from './event-catalogue.js';
import { nameUuidAfter } from './name-uuid.js';

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 50;
/** Time after which no further attempt starts. If the store hangs, every attempt takes the full timeout. */
const PATIENCE_MS = 5_000;

/** Appends the events of the current request. Validates them, adds ids and metadata, and resolves unknown outcomes. */
export class Appender {
  constructor(
    private readonly store: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
  ) {}

  /**
   * Prepares events for an append. Each id is derived from the command id, the stream, the expected revision and the
   * event's index. If the command id is a UUIDv7, the event ids have the same time. A retry of the same append produces
   * the same ids, but a new decision at another revision produces different ones.
   *
   * All reactions to an event share one command id, even after redelivery, under two leaders, and in different
   * policies. Therefore, the event ids of a reaction also depend on the event's type and data. Otherwise, the store
   * would treat different decisions as duplicates.
   */
  prepare(stream: string, expected: ExpectedRevision, events: readonly DomainEvent[]): EventToAppend[] {
    const context = currentContext();
    const timestamp = new Date(this.clock.nowMs()).toISOString();
    return events.map((event, index) => {
      const { data, version } = this.catalogue.encode(event);
      return {
        id: nameUuidAfter(
          `${stream}@${expected}#${index}${context.causationId === undefined ? '' : `${event.type}${JSON.stringify(data)}`}`,
          context.commandId,
        ),
        type: event.type,
        data,
        metadata: metadataOf(context, version, timestamp),
      };
    });
  }

  /** Calls `prepare` and `append`, and returns the ids of the events. */
  async write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly DomainEvent[],
  ): Promise<Appended & { readonly eventIds: readonly string[] }> {
    const prepared = this.prepare(stream, expected, events);
    const [appended] = await this.append([{ stream, expected, events: prepared }]);
    return { ...(appended as Appended), eventIds: prepared.map(({ id }) => id) };
  }

  /**
   * Performs the appends in order. Each one starts only after all preceding ones have succeeded. An append with an
   * unknown outcome is retried. The retry is idempotent, because the event ids remain the same. The result describes
   * the events as stored.
   * @throws errors from EventStore.append; AppendOutcomeUnknown if the outcome is still unknown after all attempts
   */
  async append(appends: readonly Append[]): Promise<Appended[]> {
    const [only] = appends;
    const beganAtMs = this.clock.monotonicMs();
    let unknown: AppendOutcomeUnknown | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return appends.length === 1 && only ? [await this.store.append(only)] : await this.store.appendInOrder(appends);
      } catch (error) {
        if (error instanceof AppendOutcomeUnknown) unknown = error;
        // Even if the store is unavailable now, an earlier attempt may have stored the events.
        else if (!unknown || !(error instanceof EventStoreUnavailable)) throw error;
        if (attempt === MAX_ATTEMPTS || this.clock.monotonicMs() - beganAtMs >= PATIENCE_MS) throw unknown;
        await this.clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }
}
