import { Body, Controller, Inject, Param } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  CreateIntegrationKey,
  RevokeIntegrationKey,
  RotateIntegrationKey,
} from '../commands/integration-key.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { ListIntegrationKeys } from '../queries/integration-key.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const facts = {
  name: z.string(),
  sourceId: z.string().meta({ description: "The partner's system: part of the identity of every sale it pushes." }),
  rateLimit: z.int().meta({ description: 'Requests in a window of 60 seconds.' }),
};
const IssuedIntegrationKeyDto = named(
  'IssuedIntegrationKeyDto',
  z.object({
    id: recordId,
    ...facts,
    key: z.string().meta({ description: "The whole value of X-Integration-Key. It isn't shown again." }),
  }),
);
export const IntegrationKeyDto = named(
  'IntegrationKeyDto',
  z.object({
    ...recordFields,
    ...facts,
    lastUsedAt: instantOut.nullable().meta({
      description:
        'The last request that the key opened the door to, to a minute: the first use shows at once, later ones once a minute. A crash of the service loses about the last minute.',
    }),
    revokedAt: instantOut.nullable(),
  }),
);

const path = '/api/integration-keys';
const declared = { who: 'tenant', permission: 'integrations.manage', tag: 'Integration Keys' } as const;
const issuedAnswer = { status: 201, shape: 'envelope', schema: IssuedIntegrationKeyDto, position: 'awaited' } as const;

@Controller()
export class IntegrationKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...declared,
    method: 'POST',
    path,
    summary: 'Create a key for a partner; it is shown this once',
    description: 'Several keys may share a sourceId. More than 60 requests a minute are for an operator to allow.',
    body: CreateIntegrationKey.schema,
    answers: issuedAnswer,
  })
  async create(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof CreateIntegrationKey.schema>,
  ): Promise<Answer> {
    const command = new CreateIntegrationKey({ tenantId, id: this.ids.next() }, body);
    const { position, ...issued } = await this.commands.execute(command);
    return answer(issued, await this.gateway.settled(position));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path,
    summary: 'All keys, revoked ones too, newest first; never their secrets',
    answers: { status: 200, shape: 'envelope', schema: z.array(IntegrationKeyDto) },
  })
  list(@Caller() { tenantId }: UserPrincipal): Promise<unknown> {
    return this.queries.execute(new ListIntegrationKeys(tenantScope(tenantId)));
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Revoke a key for ever, within a second',
    answers: { status: 200, shape: 'command' },
  })
  revoke(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new RevokeIntegrationKey({ tenantId, id }, {}));
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: `${path}/:id/rotate`,
    summary: 'Give a key another secret, shown this once; the one before ends within a second',
    answers: { ...issuedAnswer, also: { 409: 'KEY_REVOKED: a revoked key stays so; make a new one.' } },
  })
  async rotate(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const { position, ...issued } = await this.commands.execute(new RotateIntegrationKey({ tenantId, id }, {}));
    return answer(issued, await this.gateway.settled(position));
  }
}
