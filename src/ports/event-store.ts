import type { EngineFacts, EngineFault } from './engine.js';
import { token } from './token.js';

/**
 * The event store: one append-only history of many streams. It is the system of record, from which everything else is
 * derived. Guarantees of every adapter (pinned by test/contracts/event-store.contract.ts):
 * - An append is atomic, and durable (flushed to disk) before its promise resolves.
 * - Revisions of a stream are 0, 1, 2 … without gaps, and continue after a soft delete.
 * - Positions increase strictly in commit order across the whole store, but may have gaps.
 * - A reader or subscriber that has seen a position has seen every earlier event that matches its filter.
 */
export const EVENT_STORE = token<EventStore>('EVENT_STORE');

/**
 * Position in the global history. Safe as a JavaScript number: EventStoreDB positions are byte offsets in the log (2^53
 * bytes are 9 petabytes), and the embedded engine's positions are counters.
 */
export type Position = number;

/** Checkpoint before the first event, for a subscriber that has received no events. */
export const BEFORE_ALL: Position = -1;

/** An event to append. `id` is a UUID. The same id at the same expected revision identifies the same append. */
export type EventToAppend = {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

/**
 * A stored event. `recordedAtMs` is the append time according to the engine's own wall clock, in milliseconds since
 * 1970. `data` and `metadata` may be getters. A copy made with `...` does not contain them.
 */
export type RecordedEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
  readonly recordedAtMs: number;
  /** The stored JSON of the data and metadata, if the engine keeps it. It equals the output of `JSON.stringify`. */
  readonly storedText?: readonly [data: string, metadata: string];
};

/** Last revision of the stream, as known to the writer. `no_stream` also accepts a soft-deleted stream. */
export type ExpectedRevision = number | 'no_stream';

/** Events for one stream, stored atomically. */
export type Append = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
};

/** Result of an append: the stream's last revision and the position of its last event. */
export type Appended = { readonly revision: number; readonly position: Position };

/** Read order: `forwards` is from oldest to newest. */
export type Direction = 'forwards' | 'backwards';

/** Range of a stream read. */
export type StreamRead = {
  /** First revision to return, inclusive. Default: the first revision (forwards) or the last one (backwards). */
  readonly from?: number;
  readonly direction?: Direction;
  /** Default: 4,096. */
  readonly maxCount?: number;
};

/**
 * `exists` is false if the stream was never written to or is soft-deleted. A stream whose events are all hidden (by
 * age, for example) exists and is empty. `revision` is the last revision known to this read, or −1 if there is none.
 */
export type StreamSlice = {
  readonly exists: boolean;
  readonly revision: number;
  readonly events: readonly RecordedEvent[];
};

/** Selects events whose stream name or type begins with one of the prefixes. */
export type EventFilter = {
  readonly on: 'stream' | 'type';
  readonly prefixes: readonly string[];
  readonly narrowing?: Narrowing;
};

/**
 * Of the streams whose names begin with `prefix`, selects only those that have one of `characters` at index `at`. Has no
 * effect on other streams.
 */
export type Narrowing = { readonly prefix: string; readonly at: number; readonly characters: string };

/** Range of a global history read. */
export type AllRead = {
  readonly direction?: Direction;
  /**
   * Exclusive: a forward read returns events above this position, and a backward read events below it. Default: the
   * start (forwards) or the end (backwards) of the history.
   */
  readonly from?: Position;
  readonly filter?: EventFilter;
  /** Default: 4,096. */
  readonly maxCount?: number;
};

/**
 * A batch of a catch-up subscription: the next matching events, in order. `position` is the checkpoint to store: every
 * matching event up to and including this position has been delivered. The position also advances when `events` is
 * empty because a range contained no matching event. `caughtUp` is true if no later event had been stored when the
 * batch was read.
 */
export type EventBatch = {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
  readonly caughtUp: boolean;
  /** Size of the stored data and metadata, if known to the engine. */
  readonly characters?: number;
};

/** Position and state that a consumer has reached. */
export type Reached = Pick<EventBatch, 'position' | 'caughtUp'>;

/**
 * Returns the next live batch after the given one, as received by another thread of the process. Returns undefined if
 * that thread does not keep the events. `narrowing` selects the events that the caller needs.
 */
export type LiveAfter = (reached: Reached, narrowing: Narrowing | undefined) => Promise<EventBatch | undefined>;

/** Parameters of a catch-up subscription. */
export type AllSubscription = {
  /** Exclusive. BEFORE_ALL selects the whole history. */
  readonly after: Position;
  readonly filter?: EventFilter;
  /** Default: 500. */
  readonly maxBatchSize?: number;
  /**
   * Set if the caller needs only `storedText`. An engine that keeps this text then leaves `data` and `metadata` empty.
   */
  readonly textOnly?: boolean;
  /** Permitted delay. If it is set, a server engine reads pages at this interval, to reduce the cost. */
  readonly maxDelayMs?: number;
  /** Ends the subscription: the iterator returns after the current batch. */
  readonly signal?: AbortSignal;
};

