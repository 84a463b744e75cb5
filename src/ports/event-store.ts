import type { EngineFacts } from './engine.js';

/**
 * The event store: one append-only history of many streams. It is the only record; everything else is derived from it.
 *
 * Guarantees of every adapter (pinned by test/contracts/event-store.contract.ts):
 * - An append is atomic, and durable (flushed to disk) before its promise resolves.
 * - Revisions of a stream are 0, 1, 2 … without gaps; they go on after a soft delete.
 * - Positions grow strictly in commit order over the whole store; they may have gaps.
 * - A reader or subscriber that has seen a position has seen every event of its filter before it.
 */
export const EVENT_STORE = Symbol('EVENT_STORE');

/**
 * A place in the whole history. Safe as a JavaScript number: EventStoreDB's positions are byte offsets of its log
 * (2^53 bytes are 9 petabytes), the embedded engine's are counters.
 */
export type Position = number;

/** The checkpoint of a subscriber that has seen nothing: before every event. */
export const BEFORE_ALL: Position = -1;

/** An event on its way in. `id` is a UUID; the same id at the same expected revision is the same append. */
export type EventToAppend = {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/** An event as stored. `recordedAtMs` is the engine's own wall clock in milliseconds since 1970. */
export type RecordedEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
  readonly recordedAtMs: number;
};

/**
 * What the writer believes of the stream's last revision.
 * `no_stream` also accepts a soft-deleted stream; `stream_exists` needs at least one readable event.
 */
export type ExpectedRevision = number | 'no_stream' | 'stream_exists' | 'any';

/** Events for one stream: all of them are stored, or none. */
export type Append = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
};

/** Where an append ended: the stream's last revision and the position of its last event. */
export type Appended = { readonly revision: number; readonly position: Position };

/** Of reading: from older to newer, or back. */
export type Direction = 'forwards' | 'backwards';

/** Which events of a stream are read. */
export type StreamRead = {
  /** First revision to return, inclusive. Default: the first (forwards) or the last (backwards). */
  readonly from?: number;
  readonly direction?: Direction;
  /** Default 4,096. */
  readonly maxCount?: number;
};

/**
 * `exists` is false where the stream was never written or is soft-deleted; a stream whose events are all hidden
 * (by age, say) exists and is empty. `revision` is the last revision as far as this read knows it, -1 without one.
 */
export type StreamSlice = {
  readonly exists: boolean;
  readonly revision: number;
  readonly events: readonly RecordedEvent[];
};

/** Which events of the whole history: those whose stream's name, or whose type, begins with one of the prefixes. */
export type EventFilter = { readonly on: 'stream' | 'type'; readonly prefixes: readonly string[] };

/** Which events of the whole history are read. */
export type AllRead = {
  readonly direction?: Direction;
  /** Exclusive: forwards returns positions above it, backwards positions below it. Default: from the respective end. */
  readonly from?: Position;
  readonly filter?: EventFilter;
  /** Default 4,096. */
  readonly maxCount?: number;
};

/**
 * What a catch-up subscription delivers: the next events of its filter, in order.
 * `position` is the checkpoint to keep: everything of the filter up to and including it has been delivered, also when
 * `events` is empty because a stretch held nothing of the filter. `caughtUp` says that nothing more was stored when the
 * batch was read.
 */
export type EventBatch = {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
  readonly caughtUp: boolean;
};

/** What a catch-up subscription is to deliver. */
export type AllSubscription = {
  /** Exclusive; BEFORE_ALL for the whole history. */
  readonly after: Position;
  readonly filter?: EventFilter;
  /** Default 500. */
  readonly maxBatchSize?: number;
  /** Ends the subscription: the iterator returns after the batch in hand. */
  readonly signal?: AbortSignal;
};

