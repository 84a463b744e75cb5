import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  EVENT_TYPE,
  type EventStoreDBClient,
  type Filter,
  START,
  STREAM_NAME,
} from '@eventstore/db-client';
import { BEFORE_ALL, type EventFilter, type Position } from '../../ports/event-store.js';
import { logPosition } from './event-store.reader.js';
import { toNumber } from './event-store.record.js';

/** Events that wait here for the consumer; with more, the server is held up (gRPC's flow control). */
const BUFFERED_EVENTS = 128;
/** Events the server looks at between two checkpoints, where none of them passes the filter. */
const SEARCH_WINDOW = 256;

/**
 * One subscription of the client, as something to pull from: what it delivers stays in order with its checkpoints and
 * with the word that it has caught up. It ends for good with its first error.
 */
export class Source {
  readonly #subscription: AllStreamSubscription;
  #checkpoint: Position = BEFORE_ALL;
  #isLive = false;
  #failure: unknown;
  #hasFailed = false;

  constructor(client: EventStoreDBClient, after: Position, filter: EventFilter | undefined, wake: () => void) {
    const reached = (_: unknown, { commit, prepare }: { commit: bigint; prepare: bigint }): void => {
      // Where the two differ, a number could not lead back there.
      if (commit === prepare) this.#checkpoint = toNumber('position', commit);
      wake();
    };
    this.#subscription = client.subscribeToAll(
      {
        fromPosition: after > BEFORE_ALL ? logPosition(after) : START,
        filter: serverFilter(filter, reached),
        requiresLeader: true,
      },
      { highWaterMark: BUFFERED_EVENTS },
    );
    const fail = (error: unknown): void => {
      this.#failure ??= error;
      this.#hasFailed = true;
      wake();
    };
    this.#subscription
      .on('readable', wake)
      .on('caughtUp', () => {
        this.#isLive = true;
        wake();
      })
      .on('fellBehind', () => {
        this.#isLive = false;
      })
      .on('error', fail)
      .on('end', () => {
        fail(new Error('The server ended the subscription'));
      });
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Everything that was stored has been delivered, as far as the server has said; meant where nothing is buffered. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Up to here the filter has been searched; meant where nothing is buffered. */
  get checkpoint(): Position {
    return this.#checkpoint;
  }

  get isEmpty(): boolean {
    return this.#subscription.readableLength === 0;
  }

  read(): AllStreamResolvedEvent | null {
    return this.#subscription.read() as AllStreamResolvedEvent | null;
  }

  end(): void {
    // The client waits for the call to be made, which may have failed; the error has been seen here already.
    this.#subscription.unsubscribe().catch(() => undefined);
    this.#subscription.destroy();
  }
}

/** The system's events are left out by type; those of other types in "$"-streams are filtered here. */
function serverFilter(filter: EventFilter | undefined, checkpointReached: Filter['checkpointReached']): Filter {
  const paced = { maxSearchWindow: SEARCH_WINDOW, checkpointInterval: 1, checkpointReached };
  if (!filter || filter.prefixes.length === 0) return { ...paced, filterOn: EVENT_TYPE, regex: '^[^$]' } as Filter;
  const filterOn = filter.on === 'stream' ? STREAM_NAME : EVENT_TYPE;
  return { ...paced, filterOn, prefixes: [...filter.prefixes] } as Filter;
}
