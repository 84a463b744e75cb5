import { randomUUID } from 'node:crypto';
import {
  type AllRead,
  type AllSubscription,
  type Append,
  type Appended,
  AppendOutcomeUnknown,
  BEFORE_ALL,
  type EventBatch,
  type EventStore,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
  WrongExpectedRevision,
} from '../../ports/event-store.js';
import type { AppendPipeline, Pipelined } from '../../ports/append-pipeline.js';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import type { HistoryIdentity } from '../../ports/history.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { isName, type SerializedAppend, serializeAppend } from '../event-store.input.js';
import { convertLeading } from '../leading.js';
import { Pipeline } from '../pipeline.js';
import { Appends, type Lanes } from './event-store.appends.js';
import { Connection } from './event-store.connection.js';
import { Head } from './event-store.head.js';
import { Reader } from './event-store.reader.js';
import { isSystem } from './event-store.record.js';
import { subscribe } from './event-store.subscription.js';

export type EventStoreDbOptions = {
  /**
   * EventStoreDB connection string: `esdb://user:password@host:2113?tls=true`, or `esdb+discover://…` for a cluster.
   * KurrentDB schemes are also accepted. The string configures TLS, certificates and keep-alive. Never logged.
   */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout in milliseconds for an append and for each subsequent event of a read. Default: 5,000. */
  readonly timeoutMs?: number;
  /**
   * Maximum number of unanswered appends. Further appends are rejected. Default: 2,000, with a total size of at most 64
   * MiB.
   */
  readonly maxInFlight?: number;
  /**
   * Time without events, in milliseconds, after which a subscription's position is compared with the head. Default:
   * 1,000.
   */
  readonly quietMs?: number;
  /**
   * Returns the minimum time between deliveries of live events to a subscription, in milliseconds. Default: no minimum.
   */
  readonly gatherMs?: () => number;
};

/**
 * A Kontor stream that does not belong to an aggregate, so backups omit it. Its last event contains the history's id.
 */
const IDENTITY = 'kontor_history';
const IDENTIFIED = 'HistoryIdentified';
const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_IN_FLIGHT = 2_000;
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;
const DEFAULT_QUIET_MS = 1_000;

/**
 * An event store on EventStoreDB 23.10 or 24.10 (both tested). KurrentDB 25.0 to 26.1 use the same protocol. All calls
 * go to the leader, so a read operation sees every append that was acknowledged before it started. While the server is
 * unavailable, calls fail within the timeout, and subscriptions wait. Calls and subscriptions recover without a
 * restart. An unanswered append is resent until the timeout expires. The server recognizes a duplicate by its event ids
 * and drops one that arrives before the original is committed. Callers may pass only positions that this store has
 * returned.
 */
export class EventStoreDb implements EventStore, Pipelined, HistoryIdentity {
  private readonly connection: Connection;
  private readonly appends: Appends;
  private readonly reader: Reader;
  private readonly headReader: Head;
  private readonly subscribe: (subscription: AllSubscription) => AsyncIterable<EventBatch>;
  private closing: Promise<void> | undefined;

  private constructor(options: EventStoreDbOptions) {
    const { url, clock, logger, timeoutMs = DEFAULT_TIMEOUT_MS, quietMs = DEFAULT_QUIET_MS } = options;
    const { maxInFlight = DEFAULT_MAX_IN_FLIGHT, gatherMs } = options;
    this.connection = new Connection({ url, clock, logger, timeoutMs });
    const limits = { timeoutMs, maxInFlight, maxInFlightBytes: MAX_IN_FLIGHT_BYTES };
    this.appends = new Appends(this.connection, clock, limits);
    this.reader = new Reader(this.connection, clock, logger, timeoutMs);
    this.headReader = new Head(this.reader);
    const { connection, reader, headReader: head } = this;
    const parts = { connection, reader, head, clock, logger, quietMs, gatherMs };
    this.subscribe = (subscription) => subscribe(parts, subscription);
  }

