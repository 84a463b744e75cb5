import { Inject, Injectable } from '@nestjs/common';
import { Secrets } from '../aggregates/secrets.js';
import type { Aggregate, DomainEvent } from '../eventsourcing/aggregate.js';
import { CLAIM_FENCED, EventCatalogue, UnknownEvent, type Recorded } from '../eventsourcing/event-catalogue.js';
import { eventsOf } from '../eventsourcing/stream-events.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../ports/event-store.js';

/** The last event read from a stream, and the state after that event. */
export type Reached = { readonly event: RecordedEvent; readonly state: unknown; readonly secrets: Secrets };

/** Reads past states from streams. */
@Injectable()
export class StreamHistory {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(EventCatalogue) private readonly catalogue: EventCatalogue,
  ) {}

  /** Returns the last event of a stream; undefined if the stream does not exist. */
  async lastOf(stream: string): Promise<RecordedEvent | undefined> {
    const { events } = await this.events.readStream(stream, { direction: 'backwards', maxCount: 1 });
    return events[0];
  }

  /** Returns at most `count` events, newest first, starting with revision `from`. */
  async before(stream: string, from: number, count: number): Promise<readonly RecordedEvent[]> {
    return (await this.events.readStream(stream, { direction: 'backwards', from, maxCount: count })).events;
  }

  /** Returns all events of a stream, in order. */
  each(stream: string): AsyncIterable<RecordedEvent> {
    return eventsOf(this.events, stream);
  }

  /**
   * Returns the event in its current version; undefined if this release does not recognize it because a newer replica
   * has written it.
   */
  decode(event: RecordedEvent): Recorded | undefined {
    try {
      return this.catalogue.decode(event);
    } catch (error) {
      if (error instanceof UnknownEvent) return undefined;
      throw error;
    }
  }

  /** Returns the aggregate that folds a stream. @throws Error if the stream does not belong to the service */
  aggregateOf(stream: string): Aggregate<unknown, DomainEvent> {
    const aggregate = this.catalogue.aggregateOf(parseStreamName(stream)?.entity ?? '');
    if (!aggregate) throw new Error(`No aggregate folds ${stream}`);
    return aggregate;
  }

  secretsOf(stream: string): Secrets {
    return new Secrets(this.aggregateOf(stream).events);
  }

  /**
   * Returns the state after the longest prefix of events that satisfy `isWanted`; undefined if the first event does
   * not.
   */
  async reach(stream: string, isWanted: (event: RecordedEvent) => boolean): Promise<Reached | undefined> {
    const aggregate = this.aggregateOf(stream);
    const secrets = new Secrets(aggregate.events);
    let state = aggregate.initial;
    let last: RecordedEvent | undefined;
    for await (const event of this.each(stream)) {
      if (!isWanted(event)) break;
      last = event;
      const decoded = event.type === CLAIM_FENCED ? undefined : this.decode(event);
      if (!decoded) continue;
      secrets.learn(decoded);
      state = aggregate.evolve(state, decoded);
    }
    return last && { event: last, state, secrets };
  }
}
