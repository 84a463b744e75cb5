import type { AllStreamRecordedEvent, RecordedEvent as ClientEvent } from '@eventstore/db-client';
import {
  BEFORE_ALL,
  CorruptEvent,
  type EventFilter,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';
import { passes } from '../event-store.input.js';

/**
 * Whether an event belongs to EventStoreDB itself. The names of EventStoreDB's own streams and event types start with
 * "$".
 */
export const isSystem = (stream: string, type: string): boolean => stream.startsWith('$') || type.startsWith('$');

/** @throws EventStoreUnavailable for a number that JavaScript cannot represent exactly */
export function toNumber(what: string, value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new EventStoreUnavailable(`The ${what} ${value} exceeds the range of exact integers`);
  return number;
}

/** Returns the position of an event. EventStoreDB 23.10 assigns each event of an append its own commit position. */
export const positionOf = ({ position }: ClientEvent | AllStreamRecordedEvent): Position =>
  position ? toNumber('position', position.commit) : BEFORE_ALL;

/** @throws CorruptEvent unless data and metadata are JSON objects, as this port writes them */
export function toRecordedEvent(event: ClientEvent | AllStreamRecordedEvent): RecordedEvent {
  const position = positionOf(event);
  const { id, streamId: stream, type, created } = event;
  const data: unknown = event.isJson ? event.data : undefined;
  const metadata: unknown = event.metadata ?? {};
  if (!isObject(data) || !isObject(metadata)) throw new CorruptEvent(position);
  const revision = toNumber('revision', event.revision);
  return { id, stream, revision, position, type, data, metadata, recordedAtMs: created.getTime() };
}

// The client returns bytes for invalid JSON, and a string for data that is not JSON.
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

export type Matches = (stream: string, type: string) => boolean;

/** Returns a predicate for the port's filter. The predicate also excludes system events. */
export const matcherOf = (filter: EventFilter | undefined): Matches => {
  const isWanted = passes(filter);
  return (stream, type) => !isSystem(stream, type) && isWanted({ stream, type });
};