/** Appends to and reads from the history, with the guarantees listed at EVENT_STORE. */
export interface EventStore {
  /**
   * True if streams are read in this process, which takes microseconds. Otherwise, each read is a request to a server,
   * so latency-sensitive callers should read as little as possible.
   */
  readonly hasLocalReads?: boolean;

  /**
   * Returns the last revision of a stream (−1 if the stream is empty) without reading it. This is possible only if no
   * other process writes to the history. Otherwise, and after the store is closed, returns undefined.
   */
  revisionOf?(stream: string): number | undefined;

  /**
   * Appends either all of the events or none of them. The events are durable when the promise resolves. Idempotent by
   * event id, like EventStoreDB: repeating the same ids at the same expected revision returns the original result and
   * writes nothing. An append without events writes nothing and returns the position of the stream's last event, or
   * BEFORE_ALL if the stream has no events.
   * @throws WrongExpectedRevision, StreamTombstoned, EventTooLarge, AppendOutcomeUnknown, EventStoreUnavailable
   */
  append(append: Append): Promise<Appended>;

  /**
   * Appends sequentially: each append starts only after all preceding ones have succeeded. An engine that supports
   * sequential appends flushes all of them together. This is not a transaction: appends that succeeded before a failure
   * remain stored. Resolves when all events are durable.
   * @throws the error of `append` for the first append that failed; the error's `stream` identifies the append
   */
  appendInOrder(appends: readonly Append[]): Promise<Appended[]>;

  /** Reads events from one stream. @throws StreamTombstoned, CorruptEvent, EventStoreUnavailable */
  readStream(stream: string, read?: StreamRead): Promise<StreamSlice>;

  /**
   * Reads events from the global history in position order, excluding system events.
   * @throws CorruptEvent, InvalidPosition, EventStoreUnavailable
   */
  readAll(read?: AllRead): Promise<readonly RecordedEvent[]>;

  /**
   * Catch-up subscription to the global history: stored events first, then live ones, without gaps or duplicates. It is
   * pull-based: the next batch is read when the consumer requests it, so a slow consumer causes no buffering. It
   * recovers from lost connections and ends when `signal` aborts or the store closes.
   * @throws from the iterator: CorruptEvent; InvalidPosition if `after` (or the position of the last batch) is not a
   * position of this history; EventStoreUnavailable if the engine's own files are unreadable. The subscription has then
   * ended. Restart it after the last batch.
   */
  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch>;

  /** Position of the last event, or BEFORE_ALL if the store is empty. @throws EventStoreUnavailable */
  head(): Promise<Position>;

  /** Reports the engine's name and version in one round trip. @throws EventStoreUnavailable */
  facts(): Promise<EngineFacts>;
  /** Reason why the engine is unusable, or undefined when it is available. Performs no I/O. */
  fault?(): EngineFault | undefined;

  /** Ends subscriptions, waits for appends in flight, and then releases files and connections. Idempotent. */
  close(): Promise<void>;
}

/** The read-only part of the event store. Subscribers in other threads open their own reader. */
export type EventReader = Pick<EventStore, 'readStream' | 'readAll' | 'subscribeToAll' | 'head'>;

/** The stream is not at the expected revision: another append may have come first. `actual` is its last revision. */
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

/** An operator deleted the stream permanently (EventStoreDB's tombstone). */
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
    super(`The append to ${stream} is ${sizeBytes} bytes, which exceeds the limit of ${limitBytes} bytes`);
    this.name = 'EventTooLarge';
  }
}

/** The append may or may not have been stored (timeout, broken connection). Read the stream back to find out. */
export class AppendOutcomeUnknown extends Error {
  constructor(
    readonly stream: string,
    override readonly cause: unknown,
  ) {
    super(`The outcome of the append to ${stream} is unknown`);
    this.name = 'AppendOutcomeUnknown';
  }
}

/** The store is currently unavailable (unreachable, disk full). The rejected call stored nothing. */
export class EventStoreUnavailable extends Error {
  /** `reason` is a short cause that is safe to show to anyone. It contains no addresses, secrets or tenant data. */
  constructor(
    message: string,
    override readonly cause?: unknown,
    readonly reason?: string,
  ) {
    super(message);
    this.name = 'EventStoreUnavailable';
  }
}

/** The store's own structures are damaged, but no single event is known to be damaged. */
export class DamagedStore extends EventStoreUnavailable {}

/** Another process has this store's files open for writing. The message names the process and the files. */
export class EventStoreInUse extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventStoreInUse';
  }
}

/**
 * The position belongs to another history, or to a later state of a history that was restored to an earlier one. A
 * retry cannot succeed. Only an engine that can detect such a position throws this error (EventStoreDB, for a position
 * inside a record). A position beyond the end is accepted, so compare checkpoints with `head()` first.
 */
export class InvalidPosition extends Error {
  constructor(readonly position: Position) {
    super(`The event store has no position ${position}: the checkpoint belongs to another history`);
    this.name = 'InvalidPosition';
  }
}

/** A stored record does not match its checksum. Such a record is never returned. */
export class CorruptEvent extends Error {
  constructor(readonly position: Position) {
    super(`The event at position ${position} does not match its checksum`);
    this.name = 'CorruptEvent';
  }
}
