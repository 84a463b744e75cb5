import { Body, Controller, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateRole, DeleteRole, UpdateRole, UpdateRolePermissions } from '../commands/role.commands.js';
import { PERMISSIONS } from '../platform/permissions.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetRole, ListRoles, roleDetail } from '../queries/role.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { named, recordFields } from './shapes.js';

const roleFields = {
  ...recordFields,
  name: z.string(),
  description: z.string().nullable(),
  isSystem: z.boolean().meta({ description: 'System roles cannot be changed.' }),
  permissionCount: z.int().min(0),
  userCount: z.int().min(0).meta({ description: 'Users who have the role, active or not.' }),
};
const RoleDto = named('RoleDto', z.object(roleFields));
const RoleDetailDto = named('RoleDetailDto', z.object({ ...roleFields, permissions: z.array(z.string()) }));
const PermissionDto = named(
  'PermissionDto',
  z.object({ code: z.string(), group: z.string(), description: z.string() }),
);

const read = { method: 'GET', who: 'tenant', permission: 'roles.read', tag: 'Roles' } as const;
const write = { who: 'tenant', permission: 'roles.write', tag: 'Roles' } as const;
const written = { status: 200, shape: 'command' } as const;

@Controller()
export class RoleController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path: '/api/roles',
    summary: 'All roles: the system roles, then the others by name',
    answers: { status: 200, shape: 'envelope', schema: z.array(RoleDto) },
  })
  list(@Caller() { tenantId }: UserPrincipal): Promise<unknown> {
    return this.queries.execute(new ListRoles(tenantScope(tenantId), tenantId));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path: '/api/roles',
    summary: 'Create a role, with no more permissions than the caller has',
    body: CreateRole.schema,
    answers: { status: 201, shape: 'envelope', schema: RoleDetailDto, position: 'awaited' },
  })
  async create(@Caller() by: UserPrincipal, @Body() body: z.output<typeof CreateRole.schema>): Promise<Answer> {
    const target = { tenantId: by.tenantId, id: this.ids.next() };
    const { position, ...made } = await this.commands.execute(new CreateRole(target, body, by));
    const role = roleDetail({ ...made, updatedAt: made.createdAt }, { isSystem: false, userCount: 0 });
    return answer(role, await this.gateway.settled(position));
  }

  @Endpoint({
    ...read,
    path: '/api/roles/:id',
    summary: 'A role with its permissions',
    answers: { status: 200, shape: 'envelope', schema: RoleDetailDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const role = await this.queries.execute(new GetRole(tenantScope(tenantId), tenantId, id));
    return answer(role, { revision: role.revision });
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/roles/:id',
    summary: 'Change the name or the description of a role',
    body: UpdateRole.schema,
    answers: written,
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateRole.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateRole({ tenantId, id }, body));
  }

  @Endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/roles/:id',
    summary: 'Delete a role that no user has',
    answers: written,
  })
  delete(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteRole({ tenantId, id }));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/roles/:id/permissions',
    summary: 'Replace the permissions of a role; what is added, the caller must have',
    body: UpdateRolePermissions.schema,
    answers: written,
  })
  updatePermissions(
    @Caller() by: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateRolePermissions.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateRolePermissions({ tenantId: by.tenantId, id }, body, by));
  }

  @Endpoint({
    ...read,
    path: '/api/permissions',
    tag: 'Permissions',
    summary: 'Everything that a role can grant',
    answers: { status: 200, shape: 'envelope', schema: z.array(PermissionDto) },
  })
  permissions(): unknown {
    return PERMISSIONS;
  }
}
