import { z } from 'zod';
import { tenant, tenantRecord } from '../aggregates/tenant.aggregate.js';
import { webhook, webhookRecord } from '../aggregates/webhook.aggregate.js';
import { CreateTenant, UpdateSettings, UpdateTenant } from '../commands/tenant.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { GetTenant, ListTenants } from '../queries/tenant.queries.js';
import { ListTenantWebhooks } from '../queries/webhook.queries.js';
import { optionalPaging } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, pageOf, recordOf, routesAt, valueOf } from './routes.js';
import { instantOut, named, recordFields } from './shapes.js';
import { recordRead } from './stream.controller.js';

const TenantDto = recordDto('TenantDto', tenantRecord);
const SettingsDto = named(
  'SettingsDto',
  TenantDto.pick({
    ...{ id: true, createdAt: true, updatedAt: true, revision: true },
    ...{ oidcDomains: true, requireFactor: true },
  }),
);
const { url: _, description: __, ...webhookFacts } = webhookRecord.shown;
const TenantWebhookDto = named(
  'TenantWebhookDto',
  z.object({
    ...recordFields,
    host: z.string().meta({ description: 'Host of the URL. The rest of the URL may contain secrets.' }),
    ...webhookFacts,
    pendingDeliveries: z.int().min(0).meta({ description: 'Number of deliveries that will be retried.' }),
    lastFailure: z
      .object({
        code: z.string().meta({ description: 'Failure code, such as `HTTP_500` or `TIMED_OUT`.' }),
        at: instantOut,
      })
      .nullable()
      .meta({ description: 'Last failed attempt to deliver the newest message that has not been delivered.' }),
  }),
);
const listQuery = listQueryOf(tenantRecord, optionalPaging);

const settings = { who: 'tenant', tag: 'Settings' } as const;
const routes = routesAt('/api/platform/tenants', { who: 'platform', tag: 'Platform Tenants' });

export const TenantController = controllerOf(
  routes.change(
    'Create a tenant with its owner, main branch, default customer and accounts',
    { creates: { passwordsIn: ['owner'] } },
    CreateTenant,
  ),
  routes.query(
    'List tenants, newest first',
    { query: listQuery, answers: pageOf(TenantDto) },
    ({ scope, query: { isActive, ...request } }) =>
      new ListTenants(scope, { ...request, where: isActive === undefined ? {} : { isActive } }),
  ),
  routes.get('Get a tenant', TenantDto, GetTenant),
  routes.change('Rename, deactivate or reactivate a tenant', { method: 'PATCH', path: '/:id' }, UpdateTenant),
  routesAt('/api/platform/tenants/:id/webhooks', { who: 'platform', tag: 'Webhooks', isRecorded: true }).route(
    "List a tenant's webhooks with their failures, newest first",
    {
      description: 'Every successful request is recorded in the audit log.',
      answers: valueOf(z.array(TenantWebhookDto)),
    },
    async ({ id }, services) => {
      const found = await services.queries.execute(new ListTenantWebhooks(id));
      const address = { entity: tenant.name, tenantId: PLATFORM_TENANT, id };
      await recordRead(services, { ...address, listed: webhook.name }, 'STATE');
      return found;
    },
  ),
  routesAt('/api/settings', { ...settings, permission: 'users.read' }).query(
    "Get the tenant's settings",
    { answers: recordOf(SettingsDto) },
    ({ tenantId }) => new GetTenant(PLATFORM, tenantId),
    ({ id, createdAt, updatedAt, revision, oidcDomains, requireFactor }) => ({
      ...{ id, createdAt, updatedAt, revision },
      ...{ oidcDomains, requireFactor },
    }),
  ),
  routesAt('/api/settings', { ...settings, permission: 'users.write' }).command(
    "Update the tenant's settings",
    {
      method: 'PATCH',
      description:
        'In `oidcDomains`, list OpenID issuers and domains. If a user has no OpenID identity yet, the first ' +
        "sign-in with a token from a listed issuer binds it. The token must contain the user's verified e-mail address, " +
        'which must be in the listed domain. With `requireFactor`, owners and administrators must have a second ' +
        'factor. Only callers with all permissions can change settings.',
      body: UpdateSettings.schema,
    },
    ({ tenantId, caller, body }) => new UpdateSettings({ tenantId: PLATFORM_TENANT, id: tenantId }, body, caller),
  ),
);
