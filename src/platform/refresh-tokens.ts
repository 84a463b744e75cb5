import { createHash, createHmac } from 'node:crypto';
import { UUID_PATTERN } from '../ports/uuid.js';
import type { SigningKey } from './signing-keys.js';
import { PLATFORM_TENANT } from './stream-name.js';

/** A refresh token as it is sent: `<tenantId>.<sessionId>.<secret>`; the tenant of operators is `platform`. */
export type RefreshToken = { readonly tenantId: string; readonly sessionId: string; readonly secret: string };

const FORM = new RegExp(`^(${PLATFORM_TENANT}|${UUID_PATTERN})\\.(${UUID_PATTERN})\\.([\\w-]{43})$`);

/** The text of a refresh token, as clients keep it. */
export const formatRefreshToken = ({ tenantId, sessionId, secret }: RefreshToken): string =>
  `${tenantId}.${sessionId}.${secret}`;

/** Undefined for a text that is none. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, tenantId, sessionId, secret] = FORM.exec(text) ?? [];
  if (tenantId === undefined || sessionId === undefined || secret === undefined) return undefined;
  return { tenantId, sessionId, secret };
}

/**
 * The secret of a session's token of that generation: HMAC-SHA-256 under a key derived from the signing key. Derived, not
 * random: who lost the answer to a refresh is given the same one again, and only a hash is ever stored.
 */
export const refreshSecretOf = ({ refreshSecret }: SigningKey, sessionId: string, generation: number): string =>
  createHmac('sha256', refreshSecret).update(`${sessionId}.${generation}`).digest('base64url');

/** What is stored of a secret. It has 256 bits, so a plain digest is enough. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
