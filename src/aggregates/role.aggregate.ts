import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { PERMISSIONS, isPermission, type SystemRole } from '../platform/permissions.js';
import { changesTo, line, paragraph, someOf } from './fields.js';

/** Codes of permissions, in the order of the catalogue of permissions, each once. */
const Permissions = z
  .array(
    z
      .string()
      .refine(isPermission, { error: 'There is no such permission.' })
      .meta({ enum: PERMISSIONS.map(({ code }) => code) }),
  )
  .max(PERMISSIONS.length)
  .transform((codes) => PERMISSIONS.map(({ code }) => code).filter((code) => codes.includes(code)));

const details = { name: line(60), description: paragraph(500).nullable() };
export const CreateRole = z
  .strictObject({ name: details.name, ...someOf({ description: details.description }).shape, permissions: Permissions })
  .meta({ id: 'CreateRoleDto' });
export type CreateRole = z.output<typeof CreateRole>;

export const UpdateRole = z.strictObject(someOf(details).shape).meta({ id: 'UpdateRoleDto' });
export type UpdateRole = z.output<typeof UpdateRole>;

export const UpdateRolePermissions = z
  .strictObject({ permissions: Permissions })
  .meta({ id: 'UpdateRolePermissionsDto' });
export type UpdateRolePermissions = z.output<typeof UpdateRolePermissions>;

const Details = z.object({ name: z.string(), description: z.string().nullable() });
type Details = z.output<typeof Details>;

export const roleEvents = {
  RoleCreated: domain('CREATE', 'role', z.object({ ...Details.shape, permissions: z.array(z.string()) })),
  RoleUpdated: domain('UPDATE', 'role', z.object({ changes: someOf(Details.shape) })),
  RolePermissionsChanged: domain('UPDATE', 'role', z.object({ permissions: z.array(z.string()) })),
  RoleDeleted: domain('DELETE', 'role', z.object({})),
};
export type RoleEvent = EventOf<typeof roleEvents>;

export type PresentRole = { status: 'present' | 'deleted'; permissions: readonly string[] } & Details;
export type CustomRole = { status: 'absent' } | PresentRole;

/** The system roles that every tenant has from its beginning. They are not stored: nothing about them can change. */
export const SYSTEM_ROLES: Readonly<Record<SystemRole, { readonly name: string; readonly description: string }>> = {
  OWNER: { name: 'OWNER', description: 'May do everything, and alone make, change and remove owners' },
  ADMIN: { name: 'ADMIN', description: 'May do everything but what is left to owners' },
  USER: { name: 'USER', description: 'Sees everything but users and roles; changes customers and transactions' },
};

const NAMESPACE = '9c1f4b0e-52a7-4f0b-8b54-3d1f0f7a6c11';

/** The id of a system role: the same for ever within a tenant, and another in every other. */
export const systemRoleId = (tenantId: string, role: SystemRole): string => nameUuid(`${tenantId}/${role}`, NAMESPACE);

const systemRoles = Object.keys(SYSTEM_ROLES) as SystemRole[];

/** Which system role an id is of. */
export const systemRoleOf = (tenantId: string, id: string): SystemRole | undefined =>
  systemRoles.find((role) => systemRoleId(tenantId, role) === id);

/** Names are compared without regard to case. */
const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase();

const nameTaken = { code: 'ROLE_NAME_TAKEN', message: 'Another role has this name.' };

export const role: Aggregate<CustomRole, RoleEvent> = {
  name: 'role',
  events: roleEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'RoleCreated') return { status: 'present', ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'RoleUpdated':
        return { ...state, ...event.data.changes };
      case 'RolePermissionsChanged':
        return { ...state, permissions: event.data.permissions };
      case 'RoleDeleted':
        return { ...state, status: 'deleted' };
    }
  },
  claims: (state, tenantId) =>
    state.status === 'present'
      ? [{ scope: tenantId, kind: 'role-name', value: nameKey(state.name), refusal: nameTaken }]
      : [],
  membership: {
    of: (state) => ({ keeps: state.status === 'present', uses: [] }),
    staysWhile: 'used',
    refusal: { code: 'ROLE_IN_USE', message: 'Users have this role. Take it from them first.' },
  },
};

/** The role, unless there is none (any more). @throws DomainError not_found */
export function presentRole(state: CustomRole): PresentRole {
  if (state.status !== 'present') throw notFound('role');
  return state;
}

/** @throws DomainError conflict ROLE_NAME_TAKEN: no custom role is called like a system role */
function ensureFreeName(name: string | undefined): void {
  if (name !== undefined && systemRoles.some((known) => nameKey(known) === nameKey(name)))
    throw conflict(nameTaken.code, nameTaken.message);
}

export function createRole(state: CustomRole, { description = null, ...data }: CreateRole): RoleEvent[] {
  if (state.status !== 'absent') return [];
  ensureFreeName(data.name);
  return [{ type: 'RoleCreated', data: { ...data, description } }];
}

export function updateRole(state: CustomRole, patch: UpdateRole): RoleEvent[] {
  const found = presentRole(state);
  ensureFreeName(patch.name);
  const changes = changesTo<Details>(found, patch);
  return changes ? [{ type: 'RoleUpdated', data: { changes } }] : [];
}

export function updateRolePermissions(state: CustomRole, { permissions }: UpdateRolePermissions): RoleEvent[] {
  const known = presentRole(state).permissions;
  if (known.length === permissions.length && permissions.every((code) => known.includes(code))) return [];
  return [{ type: 'RolePermissionsChanged', data: { permissions } }];
}

export function deleteRole(state: CustomRole): RoleEvent[] {
  presentRole(state);
  return [{ type: 'RoleDeleted', data: {} }];
}
