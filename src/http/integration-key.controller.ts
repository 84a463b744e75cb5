import { Body, Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateIntegrationKey } from '../commands/integration-key.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { IDS, type Ids } from '../ports/time.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { named, recordId } from './shapes.js';

const CreatedIntegrationKeyDto = named(
  'CreatedIntegrationKeyDto',
  z.object({
    id: recordId,
    name: z.string(),
    sourceId: z.string(),
    rateLimit: z.int(),
    key: z.string().meta({ description: "The whole value of X-Integration-Key. It isn't shown again." }),
  }),
);

@Controller()
export class IntegrationKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/integration-keys',
    who: 'tenant',
    permission: 'integrations.manage',
    tag: 'Integration Keys',
    summary: 'Create a key for a partner; it is shown this once',
    body: CreateIntegrationKey.schema,
    answers: { status: 201, shape: 'envelope', schema: CreatedIntegrationKeyDto },
  })
  async create(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof CreateIntegrationKey.schema>,
  ): Promise<Answer> {
    const issued = await this.commands.execute(new CreateIntegrationKey({ tenantId, id: this.ids.next() }, body));
    return answer({ id: issued.id, ...body, key: issued.key }, await this.gateway.settled(issued.position));
  }
}
