import { DomainError } from '../eventsourcing/domain-error.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../security/permissions.js';

/** The system role and all permissions of the caller who changes users or roles. */
export type Authority = { readonly role: string; readonly permissions: ReadonlySet<string> };

/** A user's roles. An inactive user keeps them in case of reactivation. */
export type Standing = { readonly role: SystemRole; readonly roleIds: readonly string[] };

/** A change to a user. `before` is null on creation; `after` is null on removal. */
export type UserChange = { readonly before: Standing | null; readonly after: Standing | null };

/** Permissions of custom roles, by role id. */
export type RolePermissions = ReadonlyMap<string, Iterable<string>>;

/**
 * Authorizes a change to a user, in addition to the route's permission. These rules prevent privilege escalation:
 * - Only an owner may create, change or remove an owner.
 * - The caller must have every permission of the user they change or remove, even if that user is inactive. Otherwise
 *   they could suspend, demote or rename a superior, or sign in as them with a new password or e-mail address.
 * - The caller must have every permission that the change grants. For a new user, these are all of the user's
 *   permissions. For an existing user, these are the permissions that a new system role adds, and all permissions of
 *   each added custom role.
 * @throws DomainError forbidden
 */
export function ensureMayChangeUser(by: Authority, { before, after }: UserChange, roles: RolePermissions): void {
  if ([before?.role, after?.role].includes('OWNER') && by.role !== 'OWNER')
    throw forbidden('Only an owner can create, change or remove an owner.');
  const beyond = before ? lackingOf(by, allOf(before, roles)) : undefined;
  if (beyond !== undefined)
    throw forbidden(`You cannot change a user who has permissions that you do not have: ${beyond}.`);
  if (after) ensureMayGrant(by, grantedBy(before, after, roles));
}

/**
 * Authorizes the creation of a role, or its assignment to a user: the caller must have every permission of the role.
 * @throws DomainError forbidden
 */
export function ensureMayGrant(by: Authority, permissions: Iterable<string>): void {
  const lacking = lackingOf(by, permissions);
  if (lacking !== undefined) throw forbidden(`You cannot grant permissions that you do not have: ${lacking}.`);
}

/**
 * Authorizes a change to a role's permissions, which affects every user with the role. The caller must have each
 * permission added or removed. Permissions that remain in the role are not checked.
 * @throws DomainError forbidden
 */
export function ensureMayChangeRole(by: Authority, before: Iterable<string>, after: Iterable<string>): void {
  const [old, wanted] = [[...before], [...after]];
  ensureMayGrant(by, newIn(wanted, old));
  const lacking = lackingOf(by, newIn(old, wanted));
  if (lacking !== undefined) throw forbidden(`You cannot remove permissions that you do not have: ${lacking}.`);
}

/** @throws DomainError forbidden */
export function ensureMayChangeSettings(by: Authority): void {
  if (lackingOf(by, ALL_PERMISSIONS) !== undefined)
    throw forbidden('Only users with all permissions can change the settings.');
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

/**
 * A role that is not in `roles` was assigned by a concurrent command. Its permissions are unknown, so it is treated
 * like ADMIN.
 */
const ofCustomRoles = (roleIds: readonly string[], roles: RolePermissions): string[] =>
  roleIds.flatMap((id) => [...(roles.get(id) ?? SYSTEM_ROLE_PERMISSIONS.ADMIN)]);

/** Returns the items of `all` that are not in `known`, in their original order. */
function newIn(all: Iterable<string>, known: Iterable<string>): string[] {
  const old = new Set(known);
  return [...all].filter((one) => !old.has(one));
}

const forbidden = (message: string): DomainError => new DomainError('forbidden', 'FORBIDDEN', message);
