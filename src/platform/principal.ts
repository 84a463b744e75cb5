import type { PermissionCode } from './permissions.js';

/** A signed-in user of a tenant. `permissions` are those of the role and of the roles given beside it. */
export type UserPrincipal = {
  readonly kind: 'user';
  readonly userId: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly permissions: ReadonlySet<PermissionCode>;
  /** OWNER, ADMIN or USER. */
  readonly role: string;
  readonly branchId: string | null;
};

/** A signed-in operator of the platform; has no tenant. */
export type OperatorPrincipal = { readonly kind: 'operator'; readonly userId: string; readonly sessionId: string };

/** A partner system behind an integration key. `rateLimit`: requests per window. */
export type PartnerPrincipal = {
  readonly kind: 'partner';
  readonly tenantId: string;
  readonly sourceId: string;
  readonly keyId: string;
  readonly rateLimit: number;
};

/** Who calls. */
export type Principal = UserPrincipal | OperatorPrincipal | PartnerPrincipal;

export const AUTHENTICATOR = Symbol('AUTHENTICATOR');
export const RATE_LIMITER = Symbol('RATE_LIMITER');

/** Turns credentials into principals, from the current state (at most 1 s old), never from the token's claims alone. */
export interface Authenticator {
  /**
   * The owner of a bearer token, given without the word Bearer.
   * @throws DomainError unauthenticated UNAUTHENTICATED; unavailable when the session's state can't be confirmed
   */
  bearer(token: string): Promise<UserPrincipal | OperatorPrincipal>;
  /**
   * The owner of an integration key, given as the header's whole value.
   * @throws DomainError unauthenticated INVALID_KEY; unavailable when the key's state can't be confirmed
   */
  partner(key: string): Promise<PartnerPrincipal>;
}

/** What one hit left of a window. */
export type RateStatus = {
  readonly limit: number;
  /** Never negative. */
  readonly remaining: number;
  /** End of the window, milliseconds since 1970. */
  readonly resetAtMs: number;
  readonly windowSeconds: number;
  readonly allowed: boolean;
};

/** Counts the requests of partners' keys. */
export interface RateLimiter {
  /** Counts one hit on a bucket, shared by all replicas. Never throws: where the shared store is away it allows. */
  hit(bucket: string, limit: number): Promise<RateStatus>;
}
