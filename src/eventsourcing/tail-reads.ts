import type { EventStore, RecordedEvent } from '../ports/event-store.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import { CLAIM_FENCED, type EventCatalogue } from './event-catalogue.js';
import type { Loaded } from './record-reader.js';

const PAGE = 1_000;

/** Tail reads of one stream that are in progress. `seen`: the highest revision delivered in the meantime. */
type Reading = { readers: number; seen: number };

export class TailReads {
  private readonly reading = new Map<string, Reading>();

  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly catalogue: EventCatalogue,
  ) {}

  /**
   * Reads the events after a known state and returns the updated state. Passes this state to `keep`, unless a later
   * event in the stream has been delivered in the meantime. @throws errors from readStream
   */
  async read<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    stream: string,
    known: Loaded<S> | undefined,
    keep: (loaded: Loaded<S>) => void,
  ): Promise<Loaded<S>> {
    const reading = this.reading.get(stream) ?? { readers: 0, seen: -1 };
    reading.readers += 1;
    this.reading.set(stream, reading);
    try {
      const loaded = await this.tail(aggregate, stream, known);
      // The check and the call are synchronous, so no event can be delivered between them.
      if (reading.seen <= loaded.revision) keep(loaded);
      return loaded;
    } finally {
      reading.readers -= 1;
      if (reading.readers === 0) this.reading.delete(stream);
    }
  }

  /** Records that an event of a stream was delivered. */
  note(stream: string, revision: number): void {
    const reading = this.reading.get(stream);
    if (reading) reading.seen = revision;
  }

  private async tail<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    stream: string,
    known: Loaded<S> | undefined,
  ): Promise<Loaded<S>> {
    let { state, revision, position } = known ?? { state: aggregate.initial, revision: -1, position: -1 };
    for (;;) {
      const { events } = await this.store.readStream(stream, { from: revision + 1, maxCount: PAGE });
      for (const event of events) {
        state = evolved(this.catalogue, aggregate, state, event);
        ({ revision, position } = event);
      }
      if (events.length < PAGE) break;
    }
    return known?.revision === revision ? known : { stream, state, revision, position };
  }
}

export function evolved<S, E extends DomainEvent>(
  catalogue: EventCatalogue,
  aggregate: Aggregate<S, E>,
  state: S,
  event: RecordedEvent,
): S {
  if (event.type === CLAIM_FENCED) return state;
  return aggregate.evolve(state, catalogue.decode(event) as unknown as E);
}
