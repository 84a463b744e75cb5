import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  hasExpired,
  integrationKey,
  parseIntegrationKey,
  secretHashesAt,
} from '../aggregates/integration-key.aggregate.js';
import { factors } from '../aggregates/factor.aggregate.js';
import { operator } from '../aggregates/operator.aggregate.js';
import { role, type CustomRole } from '../aggregates/role.aggregate.js';
import { isHonoured, session, type Session, type SessionOwner } from '../aggregates/session.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { IntegrationKeyUses } from '../commands/integration-key-uses.js';
import { OidcIdentities } from '../commands/session-accounts.js';
import type { Target } from '../eventsourcing/command.js';
import { SESSION_RULES, type SessionRules } from '../commands/session-tokens.js';
import { AccessTokens, type TokenClaims } from '../security/access-tokens.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { isOidcSession, OidcTokens, type OidcBearer } from '../security/oidc.js';
import { ALL_PERMISSIONS, isPermission, SYSTEM_ROLE_PERMISSIONS } from '../security/permissions.js';
import type { PermissionCode } from '../security/permissions.js';
import type {
  Authenticator,
  OperatorPrincipal,
  PartnerPrincipal,
  Proof,
  UserPrincipal,
} from '../security/principal.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT, type StreamParts } from '../eventsourcing/stream-name.js';
import { atMost } from '../ports/entry-limit.js';
import { CLOCK, type Clock } from '../ports/time.js';

/**
 * Maximum age of cached sessions, users, tenants and keys, so that revocations take effect within a second. While the
 * event store is unavailable, states confirmed within the last 5 s remain valid.
 */
const FRESH = { maxAgeMs: 500, maxAgeWhileAwayMs: 5_000 };

type SignedIn = UserPrincipal | OperatorPrincipal;

/** The session specified in a token, or an OpenID provider session with the time of the sign-in. */
type Named = Pick<TokenClaims, 'sub' | 'sid' | 'tid'> & { readonly signedInAtMs?: number };

/** Roles for which a tenant can require a second factor. */
const ADMINISTRATORS = ['OWNER', 'ADMIN'];

/**
 * Authenticates callers. A credential proves only to whom it was issued. The streams determine whether it is still
 * valid. Read models never do, because they may lag. The authenticator also records the use of integration keys.
 */
