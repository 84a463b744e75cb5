import { hash } from 'node:crypto';
import { UUID } from '../ports/uuid.js';

/**
 * UUIDv5 (RFC 9562, section 5.5): the same id for the same name in the same namespace, for ever. Like the uuid package's
 * v5 (a test holds it against that), at a third of its cost: several are made for every sale.
 * @throws TypeError for a namespace that is no UUID in lower case
 */
export function nameUuid(name: string, namespace: string): string {
  if (!UUID.test(namespace)) throw new TypeError(`Not a UUID: ${namespace}`);
  const nameLength = Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(16 + nameLength);
  bytes.write(namespace.replaceAll('-', ''), 0, 'hex');
  bytes.write(name, 16);
  const digest = hash('sha1', bytes, 'hex');
  const version = `5${digest.slice(13, 16)}`;
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16) + digest.slice(18, 20);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${version}-${variant}-${digest.slice(20, 32)}`;
}
