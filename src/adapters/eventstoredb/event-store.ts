import {
  type AllRead,
  type AllSubscription,
  type Append,
  type Appended,
  AppendOutcomeUnknown,
  BEFORE_ALL,
  type EventBatch,
  type EventStore,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../../ports/event-store.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { assertExpected, assertName, isName, type SerializedAppend, serializeAppend } from '../event-store.input.js';
import { Appends } from './event-store.appends.js';
import { Connection } from './event-store.connection.js';
import { Head } from './event-store.head.js';
import { Reader } from './event-store.reader.js';
import { isSystem } from './event-store.record.js';
import { subscribe } from './event-store.subscription.js';

export type EventStoreDbOptions = {
  /**
   * EventStoreDB's connection string, `esdb://user:password@host:2113?tls=true` or `esdb+discover://…` for a cluster;
   * TLS, certificates and keep-alive are said there. Never logged.
   */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long an append, or a read between two events, may take. Default 5,000. */
  readonly timeoutMs?: number;
  /** Appends that may wait for their answers; more are refused. Default 2,000, of at most 64 MiB together. */
  readonly maxInFlight?: number;
  /** How long a subscription may be quiet before it is compared with the head. Default 1,000. */
  readonly quietMs?: number;
};

const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_IN_FLIGHT = 2_000;
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;
const DEFAULT_QUIET_MS = 1_000;

/**
 * The event store in EventStoreDB 23.10 or newer (21.10 and newer speak the same protocol). All calls go to the leader,
 * so a read sees every append that was answered before. While the server is away, calls fail within the time-out and
 * subscriptions wait; both work again by themselves. An append whose answer is missing may be repeated: its event ids
 * make it the same append. (With `any` or `stream_exists` the server recognises only what it has in memory: not after
 * it was restarted. A repeat that overtakes the original's commit is dropped by the server, and found after the
 * time-out.) Positions handed in must be ones that this store has handed out.
 */
export class EventStoreDb implements EventStore {
  readonly #connection: Connection;
  readonly #appends: Appends;
  readonly #reader: Reader;
  readonly #head: Head;
  readonly #subscribe: (subscription: AllSubscription) => AsyncIterable<EventBatch>;
  #closing: Promise<void> | undefined;

  private constructor(options: EventStoreDbOptions) {
    const { url, clock, logger, timeoutMs = DEFAULT_TIMEOUT_MS, quietMs = DEFAULT_QUIET_MS } = options;
    const { maxInFlight = DEFAULT_MAX_IN_FLIGHT } = options;
    this.#connection = new Connection({ url, clock, logger, timeoutMs });
    const limits = { timeoutMs, maxInFlight, maxInFlightBytes: MAX_IN_FLIGHT_BYTES };
    this.#appends = new Appends(this.#connection, clock, limits);
    this.#reader = new Reader(this.#connection, clock, timeoutMs);
    this.#head = new Head(this.#reader);
    const parts = { connection: this.#connection, reader: this.#reader, head: this.#head, clock, logger, quietMs };
    this.#subscribe = (subscription) => subscribe(parts, subscription);
  }

  /** Does not wait for the server. @throws Error where the connection string cannot be used */
  static open(options: EventStoreDbOptions): EventStoreDb {
    return new EventStoreDb(options);
  }

  async append(append: Append): Promise<Appended> {
    return this.#append(serializeAppend(append));
  }

  /** In as many round trips: the protocol has no append that depends on another stream's. */
  async appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    const serialized = appends.map((append) => {
      try {
        return serializeAppend(append);
      } catch (error) {
        return error as Error;
      }
    });
    const appended: Appended[] = [];
    for (const each of serialized) {
      // Those before it are tried first.
      if (each instanceof Error) throw each;
      appended.push(await this.#append(each));
    }
    return appended;
  }

  async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    this.#connection.assertOpen();
    // A name that cannot be written was never written.
    if (!isName(stream)) return { exists: false, revision: -1, events: [] };
    return this.#reader.readStream(stream, read);
  }

  async readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    this.#connection.assertOpen();
    return this.#reader.readAll(read);
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    this.#connection.assertOpen();
    return this.#subscribe(subscription);
  }

  async head(): Promise<Position> {
    this.#connection.assertOpen();
    return this.#head.read();
  }

  async facts(): Promise<EngineFacts> {
    this.#connection.assertOpen();
    // The client remembers the version: only a read tells that the server is there.
    const [version] = await Promise.all([this.#connection.version(), this.#reader.page('backwards', undefined, 1)]);
    return { engine: 'eventstoredb', version };
  }

  async deleteStream(stream: string, expected: ExpectedRevision): Promise<void> {
    assertName('stream name', stream);
    assertExpected(expected);
    await this.#appends.deleteStream(stream, expected);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#connection.close();
    await this.#appends.drained();
    await this.#connection.release();
  }

  async #append(append: SerializedAppend): Promise<Appended> {
    const appended = await this.#appends.append(append);
    const last = append.events.at(-1);
    if (last && !isSystem(append.stream, last.type)) this.#head.note(appended.position);
    if (!last || appended.position !== BEFORE_ALL) return appended;
    // A repeat of an append whose events are hidden by now. Who has seen the head has seen them, too.
    const position = await this.#head.read().catch((error: unknown) => {
      throw new AppendOutcomeUnknown(append.stream, error);
    });
    return { ...appended, position };
  }
}
