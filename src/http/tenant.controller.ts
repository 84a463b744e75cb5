import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateTenant, UpdateTenant } from '../commands/tenant.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetTenant, ListTenants } from '../queries/tenant.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { optionalPaging, queryBoolean, searchInput } from './input.js';
import { named, recordFields, recordId } from './shapes.js';

const TenantDto = named(
  'TenantDto',
  z.object({
    ...recordFields,
    name: z.string(),
    slug: z.string(),
    currency: z.string().meta({ description: 'ISO 4217.' }),
    timeZone: z.string().meta({ description: 'Of the IANA database.' }),
    isActive: z.boolean().meta({ description: 'Nobody of an inactive tenant gets in, nor do its partners.' }),
    ownerUserId: recordId.meta({ description: 'The owner that the tenant was made with.' }),
  }),
);

const listQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.exactOptional(),
  isActive: queryBoolean.exactOptional(),
});

const declared = { who: 'platform', tag: 'Platform Tenants' } as const;

@Controller()
export class TenantController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/tenants',
    summary: 'Create a tenant with its owner, main branch, default customer and accounts',
    body: CreateTenant.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(@Body() body: z.output<typeof CreateTenant.schema>): Promise<Answer> {
    return this.gateway.send(new CreateTenant({ tenantId: PLATFORM_TENANT, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/tenants',
    summary: 'Tenants, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: TenantDto },
  })
  list(@Query() { isActive, ...request }: z.output<typeof listQuery>): Promise<unknown> {
    const where = isActive === undefined ? {} : { isActive };
    return this.queries.execute(new ListTenants(PLATFORM, { ...request, where }));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/tenants/:id',
    summary: 'A tenant',
    answers: { status: 200, shape: 'envelope', schema: TenantDto, etag: true },
  })
  async get(@Param('id') id: string): Promise<Answer> {
    const tenant = await this.queries.execute(new GetTenant(PLATFORM, id));
    return answer(tenant, { revision: tenant.revision });
  }

  @Endpoint({
    ...declared,
    method: 'PATCH',
    path: '/api/platform/tenants/:id',
    summary: 'Rename a tenant, or shut it out and let it in again',
    body: UpdateTenant.schema,
    answers: { status: 200, shape: 'command' },
  })
  update(@Param('id') id: string, @Body() body: z.output<typeof UpdateTenant.schema>): Promise<Answer> {
    return this.gateway.send(new UpdateTenant({ tenantId: PLATFORM_TENANT, id }, body));
  }
}
