import { Inject, Injectable } from '@nestjs/common';
import type { Lifetime } from '../aggregates/session.aggregate.js';
import { token } from '../ports/token.js';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../security/access-tokens.js';
import type { Actor } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { formatRefreshToken, hashOfSecret, refreshSecretOf } from '../security/refresh-tokens.js';
import type { SigningKey } from '../security/signing-keys.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';

/** Maximum durations of sessions, and whether operators must have a second factor. */
export type SessionRules = {
  readonly lifetime: Lifetime;
  readonly mustOperatorsHaveFactor: boolean;
};
export const SESSION_RULES = token<SessionRules>('SESSION_RULES');

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
};

/** The tokens of a started or refreshed session, and the position of the event that recorded them. */
export type SignedIn = { readonly tokens: Tokens; readonly position: number };

/** A refresh token recorded in a session's events. */
export type Issued = {
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly generation: number;
  readonly hash: string;
  readonly issuedAt: string;
};

/** Returns the actor of a session, for a caller who has presented a valid password or refresh token. */
export const actorOf = (tenantId: string, userId: string, sessionId: string): Actor => ({
  kind: tenantId === PLATFORM_TENANT ? 'operator' : 'user',
  userId,
  sessionId,
});

const TOKEN_IDS = '5d8f7c1e-3a44-4c0e-9f5b-0c6f2f1f7e21';

/**
 * Creates a session's tokens. They are derived entirely from its events and the signing key, so they can be reproduced.
 */
@Injectable()
export class SessionTokens {
  constructor(@Inject(AccessTokens) private readonly tokens: AccessTokens) {}

  /** Returns the hash of the session's next refresh token, which is derived with the current signing key. */
  async nextHash(sessionId: string, generation: number): Promise<string> {
    return hashOfSecret(refreshSecretOf(await this.tokens.keys.current(), sessionId, generation));
  }

  /**
   * Returns the session's tokens. Every call returns identical tokens.
   * @throws DomainError unavailable if the key from which the refresh token was derived no longer exists
   */
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
