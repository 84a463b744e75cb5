import { z } from 'zod';
import { integrationKeyRecord } from '../aggregates/integration-key.aggregate.js';
import {
  CreateIntegrationKey,
  RevokeIntegrationKey,
  RotateIntegrationKey,
  UpdateIntegrationKey,
  type IssuedKey,
} from '../commands/integration-key.commands.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { FindIntegrationKey, ListIntegrationKeys } from '../queries/integration-key.queries.js';
import { csvAnswer, csvColumns, orTable } from './csv.js';
import { idInput } from './input.js';
import { controllerOf, receipt, routesAt, valueOf } from './routes.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const { revokedAt, previousSecretExpiresAt, ...facts } = integrationKeyRecord.shown;
const IssuedIntegrationKeyDto = named(
  'IssuedIntegrationKeyDto',
  z.object({
    id: recordId,
    ...facts,
    key: z.string().meta({ description: 'Value to send in the `X-Integration-Key` header. Returned only once.' }),
  }),
);
const IntegrationKeyDto = named(
  'IntegrationKeyDto',
  z.object({
    ...recordFields,
    ...facts,
    lastUsedAt: instantOut.nullable().meta({
      description:
        'Time of the last authenticated request. The first request is recorded immediately, and later requests once ' +
        'a minute. If the service crashes, requests from the last minute may not be recorded.',
    }),
    previousSecretExpiresAt,
    revokedAt,
  }),
);

const routes = routesAt('/api/integration-keys', {
  who: 'tenant',
  permission: 'integrations.manage',
  tag: 'Integration Keys',
});
const issuedAnswer = { ...valueOf(IssuedIntegrationKeyDto), status: 201, position: 'awaited' } as const;
/** A request without a body rotates the key without an overlap. */
const rotateBody = RotateIntegrationKey.schema.optional();
const issued = ({ position: _, ...key }: IssuedKey): object => key;
const platform = routesAt('/api/platform/integration-keys', { who: 'platform', tag: 'Integration Keys' });
const keysQuery = z.strictObject({ tenantId: idInput });

export const IntegrationKeyController = controllerOf(
  routes.command(
    'Create an integration key',
    {
      description:
        'Only this response contains the secret. Several keys can have the same `sourceId`. Only operators can ' +
        'allow more than 60 requests per minute.',
      body: CreateIntegrationKey.schema,
      creates: { showsSecret: true },
      answers: issuedAnswer,
    },
    ({ target, body }) => new CreateIntegrationKey(target, body),
    issued,
  ),
  routes.query(
    'List integration keys without their secrets, newest first',
    {
      description: 'The list includes revoked keys.',
      answers: { ...valueOf(z.array(IntegrationKeyDto)), media: ['text/csv'] },
    },
    ({ scope }) => new ListIntegrationKeys(scope),
    orTable((keys) => csvAnswer(keys, csvColumns(IntegrationKeyDto), 'integration-keys.csv')),
  ),
  routes.change(
    'Revoke an integration key',
    { method: 'DELETE', path: '/:id', description: 'The key stops working within a second.' },
    RevokeIntegrationKey,
  ),
  routes.command(
    "Rotate an integration key's secret",
    {
      path: '/:id/rotate',
      description:
        'The old secret stops working after `overlapHours`, or within a second if `overlapHours` is omitted. Any ' +
        'older secret stops working within a second.',
      body: rotateBody,
      answers: {
        ...issuedAnswer,
        also: { 409: 'KEY_REVOKED, KEY_EXPIRED: the key cannot be rotated. Create a new key.' },
      },
    },
    ({ target, body }) => new RotateIntegrationKey(target, body ?? { overlapHours: 0 }),
    issued,
  ),
  platform.query(
    "List a tenant's integration keys without their secrets, newest first",
    { description: 'The list includes revoked keys.', query: keysQuery, answers: valueOf(z.array(IntegrationKeyDto)) },
    ({ query }) => new ListIntegrationKeys(tenantScope(query.tenantId)),
  ),
  platform.route(
    "Set an integration key's rate limit or expiry",
    {
      method: 'PATCH',
      path: '/:id',
      description:
        'Operators can exceed the maximum rate limit for tenants. Raising the rate limit requires a sign-in or ' +
        'step-up within the last 10 minutes (403 STEP_UP_REQUIRED).',
      body: UpdateIntegrationKey.schema,
      answers: receipt(200),
    },
    async ({ id, body, caller }, services) => {
      const { tenantId } = await services.queries.execute(new FindIntegrationKey(PLATFORM, id));
      // The event belongs to the tenant, although an operator causes it.
      return inContext({ ...currentContext(), tenantId }, () =>
        services.send(new UpdateIntegrationKey({ tenantId, id }, body, caller)),
      );
    },
  ),
);
