import type { PermissionCode } from './permissions.js';

/** The proof of identity that a session provides. */
export type Proof = {
  /** Time of the last sign-in or step-up, in milliseconds since 1970. */
  readonly verifiedAtMs: number;
  /** Whether a second factor was used in the session. Always true for sessions of an OpenID provider. */
  readonly hasFactor: boolean;
  /** Whether the tenant (or for operators, the platform) requires a second factor for this account. */
  readonly mustHaveFactor: boolean;
};

/** A signed-in user of a tenant. `permissions` combines the permissions of the user's role and of additional roles. */
export type UserPrincipal = {
  readonly kind: 'user';
  readonly userId: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly permissions: ReadonlySet<PermissionCode>;
  /** OWNER, ADMIN or USER. */
  readonly role: string;
  readonly branchId: string | null;
  readonly proof: Proof;
};

/** A signed-in operator of the platform, who has no tenant. */
export type OperatorPrincipal = {
  readonly kind: 'operator';
  readonly userId: string;
  readonly sessionId: string;
  readonly proof: Proof;
};

/** A partner system, identified by an integration key. `rateLimit` is in requests per window. */
export type PartnerPrincipal = {
  readonly kind: 'partner';
  readonly tenantId: string;
  readonly sourceId: string;
  readonly keyId: string;
  readonly rateLimit: number;
};

/** The authenticated caller. */
export type Principal = UserPrincipal | OperatorPrincipal | PartnerPrincipal;

export const AUTHENTICATOR = Symbol('AUTHENTICATOR');
export const RATE_LIMITER = Symbol('RATE_LIMITER');

/** Authenticates callers against the current state (at most 1 s old), never based on a token's claims alone. */
export interface Authenticator {
  /**
   * Authenticates a bearer token, given without the `Bearer` prefix.
   * @throws DomainError unauthenticated UNAUTHENTICATED; unavailable if the session's state cannot be confirmed
   */
  bearer(token: string): Promise<UserPrincipal | OperatorPrincipal>;
  /**
   * Authenticates an integration key, given as the whole value of its header.
   * @throws DomainError unauthenticated INVALID_KEY; unavailable if the key's state cannot be confirmed
   */
  partner(key: string): Promise<PartnerPrincipal>;
}

/** State of a rate limit after a hit. */
export type RateStatus = {
  readonly limit: number;
  /** Number of requests left in the window; never negative. */
  readonly remaining: number;
  /** End of the window, in milliseconds since 1970. */
  readonly resetAtMs: number;
  readonly windowSeconds: number;
  /** Whether all hits in the call are within the limit. */
  readonly allowed: boolean;
  /** Number of hits in the call that are within the limit. */
  readonly admitted: number;
};

/** Counts requests per integration key, user, tenant and IP address. */
export interface RateLimiter {
  /**
   * Counts one hit, or `by` hits, on a bucket shared by all replicas. Never throws. Allows all hits while the shared
   * store is unavailable.
   */
  hit(bucket: string, limit: number, by?: number): Promise<RateStatus>;
}
