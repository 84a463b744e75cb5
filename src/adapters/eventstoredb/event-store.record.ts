import type { AllStreamRecordedEvent, RecordedEvent as ClientEvent } from '@eventstore/db-client';
import {
  BEFORE_ALL,
  CorruptEvent,
  type EventFilter,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';

/** "$"-streams and "$"-types are EventStoreDB's own. */
export const isSystem = (stream: string, type: string): boolean => stream.startsWith('$') || type.startsWith('$');

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

/** The port's filter, without the system's events. */
export const matcherOf =
  (filter: EventFilter | undefined): Matches =>
  (stream, type) => {
    if (isSystem(stream, type)) return false;
    const name = filter?.on === 'type' ? type : stream;
    return filter?.prefixes.some((prefix) => name.startsWith(prefix)) ?? true;
  };
