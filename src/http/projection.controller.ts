import { z } from 'zod';
import { CancelProjectionRebuild, RebuildProjection } from '../commands/operation.commands.js';
import { ListProjections } from '../queries/operation.queries.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { instantOut, named } from './shapes.js';

const changedDocuments = z.int().nullable().meta({
  description: 'Number of documents that differ between the old and the new generation; null before the comparison.',
});

const ProjectionDto = named(
  'ProjectionDto',
  z.object({
    name: z.string(),
    version: z.int().min(1).meta({ description: 'Version of the read model in the code.' }),
    generation: z.int().min(1).meta({ description: 'Generation in use. Every rebuild fills a new generation.' }),
    position: z.int().min(-1).meta({ description: 'Position of the last event included in the documents.' }),
    head: z.int().min(-1).meta({ description: "Position of the service's last event." }),
    lag: z
      .int()
      .min(0)
      .meta({ description: '`head` minus `position`. Positions have gaps, so the lag is not a number of events.' }),
    status: z.enum(['LIVE', 'CATCHING_UP', 'REBUILDING', 'STOPPED', 'FAILED']).meta({
      description: 'STOPPED: an event cannot be applied. FAILED: processing fails and is retried.',
    }),
    incompleteDocuments: z
      .int()
      .min(0)
      .meta({
        description:
          'Number of documents that are incomplete because one of their events cannot be applied. Dead letters with the ' +
          'origin PROJECTION identify the events. The status does not change.',
      }),
    eventsPerSecond: z
      .number()
      .min(0)
      .meta({ description: 'Average number of events applied per second over the last minute.' }),
    rebuild: z
      .object({
        progress: z.int().min(0).max(100).meta({ description: 'Progress in percent.' }),
        position: z.int().min(-1),
        changedDocuments,
        requestedAt: instantOut,
      })
      .nullable()
      .meta({ description: 'The rebuild in progress; null if there is none.' }),
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

const routes = routesAt('/api/platform/projections', { who: 'platform', tag: 'Platform Projections' });

export const ProjectionController = controllerOf(
  routes.query(
    'List projections with their progress and rebuilds',
    { answers: valueOf(z.array(ProjectionDto)) },
    () => new ListProjections(),
  ),
  routes.command(
    'Rebuild a projection from the history, compare the result with the live read model, and cut over',
    { path: '/:name/rebuild' },
    ({ tenantId, params }) => new RebuildProjection({ tenantId, id: params.name }, {}),
  ),
  routes.command(
    'Cancel the rebuild of a projection',
    { method: 'DELETE', path: '/:name/rebuild', description: 'The live read model does not change.' },
    ({ tenantId, params }) => new CancelProjectionRebuild({ tenantId, id: params.name }, {}),
  ),
);
