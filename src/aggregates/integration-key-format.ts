import { parse, stringify, validate } from 'uuid';

const PREFIX = 'kontor_';
const IDS_LENGTH = 43;

/** The parts of an integration key: its tenant and key id, and the secret that authenticates it. */
export type IntegrationKeyParts = { readonly tenantId: string; readonly keyId: string; readonly secret: string };

/**
 * Formats the X-Integration-Key header: `kontor_<tenant and key id, base64url>_<secret>`. The ids address the key's
 * stream, which avoids a lookup by secret. The prefix lets secret scanners detect a leaked key.
 */
export function formatIntegrationKey({ tenantId, keyId, secret }: IntegrationKeyParts): string {
  const ids = Buffer.concat([parse(tenantId), parse(keyId)]).toString('base64url');
  return `${PREFIX}${ids}_${secret}`;
}

/** Returns undefined if the value is malformed. */
export function parseIntegrationKey(value: string): IntegrationKeyParts | undefined {
  if (!/^kontor_[\w-]{43}_[\w-]{20,100}$/.test(value)) return undefined;
  const bytes = Buffer.from(value.slice(PREFIX.length, PREFIX.length + IDS_LENGTH), 'base64url');
  const [tenantId, keyId] = [bytes.subarray(0, 16), bytes.subarray(16, 32)].map(uuidOf);
  if (tenantId === undefined || keyId === undefined) return undefined;
  return { tenantId, keyId, secret: value.slice(PREFIX.length + IDS_LENGTH + 1) };
}

function uuidOf(bytes: Uint8Array): string | undefined {
  try {
    const text = stringify(bytes);
    return validate(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
