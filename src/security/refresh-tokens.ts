import { hash, createHmac } from 'node:crypto';
import { UUID_PATTERN } from '../ports/uuid.js';
import type { SigningKey } from './signing-keys.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

/** A refresh token: `<tenantId>.<sessionId>.<secret>`. For operators, the tenant is `platform`. */
export type RefreshToken = { readonly tenantId: string; readonly sessionId: string; readonly secret: string };

const FORM = new RegExp(`^(${PLATFORM_TENANT}|${UUID_PATTERN})\\.(${UUID_PATTERN})\\.([\\w-]{43})$`);

/** Returns a refresh token in the form sent to clients. */
export const formatRefreshToken = ({ tenantId, sessionId, secret }: RefreshToken): string =>
  `${tenantId}.${sessionId}.${secret}`;

/** Returns undefined if the text is not a refresh token. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, tenantId, sessionId, secret] = FORM.exec(text) ?? [];
  if (tenantId === undefined || sessionId === undefined || secret === undefined) return undefined;
  return { tenantId, sessionId, secret };
}

/**
 * Returns the secret of a session's token in the given generation: HMAC-SHA-256 with a key derived from the signing
 * key. The secret is derived rather than random. Therefore, a client that missed a response gets the same token again,
 * although only a hash is stored.
 */
export const refreshSecretOf = ({ refreshSecret }: SigningKey, sessionId: string, generation: number): string =>
  createHmac('sha256', refreshSecret).update(`${sessionId}.${generation}`).digest('base64url');

/** Returns the hash of a secret for storage. The secret has 256 bits, so a plain digest is sufficient. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');
