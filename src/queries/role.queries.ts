import { answers, query } from '../eventsourcing/handler.js';
import { SYSTEM_ROLES, systemRoleId, systemRoleOf } from '../aggregates/role.aggregate.js';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import { SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../security/permissions.js';
import { ReadModels } from './query.js';
import { PLATFORM, type Scope } from '../ports/read-store.js';
import { roles, type RoleView } from '../projections/role.projection.js';
import { tenants, type TenantView } from '../projections/tenant.projection.js';
import { users } from '../projections/user.projection.js';

/** A role as returned in lists. */
export type RoleRecord = Omit<RoleView, 'permissions'> & {
  readonly isSystem: boolean;
  readonly permissionCount: number;
  /** Number of users with the role, active or not. */
  readonly userCount: number;
};
export type RoleDetail = RoleRecord & { readonly permissions: readonly string[] };

/** All roles of the tenant: the system roles, then custom ones by name. */
export class ListRoles extends query<readonly RoleRecord[], [scope: Scope, tenantId: string]>() {}
export class GetRole extends query<RoleDetail, [scope: Scope, tenantId: string, id: string]>() {}

/** Adds to a role what its document lacks. */
export const roleDetail = (view: RoleView, facts: { isSystem: boolean; userCount: number }): RoleDetail => ({
  ...view,
  ...facts,
  permissionCount: view.permissions.length,
});

/** System roles never change, so they have no document: age from the tenant, revision 0. */
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
  // The caller belongs to the tenant, so it exists.
  if (!tenant) throw readModelBehind();
  return tenant;
}

const byName = new Intl.Collator('en').compare;

/** One pass over the users instead of one count per role. System roles are counted by name. */
async function countUsers(models: ReadModels, scope: Scope): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { role, roleIds } of models.each(users, scope))
    for (const key of [role, ...roleIds]) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

export const roleQueryHandlers = [
  answers(ListRoles, [ReadModels], async (models, scope, tenantId) => {
    const [tenant, counts] = await Promise.all([tenantOf(models, tenantId), countUsers(models, scope)]);
    const custom: RoleView[] = [];
    for await (const view of models.each(roles, scope)) custom.push(view);
    // A stable sort keeps roles whose names the collator considers equal in order of creation.
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
  }),
  answers(GetRole, [ReadModels], async (models, scope, tenantId, id) => {
    const role = systemRoleOf(tenantId, id);
    const view = role
      ? systemRole(await tenantOf(models, tenantId), role)
      : await models.found(roles, scope, id, 'role');
    const userCount = await models.count(users, scope, { where: role ? { role } : { roleIds: id } });
    return roleDetail(view, { isSystem: role !== undefined, userCount });
  }),
];
