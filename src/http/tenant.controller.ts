import { tenantRecord } from '../aggregates/tenant.aggregate.js';
import { CreateTenant, UpdateSettings, UpdateTenant } from '../commands/tenant.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { PLATFORM } from '../ports/read-store.js';
import { GetTenant, ListTenants } from '../queries/tenant.queries.js';
import { optionalPaging } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, pageOf, recordOf, routesAt } from './routes.js';
import { named } from './shapes.js';

const TenantDto = recordDto('TenantDto', tenantRecord);
const SettingsDto = named(
  'SettingsDto',
  TenantDto.pick({
    ...{ id: true, createdAt: true, updatedAt: true, revision: true },
    ...{ oidcDomains: true, requireFactor: true },
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
        'factor.',
      body: UpdateSettings.schema,
    },
    ({ tenantId, body }) => new UpdateSettings({ tenantId: PLATFORM_TENANT, id: tenantId }, body),
  ),
);
