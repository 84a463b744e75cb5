import { crc32 } from 'node:zlib';
import { CorruptEvent, type RecordedEvent } from '../../ports/event-store.js';
import type { SerializedEvent } from '../event-store.input.js';
import { unpack } from './packed-json.reader.js';

/** A row as returned by SQLite, in the order of `COLUMNS`. `data` and `metadata` may be packed. */
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

/**
 * Checksum over all fields as stored. NUL is an unambiguous separator, because neither names nor text values contain
 * it.
 */
export const checksum = (
  position: number,
  stream: string,
  revision: number,
  { id, type, data, metadata }: SerializedEvent,
  recordedAtMs: number,
): number => crc32(`${position}\0${stream}\0${revision}\0${id}\0${type}\0${data}\0${metadata}\0${recordedAtMs}`);

/** @throws CorruptEvent */
export function assertSound(row: EventRow): void {
  const [position, stream, revision, id, type, data, metadata, recordedAtMs, crc] = row;
  if (checksum(position, stream, revision, { id, type, data, metadata }, recordedAtMs) !== crc)
    throw new CorruptEvent(position);
}

/** Decodes a row that `assertSound` has verified. @throws CorruptEvent if a forged row does not contain valid JSON */
export function decoded(row: EventRow): StoredEvent {
  const text = textsOf(row);
  return new StoredEvent(row, text, parsed(row[0], text[0]), parsed(row[0], text[1]));
}

const NOTHING = Object.freeze({});
/**
 * Returns an event that contains only its stored text, because parsing data and metadata would double the read time.
 */
export const undecoded = (row: EventRow): StoredEvent => new StoredEvent(row, textsOf(row), NOTHING, NOTHING);

/**
 * An event with its stored text. The text is kept in a private field, because events are compared and copied by their
 * properties.
 */
export class StoredEvent implements RecordedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly recordedAtMs: number;
  readonly #text: readonly [string, string];

  constructor(
    [position, stream, revision, id, type, , , recordedAtMs]: EventRow,
    text: readonly [string, string],
    readonly data: object,
    readonly metadata: object,
  ) {
    this.id = id;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.type = type;
    this.recordedAtMs = recordedAtMs;
    this.#text = text;
  }

  get storedText(): readonly [string, string] {
    return this.#text;
  }
}

function textsOf([position, , , , , data, metadata]: EventRow): readonly [string, string] {
  try {
    return [unpack(data), unpack(metadata)];
  } catch {
    throw new CorruptEvent(position);
  }
}

function parsed(position: number, json: string): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    throw new CorruptEvent(position);
  }
}

/** @throws CorruptEvent */
export function toRecordedEvent(row: EventRow): RecordedEvent {
  assertSound(row);
  return decoded(row);
}
