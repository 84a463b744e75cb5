import type { AllStreamRecordedEvent, RecordedEvent as ClientEvent } from '@eventstore/db-client';
import {
  type Append,
  BEFORE_ALL,
  CorruptEvent,
  type EventFilter,
  EventStoreUnavailable,
  EventTooLarge,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';

/** Data and metadata of one append together: EventStoreDB's default MaxAppendSize. More is not even sent. */
export const APPEND_LIMIT_BYTES = 1024 * 1024;

export type SerializedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

export type SerializedAppend = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly SerializedEvent[];
  readonly bytes: number;
};

/** "$"-streams and "$"-types are EventStoreDB's own. */
export const isSystem = (stream: string, type: string): boolean => stream.startsWith('$') || type.startsWith('$');

/** Turned to bytes when the append is asked for, so that later changes of the objects do not reach the store. */
export function serializeAppend({ stream, expected, events }: Append): SerializedAppend {
  assertName('stream name', stream);
  assertExpected(expected);
  const serialized = events.map(serializeEvent);
  const bytes = serialized.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (bytes > APPEND_LIMIT_BYTES) throw new EventTooLarge(stream, bytes, APPEND_LIMIT_BYTES);
  return { stream, expected, events: serialized, bytes };
}

function serializeEvent({ id, type, data, metadata }: EventToAppend): SerializedEvent {
  assertName('event type', type);
  if (!uuid.test(id)) throw new TypeError(`An event's id must be a UUID, not ${JSON.stringify(id)}`);
  return { id: id.toLowerCase(), type, data: toJson('data', data), metadata: toJson('metadata', metadata) };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// The same names as the embedded engine takes: a history can be moved from the one to the other.
const unstorable = /[\u0000\p{Surrogate}]/u;

const MAX_NAME_LENGTH = 1_000;

export const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME_LENGTH && !unstorable.test(name);

export function assertName(what: string, name: string): void {
  if (isName(name)) return;
  if (name === '') throw new RangeError(`The ${what} is empty`);
  if (name.length > MAX_NAME_LENGTH) throw new RangeError(`The ${what} has more than 1,000 characters`);
  throw new RangeError(`The ${what} holds a character that cannot be stored`);
}

export function assertExpected(expected: ExpectedRevision): void {
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new RangeError(`The expected revision must be a whole number from 0, not ${expected}`);
}

function toJson(what: string, value: object): Uint8Array {
  const json = JSON.stringify(value) as string | undefined;
  if (!json?.startsWith('{') && !json?.startsWith('['))
    throw new TypeError(`An event's ${what} must be an object that JSON can hold`);
  return Buffer.from(json);
}

/** @throws EventStoreUnavailable for a number that JavaScript would round */
export function toNumber(what: string, value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new EventStoreUnavailable(`The ${what} ${value} is beyond exact numbers`);
  return number;
}

/** Where an event lies. EventStoreDB 23.10 gives every event of an append a commit position of its own. */
export const positionOf = ({ position }: ClientEvent | AllStreamRecordedEvent): Position =>
  position ? toNumber('position', position.commit) : BEFORE_ALL;

/** @throws CorruptEvent where data or metadata is not the JSON object that this port writes */
export function toRecordedEvent(event: ClientEvent | AllStreamRecordedEvent): RecordedEvent {
  const position = positionOf(event);
  const { id, streamId: stream, type, created } = event;
  const data: unknown = event.isJson ? event.data : undefined;
  const metadata: unknown = event.metadata ?? {};
  if (!isObject(data) || !isObject(metadata)) throw new CorruptEvent(position);
  const revision = toNumber('revision', event.revision);
  return { id, stream, revision, position, type, data, metadata, recordedAtMs: created.getTime() };
}

// The client hands bytes out where JSON does not parse, and a text where data does not.
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

export type Matches = (stream: string, type: string) => boolean;

/** The port's filter, without the system's events. @throws SyntaxError for a regular expression that is none */
export function matcherOf(filter: EventFilter | undefined): Matches {
  const selects = filter ? selectorOf(filter) : () => true;
  return (stream, type) => !isSystem(stream, type) && selects(filter?.on === 'type' ? type : stream);
}

function selectorOf(filter: EventFilter): (name: string) => boolean {
  if ('prefixes' in filter) return (name) => filter.prefixes.some((prefix) => name.startsWith(prefix));
  const pattern = new RegExp(filter.regex);
  return (name) => pattern.test(name);
}
