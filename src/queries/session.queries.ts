import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { operator } from '../aggregates/operator.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { PERMISSIONS, type PermissionCode } from '../platform/permissions.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';

/** Who is signed in, where, and what they may do. */
export type Me = {
  readonly user: {
    readonly id: string;
    readonly fullName: string;
    readonly email: string;
    readonly phone: string | null;
    /** Null for operators. */
    readonly role: string | null;
    readonly roleIds: readonly string[];
    readonly isActive: boolean;
    readonly branchId: string | null;
    readonly branchIds: readonly string[];
  };
  /** Null for operators. */
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly slug: string;
    readonly currency: string;
    readonly timeZone: string;
  } | null;
  /** In the order of the catalogue. */
  readonly permissions: readonly PermissionCode[];
};

export class GetMe extends Query<Me> {
  constructor(readonly principal: UserPrincipal | OperatorPrincipal) {
    super();
  }
}

/** From the streams, so that it says what the next request is judged by. */
@QueryHandler(GetMe)
export class GetMeHandler implements IQueryHandler<GetMe> {
  constructor(@Inject(RecordReader) private readonly reader: RecordReader) {}

  execute({ principal }: GetMe): Promise<Me> {
    return principal.kind === 'operator' ? this.operatorOf(principal) : this.userOf(principal);
  }

  private async operatorOf({ userId: id }: OperatorPrincipal): Promise<Me> {
    const { state } = await this.reader.read(operator, PLATFORM_TENANT, id);
    if (state.status === 'absent') throw notFound('operator');
    const { fullName, email } = state;
    const nothing = { phone: null, role: null, roleIds: [], branchId: null, branchIds: [] };
    return {
      user: { id, fullName, email, ...nothing, isActive: state.status === 'active' },
      tenant: null,
      permissions: [],
    };
  }

  private async userOf({ userId: id, tenantId, permissions }: UserPrincipal): Promise<Me> {
    const [{ state }, { state: home }] = await Promise.all([
      this.reader.read(user, tenantId, id),
      this.reader.read(tenant, PLATFORM_TENANT, tenantId),
    ]);
    if (state.status === 'absent' || home.status === 'absent') throw notFound('user');
    const { fullName, email, phone, role, roleIds, branchId, branchIds } = state;
    const { name, slug, currency, timeZone } = home;
    const isActive = state.status === 'active';
    return {
      user: { id, fullName, email, phone, role, roleIds, isActive, branchId, branchIds },
      tenant: { id: tenantId, name, slug, currency, timeZone },
      permissions: PERMISSIONS.map(({ code }) => code).filter((code) => permissions.has(code)),
    };
  }
}
