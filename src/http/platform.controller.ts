import { Body, Controller, Inject, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { z } from 'zod';
import { SetIntegrationKeyRateLimit } from '../commands/integration-key.commands.js';
import { currentContext, inContext } from '../platform/context.js';
import { PLATFORM } from '../ports/read-store.js';
import { FindIntegrationKey } from '../queries/integration-key.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';

/** What operators change within a tenant: the events are the tenant's, done by an operator. */
@Controller()
export class PlatformController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

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
