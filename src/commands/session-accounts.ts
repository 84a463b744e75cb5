import { Inject, Injectable } from '@nestjs/common';
import { emailClaim } from '../aggregates/credentials.js';
import { operator } from '../aggregates/operator.aggregate.js';
import type { SessionOwner } from '../aggregates/session.aggregate.js';
import { slugClaim, tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, type StreamParts } from '../eventsourcing/stream-name.js';

/** Session-related facts of a user or operator that is not deleted. */
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

/** Beyond this number of accounts with one address, only the tenant's slug selects the account. */
export const MAX_ACCOUNTS = 5;

/** Read for an unknown address, so that it takes as many stream reads as a known one and timing reveals nothing. */
const NOBODY: StreamParts = {
  entity: user.name,
  tenantId: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
};
const PLATFORM = { name: 'Platform', slug: PLATFORM_TENANT };

/** Finds users and operators in their streams, not in read models, which may lag. */
@Injectable()
export class SessionAccounts {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /**
   * At most MAX_ACCOUNTS + 1 accounts, in no particular order; `slug` selects one tenant (`platform` for operators).
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

  /** Returns the account, or undefined if it is absent or deleted. */
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
