import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { SYSTEM_ROLES, systemRoleId, systemRoleOf } from '../aggregates/role.aggregate.js';
import { notFound, readModelBehind } from '../platform/domain-error.js';
import { SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../platform/permissions.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM, type Scope } from '../ports/read-store.js';
import { roles, type RoleView } from '../projections/role.projection.js';
import { tenants, type TenantView } from '../projections/tenant.projection.js';
import { users } from '../projections/user.projection.js';

/** A role as lists show it. */
export type RoleRecord = Omit<RoleView, 'permissions'> & {
  readonly isSystem: boolean;
  readonly permissionCount: number;
  /** Users who have it, active or not. */
  readonly userCount: number;
};
export type RoleDetail = RoleRecord & { readonly permissions: readonly string[] };

/** All roles of the tenant: the system roles, then custom ones by name. */
export class ListRoles extends Query<readonly RoleRecord[]> {
  constructor(
    readonly scope: Scope,
    readonly tenantId: string,
  ) {
    super();
  }
}

export class GetRole extends Query<RoleDetail> {
  constructor(
    readonly scope: Scope,
    readonly tenantId: string,
    readonly id: string,
  ) {
    super();
  }
}

/** A role with what its document does not hold. */
export const roleDetail = (view: RoleView, facts: { isSystem: boolean; userCount: number }): RoleDetail => ({
  ...view,
  ...facts,
  permissionCount: view.permissions.length,
});

/** Nothing about a system role ever changes, so it has no document: it is as old as its tenant, at revision 0. */
const systemRole = ({ id: tenantId, createdAt, updatedAt }: TenantView, role: SystemRole): RoleView => ({
  id: systemRoleId(tenantId, role),
  ...SYSTEM_ROLES[role],
  permissions: [...SYSTEM_ROLE_PERMISSIONS[role]],
  createdAt,
  updatedAt,
  revision: 0,
});

async function tenantOf(models: ReadModels, tenantId: string): Promise<TenantView> {
  const tenant = await models.get(tenants, PLATFORM, tenantId);
  // Whoever asks belongs to it, so it is there.
  if (!tenant) throw readModelBehind();
  return tenant;
}

const byName = new Intl.Collator('en').compare;

@QueryHandler(ListRoles)
export class ListRolesHandler implements IQueryHandler<ListRoles> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, tenantId }: ListRoles): Promise<readonly RoleRecord[]> {
    const [tenant, counts] = await Promise.all([tenantOf(this.models, tenantId), this.countUsers(scope)]);
    const custom: RoleView[] = [];
    for await (const view of this.models.each(roles, scope)) custom.push(view);
    // One sort after the other keeps roles of one name (in the eyes of the collator) in the order in which they were made.
    custom.sort((a, b) => byName(a.name, b.name));
    const system = (Object.keys(SYSTEM_ROLES) as SystemRole[]).map((role) => ({
      view: systemRole(tenant, role),
      facts: { isSystem: true, userCount: counts.get(role) ?? 0 },
    }));
    const others = custom.map((view) => ({ view, facts: { isSystem: false, userCount: counts.get(view.id) ?? 0 } }));
    return [...system, ...others].map(({ view, facts }) => {
      const { permissions: _, ...record } = roleDetail(view, facts);
      return record;
    });
  }

  /** One pass over the users, rather than one count for each role. System roles are counted by their names. */
  private async countUsers(scope: Scope): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for await (const { role, roleIds } of this.models.each(users, scope))
      for (const key of [role, ...roleIds]) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }
}

@QueryHandler(GetRole)
export class GetRoleHandler implements IQueryHandler<GetRole> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, tenantId, id }: GetRole): Promise<RoleDetail> {
    const role = systemRoleOf(tenantId, id);
    const view = role ? systemRole(await tenantOf(this.models, tenantId), role) : await this.custom(scope, id);
    const where = role ? { role } : { roleIds: id };
    const userCount = await this.models.count(users, scope, { where });
    return roleDetail(view, { isSystem: role !== undefined, userCount });
  }

  private async custom(scope: Scope, id: string): Promise<RoleView> {
    const view = await this.models.get(roles, scope, id);
    if (!view) throw notFound('role');
    return view;
  }
}

export const roleQueryHandlers = [ListRolesHandler, GetRoleHandler];
