import { DomainError } from '../platform/domain-error.js';
import { SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../platform/permissions.js';

/** Who acts on users and roles: their system role, and all permissions that they have. */
export type Authority = { readonly role: string; readonly permissions: ReadonlySet<string> };

/** What a user is granted. An inactive user keeps it for the day on which they are active again. */
export type Standing = {
  readonly role: SystemRole;
  readonly roleIds: readonly string[];
  readonly isActive: boolean;
};

/** A change of one user; `before` null makes them, `after` null removes them. */
export type UserChange = {
  readonly before: Standing | null;
  readonly after: Standing | null;
  /** It lets whoever makes it sign in as the user: a new password, another e-mail address. */
  readonly takesOver?: boolean;
};

/** The permissions of custom roles, by id. */
export type RolePermissions = ReadonlyMap<string, Iterable<string>>;

/**
 * The rule of who may change users and roles, beside the permission that the route asks for. Nobody grants what they lack:
 * - Only an owner makes, changes or removes an owner.
 * - What a change newly grants, its maker must have: all that a new user, or one who is activated again, then has; else
 *   what a new system role gives beyond the old one, and every permission of a custom role that is added.
 * - Whoever could sign in as a user afterwards must have all that the user has, or it would be theirs.
 * - Whatever takes away needs no more than the route's permission.
 * @throws DomainError forbidden
 */
export function ensureMayChangeUser(by: Authority, change: UserChange, roles: RolePermissions): void {
  const { before, after, takesOver = false } = change;
  if ([before?.role, after?.role].includes('OWNER') && by.role !== 'OWNER')
    throw forbidden('Only an owner makes, changes or removes an owner.');
  if (after) ensureMayGrant(by, grantedBy(before, after, roles));
  if (before && takesOver) ensureMayGrant(by, allOf(before, roles));
}

/** The same rule for the permissions of a role. What it has already may stay. @throws DomainError forbidden */
export const ensureMayGrant = (by: Authority, permissions: Iterable<string>, already: Iterable<string> = []): void => {
  const known = new Set(already);
  const lacking = [...permissions].find((code) => !known.has(code) && !by.permissions.has(code));
  if (lacking !== undefined) throw forbidden(`Nobody grants a permission that they lack: ${lacking}.`);
};

function grantedBy(before: Standing | null, after: Standing, roles: RolePermissions): string[] {
  if (!before || (after.isActive && !before.isActive)) return allOf(after, roles);
  const old = SYSTEM_ROLE_PERMISSIONS[before.role];
  const ofRole = [...SYSTEM_ROLE_PERMISSIONS[after.role]].filter((code) => !old.has(code));
  return [...ofRole, ...ofCustomRoles(newIn(after.roleIds, before.roleIds), roles)];
}

const allOf = ({ role, roleIds }: Standing, roles: RolePermissions): string[] => [
  ...SYSTEM_ROLE_PERMISSIONS[role],
  ...ofCustomRoles(roleIds, roles),
];

/** A role that nobody looked up was given a moment ago: it may have any permission. */
const ofCustomRoles = (roleIds: readonly string[], roles: RolePermissions): string[] =>
  roleIds.flatMap((id) => [...(roles.get(id) ?? SYSTEM_ROLE_PERMISSIONS.ADMIN)]);

const newIn = (ids: readonly string[], known: readonly string[]): string[] => ids.filter((id) => !known.includes(id));

const forbidden = (message: string): DomainError => new DomainError('forbidden', 'FORBIDDEN', message);
