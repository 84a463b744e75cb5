import { DomainError } from '../platform/domain-error.js';
import { SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../platform/permissions.js';

/** Who acts on users and roles: their system role, and all permissions that they have. */
export type Authority = { readonly role: string; readonly permissions: ReadonlySet<string> };

/** What a user is granted. An inactive user keeps it for the day on which they are active again. */
export type Standing = { readonly role: SystemRole; readonly roleIds: readonly string[] };

/** A change of one user; `before` null makes them, `after` null removes them. */
export type UserChange = { readonly before: Standing | null; readonly after: Standing | null };

/** The permissions of custom roles, by id. */
export type RolePermissions = ReadonlyMap<string, Iterable<string>>;

/**
 * The rule of who may change users and roles, beside the permission that the route asks for: nobody gives what they lack,
 * and nobody lays hands on who has more than they.
 * - Only an owner makes, changes or removes an owner.
 * - Whoever changes or removes a user has all that the user has, active or not. So nobody suspends, demotes or renames
 *   somebody above them, nor signs in as them with a password or an e-mail address of their own.
 * - What a change gives, its maker has: all that a new user gets; else what a new system role gives beyond the old one,
 *   and every permission of a custom role that is added.
 * @throws DomainError forbidden
 */
export function ensureMayChangeUser(by: Authority, { before, after }: UserChange, roles: RolePermissions): void {
  if ([before?.role, after?.role].includes('OWNER') && by.role !== 'OWNER')
    throw forbidden('Only an owner makes, changes or removes an owner.');
  const beyond = before ? lackingOf(by, allOf(before, roles)) : undefined;
  if (beyond !== undefined) throw forbidden(`Nobody changes a user who has a permission that they lack: ${beyond}.`);
  if (after) ensureMayGrant(by, grantedBy(before, after, roles));
}

/** The same rule for a new role, or a role that a user is given. @throws DomainError forbidden */
export function ensureMayGrant(by: Authority, permissions: Iterable<string>): void {
  const lacking = lackingOf(by, permissions);
  if (lacking !== undefined) throw forbidden(`Nobody grants a permission that they lack: ${lacking}.`);
}

/**
 * The same rule for a change of a role's permissions, which changes all who have the role: nobody gives or takes away
 * what they lack. What they lack and the role keeps may stay.
 * @throws DomainError forbidden
 */
export function ensureMayChangeRole(by: Authority, before: Iterable<string>, after: Iterable<string>): void {
  const [old, wanted] = [[...before], [...after]];
  ensureMayGrant(by, newIn(wanted, old));
  const lacking = lackingOf(by, newIn(old, wanted));
  if (lacking !== undefined) throw forbidden(`Nobody takes away a permission that they lack: ${lacking}.`);
}

const lackingOf = ({ permissions: own }: Authority, permissions: Iterable<string>): string | undefined =>
  newIn(permissions, own)[0];

function grantedBy(before: Standing | null, after: Standing, roles: RolePermissions): string[] {
  if (!before) return allOf(after, roles);
  const ofRole = newIn(SYSTEM_ROLE_PERMISSIONS[after.role], SYSTEM_ROLE_PERMISSIONS[before.role]);
  return [...ofRole, ...ofCustomRoles(newIn(after.roleIds, before.roleIds), roles)];
}

const allOf = ({ role, roleIds }: Standing, roles: RolePermissions): string[] => [
  ...SYSTEM_ROLE_PERMISSIONS[role],
  ...ofCustomRoles(roleIds, roles),
];

/** A role that nobody looked up was given a moment ago: it may have any permission. */
const ofCustomRoles = (roleIds: readonly string[], roles: RolePermissions): string[] =>
  roleIds.flatMap((id) => [...(roles.get(id) ?? SYSTEM_ROLE_PERMISSIONS.ADMIN)]);

/** What is not known yet, in its order. */
function newIn(all: Iterable<string>, known: Iterable<string>): string[] {
  const old = new Set(known);
  return [...all].filter((one) => !old.has(one));
}

const forbidden = (message: string): DomainError => new DomainError('forbidden', 'FORBIDDEN', message);
