import { hash } from 'node:crypto';
import { UUID } from '../ports/uuid.js';

/** Values of hexadecimal digits, by character code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16));
const HYPHEN = 45;
const UUID_BYTES = 16;
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES = 3;
/** Reused for all names but very long ones, because allocating a buffer takes as long as hashing it. */
const scratch = Buffer.alloc(1_024);

/**
 * Returns the UUIDv5 (RFC 9562, section 5.5) of a name in a namespace. A test verifies that the result equals that of
 * `v5` in the uuid package, which takes almost four times as long. Every sale needs several such UUIDs.
 * @throws TypeError if the namespace is not a lower-case UUID
 */
export function nameUuid(name: string, namespace: string): string {
  if (!UUID.test(namespace)) throw new TypeError(`Not a lower-case UUID: ${namespace}`);
  const size = UUID_BYTES + name.length * MAX_BYTES;
  const bytes = size <= scratch.length ? scratch : Buffer.alloc(size);
  writeUuid(namespace, bytes);
  const end = UUID_BYTES + bytes.write(name, UUID_BYTES);
  const digest = hash('sha1', bytes.subarray(0, end), 'hex');
  const variant = '89ab'.charAt(digitAt(digest, 16) & 3) + digest.slice(17, 20);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}-${digest.slice(20, 32)}`;
}

const digitAt = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? 0;

function writeUuid(id: string, bytes: Buffer): void {
  let at = 0;
  for (let byte = 0; byte < UUID_BYTES; byte += 1) {
    if (id.charCodeAt(at) === HYPHEN) at += 1;
    bytes[byte] = (digitAt(id, at) << 4) | digitAt(id, at + 1);
    at += 2;
  }
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
