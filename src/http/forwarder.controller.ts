import { z } from 'zod';
import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { EventTypes } from '../aggregates/webhook.aggregate.js';
import {
  CancelForwarderRewind,
  PauseForwarder,
  ResumeForwarder,
  RewindForwarder,
} from '../commands/operation.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { idInput, instantInput } from './input.js';
import { areKnown, unknownType } from './known-event-types.js';
import { controllerOf, routesAt } from './routes.js';

const MAX_POSITION = Number.MAX_SAFE_INTEGER;

const rewindBody = z
  .strictObject({
    position: z.exactOptional(z.int().min(0).max(MAX_POSITION)),
    instant: z.exactOptional(instantInput),
    tenantId: z.exactOptional(idInput).meta({ description: 'Republishes only messages of this tenant.' }),
    types: z.exactOptional(EventTypes.refine(areKnown, unknownType)).meta({
      description: 'Republishes only messages whose type matches one of these glob patterns, such as `kontor.sale.*`.',
    }),
  })
  .refine(({ position, instant }) => (position === undefined) !== (instant === undefined), {
    error: 'Specify either a position or an instant.',
    path: ['position'],
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'RewindForwarderDto' });

const requestOf = ({ position, instant = '', ...filter }: z.output<typeof rewindBody>) => ({
  ...filter,
  from: position === undefined ? { instant } : { position },
});

const resumeBody = z
  .strictObject({
    from: z
      .exactOptional(z.union([z.literal('now'), z.int().min(0).max(MAX_POSITION)], 'Must be now or a position.'))
      .meta({
        description:
          'Position of the first event to publish, or `now` to skip all existing events. Default: the checkpoint.',
      }),
  })
  .optional()
  .meta({ id: 'ResumeForwarderDto' });

const routes = routesAt('/api/platform/forwarders/:name', { who: 'platform', tag: 'Platform Forwarders' });
const targetOf = ({ name }: { readonly name: string }) => ({ tenantId: PLATFORM_TENANT, id: name });

export const ForwarderController = controllerOf(
  routes.command(
    `Republish messages from a position or an instant, while live messages continue`,
    {
      path: '/rewind',
      description:
        `The only forwarder is \`${FORWARDER}\`. GET /api/platform/redis/queues reports the progress of the rewind. ` +
        'Rewinds run one after another.',
      body: rewindBody,
    },
    ({ params, body }) => new RewindForwarder(targetOf(params), requestOf(body)),
  ),
  routes.command(
    'Cancel the current rewind and all waiting rewinds',
    { method: 'DELETE', path: '/rewind', description: 'Messages that have already been published are not recalled.' },
    ({ params }) => new CancelForwarderRewind(targetOf(params), {}),
  ),
  routes.command(
    'Pause a forwarder',
    { path: '/pause', description: 'Rewinds wait until the forwarder is resumed.' },
    ({ params }) => new PauseForwarder(targetOf(params), {}),
  ),
  routes.command(
    'Resume a forwarder from its checkpoint, the end of the history, or a position',
    {
      path: '/resume',
      description:
        'After a restore, the forwarder has no checkpoint, and `from` is required. Messages that another instance ' +
        'may already have published are marked `replayed: true`.',
      body: resumeBody,
    },
    ({ params, body }) => new ResumeForwarder(targetOf(params), { from: body?.from ?? null }),
  ),
);
