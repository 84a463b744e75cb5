import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { SetIntegrationKeyRateLimit } from '../commands/integration-key.commands.js';
import { currentContext, inContext } from '../platform/context.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { FindIntegrationKey, ListIntegrationKeys } from '../queries/integration-key.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { idInput } from './input.js';
import { IntegrationKeyDto } from './integration-key.controller.js';

const keysQuery = z.strictObject({ tenantId: idInput });

/** What operators see and change within a tenant: the events are the tenant's, done by an operator. */
@Controller()
export class PlatformController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/platform/integration-keys',
    who: 'platform',
    tag: 'Integration Keys',
    summary: 'All keys of a tenant, revoked ones too, newest first; never their secrets',
    query: keysQuery,
    answers: { status: 200, shape: 'envelope', schema: z.array(IntegrationKeyDto) },
  })
  keys(@Query() { tenantId }: z.output<typeof keysQuery>): Promise<unknown> {
    return this.queries.execute(new ListIntegrationKeys(tenantScope(tenantId)));
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
    const command = new SetIntegrationKeyRateLimit({ tenantId, id }, body);
    return inContext({ ...currentContext(), tenantId }, () => this.gateway.send(command));
  }
}
