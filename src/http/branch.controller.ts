import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateBranch, UpdateBranch } from '../commands/branch.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetBranch, ListBranches, LookUpBranches } from '../queries/branch.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { requiredPaging, searchInput } from './input.js';
import { named, recordFields } from './shapes.js';

const text = z.string().nullable();
const BranchDto = named(
  'BranchDto',
  z.object({
    ...recordFields,
    code: z.string().meta({ description: 'In upper case. It never changes.' }),
    name: z.string(),
    description: text,
    address: text,
    phone: text,
    email: text,
    isActive: z.boolean().meta({ description: 'An inactive branch takes no new records.' }),
  }),
);

const listQuery = z.strictObject({ ...requiredPaging, search: searchInput.exactOptional() });
const lookupQuery = z.strictObject({ search: searchInput.exactOptional() });

const read = { method: 'GET', who: 'tenant', permission: 'branches.read', tag: 'Branches' } as const;
const write = { who: 'tenant', permission: 'branches.write', tag: 'Branches' } as const;

@Controller()
export class BranchController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path: '/api/branches/lookup',
    summary: 'Active branches, briefly, for a chooser',
    query: lookupQuery,
    answers: { status: 200, shape: 'lookup' },
  })
  lookUp(@Caller() { tenantId }: UserPrincipal, @Query() { search }: z.output<typeof lookupQuery>): Promise<unknown> {
    return this.queries.execute(new LookUpBranches(tenantScope(tenantId), search));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path: '/api/branches',
    summary: 'Create a branch',
    body: CreateBranch.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(@Caller() { tenantId }: UserPrincipal, @Body() body: z.output<typeof CreateBranch.schema>): Promise<Answer> {
    return this.gateway.send(new CreateBranch({ tenantId, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...read,
    path: '/api/branches',
    summary: 'Branches, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: BranchDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListBranches(tenantScope(tenantId), query));
  }

  @Endpoint({
    ...read,
    path: '/api/branches/:id',
    summary: 'A branch',
    answers: { status: 200, shape: 'envelope', schema: BranchDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const branch = await this.queries.execute(new GetBranch(tenantScope(tenantId), id));
    return answer(branch, { revision: branch.revision });
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/branches/:id',
    summary: 'Change a branch, or take it out of use',
    body: UpdateBranch.schema,
    answers: { status: 200, shape: 'command' },
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateBranch.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateBranch({ tenantId, id }, body));
  }
}
