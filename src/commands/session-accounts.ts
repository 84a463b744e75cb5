import { Inject, Injectable } from '@nestjs/common';
import { emailClaim } from '../aggregates/credentials.js';
import { operator } from '../aggregates/operator.aggregate.js';
import type { SessionOwner } from '../aggregates/session.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { Claims } from '../platform/claims.js';
import { RecordReader } from '../platform/record-reader.js';
import { parseStreamName, PLATFORM_TENANT } from '../platform/stream-name.js';

/** A user or operator, as sessions need it. */
export type Account = {
  /** `platform` for operators. */
  readonly tenantId: string;
  readonly owner: SessionOwner;
  readonly passwordHash: string;
  /** The account may be used: neither it nor its tenant is deactivated. */
  readonly isActive: boolean;
};

/** Reads as many streams for an address that nobody has as for one that somebody has: the time tells nothing. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Finds users and operators in the streams themselves, never in read models, which may lag. */
@Injectable()
export class SessionAccounts {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
  ) {}

  /** The holder of the e-mail's claim. */
  async byEmail(email: string): Promise<Account | undefined> {
    const stream = await this.claims.holder(emailClaim(email));
    const name = stream === undefined ? undefined : parseStreamName(stream);
    if (name) return this.byId(name.tenantId, name.id);
    await this.reader.read(user, NOBODY, NOBODY);
    return this.byId(NOBODY, NOBODY);
  }

  /** The account of that id; undefined where there never was one. */
  byId(tenantId: string, id: string): Promise<Account | undefined> {
    return tenantId === PLATFORM_TENANT ? this.operatorOf(id) : this.userOf(tenantId, id);
  }

  private async operatorOf(userId: string): Promise<Account | undefined> {
    const [{ state }] = await Promise.all([
      this.reader.read(operator, PLATFORM_TENANT, userId),
      this.reader.read(tenant, PLATFORM_TENANT, NOBODY),
    ]);
    if (state.status === 'absent') return undefined;
    const { epoch, keptSessionId, passwordHash } = state;
    const owner = { userId, epoch, keptSessionId, tenantEpoch: 0 };
    return { tenantId: PLATFORM_TENANT, owner, passwordHash, isActive: state.status === 'active' };
  }

  private async userOf(tenantId: string, userId: string): Promise<Account | undefined> {
    const [{ state }, { state: home }] = await Promise.all([
      this.reader.read(user, tenantId, userId),
      this.reader.read(tenant, PLATFORM_TENANT, tenantId),
    ]);
    if (state.status === 'absent' || home.status === 'absent') return undefined;
    const { epoch, keptSessionId, passwordHash } = state;
    const owner = { userId, epoch, keptSessionId, tenantEpoch: home.epoch };
    return { tenantId, owner, passwordHash, isActive: state.status === 'active' && home.status === 'active' };
  }
}
