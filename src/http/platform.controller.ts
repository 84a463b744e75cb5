import { Body, Controller, Inject, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { z } from 'zod';
import { CreateOperator } from '../commands/operator.commands.js';
import { SetIntegrationKeyRateLimit } from '../commands/integration-key.commands.js';
import { CreateTenant } from '../commands/tenant.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { FindIntegrationKey } from '../queries/integration-key.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';

const created = { status: 201, shape: 'command' } as const;

/** What operators of the platform set up. */
@Controller()
export class PlatformController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/platform/tenants',
    who: 'platform',
    tag: 'Platform Tenants',
    summary: 'Create a tenant with its owner, main branch, default customer and accounts',
    body: CreateTenant.schema,
    answers: created,
  })
  createTenant(@Body() body: z.output<typeof CreateTenant.schema>): Promise<Answer> {
    return this.gateway.send(new CreateTenant({ tenantId: PLATFORM_TENANT, id: this.ids.next() }, body));
  }

  @Endpoint({
    method: 'POST',
    path: '/api/platform/operators',
    who: 'platform',
    tag: 'Platform Operators',
    summary: 'Create an operator',
    body: CreateOperator.schema,
    answers: created,
  })
  createOperator(@Body() body: z.output<typeof CreateOperator.schema>): Promise<Answer> {
    return this.gateway.send(new CreateOperator({ tenantId: PLATFORM_TENANT, id: this.ids.next() }, body));
  }

  @Endpoint({
    method: 'PATCH',
    path: '/api/platform/integration-keys/:id',
    who: 'platform',
    tag: 'Integration Keys',
    summary: 'Set the rate limit of a key of any tenant, also above what a tenant may set',
    body: SetIntegrationKeyRateLimit.schema,
    answers: { status: 200, shape: 'command' },
  })
  async setRateLimit(
    @Param('id') id: string,
    @Body() body: z.output<typeof SetIntegrationKeyRateLimit.schema>,
  ): Promise<Answer> {
    const { tenantId } = await this.queries.execute(new FindIntegrationKey(PLATFORM, id));
    return this.gateway.send(new SetIntegrationKeyRateLimit({ tenantId, id }, body));
  }
}
