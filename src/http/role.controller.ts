import { z } from 'zod';
import { roleRecord } from '../aggregates/role.aggregate.js';
import { CreateRole, DeleteRole, UpdateRole, UpdateRolePermissions } from '../commands/role.commands.js';
import { PERMISSIONS } from '../security/permissions.js';
import { GetRole, ListRoles, roleDetail } from '../queries/user.queries.js';
import { controllerOf, recordOf, routesAt, tenantRoutes, valueOf } from './routes.js';
import { named, recordFields } from './shapes.js';

const { permissions, ...listed } = roleRecord.shown;
const roleFields = {
  ...recordFields,
  ...listed,
  isSystem: z.boolean().meta({ description: 'Whether this is a system role, which cannot be changed.' }),
  permissionCount: z.int().min(0),
  userCount: z.int().min(0).meta({ description: 'Number of users with the role, including inactive ones.' }),
};
const RoleDto = named('RoleDto', z.object(roleFields));
const RoleDetailDto = named('RoleDetailDto', z.object({ ...roleFields, permissions }));
const PermissionDto = named(
  'PermissionDto',
  z.object({ code: z.string(), group: z.string(), description: z.string() }),
);

const { read, write } = tenantRoutes('/api/roles', 'Roles', 'roles');

export const RoleController = controllerOf(
  read.query(
    'List roles by name, system roles first',
    { answers: valueOf(z.array(RoleDto)) },
    ({ scope, tenantId }) => new ListRoles(scope, tenantId),
  ),
  write.command(
    'Create a role',
    {
      description: 'Callers can include only permissions that they have.',
      body: CreateRole.schema,
      creates: {},
      answers: { ...valueOf(RoleDetailDto), status: 201, position: 'awaited' },
    },
    ({ target, body, caller }) => new CreateRole(target, body, caller),
    ({ position: _, ...role }) => roleDetail({ ...role, updatedAt: role.createdAt }, { isSystem: false, userCount: 0 }),
  ),
  read.query(
    'Get a role with its permissions',
    { path: '/:id', answers: recordOf(RoleDetailDto) },
    ({ scope, tenantId, id }) => new GetRole(scope, tenantId, id),
  ),
  write.change("Update a role's name or description", { method: 'PATCH', path: '/:id' }, UpdateRole),
  write.command(
    'Delete a role without users',
    { method: 'DELETE', path: '/:id' },
    ({ target }) => new DeleteRole(target),
  ),
  write.change(
    "Replace a role's permissions",
    { method: 'PATCH', path: '/:id/permissions', description: 'Callers can add only permissions that they have.' },
    UpdateRolePermissions,
  ),
  routesAt('/api/permissions', { who: 'tenant', permission: 'roles.read', tag: 'Permissions' }).route(
    'List the permissions that a role can grant',
    { answers: valueOf(z.array(PermissionDto)) },
    () => PERMISSIONS,
  ),
);
