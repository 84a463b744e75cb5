import { Inject, Injectable } from '@nestjs/common';
import { emailClaim, identityClaim, type OidcIdentity } from '../aggregates/credentials.js';
import { bindOperatorIdentity, operator, operatorHasIdentity } from '../aggregates/operator.aggregate.js';
import type { SessionOwner } from '../aggregates/session.aggregate.js';
import { listsDomain, slugClaim, tenant } from '../aggregates/tenant.aggregate.js';
import { bindIdentity, hasIdentity, user } from '../aggregates/user.aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { asService } from '../eventsourcing/context.js';
import { type Freshness, RecordReader } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, type StreamParts } from '../eventsourcing/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';

/** Data that sessions need about an existing user or operator. */
export type Account = {
  /** `platform` for operators. */
  readonly tenantId: string;
  readonly tenant: { readonly name: string; readonly slug: string };
  readonly email: string;
  readonly owner: SessionOwner;
  readonly passwordHash: string;
  /** False if the account or its tenant is deactivated. */
  readonly isActive: boolean;
};

/** Maximum number of accounts that can share an e-mail address and still sign in without a tenant slug. */
export const MAX_ACCOUNTS = 5;

/**
 * A stream that is read for unknown addresses. They then cause as many read operations as known ones, so the timing
 * reveals nothing.
 */
const NOBODY: StreamParts = {
  entity: user.name,
  tenantId: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
};
const PLATFORM = { name: 'Platform', slug: PLATFORM_TENANT };

/** Finds users and operators in their streams rather than in read models, because read models may lag. */
@Injectable()
export class SessionAccounts {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /**
   * Returns the accounts with the e-mail address in no particular order, at most MAX_ACCOUNTS + 1. `slug` selects one
   * tenant (`platform` for operators).
   */
  async byEmail(email: string, slug?: string): Promise<Account[]> {
    const claim = emailClaim(email);
    const tenantId = slug === undefined ? undefined : await this.tenantOf(slug);
    const owners = (await this.claims.owners(claim))
      .map((stream) => parseStreamName(stream) ?? NOBODY)
      .filter((owner) => slug === undefined || owner.tenantId === tenantId);
    if (owners.length === 0) owners.push(NOBODY);
    const found: Account[] = [];
    for (let at = 0; at < owners.length && found.length <= MAX_ACCOUNTS; at += MAX_ACCOUNTS + 1) {
      const some = owners.slice(at, at + MAX_ACCOUNTS + 1);
      const accounts = await Promise.all(some.map((owner) => this.byId(owner.tenantId, owner.id)));
      found.push(...accounts.flatMap((one) => (one && emailClaim(one.email).value === claim.value ? [one] : [])));
    }
    return found.slice(0, MAX_ACCOUNTS + 1);
  }

  /** Returns the account; undefined if it is absent or deleted. */
  byId(tenantId: string, id: string): Promise<Account | undefined> {
    return tenantId === PLATFORM_TENANT ? this.operatorOf(id) : this.userOf(tenantId, id);
  }

  private async tenantOf(slug: string): Promise<string | undefined> {
    if (slug === PLATFORM_TENANT) return PLATFORM_TENANT;
    const stream = await this.claims.holder(slugClaim(slug));
    return stream === undefined ? undefined : parseStreamName(stream)?.id;
  }

  private async operatorOf(userId: string): Promise<Account | undefined> {
    const [{ state }] = await Promise.all([
      this.reader.read(operator, PLATFORM_TENANT, userId),
      this.reader.read(tenant, PLATFORM_TENANT, NOBODY.id),
    ]);
    if (state.status !== 'active') return undefined;
    const { epoch, keptSessionId, passwordHash, email } = state;
    const owner = { userId, epoch, keptSessionId, tenantEpoch: 0 };
    return { tenantId: PLATFORM_TENANT, tenant: PLATFORM, email, owner, passwordHash, isActive: true };
  }

