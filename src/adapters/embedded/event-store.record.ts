import { crc32 } from 'node:zlib';
import {
  type Append,
  CorruptEvent,
  EventTooLarge,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from '../../ports/event-store.js';

/** Data and metadata of one append together. The same limit as EventStoreDB's MaxAppendSize. */
export const APPEND_LIMIT_BYTES = 1024 * 1024;

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

/** A row as SQLite returns it: the order of `COLUMNS`. */
export type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
  recordedAtMs: number,
  crc: number,
];

export const COLUMNS = 'position, stream, revision, id, type, data, metadata, recorded_at_ms, crc';

/** Over every field. NUL separates: names may not hold it and JSON escapes it, so no two records read the same. */
export const checksum = (
  position: number,
  stream: string,
  revision: number,
  { id, type, data, metadata }: SerializedEvent,
  recordedAtMs: number,
): number => crc32(`${position}\0${stream}\0${revision}\0${id}\0${type}\0${data}\0${metadata}\0${recordedAtMs}`);

/** @throws CorruptEvent */
export function toRecordedEvent(row: EventRow): RecordedEvent {
  const [position, stream, revision, id, type, data, metadata, recordedAtMs, crc] = row;
  if (checksum(position, stream, revision, { id, type, data, metadata }, recordedAtMs) !== crc)
    throw new CorruptEvent(position);
  return {
    id,
    stream,
    revision,
    position,
    type,
    data: JSON.parse(data) as object,
    metadata: JSON.parse(metadata) as object,
    recordedAtMs,
  };
}

/** Turned to text when the append is asked for, so that later changes of the objects do not reach the store. */
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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// SQLite would cut a text at NUL, and UTF-8 cannot hold half of a surrogate pair: two names could become one.
const unstorable = /[\u0000\p{Surrogate}]/u;

function assertName(what: string, name: string): void {
  if (name === '') throw new RangeError(`The ${what} is empty`);
  if (name.length > 1_000) throw new RangeError(`The ${what} has more than 1,000 characters`);
  if (unstorable.test(name)) throw new RangeError(`The ${what} holds a character that cannot be stored`);
}

export function assertExpected(expected: ExpectedRevision): void {
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new RangeError(`The expected revision must be a whole number from 0, not ${expected}`);
}

function toJson(what: string, value: object): string {
  const json = JSON.stringify(value) as string | undefined;
  if (!json?.startsWith('{') && !json?.startsWith('['))
    throw new TypeError(`An event's ${what} must be an object that JSON can hold`);
  return json;
}
