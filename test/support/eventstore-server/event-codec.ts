import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { EventToAppend, RecordedEvent } from '../../../src/ports/event-store.js';
import { toLogPosition } from './log-position.js';
import { missingProperty } from './rpc-errors.js';
import { shared, streams } from './protocol.js';
import { FOR_EVER, METADATA_EVENT } from './stream-rules.js';

/** A proposed event in either of the protocol's append calls. */
export type Proposed = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

/**
 * Key under which wrapped data is stored. EventStoreDB returns bytes unchanged, but the engine stores JSON objects.
 * Data that the round trip would change is therefore wrapped.
 */
const WRAPPED = '$bytes';
const JSON_TYPE = 'application/json';
const TICKS_PER_MS = 10_000;
/** The revision of a tombstone, and the `$tb` value of a soft-deleted stream. */
const LONG_MAX = '9223372036854775807';

/** @throws RpcFailure if the type or the content type is missing */
export function toEvent(proposed: Proposed): { readonly event: EventToAppend; readonly bytes: number } {
  const map = proposed.getMetadataMap();
  const type = map.get('type');
  if (type === undefined) throw missingProperty('type');
  const contentType = map.get('content-type');
  if (contentType === undefined) throw missingProperty('content-type');
  const data = proposed.getData_asU8();
  const metadata = proposed.getCustomMetadata_asU8();
  return {
    event: {
      id: fromUuid(proposed.getId()),
      type,
      data: wrap(data, contentType),
      metadata: metadata.length === 0 ? {} : wrapMetadata(metadata),
    },
    bytes: data.length + metadata.length + 2 * type.length,
  };
}

function wrap(bytes: Uint8Array, contentType: string): object {
  const plain = contentType === JSON_TYPE ? asPlainObject(bytes) : undefined;
  return plain ?? wrapBytes(bytes, contentType);
}

/** Wraps arbitrary bytes for the engine. */
export const wrapBytes = (bytes: Uint8Array, contentType: string): object => ({
  [WRAPPED]: Buffer.from(bytes).toString('base64'),
  contentType,
});

/** Wraps metadata. This includes an empty object, because the engine treats empty metadata as no metadata. */
function wrapMetadata(bytes: Uint8Array): object {
  return wrap(bytes, bytes.length > 2 ? JSON_TYPE : '');
}

/**
 * Returns the object that the bytes contain if it serializes to exactly the same bytes. Otherwise, returns undefined.
 */
function asPlainObject(bytes: Uint8Array): object | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  try {
    const value = JSON.parse(text) as object;
    return JSON.stringify(value) === text && !(WRAPPED in value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unwrap(value: object): { readonly bytes: Buffer; readonly contentType: string } {
  if (!(WRAPPED in value)) return { bytes: Buffer.from(JSON.stringify(value)), contentType: JSON_TYPE };
  const { [WRAPPED]: base64, contentType } = value as { [WRAPPED]: string; contentType: string };
  return { bytes: Buffer.from(base64, 'base64'), contentType };
}

export function toReadEvent(event: RecordedEvent, structuredIds: boolean): ReadResp {
  const position = toLogPosition(event.position);
  const { bytes, contentType } = unwrap(event.data);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(toUuid(event.id, structuredIds))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(event.revision === FOR_EVER ? LONG_MAX : String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.type === METADATA_EVENT ? withLongMax(bytes) : bytes);
  if (Object.keys(event.metadata).length > 0) recorded.setCustomMetadata(unwrap(event.metadata).bytes);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', String(event.recordedAtMs * TICKS_PER_MS))
    .set('content-type', contentType);
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position);
  return new streams.ReadResp().setEvent(read);
}

const withLongMax = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('utf8').replace(`"$tb":${FOR_EVER}`, `"$tb":${LONG_MAX}`));

export function toUuid(id: string, structured: boolean): UUID {
  if (!structured) return new shared.UUID().setString(id);
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(String(bytes.readBigInt64BE(0)))
    .setLeastSignificantBits(String(bytes.readBigInt64BE(8)));
  return new shared.UUID().setStructured(halves);
}

export function fromUuid(uuid: UUID | undefined): string {
  const halves = uuid?.getStructured();
  if (!halves) return uuid?.getString() ?? '';
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(halves.getMostSignificantBits())), 0);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(halves.getLeastSignificantBits())), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
