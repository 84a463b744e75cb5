import { z } from 'zod';
import { SetIntegrationKeyRateLimit } from '../commands/integration-key.commands.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { FindIntegrationKey, ListIntegrationKeys } from '../queries/integration-key.queries.js';
import { idInput } from './input.js';
import { IntegrationKeyDto } from './integration-key.controller.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';

const routes = routesAt('/api/platform/integration-keys', { who: 'platform', tag: 'Integration Keys' });
const keysQuery = z.strictObject({ tenantId: idInput });

export const PlatformController = controllerOf(
  routes.query(
    'List the integration keys of a tenant without their secrets, revoked ones included, newest first',
    { query: keysQuery, answers: valueOf(z.array(IntegrationKeyDto)) },
    ({ query }) => new ListIntegrationKeys(tenantScope(query.tenantId)),
  ),
  routes.route(
    'Set the rate limit of an integration key, also above the maximum of tenants',
    { method: 'PATCH', path: '/:id', body: SetIntegrationKeyRateLimit.schema, answers: receipt(200) },
    async ({ id, body }, services) => {
      const { tenantId } = await services.queries.execute(new FindIntegrationKey(PLATFORM, id));
      // The event belongs to the tenant and is caused by an operator.
      return inContext({ ...currentContext(), tenantId }, () =>
        services.send(new SetIntegrationKeyRateLimit({ tenantId, id }, body)),
      );
    },
  ),
);