@Injectable()
export class StreamAuthenticator implements Authenticator {
  /** Accounts by OIDC identity. Every use of an entry checks that the account is still bound to the identity. */
  private readonly bound = new LRUCache<string, StreamParts>(atMost(10_000));

  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(OidcTokens) private readonly oidc: OidcTokens,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(OidcIdentities) private readonly identities: OidcIdentities,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IntegrationKeyUses) private readonly uses: Pick<IntegrationKeyUses, 'note'>,
    @Inject(SESSION_RULES) private readonly rules: Pick<SessionRules, 'mustOperatorsHaveFactor'>,
  ) {}

  async bearer(token: string): Promise<SignedIn> {
    if (this.oidc.isFor(token)) return this.identified(await this.oidc.verify(token));
    const claims = await this.tokens.verify(token);
    const principal = await this.signedIn(claims);
    if (!principal) throw ended();
    return principal;
  }

  async partner(header: string): Promise<PartnerPrincipal> {
    const key = parseIntegrationKey(header);
    if (!key) throw invalidKey();
    const [{ state }, owner] = await Promise.all([
      this.reader.read(integrationKey, key.tenantId, key.keyId, FRESH),
      this.reader.read(tenant, PLATFORM_TENANT, key.tenantId, FRESH),
    ]);
    if (state.status !== 'active' || owner.state.status !== 'active') throw invalidKey();
    const secretHash = hash('sha256', key.secret, 'base64url');
    const nowMs = this.clock.nowMs();
    if (!secretHashesAt(state, nowMs).some((known) => sameText(known, secretHash))) throw invalidKey();
    if (hasExpired(state, nowMs)) throw invalidKey(`The integration key expired at ${state.expiresAt}. Get a new one.`);
    const { sourceId, rateLimit } = state;
    const partner = { kind: 'partner', tenantId: key.tenantId, keyId: key.keyId, sourceId, rateLimit } as const;
    this.uses.note(partner);
    return partner;
  }

  /** Returns the user or operator bound to the identity in an OpenID Connect token. */
  private async identified(bearer: OidcBearer): Promise<SignedIn> {
    const key = JSON.stringify([bearer.issuer, bearer.subject]);
    const known = this.bound.get(key);
    const principal = known && (await this.ofBound(known, bearer));
    if (principal) return principal;
    const account = await this.identities.accountOf(bearer);
    const found = account && (await this.ofBound(account, bearer));
    if (!found)
      throw new DomainError('unauthenticated', 'UNAUTHENTICATED', 'No user or operator is bound to this identity.');
    this.bound.set(key, account);
    return found;
  }

  private async ofBound(account: StreamParts, bearer: OidcBearer): Promise<SignedIn | undefined> {
    const { sessionId: sid, signedInAtMs, ...identity } = bearer;
    if (!(await this.identities.isBound(account, identity, FRESH))) return undefined;
    const { tenantId, id: sub } = account;
    return this.signedIn({ sub, sid, signedInAtMs, ...(tenantId !== PLATFORM_TENANT && { tid: tenantId }) });
  }

  private signedIn({ tid, ...named }: Named): Promise<SignedIn | undefined> {
    return tid === undefined ? this.operatorOf(named) : this.userOf(named, tid);
  }

  private async operatorOf({ sub, sid, signedInAtMs }: Named): Promise<OperatorPrincipal | undefined> {
    const [{ state }, login] = await Promise.all([
      this.reader.read(operator, PLATFORM_TENANT, sub, FRESH),
      this.reader.read(session, PLATFORM_TENANT, sid, FRESH),
    ]);
    if (state.status !== 'active') return undefined;
    if (!this.lives(login.state, sid, { ...state, userId: sub, tenantEpoch: 0 })) return undefined;
    const proof = await this.proofOf(login.state, signedInAtMs, {
      target: { tenantId: PLATFORM_TENANT, id: sub },
      mustHaveFactor: this.rules.mustOperatorsHaveFactor,
    });
    return { kind: 'operator', userId: sub, sessionId: sid, proof };
  }

  private async userOf({ sub, sid, signedInAtMs }: Named, tenantId: string): Promise<UserPrincipal | undefined> {
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
      proof: await this.proofOf(login.state, signedInAtMs, {
        target: { tenantId, id: sub },
        mustHaveFactor: owner.state.requireFactor && ADMINISTRATORS.includes(state.role),
      }),
    };
  }

  /**
   * If a factor is required, one used in this session must not have been removed since. In an OpenID provider session,
   * the second factor counts as verified, because the provider is responsible for it.
   */
  private async proofOf(
    state: Session,
    signedInAtMs = 0,
    { target: { tenantId, id }, mustHaveFactor }: { readonly target: Target; readonly mustHaveFactor: boolean },
  ): Promise<Proof> {
    if (!('verifiedAt' in state)) return { verifiedAtMs: signedInAtMs, hasFactor: true, mustHaveFactor };
    const verifiedAtMs = Date.parse(state.verifiedAt);
    if (!state.hasFactor || !mustHaveFactor) return { verifiedAtMs, hasFactor: state.hasFactor, mustHaveFactor };
    const { state: own } = await this.reader.read(factors, tenantId, id, FRESH);
    return { verifiedAtMs, hasFactor: own.factors.length > 0, mustHaveFactor };
  }

  private lives(state: Session, sid: string, owner: SessionOwner): boolean {
    return isOidcSession(sid) || isHonoured(state, sid, owner, new Date(this.clock.nowMs()));
  }

  /** Adds the permissions of custom roles. A deleted role grants no permissions. */
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
const invalidKey = (message = 'The integration key is invalid.') =>
  new DomainError('unauthenticated', 'INVALID_KEY', message);

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
