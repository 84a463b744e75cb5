import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { PERMISSIONS, isPermission, type SystemRole } from '../security/permissions.js';
import { changesTo, line, paragraph, someOf } from './fields.js';
import { field, input, optionalText, record, text, type ChangesTo } from './record.js';

/** Unique permission codes, in catalogue order. */
const Permissions = z
  .array(
    z
      .string()
      .refine(isPermission, { error: 'The permission does not exist.' })
      .meta({ enum: PERMISSIONS.map(({ code }) => code) }),
  )
  .max(PERMISSIONS.length)
  .transform((codes) => PERMISSIONS.map(({ code }) => code).filter((code) => codes.includes(code)));

export const roleRecord = record({
  name: text(line(60)),
  description: optionalText(paragraph(500)),
  permissions: field(Permissions, z.array(z.string()), { fixed: true }),
});
export const CreateRole = input('CreateRoleDto', roleRecord.create);
export type CreateRole = z.output<typeof CreateRole>;
export const UpdateRole = input('UpdateRoleDto', roleRecord.update);
export type UpdateRole = z.output<typeof UpdateRole>;

export const UpdateRolePermissions = input('UpdateRolePermissionsDto', { permissions: Permissions });
export type UpdateRolePermissions = z.output<typeof UpdateRolePermissions>;

export const roleEvents = {
  RoleCreated: domain('CREATE', 'role', z.object(roleRecord.stored)),
  RoleUpdated: domain('UPDATE', 'role', z.object({ changes: someOf(roleRecord.changes) })),
  RolePermissionsChanged: domain('UPDATE', 'role', z.object({ permissions: z.array(z.string()) })),
  RoleDeleted: domain('DELETE', 'role', z.object({})),
};
export type RoleEvent = EventOf<typeof roleEvents>;

export type PresentRole = { status: 'present' | 'deleted'; permissions: readonly string[] } & ChangesTo<
  typeof roleRecord
>;
export type CustomRole = { status: 'absent' } | PresentRole;

/** System roles, which every tenant has from the start. They are immutable and not stored. */
export const SYSTEM_ROLES: Readonly<Record<SystemRole, { readonly name: string; readonly description: string }>> = {
  OWNER: { name: 'OWNER', description: 'Has all permissions. Only owners can create, change and remove owners' },
  ADMIN: { name: 'ADMIN', description: 'Has all permissions, except those reserved for owners' },
  USER: {
    name: 'USER',
    description: 'Can read everything except users and roles, and change customers and transactions',
  },
};

const NAMESPACE = '9c1f4b0e-52a7-4f0b-8b54-3d1f0f7a6c11';

/** Returns the id of a system role. The id differs between tenants but never changes. */
export const systemRoleId = (tenantId: string, role: SystemRole): string => nameUuid(`${tenantId}/${role}`, NAMESPACE);

const systemRoles = Object.keys(SYSTEM_ROLES) as SystemRole[];

/** Returns the system role with the id; undefined if there is none. */
export const systemRoleOf = (tenantId: string, id: string): SystemRole | undefined =>
  systemRoles.find((role) => systemRoleId(tenantId, role) === id);

/** Role names are compared case-insensitively. */
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
  memberships: [
    {
      of: (state) => ({ keeps: state.status === 'present', uses: [] }),
      staysWhile: 'used',
      refusal: { code: 'ROLE_IN_USE', message: 'Users have this role. Remove it from them first.' },
    },
  ],
};

/** Returns the role. @throws DomainError not_found if it is absent or deleted */
export function presentRole(state: CustomRole): PresentRole {
  if (state.status !== 'present') throw notFound('role');
  return state;
}

/** @throws DomainError conflict ROLE_NAME_TAKEN if the name belongs to a system role */
function ensureFreeName(name: string | undefined): void {
  if (name !== undefined && systemRoles.some((known) => nameKey(known) === nameKey(name)))
    throw conflict(nameTaken.code, nameTaken.message);
}

export function createRole(state: CustomRole, data: CreateRole): RoleEvent[] {
  if (state.status !== 'absent') return [];
  ensureFreeName(data.name);
  return [{ type: 'RoleCreated', data: { ...roleRecord.otherwise, ...data } }];
}

export function updateRole(state: CustomRole, patch: UpdateRole): RoleEvent[] {
  const found = presentRole(state);
  ensureFreeName(patch.name);
  const changes = changesTo<ChangesTo<typeof roleRecord>>(found, patch);
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
