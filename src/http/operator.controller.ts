import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateOperator, DeleteOperator } from '../commands/operator.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { ListOperators } from '../queries/operator.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { optionalPaging, searchInput } from './input.js';
import { named, recordFields } from './shapes.js';

const OperatorDto = named(
  'OperatorDto',
  z.object({ ...recordFields, fullName: z.string(), email: z.string().meta({ format: 'email' }) }),
);

const listQuery = z.strictObject({ ...optionalPaging, search: searchInput.exactOptional() });

const declared = { who: 'platform', tag: 'Platform Operators' } as const;

@Controller()
export class OperatorController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/operators',
    summary: 'Create an operator',
    body: CreateOperator.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(@Body() body: z.output<typeof CreateOperator.schema>): Promise<Answer> {
    return this.gateway.send(new CreateOperator({ tenantId: PLATFORM_TENANT, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/operators',
    summary: 'Operators, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: OperatorDto },
  })
  list(@Query() request: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListOperators(PLATFORM, request));
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path: '/api/platform/operators/:id',
    summary: 'Remove an operator, oneself too, but not the last',
    answers: { status: 200, shape: 'command' },
  })
  remove(@Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteOperator({ tenantId: PLATFORM_TENANT, id }, {}));
  }
}
