import {
  CorruptEvent,
  type EventFilter,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';
import { passes } from '../event-store.input.js';
import { textOf, type WireEvent } from './event-store.wire.js';

/**
 * Whether an event belongs to EventStoreDB itself. The names of EventStoreDB's own streams and event types start with
 * "$".
 */
export const isSystem = (stream: string, type: string): boolean => stream.startsWith('$') || type.startsWith('$');

/** @throws EventStoreUnavailable for a number that JavaScript cannot represent exactly */
export function toNumber(what: string, value: number | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new EventStoreUnavailable(`The ${what} ${value} exceeds the range of exact integers`);
  return number;
}

/** @throws EventStoreUnavailable */
export const positionOf = ({ position }: WireEvent): Position => toNumber('position', position);

/** @throws CorruptEvent unless data and metadata are JSON objects, as this port writes them */
export function toRecordedEvent(event: WireEvent): RecordedEvent {
  const position = positionOf(event);
  const { id, stream, type } = event;
  const data = event.contentType === 'application/json' ? parsed(event.data) : undefined;
  const metadata = event.metadata.length === 0 ? {} : parsed(event.metadata);
  if (!isObject(data) || !isObject(metadata)) throw new CorruptEvent(position);
  const revision = toNumber('revision', event.revision);
  // The number is too large to be exact in JavaScript, so its last four digits are removed first.
  const recordedAtMs = Number(event.created.slice(0, -4));
  return { id, stream, revision, position, type, data, metadata, recordedAtMs };
}

/** Returns undefined for bytes that are not JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export type Matches = (stream: string, type: string) => boolean;

/** Returns a predicate for the port's filter. The predicate also excludes system events. */
export const matcherOf = (filter: EventFilter | undefined): Matches => {
  const isWanted = passes(filter);
  return (stream, type) => !isSystem(stream, type) && isWanted({ stream, type });
};
