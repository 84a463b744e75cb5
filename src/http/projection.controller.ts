import { Controller, Inject, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CancelProjectionRebuild, RebuildProjection } from '../commands/projection.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { ListProjections } from '../queries/projection.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { instantOut, named } from './shapes.js';

const changedDocuments = z.int().nullable().meta({
  description: 'How many documents differ between the old and the new generation; null before they are compared.',
});

const ProjectionDto = named(
  'ProjectionDto',
  z.object({
    name: z.string(),
    version: z.int().min(1).meta({ description: 'Of the model in the code.' }),
    generation: z.int().min(1).meta({ description: 'The one that is read; every rebuild fills another.' }),
    position: z.int().min(-1).meta({ description: 'Everything up to it is in the documents.' }),
    head: z.int().min(-1).meta({ description: "Position of the service's last event." }),
    lag: z.int().min(0).meta({ description: 'head − position. Positions have gaps: it is no number of events.' }),
    status: z.enum(['LIVE', 'CATCHING_UP', 'REBUILDING', 'STOPPED']),
    eventsPerSecond: z.number().min(0).meta({ description: 'Folded on average in the last minute.' }),
    rebuild: z
      .object({
        progress: z.int().min(0).max(100).meta({ description: 'Percent.' }),
        position: z.int().min(-1),
        changedDocuments,
        requestedAt: instantOut,
      })
      .nullable()
      .meta({ description: 'The one under way.' }),
    lastRebuild: z
      .object({
        status: z.enum(['DONE', 'CANCELLED', 'FAILED']),
        changedDocuments,
        requestedAt: instantOut,
        endedAt: instantOut,
        reason: z.string().nullable(),
      })
      .nullable(),
  }),
);

const declared = { who: 'platform', tag: 'Platform Projections' } as const;

@Controller()
export class ProjectionController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/projections',
    summary: 'All read models: how far they are, and their rebuilds',
    answers: { status: 200, shape: 'envelope', schema: z.array(ProjectionDto) },
  })
  list(): Promise<unknown> {
    return this.queries.execute(new ListProjections());
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/projections/:name/rebuild',
    summary: 'Build a read model anew from the history, beside the live one; compared with it, then swapped',
    answers: { status: 201, shape: 'command' },
  })
  rebuild(@Param('name') name: string): Promise<Answer> {
    return this.gateway.send(new RebuildProjection({ tenantId: PLATFORM_TENANT, id: name }, {}));
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path: '/api/platform/projections/:name/rebuild',
    summary: 'Give the rebuild up; the live read model stays as it is',
    answers: { status: 200, shape: 'command' },
  })
  cancel(@Param('name') name: string): Promise<Answer> {
    return this.gateway.send(new CancelProjectionRebuild({ tenantId: PLATFORM_TENANT, id: name }, {}));
  }
}
