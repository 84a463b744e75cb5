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

/** Number of events buffered for the consumer. Beyond it, gRPC's flow control applies backpressure to the server. */
const BUFFERED_EVENTS = 128;
/** Number of events that the server scans between two checkpoints if none of the events match the filter. */
const SEARCH_WINDOW = 256;

/**
 * Pull interface to one client subscription. Keeps its events, checkpoints and caught-up notifications in order. Ends
 * permanently at the first error.
 */
export class Source {
  private readonly subscription: AllStreamSubscription;
  /** Position up to which the filter has been applied. Valid only while nothing is buffered. */
  checkpoint: Position = BEFORE_ALL;
  /** Whether all stored events have been delivered, according to the server. Valid only while nothing is buffered. */
  isLive = false;
  hasFailed = false;
  failure: unknown;

  constructor(client: EventStoreDBClient, after: Position, filter: EventFilter | undefined, wake: () => void) {
    // Runs inside the client's asynchronous transform, so an exception would terminate the process.
    const reached = (_: unknown, position: { commit: bigint; prepare: bigint }): void => {
      if (isUsable(position)) this.checkpoint = Number(position.commit);
      wake();
    };
    this.subscription = client.subscribeToAll(
      {
        fromPosition: after > BEFORE_ALL ? logPosition(after) : START,
        filter: serverFilter(filter, reached),
        requiresLeader: true,
      },
      { highWaterMark: BUFFERED_EVENTS },
    );
    const fail = (error: unknown): void => {
      this.failure ??= error;
      this.hasFailed = true;
      wake();
    };
    this.subscription
      .on('readable', wake)
      .on('caughtUp', () => {
        this.isLive = true;
        wake();
      })
      .on('fellBehind', () => {
        this.isLive = false;
      })
      .on('error', fail)
      .on('end', () => {
        fail(new Error('The server ended the subscription'));
      });
  }

  get isEmpty(): boolean {
    return this.subscription.readableLength === 0;
  }

  read(): AllStreamResolvedEvent | null {
    return this.subscription.read() as AllStreamResolvedEvent | null;
  }

  end(): void {
    // Rejects if the call could not be started. That error has already been handled.
    this.subscription.unsubscribe().catch(() => undefined);
    this.subscription.destroy();
  }
}

/**
 * Whether a checkpoint is a safe integer and a valid position from which to resume. Two kinds of checkpoints are not.
 * Versions 24.2 to 24.10.4 send (2^64-1, 2^64-1) when a subscription goes live before any event has matched its filter.
 * If commit and prepare differ, the commit may be at the end of the log, where the next event will be written. In this
 * case (KurrentDB's KDB-744), prepare is 0, as in all checkpoints of older servers.
 */
const isUsable = ({ commit, prepare }: { commit: bigint; prepare: bigint }): boolean =>
  commit === prepare && commit <= Number.MAX_SAFE_INTEGER;

/** Excludes system events by type. Events of other types in "$" streams are filtered out by this process. */
function serverFilter(filter: EventFilter | undefined, checkpointReached: Filter['checkpointReached']): Filter {
  const paced = { maxSearchWindow: SEARCH_WINDOW, checkpointInterval: 1, checkpointReached };
  if (!filter || filter.prefixes.length === 0) return { ...paced, filterOn: EVENT_TYPE, regex: '^[^$]' } as Filter;
  const filterOn = filter.on === 'stream' ? STREAM_NAME : EVENT_TYPE;
  return { ...paced, filterOn, prefixes: [...filter.prefixes] } as Filter;
}
