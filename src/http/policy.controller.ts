import { PausePolicy, ResumePolicy } from '../commands/operation.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { controllerOf, routesAt } from './routes.js';

const routes = routesAt('/api/platform/policies/:name', { who: 'platform', tag: 'Platform Policies' });
const targetOf = ({ name }: { readonly name: string }) => ({ tenantId: PLATFORM_TENANT, id: name });

export const PolicyController = controllerOf(
  routes.command(
    'Pause a policy',
    {
      path: '/pause',
      description:
        "Events wait until the policy is resumed. While the `booking` policy is paused, partners' sales are " +
        'accepted but not booked. GET /api/platform/redis/queues lists the policies and the time at which each was ' +
        'paused.',
    },
    ({ params }) => new PausePolicy(targetOf(params), {}),
  ),
  routes.command(
    'Resume a policy, starting with the events appended during the pause',
    { path: '/resume' },
    ({ params }) => new ResumePolicy(targetOf(params), {}),
  ),
);
