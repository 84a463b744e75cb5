import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { Role } from '../aggregates/user.aggregate.js';
import { CreateUser, DeleteUser, ResetPassword, UpdateProfile, UpdateUser } from '../commands/user.commands.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetUser, ListUsers, LookUpUsers } from '../queries/user.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { requiredPaging, searchInput } from './input.js';
import { tenantOf } from './request-state.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const UserDto = named(
  'UserDto',
  z.object({
    ...recordFields,
    fullName: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    role: Role,
    roleIds: z.array(recordId).meta({ description: 'Custom roles that the user has beside `role`.' }),
    isActive: z.boolean(),
    branchId: recordId.nullable(),
    branchIds: z.array(recordId),
    lastLoginAt: instantOut.nullable(),
  }),
);

const listQuery = z.strictObject({
  ...requiredPaging,
  search: searchInput.exactOptional(),
  role: Role.exactOptional(),
});
const lookupQuery = z.strictObject({ search: searchInput });

const read = { method: 'GET', who: 'tenant', permission: 'users.read', tag: 'Users' } as const;
const write = { who: 'tenant', permission: 'users.write', tag: 'Users' } as const;
const written = { status: 200, shape: 'command' } as const;

@Controller()
export class UserController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...write,
    method: 'POST',
    path: '/api/users',
    summary: 'Create a user, with no more permissions than the caller has',
    body: CreateUser.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(@Caller() by: UserPrincipal, @Body() body: z.output<typeof CreateUser.schema>): Promise<Answer> {
    return this.gateway.send(new CreateUser({ tenantId: by.tenantId, id: this.ids.next() }, body, by));
  }

  @Endpoint({
    ...read,
    path: '/api/users',
    summary: 'Users, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: UserDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListUsers(tenantScope(tenantId), query));
  }

  @Endpoint({
    ...read,
    path: '/api/users/lookup',
    summary: 'Active users, briefly, for a chooser',
    query: lookupQuery,
    answers: { status: 200, shape: 'lookup' },
  })
  lookUp(@Caller() { tenantId }: UserPrincipal, @Query() { search }: z.output<typeof lookupQuery>): Promise<unknown> {
    return this.queries.execute(new LookUpUsers(tenantScope(tenantId), search));
  }

  @Endpoint({
    ...read,
    path: '/api/users/:id',
    summary: 'A user',
    answers: { status: 200, shape: 'envelope', schema: UserDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const user = await this.queries.execute(new GetUser(tenantScope(tenantId), id));
    return answer(user, { revision: user.revision });
  }

  @Endpoint({
    method: 'PATCH',
    path: '/api/users/me/profile',
    who: 'any',
    tag: 'Users',
    summary: 'Change the own profile; operators have a name only',
    body: UpdateProfile.schema,
    answers: written,
  })
  updateProfile(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @Body() body: z.output<typeof UpdateProfile.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateProfile({ tenantId: tenantOf(caller), id: caller.userId }, body));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/users/:id',
    summary: 'Change a user, within what the caller may grant',
    body: UpdateUser.schema,
    answers: written,
  })
  update(
    @Caller() by: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateUser.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateUser({ tenantId: by.tenantId, id }, body, by));
  }

  @Endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/users/:id',
    summary: 'Remove a user: their access ends, their history stays',
    answers: written,
  })
  delete(@Caller() by: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteUser({ tenantId: by.tenantId, id }, by));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path: '/api/users/:id/password',
    summary: "Set a user's password; all sessions of the user end",
    body: ResetPassword.schema,
    answers: { status: 201, shape: 'command' },
  })
  resetPassword(
    @Caller() by: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof ResetPassword.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new ResetPassword({ tenantId: by.tenantId, id }, body, by));
  }
}
