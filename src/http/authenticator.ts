import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { parseIntegrationKey } from '../aggregates/integration-key-format.js';
import { integrationKey } from '../aggregates/integration-key.aggregate.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { isLive, session } from '../aggregates/session.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { AccessTokens, type TokenClaims } from '../platform/access-tokens.js';
import { DomainError } from '../platform/domain-error.js';
import { SYSTEM_ROLE_PERMISSIONS } from '../platform/permissions.js';
import type { Authenticator, OperatorPrincipal, PartnerPrincipal, UserPrincipal } from '../platform/principal.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';

/** How old what is known of a session, user, tenant or key may be: revocation must take effect within a second. */
const MAX_AGE_MS = 500;

/**
 * A credential proves who it was given to; whether that still counts is read from the streams themselves, never from
 * read models, which may lag.
 */
@Injectable()
export class StreamAuthenticator implements Authenticator {
  private readonly keys = new LRUCache<string, { tenantId: string; keyId: string; secretHash: string }>({
    max: 10_000,
  });

  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async bearer(token: string): Promise<UserPrincipal | OperatorPrincipal> {
    const claims = await this.tokens.verify(token);
    return claims.tid === undefined ? this.operatorOf(claims) : this.userOf(claims, claims.tid);
  }

  async partner(header: string): Promise<PartnerPrincipal> {
    const key = this.parse(header);
    if (!key) throw invalidKey();
    const [{ state }, owner] = await Promise.all([
      this.reader.read(integrationKey, key.tenantId, key.keyId, { maxAgeMs: MAX_AGE_MS }),
      this.reader.read(tenant, PLATFORM_TENANT, key.tenantId, { maxAgeMs: MAX_AGE_MS }),
    ]);
    if (state.status !== 'active' || owner.state.status !== 'active') throw invalidKey();
    if (!sameText(state.secretHash, key.secretHash)) throw invalidKey();
    const { sourceId, rateLimit } = state;
    return { kind: 'partner', tenantId: key.tenantId, keyId: key.keyId, sourceId, rateLimit };
  }

  /** Remembered by the header itself (in memory only), since hashing costs more than the look-up. */
  private parse(header: string): { tenantId: string; keyId: string; secretHash: string } | undefined {
    const known = this.keys.get(header);
    if (known) return known;
    const parsed = parseIntegrationKey(header);
    if (!parsed) return undefined;
    const { tenantId, keyId, secret } = parsed;
    const key = { tenantId, keyId, secretHash: createHash('sha256').update(secret).digest('base64url') };
    this.keys.set(header, key);
    return key;
  }

  private async operatorOf({ sub, sid }: TokenClaims): Promise<OperatorPrincipal> {
    const [{ state }, login] = await Promise.all([
      this.reader.read(operator, PLATFORM_TENANT, sub, { maxAgeMs: MAX_AGE_MS }),
      this.reader.read(session, PLATFORM_TENANT, sid, { maxAgeMs: MAX_AGE_MS }),
    ]);
    if (state.status !== 'active' || !this.lives(login.state, sub)) throw ended();
    return { kind: 'operator', userId: sub, sessionId: sid };
  }

  private async userOf({ sub, sid }: TokenClaims, tenantId: string): Promise<UserPrincipal> {
    const [{ state }, login, owner] = await Promise.all([
      this.reader.read(user, tenantId, sub, { maxAgeMs: MAX_AGE_MS }),
      this.reader.read(session, tenantId, sid, { maxAgeMs: MAX_AGE_MS }),
      this.reader.read(tenant, PLATFORM_TENANT, tenantId, { maxAgeMs: MAX_AGE_MS }),
    ]);
    if (state.status !== 'active' || owner.state.status !== 'active' || !this.lives(login.state, sub)) throw ended();
    const permissions = SYSTEM_ROLE_PERMISSIONS[state.role];
    const { role, branchId } = state;
    return { kind: 'user', userId: sub, tenantId, sessionId: sid, permissions, role, branchId };
  }

  private lives(state: Parameters<typeof isLive>[0], userId: string): boolean {
    return isLive(state, new Date(this.clock.nowMs())) && state.status === 'active' && state.userId === userId;
  }
}

const ended = () => new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The session has ended. Sign in again.');
const invalidKey = () => new DomainError('unauthenticated', 'INVALID_KEY', 'The integration key is not valid.');

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