/** The whole history, to write and to read; see above for what every engine guarantees. */
export interface EventStore {
  /**
   * Appends all of the events or none; durable when it resolves.
   * Idempotent by event id as EventStoreDB is: a repeat of the same ids at the same expected revision (or with `any`)
   * answers with the original append's result and writes nothing. No events: nothing is written.
   * @throws WrongExpectedRevision, StreamTombstoned, EventTooLarge, AppendOutcomeUnknown, EventStoreUnavailable
   */
  append(append: Append): Promise<Appended>;

  /**
   * One after another, each only when all before it have succeeded; an engine that can does them in one flush.
   * Those before a failure stay (it is no transaction). A success resolves when all are durable.
   * @throws what `append` throws, for the first that failed; its `stream` says which.
   */
  appendInOrder(appends: readonly Append[]): Promise<Appended[]>;

  /** Events of one stream. @throws StreamTombstoned, CorruptEvent, EventStoreUnavailable */
  readStream(stream: string, read?: StreamRead): Promise<StreamSlice>;

  /** Events of the whole history in order of position, system events left out. @throws CorruptEvent, EventStoreUnavailable */
  readAll(read?: AllRead): Promise<readonly RecordedEvent[]>;

  /**
   * Catch-up subscription to the whole history: stored events first, then live ones, without gap or repeat between.
   * Pull-based: the next batch is read when the consumer asks for it, so a slow consumer holds no memory.
   * Survives a lost connection by itself; ends when `signal` aborts or the store closes.
   * @throws from the iterator CorruptEvent, and EventStoreUnavailable where the engine's own files cannot be read: the
   * subscription has ended then, to be begun anew after the last batch
   */
  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch>;

  /** Position of the last event, BEFORE_ALL when empty. @throws EventStoreUnavailable */
  head(): Promise<Position>;

  /** Asks the engine who it is: one round trip. @throws EventStoreUnavailable */
  facts(): Promise<EngineFacts>;

  /**
   * Soft delete (the service itself deletes no stream): reads say `exists: false`, later appends go on with the revisions.
   * @throws as `append`
   */
  deleteStream(stream: string, expected: ExpectedRevision): Promise<void>;

  /** Ends subscriptions, waits for appends in flight, releases files and connections. Idempotent. */
  close(): Promise<void>;
}

/** The reading half, which subscribers in other threads have of their own. */
export type EventReader = Pick<EventStore, 'readStream' | 'readAll' | 'subscribeToAll' | 'head'>;

/** Another append came first, or the stream is not what the writer believed. `actual` is the stream's last revision. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: number | 'no_stream',
  ) {
    super(`Stream ${stream}: expected revision ${expected}, found ${actual}`);
    this.name = 'WrongExpectedRevision';
  }
}

/** The stream is deleted: for ever (tombstone), or softly where the append asked for `stream_exists`. */
export class StreamTombstoned extends Error {
  constructor(readonly stream: string) {
    super(`Stream ${stream} is deleted`);
    this.name = 'StreamTombstoned';
  }
}

/** The events of one append exceed the engine's limit (1 MiB of data and metadata). */
export class EventTooLarge extends Error {
  constructor(
    readonly stream: string,
    readonly sizeBytes: number,
    readonly limitBytes: number,
  ) {
    super(`Append to ${stream} of ${sizeBytes} bytes is over the limit of ${limitBytes}`);
    this.name = 'EventTooLarge';
  }
}

/** The append may or may not have been stored (time-out, broken connection): read the stream back to know. */
export class AppendOutcomeUnknown extends Error {
  constructor(
    readonly stream: string,
    override readonly cause: unknown,
  ) {
    super(`It is unknown whether the append to ${stream} was stored`);
    this.name = 'AppendOutcomeUnknown';
  }
}

/** The store cannot serve now (away, disk full); nothing was stored by the refused call. */
export class EventStoreUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'EventStoreUnavailable';
  }
}

/** Another process writes to this store's files; the message names both. */
export class EventStoreInUse extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventStoreInUse';
  }
}

/** A stored record does not match its checksum. It is never served. */
export class CorruptEvent extends Error {
  constructor(readonly position: Position) {
    super(`The event at position ${position} does not match its checksum`);
    this.name = 'CorruptEvent';
  }
}
