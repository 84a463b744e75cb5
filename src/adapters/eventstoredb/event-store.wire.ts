import protobuf from 'protobufjs/minimal.js';

type BinaryReader = protobuf.Reader;
/** Reads the value of a field into a message. */
type Field<Message> = (message: Message, reader: BinaryReader) => void;
type Draft<Message> = { -readonly [Key in keyof Message]: Message[Key] };

/** A stored event, as received. `data` and `metadata` have not been parsed yet. */
export type WireEvent = {
  readonly id: string;
  readonly stream: string;
  /** Not a safe integer if JavaScript cannot represent the number exactly. This also applies to `position`. */
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly contentType: string;
  /** Append time in units of 100 nanoseconds since 1970. */
  readonly created: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

type LogPosition = { readonly commit: number; readonly prepare: number };
/** A message from the server in response to a read request. At most one of the properties is set. */
export type WireAnswer = {
  /** The response item for a link to a deleted event contains no event. */
  readonly item?: { readonly event?: WireEvent };
  readonly checkpoint?: LogPosition;
  readonly isStreamMissing?: boolean;
  readonly hasCaughtUp?: boolean;
  readonly hasFallenBehind?: boolean;
};

const NO_BYTES = new Uint8Array();

/** Reads a message of the given length. Unknown fields are skipped. */
function read<Message>(
  reader: BinaryReader,
  length: number,
  message: Message,
  fields: Readonly<Record<number, Field<Message>>>,
): Message {
  const end = reader.pos + length;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields[tag >>> 3];
    if (field) field(message, reader);
    else reader.skipType(tag & 7);
  }
  return message;
}

const skip = (reader: BinaryReader): void => {
  reader.skip(reader.uint32());
};
const uint64 = (reader: BinaryReader): number => {
  const value = reader.uint64();
  return typeof value === 'number' ? value : (value.high >>> 0) * 2 ** 32 + (value.low >>> 0);
};
export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
const text = (reader: BinaryReader): string => textOf(reader.bytes());

/** The request specifies ids in text form. */
const ID: Record<number, Field<Draft<WireEvent>>> = {
  2: (event, reader) => (event.id = text(reader)),
};

const STREAM: Record<number, Field<Draft<WireEvent>>> = {
  3: (event, reader) => (event.stream = text(reader)),
};

type Entry = { key: string; value: string };
const ENTRY: Record<number, Field<Entry>> = {
  1: (entry, reader) => (entry.key = text(reader)),
  2: (entry, reader) => (entry.value = text(reader)),
};

const EVENT: Record<number, Field<Draft<WireEvent>>> = {
  1: (event, reader) => void read(reader, reader.uint32(), event, ID),
  2: (event, reader) => void read(reader, reader.uint32(), event, STREAM),
  3: (event, reader) => (event.revision = uint64(reader)),
  // Field 4 is the prepare position, which equals the commit position because no transactions are used.
  5: (event, reader) => (event.position = uint64(reader)),
  6: (event, reader) => {
    const { key, value } = read(reader, reader.uint32(), { key: '', value: '' }, ENTRY);
    if (key === 'type') event.type = value;
    else if (key === 'content-type') event.contentType = value;
    else if (key === 'created') event.created = value;
  },
  7: (event, reader) => (event.metadata = reader.bytes()),
  8: (event, reader) => (event.data = reader.bytes()),
};

const newEvent = (): Draft<WireEvent> => ({
  ...{ id: '', stream: '', revision: 0, position: 0, type: '', contentType: '', created: '' },
  ...{ data: NO_BYTES, metadata: NO_BYTES },
});

const ITEM: Record<number, Field<{ event?: WireEvent }>> = {
  1: (item, reader) => (item.event = read(reader, reader.uint32(), newEvent(), EVENT)),
};

const POSITION: Record<number, Field<Draft<LogPosition>>> = {
  1: (position, reader) => (position.commit = uint64(reader)),
  2: (position, reader) => (position.prepare = uint64(reader)),
};

const ANSWER: Record<number, Field<Draft<WireAnswer>>> = {
  1: (answer, reader) => (answer.item = read(reader, reader.uint32(), {}, ITEM)),
  3: (answer, reader) => (answer.checkpoint = read(reader, reader.uint32(), { commit: 0, prepare: 0 }, POSITION)),
  4: (answer, reader) => {
    skip(reader);
    answer.isStreamMissing = true;
  },
  8: (answer, reader) => {
    skip(reader);
    answer.hasCaughtUp = true;
  },
  9: (answer, reader) => {
    skip(reader);
    answer.hasFallenBehind = true;
  },
};

/**
 * Decodes a response to a read. The client's generated code takes several times as long, mostly because it copies every
 * part into an object with accessors. @throws Error if the bytes are not a message
 */
export const decodeAnswer = (bytes: Uint8Array): WireAnswer =>
  read(new protobuf.Reader(bytes), bytes.length, {}, ANSWER);