  private async userOf(tenantId: string, userId: string): Promise<Account | undefined> {
    const [{ state }, { state: home }] = await Promise.all([
      this.reader.read(user, tenantId, userId),
      this.reader.read(tenant, PLATFORM_TENANT, tenantId),
    ]);
    if (state.status === 'absent' || state.status === 'deleted' || home.status === 'absent') return undefined;
    const { epoch, keptSessionId, passwordHash, email } = state;
    const owner = { userId, epoch, keptSessionId, tenantEpoch: home.epoch };
    const isActive = state.status === 'active' && home.status === 'active';
    const { name, slug } = home;
    return { tenantId, tenant: { name, slug }, email, owner, passwordHash, isActive };
  }
}

/** An identity with an e-mail address that its provider has verified. */
export type VerifiedIdentity = OidcIdentity & { readonly email: string };

/** Bindings between accounts and identities at an OpenID provider (ADR 0057). */
@Injectable()
export class OidcIdentities {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** Whether the user or operator is active and bound to the identity. */
  async isBound({ tenantId, id }: StreamParts, identity: OidcIdentity, freshness?: Freshness): Promise<boolean> {
    return tenantId === PLATFORM_TENANT
      ? operatorHasIdentity((await this.reader.read(operator, tenantId, id, freshness)).state, identity)
      : hasIdentity((await this.reader.read(user, tenantId, id, freshness)).state, identity);
  }

  /** Returns all accounts bound to the identity. The result rarely contains more than one account. */
  async boundTo({ issuer, subject }: OidcIdentity): Promise<StreamParts[]> {
    const identity = { issuer, subject };
    const owners = this.ownersOf(await this.claims.owners(identityClaim(identity)));
    const areBound = await Promise.all(owners.map((owner) => this.isBound(owner, identity)));
    return owners.filter((_, index) => areBound[index]);
  }

  /**
   * Resolves an identity to its account. An unknown identity is bound to the operator with the verified e-mail address.
   * If there is no such operator, it is bound to the only user with that address whose tenant accepts the issuer for
   * the domain. Returns undefined unless exactly one account qualifies.
   */
  async accountOf({ issuer, subject, email }: VerifiedIdentity): Promise<StreamParts | undefined> {
    const identity = { issuer, subject };
    const [bound, ...others] = await this.boundTo(identity);
    if (bound) return others.length === 0 ? bound : undefined;
    const owners = this.ownersOf(await this.claims.owners(emailClaim(email)));
    const own = owners.filter(({ tenantId }) => tenantId === PLATFORM_TENANT);
    const [account, ...more] = await this.inviting(own.length > 0 ? own : owners, { issuer, email });
    if (!account || more.length > 0) return undefined;
    const context = { tenantId: account.tenantId, name: 'authentication', commandId: this.ids.next() };
    await asService(context, () => this.bind(account, identity));
    return (await this.isBound(account, identity)) ? account : undefined;
  }

  private bind({ tenantId, id }: StreamParts, identity: OidcIdentity): Promise<unknown> {
    return tenantId === PLATFORM_TENANT
      ? this.runner.execute(operator, { tenantId, id }, identity, bindOperatorIdentity)
      : this.runner.execute(user, { tenantId, id }, identity, bindIdentity);
  }

  /** Returns the accounts that may be bound to an identity with this e-mail address and issuer. */
  private async inviting(owners: readonly StreamParts[], given: Given): Promise<StreamParts[]> {
    const areInviting = await Promise.all(owners.map((owner) => this.isInviting(owner, given)));
    return owners.filter((_, index) => areInviting[index]);
  }

  private async isInviting({ tenantId, id }: StreamParts, { issuer, email }: Given): Promise<boolean> {
    const isPlatform = tenantId === PLATFORM_TENANT;
    const { state } = isPlatform
      ? await this.reader.read(operator, tenantId, id)
      : await this.reader.read(user, tenantId, id);
    if (state.status !== 'active' || state.identity !== null) return false;
    if (emailClaim(state.email).value !== emailClaim(email).value) return false;
    return isPlatform || listsDomain((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state, issuer, email);
  }

  private ownersOf(streams: readonly string[]): StreamParts[] {
    return streams.flatMap((stream) => parseStreamName(stream) ?? []);
  }
}

type Given = { readonly issuer: string; readonly email: string };
