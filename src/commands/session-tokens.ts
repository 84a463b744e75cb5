import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../platform/access-tokens.js';
import type { Actor } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { formatRefreshToken, hashOfSecret, refreshSecretOf } from '../platform/refresh-tokens.js';
import type { SigningKey } from '../platform/signing-keys.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';

/** How long a session lives without a refresh. */
export const SESSION_MS = 30 * 24 * 3_600_000;

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Lifetime of the access token, seconds. */
  readonly expiresIn: number;
};

/** A session that begins or goes on, and where that stands in the history. */
export type SignedIn = { readonly tokens: Tokens; readonly position: number };

/** A refresh token that a session's events tell of. */
export type Issued = {
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly generation: number;
  readonly hash: string;
  readonly issuedAt: string;
};

/** Whoever has proved a password or a refresh token acts in the session that it is for. */
export const actorOf = (tenantId: string, userId: string, sessionId: string): Actor => ({
  kind: tenantId === PLATFORM_TENANT ? 'operator' : 'user',
  userId,
  sessionId,
});

const TOKEN_IDS = '5d8f7c1e-3a44-4c0e-9f5b-0c6f2f1f7e21';

/** Makes the tokens of a session. Everything in them follows from its events and the signing key: they can be made again. */
@Injectable()
export class SessionTokens {
  constructor(@Inject(AccessTokens) private readonly tokens: AccessTokens) {}

  /** The hash of a session's next refresh token, by the key that signs now. */
  async nextHash(sessionId: string, generation: number): Promise<string> {
    return hashOfSecret(refreshSecretOf(await this.tokens.keys.current(), sessionId, generation));
  }

  /** The same bytes each time. @throws DomainError unavailable when the key that the token was made with is gone */
  async answer(issued: Issued): Promise<Tokens> {
    const { keys } = this.tokens;
    const answer =
      (await this.answerBy(await keys.all(), issued)) ?? (await this.answerBy(await keys.allNow(), issued));
    if (!answer) throw new DomainError('unavailable', 'UNAVAILABLE', 'The signing key has just changed. Try again.');
    return answer;
  }

  private async answerBy(keys: readonly SigningKey[], issued: Issued): Promise<Tokens | undefined> {
    const { tenantId, userId, sessionId, generation, hash, issuedAt } = issued;
    for (const key of keys) {
      const secret = refreshSecretOf(key, sessionId, generation);
      if (hashOfSecret(secret) !== hash) continue;
      const isOperator = tenantId === PLATFORM_TENANT;
      const claims = {
        sub: userId,
        sid: sessionId,
        scope: isOperator ? 'platform' : 'tenant',
        ...(!isOperator && { tid: tenantId }),
      } as const;
      const id = nameUuid(`${sessionId}.${generation}`, TOKEN_IDS);
      const accessToken = await this.tokens.sign(claims, { key, issuedAtMs: Date.parse(issuedAt), id });
      const refreshToken = formatRefreshToken({ tenantId, sessionId, secret });
      return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS };
    }
    return undefined;
  }
}
