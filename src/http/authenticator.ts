import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { emailClaim } from '../aggregates/credentials.js';
import { parseIntegrationKey } from '../aggregates/integration-key-format.js';
import { integrationKey } from '../aggregates/integration-key.aggregate.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { role, type CustomRole } from '../aggregates/role.aggregate.js';
import { isHonoured, session, type Session, type SessionOwner } from '../aggregates/session.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { AccessTokens, type TokenClaims } from '../platform/access-tokens.js';
import { Claims } from '../platform/claims.js';
import { asService } from '../platform/context.js';
import { DomainError } from '../platform/domain-error.js';
import { isOidcSession, OidcTokens, type OidcIdentity } from '../platform/oidc.js';
import { ALL_PERMISSIONS, isPermission, SYSTEM_ROLE_PERMISSIONS } from '../platform/permissions.js';
import type { PermissionCode } from '../platform/permissions.js';
import type { Authenticator, OperatorPrincipal, PartnerPrincipal, UserPrincipal } from '../platform/principal.js';
import { RecordReader } from '../platform/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, type StreamParts } from '../platform/stream-name.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';

/**
 * How old what is known of a session, user, tenant or key may be: revocation must take effect within a second. While the
 * event store is away, what was confirmed within the last 5 s still counts.
 */
const FRESH = { maxAgeMs: 500, maxAgeWhileAwayMs: 5_000 };

type SignedIn = UserPrincipal | OperatorPrincipal;

/**
 * A credential proves who it was given to; whether that still counts is read from the streams themselves, never from
 * read models, which may lag.
 */
@Injectable()
export class StreamAuthenticator implements Authenticator {
  private readonly keys = new LRUCache<string, { tenantId: string; keyId: string; secretHash: string }>({
    max: 10_000,
  });
  /** Who held an e-mail address; good as long as that record still has it. */
  private readonly holders = new LRUCache<string, StreamParts>({ max: 10_000 });

  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(OidcTokens) private readonly oidc: OidcTokens,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async bearer(token: string): Promise<SignedIn> {
    if (this.oidc.isFor(token)) return this.identified(await this.oidc.verify(token));
    const claims = await this.tokens.verify(token);
    const principal = await this.signedIn(claims);
    if (!principal) throw ended();
    return principal;
  }

  async partner(header: string): Promise<PartnerPrincipal> {
    const key = this.parse(header);
    if (!key) throw invalidKey();
    const [{ state }, owner] = await Promise.all([
      this.reader.read(integrationKey, key.tenantId, key.keyId, FRESH),
      this.reader.read(tenant, PLATFORM_TENANT, key.tenantId, FRESH),
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

  /** Whom an OpenID issuer's token speaks of: the user or operator with that e-mail address. */
  private async identified({ email, sessionId }: OidcIdentity): Promise<SignedIn> {
    const claim = emailClaim(email);
    const known = this.holders.get(claim.value);
    const principal = known && (await this.ofHolder(known, claim.value, sessionId));
    if (principal) return principal;
    // It may have to end a claim that a crash has left, which is the service's own doing: no request is let in yet.
    const own = { tenantId: PLATFORM_TENANT, name: 'authentication', commandId: this.ids.next() };
    const stream = await asService(own, () => this.claims.holder(claim));
    const holder = stream === undefined ? undefined : parseStreamName(stream);
    const found = holder && (await this.ofHolder(holder, claim.value, sessionId));
    if (!found) throw new DomainError('unauthenticated', 'UNAUTHENTICATED', 'Nobody here has this e-mail address.');
    this.holders.set(claim.value, holder);
    return found;
  }

  private async ofHolder(holder: StreamParts, email: string, sid: string): Promise<SignedIn | undefined> {
    const { tenantId, id: sub } = holder;
    const isOperator = tenantId === PLATFORM_TENANT;
    const { state } = isOperator
      ? await this.reader.read(operator, tenantId, sub, FRESH)
      : await this.reader.read(user, tenantId, sub, FRESH);
    if (state.status !== 'active' || emailClaim(state.email).value !== email) return undefined;
    return this.signedIn({ sub, sid, ...(!isOperator && { tid: tenantId }) });
  }

  private signedIn({ sub, sid, tid }: Pick<TokenClaims, 'sub' | 'sid' | 'tid'>): Promise<SignedIn | undefined> {
    return tid === undefined ? this.operatorOf(sub, sid) : this.userOf(sub, sid, tid);
  }

  private async operatorOf(sub: string, sid: string): Promise<OperatorPrincipal | undefined> {
    const [{ state }, login] = await Promise.all([
      this.reader.read(operator, PLATFORM_TENANT, sub, FRESH),
      this.reader.read(session, PLATFORM_TENANT, sid, FRESH),
    ]);
    if (state.status !== 'active') return undefined;
    if (!this.lives(login.state, sid, { ...state, userId: sub, tenantEpoch: 0 })) return undefined;
    return { kind: 'operator', userId: sub, sessionId: sid };
  }

  private async userOf(sub: string, sid: string, tenantId: string): Promise<UserPrincipal | undefined> {
    const [{ state }, login, owner] = await Promise.all([
      this.reader.read(user, tenantId, sub, FRESH),
      this.reader.read(session, tenantId, sid, FRESH),
      this.reader.read(tenant, PLATFORM_TENANT, tenantId, FRESH),
    ]);
    if (state.status !== 'active' || owner.state.status !== 'active') return undefined;
    const { epoch, keptSessionId } = state;
    const account = { userId: sub, epoch, keptSessionId, tenantEpoch: owner.state.epoch };
    if (!this.lives(login.state, sid, account)) return undefined;
    const own = SYSTEM_ROLE_PERMISSIONS[state.role];
    const isComplete = state.roleIds.length === 0 || own.size === ALL_PERMISSIONS.size;
    const permissions = isComplete ? own : await this.withRoles(own, tenantId, state.roleIds);
    return {
      kind: 'user',
      userId: sub,
      tenantId,
      sessionId: sid,
      permissions,
      role: state.role,
      branchId: state.branchId,
    };
  }

  private lives(state: Session, sid: string, owner: SessionOwner): boolean {
    return isOidcSession(sid) || isHonoured(state, sid, owner, new Date(this.clock.nowMs()));
  }

  /** A role that was deleted gives nothing. */
  private async withRoles(
    own: ReadonlySet<PermissionCode>,
    tenantId: string,
    roleIds: readonly string[],
  ): Promise<ReadonlySet<PermissionCode>> {
    const roles = await Promise.all(roleIds.map((id) => this.reader.read(role, tenantId, id, FRESH)));
    return new Set([...own, ...roles.flatMap(({ state }) => permissionsOf(state))]);
  }
}

const permissionsOf = (state: CustomRole): PermissionCode[] =>
  state.status === 'present' ? state.permissions.filter(isPermission) : [];

const ended = () => new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The session has ended. Sign in again.');
const invalidKey = () => new DomainError('unauthenticated', 'INVALID_KEY', 'The integration key is not valid.');

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