  /** Opens the store without waiting for the server. @throws Error for an unusable connection string */
  static open(options: EventStoreDbOptions): EventStoreDb {
    return new EventStoreDb(options);
  }

  async append(append: Append): Promise<Appended> {
    return this.appendSerialized(serializeAppend(append));
  }

  /**
   * Makes one round trip per append, because the protocol cannot make an append depend on an append to another stream.
   */
  async appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    const { converted, refusal } = convertLeading(appends, serializeAppend);
    const appended: Appended[] = [];
    for (const append of converted) appended.push(await this.appendSerialized(append));
    if (refusal) throw refusal;
    return appended;
  }

  pipeline(): AppendPipeline {
    const lanes = this.appends.pipeline();
    return new Pipeline((append) => this.appendSerialized(append, lanes));
  }

  async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    this.connection.assertOpen();
    // A stream with an invalid name cannot exist.
    if (!isName(stream)) return { exists: false, revision: -1, events: [] };
    return this.reader.readStream(stream, read);
  }

  async readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    this.connection.assertOpen();
    return this.reader.readAll(read);
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    this.connection.assertOpen();
    return this.subscribe(subscription);
  }

  async head(): Promise<Position> {
    this.connection.assertOpen();
    return this.headReader.read();
  }

  async facts(): Promise<EngineFacts> {
    this.connection.assertOpen();
    // The client caches the version, so only a read proves that the server is available.
    const [version] = await Promise.all([this.connection.version(), this.reader.page('backwards', undefined, 1)]);
    return { engine: 'eventstoredb', version };
  }

  async current(): Promise<string | undefined> {
    return (await this.identity()).id;
  }

  /** Replicas may call this method concurrently. The first call wins. */
  async renew(known: string | undefined, next: string): Promise<string> {
    const { revision, id } = await this.identity();
    if (id !== undefined && id !== known) return id;
    const event = { id: randomUUID(), type: IDENTIFIED, data: { id: next }, metadata: {} };
    try {
      await this.append({ stream: IDENTITY, expected: revision < 0 ? 'no_stream' : revision, events: [event] });
      return next;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const other = await this.current();
    if (other === undefined) throw new EventStoreUnavailable('The id of the history cannot be read back');
    return other;
  }

  async end(): Promise<Position> {
    this.connection.assertOpen();
    return (await this.reader.page('backwards', undefined, 1)).last;
  }

  fault(): EngineFault | undefined {
    return this.connection.diagnosis.fault;
  }

  close(): Promise<void> {
    this.closing ??= this.release();
    return this.closing;
  }

  private async identity() {
    const { revision, events } = await this.readStream(IDENTITY, { direction: 'backwards', maxCount: 1 });
    return { revision, id: (events[0]?.data as { readonly id?: string } | undefined)?.id };
  }

  private async release(): Promise<void> {
    this.connection.close();
    await this.appends.drained();
    await this.connection.release();
  }

  private async appendSerialized(append: SerializedAppend, lanes?: Lanes): Promise<Appended> {
    const appended = await this.appends.append(append, lanes);
    const last = append.events.at(-1);
    // For an append without events, the server returns the next write position of the log, which is never the position
    // of an event.
    if (!last) return { ...appended, position: await this.lastPositionOf(append.stream) };
    if (!isSystem(append.stream, last.type)) this.headReader.note(appended.position);
    if (appended.position !== BEFORE_ALL) return appended;
    // This is a duplicate of an append whose events are now hidden. Any reader that has seen the head has also seen
    // these events.
    const position = await this.headReader.read().catch((error: unknown) => {
      throw new AppendOutcomeUnknown(append.stream, error);
    });
    return { ...appended, position };
  }

  private async lastPositionOf(stream: string): Promise<Position> {
    const { events } = await this.reader.readStream(stream, { direction: 'backwards', maxCount: 1 });
    return events[0]?.position ?? BEFORE_ALL;
  }
}
