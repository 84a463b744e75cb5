import { operator } from '../aggregates/operator.aggregate.js';
import { SYSTEM_ROLES, systemRoleId, systemRoleOf } from '../aggregates/role.aggregate.js';
import { tenant } from '../aggregates/tenant.aggregate.js';
import { user } from '../aggregates/user.aggregate.js';
import { notFound, readModelBehind } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { PLATFORM, type Scope } from '../ports/read-store.js';
import { operators, roles, type RoleView, userLogins, users, type UserView } from '../projections/user.projection.js';
import { tenants, type TenantView } from '../projections/tenant.projection.js';
import { type PermissionCode, PERMISSIONS, SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../security/permissions.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { looksUpFrom, lookUpFrom } from './look-up.js';
import { listFrom, listsFrom, type Page, type Filters, ReadModels, type Rows } from './query.js';

/** A user as returned by the API. `lastLoginAt` is null before the first sign-in. */
export type UserRecord = UserView & { readonly lastLoginAt: string | null };

export type UserFilters = Filters<'role' | 'sort'>;

export class GetUser extends query<UserRecord, [scope: Scope, id: string]>() {}
export class ListUsers extends query<Page<UserRecord>, [scope: Scope, filters: UserFilters]>() {}
/** All pages of the list of users. */
export class EachUser extends query<Rows<UserRecord>, [scope: Scope, filters: UserFilters]>() {}
export class LookUpUsers extends lookUpFrom({
  model: users,
  where: { isActive: true },
  briefOf: ({ id, fullName }) => ({ id, name: fullName, code: null }),
}) {}

export class ListOperators extends listFrom(operators) {}

/** A role as returned in lists. */
export type RoleRecord = Omit<RoleView, 'permissions'> & {
  readonly isSystem: boolean;
  readonly permissionCount: number;
  /** Number of users with the role, including inactive users. */
  readonly userCount: number;
};
export type RoleDetail = RoleRecord & { readonly permissions: readonly string[] };

/** Lists all roles of the tenant by name, system roles first. */
export class ListRoles extends query<readonly RoleRecord[], [scope: Scope, tenantId: string]>() {}
export class GetRole extends query<RoleDetail, [scope: Scope, tenantId: string, id: string]>() {}

/** Adds the fields missing from a role's document. */
export const roleDetail = (view: RoleView, facts: { isSystem: boolean; userCount: number }): RoleDetail => ({
  ...view,
  ...facts,
  permissionCount: view.permissions.length,
});

/** System roles never change and have no document. They have the tenant's timestamps and a revision of 0. */
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
  // The caller belongs to the tenant, so the tenant exists.
  if (!tenant) throw readModelBehind();
  return tenant;
}

const byName = new Intl.Collator('en').compare;

/**
 * Counts the users of all roles in one pass, instead of running one query for each role. System roles are counted by
 * name.
 */
async function countUsers(models: ReadModels, scope: Scope): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { role, roleIds } of models.each(users, scope))
    for (const key of [role, ...roleIds]) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The signed-in user or operator, the tenant, and the permissions. */
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
  /** Permissions in catalogue order. */
  readonly permissions: readonly PermissionCode[];
};

export class GetMe extends query<Me, [principal: UserPrincipal | OperatorPrincipal]>() {}

async function operatorOf(reader: RecordReader, { userId: id }: OperatorPrincipal): Promise<Me> {
  const { state } = await reader.read(operator, PLATFORM_TENANT, id);
  if (state.status === 'absent') throw notFound('operator');
  const { fullName, email } = state;
  const nothing = { phone: null, role: null, roleIds: [], branchId: null, branchIds: [] };
  const user = { id, fullName, email, ...nothing, isActive: state.status === 'active' };
  return { user, tenant: null, permissions: [] };
}

async function userOf(reader: RecordReader, { userId: id, tenantId, permissions }: UserPrincipal): Promise<Me> {
  const [{ state }, { state: home }] = await Promise.all([
    reader.read(user, tenantId, id),
    reader.read(tenant, PLATFORM_TENANT, tenantId),
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

/** Reads the data from the streams, as the checks on every request do. */
const getMe = answers(GetMe, [RecordReader], (reader, principal) =>
  principal.kind === 'operator' ? operatorOf(reader, principal) : userOf(reader, principal),
);

async function withLogins(models: ReadModels, scope: Scope, views: readonly UserView[]): Promise<UserRecord[]> {
  const ids = views.map(({ id }) => id);
  const logins = await models.getMany(userLogins, scope, ids);
  return views.map((view) => ({ ...view, lastLoginAt: logins.get(view.id)?.lastLoginAt ?? null }));
}

export const userQueryHandlers = [
  getMe,
  answers(GetUser, [ReadModels], async (models, scope, id) => {
    const view = await models.found(users, scope, id, 'user');
    const login = await models.get(userLogins, scope, id);
    return { ...view, lastLoginAt: login?.lastLoginAt ?? null };
  }),
  answers(ListUsers, [ReadModels], (models, scope, { role, ...rest }) =>
    models.page(users, scope, { ...rest, where: { role } }, (views) => withLogins(models, scope, views)),
  ),
  answers(EachUser, [ReadModels], (models, scope, { role, ...rest }) =>
    Promise.resolve(
      models.joined(users, scope, { ...rest, where: { role } }, (views) => withLogins(models, scope, views)),
    ),
  ),
  looksUpFrom(LookUpUsers),
  listsFrom(ListOperators),
  answers(ListRoles, [ReadModels], async (models, scope, tenantId) => {
    const [tenant, counts] = await Promise.all([tenantOf(models, tenantId), countUsers(models, scope)]);
    const custom = await models.all(roles, scope);
    const system = (Object.keys(SYSTEM_ROLES) as SystemRole[]).map((role) => ({
      view: systemRole(tenant, role),
      facts: { isSystem: true, userCount: counts.get(role) ?? 0 },
    }));
    const others = custom.map((view) => ({ view, facts: { isSystem: false, userCount: counts.get(view.id) ?? 0 } }));
    const records = [...system, ...others].map(({ view, facts }): RoleRecord => {
      const { permissions: _, ...record } = roleDetail(view, facts);
      return record;
    });
    // The sort is stable, so roles whose names the collator considers equal remain in order of creation.
    return records.sort((a, b) => Number(b.isSystem) - Number(a.isSystem) || byName(a.name, b.name));
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
