import type { RolePermissions } from '../aggregates/authority.js';
import { role, systemRoleOf } from '../aggregates/role.aggregate.js';
import { presentUser, user, type User } from '../aggregates/user.aggregate.js';
import type { Target } from '../eventsourcing/command.js';
import { conflict, notFoundAt } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { UUID } from '../ports/uuid.js';
import { ensureActiveBranch } from './branch-check.js';

export type UserLinks = {
  readonly roleIds: readonly string[];
  readonly branchId: string | null;
  readonly branchIds: readonly string[];
};
const NO_LINKS: UserLinks = { roleIds: [], branchId: null, branchIds: [] };

async function permissionsOf(
  reader: RecordReader,
  tenantId: string,
  id: string,
): Promise<readonly string[] | undefined> {
  const { state } = await reader.read(role, tenantId, id);
  return state.status === 'present' ? state.permissions : undefined;
}

/** Users keep a branch that was deactivated. */
async function checkBranches(
  reader: RecordReader,
  tenantId: string,
  wanted: Partial<UserLinks>,
  held: UserLinks,
): Promise<void> {
  const known = new Set([held.branchId, ...held.branchIds]);
  const named = [
    { id: wanted.branchId ?? null, path: 'branchId' },
    ...(wanted.branchIds ?? []).map((id, index) => ({ id, path: `branchIds[${index}]` })),
  ];
  for (const { id, path } of named) {
    if (id === null || known.has(id)) continue;
    if (!UUID.test(id)) throw notFoundAt(path, 'branch');
    await ensureActiveBranch(reader, tenantId, id, path);
  }
}

/**
 * Checks the roles and branches that an update adds to a user, and returns the permissions of all the user's roles.
 * @throws DomainError not_found with the path; conflict SYSTEM_ROLE, BRANCH_INACTIVE
 */
export async function checkReferences(
  reader: RecordReader,
  tenantId: string,
  wanted: Partial<UserLinks>,
  held: UserLinks = NO_LINKS,
): Promise<RolePermissions> {
  await checkBranches(reader, tenantId, wanted, held);
  const roles = new Map<string, readonly string[]>();
  for (const id of held.roleIds) roles.set(id, (await permissionsOf(reader, tenantId, id)) ?? []);
  for (const [index, id] of (wanted.roleIds ?? []).entries()) {
    if (roles.has(id)) continue;
    if (systemRoleOf(tenantId, id)) throw conflict('SYSTEM_ROLE', 'A system role is given as the role, not beside it.');
    const permissions = UUID.test(id) ? await permissionsOf(reader, tenantId, id) : undefined;
    if (!permissions) throw notFoundAt(`roleIds[${index}]`, 'role');
    roles.set(id, permissions);
  }
  return roles;
}

/** Returns the user, with the permissions of their current and requested roles. */
export async function userWithRoles(
  reader: RecordReader,
  { tenantId, id }: Target,
  wanted: Partial<UserLinks> = {},
): Promise<{ readonly state: User; readonly roles: RolePermissions }> {
  const { state } = await reader.read(user, tenantId, id);
  return { state, roles: await checkReferences(reader, tenantId, wanted, presentUser(state)) };
}
