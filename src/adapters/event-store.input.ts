import {
  type AllSubscription,
  type Append,
  BEFORE_ALL,
  type EventFilter,
  EventTooLarge,
  type EventToAppend,
  type ExpectedRevision,
  type Narrowing,
  type Position,
} from '../ports/event-store.js';
import { UUID } from '../ports/uuid.js';

// Input checks that are identical for every engine, so that a history can be moved from one engine to another.

/** Maximum combined size of the data and metadata of an append. This is EventStoreDB's default MaxAppendSize. */
const APPEND_LIMIT_BYTES = 1024 * 1024;
const MAX_NAME_LENGTH = 1_000;
const uuid = new RegExp(UUID, 'i');
// SQLite would truncate text at NUL, and UTF-8 cannot represent an unpaired surrogate, so two names could become
// identical.
const unstorable = /[\u0000\p{Surrogate}]/u;

/** `data` and `metadata` are JSON. */
export type SerializedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
};

export type SerializedAppend = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly SerializedEvent[];
  readonly bytes: number;
};

/** Whether the stream name is valid. A stream with an invalid name cannot exist. */
export const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME_LENGTH && !unstorable.test(name);

/** @throws RangeError */
export function assertName(what: string, name: string): void {
  if (isName(name)) return;
  if (name === '') throw new RangeError(`The ${what} is empty`);
  if (name.length > MAX_NAME_LENGTH) throw new RangeError(`The ${what} has more than 1,000 characters`);
  throw new RangeError(`The ${what} contains a character that cannot be stored`);
}

/** @throws RangeError */
function assertExpected(expected: ExpectedRevision): void {
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new RangeError(`The expected revision must be a non-negative integer, not ${expected}`);
}

/**
 * Serializes an append immediately, so that later changes to the objects do not affect what is stored.
 * @throws RangeError, TypeError, EventTooLarge
 */
export function serializeAppend({ stream, expected, events }: Append): SerializedAppend {
  assertName('stream name', stream);
  assertExpected(expected);
  const serialized = events.map(serializeEvent);
  const bytes = serialized.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  if (bytes > APPEND_LIMIT_BYTES) throw new EventTooLarge(stream, bytes, APPEND_LIMIT_BYTES);
  return { stream, expected, events: serialized, bytes };
}

function serializeEvent({ id, type, data, metadata }: EventToAppend): SerializedEvent {
  assertName('event type', type);
  if (!uuid.test(id)) throw new TypeError(`An event's id must be a UUID, not ${JSON.stringify(id)}`);
  return { id: id.toLowerCase(), type, data: toJson('data', data), metadata: toJson('metadata', metadata) };
}

function toJson(what: string, value: object): string {
  const json = JSON.stringify(value) as string | undefined;
  if (!json?.startsWith('{') && !json?.startsWith('[')) throw new TypeError(`An event's ${what} must be a JSON object`);
  return json;
}

const DEFAULT_MAX_COUNT = 4_096;
const DEFAULT_BATCH_SIZE = 500;

/** Returns the maximum number of events to read. @throws RangeError */
export function countOf(maxCount = DEFAULT_MAX_COUNT): number {
  if (!Number.isSafeInteger(maxCount) || maxCount < 1)
    throw new RangeError(`The maximum count of a read must be a positive whole number, not ${maxCount}`);
  return maxCount;
}

/** @throws RangeError */
export function assertRevision(from: number | undefined): void {
  if (from === undefined || (Number.isSafeInteger(from) && from >= 0)) return;
  throw new RangeError(`The first revision of a read must be a non-negative integer, not ${from}`);
}

/** @throws RangeError */
export function assertPosition(from: Position | undefined): void {
  if (from !== undefined && !Number.isSafeInteger(from)) throw new RangeError(`The position is invalid: ${from}`);
}

/**
 * Returns the subscription's maximum number of events per batch.
 * @throws RangeError for invalid subscription parameters
 */
export function batchSizeOf({ after, maxBatchSize = DEFAULT_BATCH_SIZE }: AllSubscription): number {
  if (!Number.isSafeInteger(after) || after < BEFORE_ALL) throw new RangeError(`The position is invalid: ${after}`);
  if (!Number.isSafeInteger(maxBatchSize) || maxBatchSize < 1)
    throw new RangeError(`The batch size of a subscription is invalid: ${maxBatchSize}`);
  return maxBatchSize;
}

/** Returns a predicate that tests events against a filter. */
export const passes =
  (filter: EventFilter | undefined) =>
  ({ stream, type }: { readonly stream: string; readonly type: string }): boolean => {
    if (!filter) return true;
    const name = filter.on === 'type' ? type : stream;
    return filter.prefixes.some((prefix) => name.startsWith(prefix)) && isWithin(filter.narrowing, stream);
  };

function isWithin(narrowing: Narrowing | undefined, stream: string): boolean {
  if (!narrowing || !stream.startsWith(narrowing.prefix)) return true;
  const character = stream[narrowing.at];
  return character !== undefined && narrowing.characters.includes(character);
}

/** Lets a consumer stop while it waits for the next batch. A plain generator would keep waiting. */
export function stoppable<T>(batches: AsyncGenerator<T, void>, stop: () => void): AsyncIterableIterator<T, void> {
  return {
    next: () => batches.next(),
    return: () => {
      stop();
      return batches.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
