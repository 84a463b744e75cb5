import { hash } from 'node:crypto';
import { UUID } from '../ports/uuid.js';

/**
 * Returns the UUIDv5 (RFC 9562, section 5.5) of a name in a namespace. A test verifies that the result equals that of
 * `v5` in the uuid package, which takes three times as long. Every sale needs several such UUIDs.
 * @throws TypeError if the namespace is not a lower-case UUID
 */
export function nameUuid(name: string, namespace: string): string {
  if (!UUID.test(namespace)) throw new TypeError(`Not a lower-case UUID: ${namespace}`);
  const nameLength = Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(16 + nameLength);
  bytes.write(namespace.replaceAll('-', ''), 0, 'hex');
  bytes.write(name, 16);
  const digest = hash('sha1', bytes, 'hex');
  const version = `5${digest.slice(13, 16)}`;
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16) + digest.slice(18, 20);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${version}-${variant}-${digest.slice(20, 32)}`;
}

/** Position of the version digit. The 12 digits before it are the time of a UUIDv7. */
const VERSION_AT = 14;

/**
 * Returns a UUIDv7 with the time `ms` (milliseconds since 1970). The other bits come from `nameUuid`, so the id is
 * deterministic. Ids with similar times are adjacent in an index, whereas each random id changes a different page (ADR
 * 0093).
 */
export function nameUuidAt(ms: number, name: string, namespace: string): string {
  const digits = ms.toString(16).padStart(12, '0');
  return timed(`${digits.slice(0, 8)}-${digits.slice(8)}-`, nameUuid(name, namespace));
}

/**
 * Like `nameUuidAt`, with the time of the namespace if that is a UUIDv7. For any other namespace, returns the same id
 * as `nameUuid`.
 */
export function nameUuidAfter(name: string, namespace: string): string {
  const id = nameUuid(name, namespace);
  return namespace[VERSION_AT] === '7' ? timed(namespace.slice(0, VERSION_AT), id) : id;
}

const timed = (time: string, id: string): string => `${time}7${id.slice(VERSION_AT + 1)}`;
