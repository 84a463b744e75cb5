import { z } from 'zod';
import { webhookRecord } from '../aggregates/webhook.aggregate.js';
import {
  CreateWebhook,
  DeleteWebhook,
  type IssuedWebhook,
  RecoverWebhook,
  ResendDelivery,
  RotateWebhookSecret,
  type TestedWebhook,
  TestWebhook,
  UpdateWebhook,
} from '../commands/webhook.commands.js';
import { GetWebhook, ListDeliveries, ListWebhooks } from '../queries/webhook.queries.js';
import { instantInput, optionalPaging } from './input.js';
import { areKnown, unknownType } from './known-event-types.js';
import { recordDto } from './record-shapes.js';
import { controllerOf, pageOf, routesAt, valueOf } from './routes.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const { url, types } = webhookRecord.shown;
const WebhookDto = recordDto('WebhookDto', webhookRecord);
const IssuedWebhookDto = named(
  'IssuedWebhookDto',
  z.object({
    ...{ id: recordId, url, types },
    secret: z.string().meta({ description: 'Standard Webhooks signing secret (`whsec_…`). Returned only once.' }),
  }),
);
const response = {
  responseStatus: z.int().nullable().meta({ description: 'HTTP status; null if the receiver did not respond.' }),
  responseBody: z.string().nullable().meta({ description: 'First 1,024 bytes of the response body.' }),
  code: z
    .string()
    .nullable()
    .meta({ description: 'Failure code, such as `HTTP_500` or `TIMED_OUT`; null on success.' }),
};
const WebhookTestResultDto = named(
  'WebhookTestResultDto',
  z.object({ id: recordId, delivered: z.boolean(), ...response }),
);
const status = z.enum(['PENDING', 'DELIVERED', 'FAILED']);
export const WebhookDeliveryDto = named(
  'WebhookDeliveryDto',
  z.object({
    ...recordFields,
    webhookId: recordId,
    messageId: recordId.meta({
      description: 'CloudEvents id, also sent in the `webhook-id` header. It is the same for every attempt.',
    }),
    eventType: z.string(),
    subject: z.string().meta({ description: 'Id of the record that the message is about.' }),
    status: status.meta({
      description:
        '`PENDING`: the delivery will be retried. `FAILED`: the delivery is a dead letter, or the webhook was ' +
        'disabled.',
    }),
    attempts: z.int().min(1),
    ...response,
    lastAttemptAt: instantOut,
    nextAttemptAt: instantOut.nullable().meta({
      description:
        'Null if no attempt will follow, or if its time depends on the receiver, which is down and gets one message at ' +
        'a time.',
    }),
  }),
);

const listQuery = z.strictObject(optionalPaging);
const deliveriesQuery = z.strictObject({ ...optionalPaging, status: status.exactOptional() });
// This is a rule for requests only: stored events may contain types that match no integration event.
const knownTypes = CreateWebhook.schema.shape.types.refine(areKnown, unknownType);
const createBody = CreateWebhook.schema.extend({ types: knownTypes }).meta({ id: 'CreateWebhookDto' });
const updateBody = UpdateWebhook.schema.extend({ types: z.exactOptional(knownTypes) }).meta({ id: 'UpdateWebhookDto' });
const recoverBody = z.strictObject({ since: instantInput }).meta({ id: 'RecoverWebhookDto' });

const routes = routesAt('/api/webhooks', { who: 'tenant', permission: 'integrations.manage', tag: 'Webhooks' });
const disabled = { 409: 'WEBHOOK_DISABLED: enable the webhook first.' } as const;
const issuedAnswer = { ...valueOf(IssuedWebhookDto), status: 201, position: 'awaited' } as const;
const issued = ({ id, url, types, secret }: IssuedWebhook): object => ({ id, url, types, secret });
const tested = ({ id, answer: { status: responseStatus, body: responseBody, code } }: TestedWebhook): object => ({
  ...{ id, delivered: code === null, responseStatus, responseBody, code },
});

export const WebhookController = controllerOf(
  routes.list('List webhooks without their secrets, newest first', listQuery, WebhookDto, ListWebhooks),
  routes.command(
    'Create a webhook',
    {
      description:
        "Only this response contains the signing secret. The webhook receives the tenant's integration events (GET " +
        '/api/integration-events) as signed POST requests (Standard Webhooks 1.0). It receives only events recorded ' +
        'after its creation. The events of each record are delivered in order. A delivery is retried until ' +
        'the receiver responds with 2xx, for up to three days.',
      body: createBody,
      creates: { showsSecret: true },
      answers: { ...issuedAnswer, also: { 409: 'TOO_MANY_WEBHOOKS: delete a webhook first.' } },
    },
    ({ target, body }) => new CreateWebhook(target, body),
    issued,
  ),
  routes.get('Get a webhook', WebhookDto, GetWebhook),
  routes.command(
    'Update, disable or enable a webhook',
    { method: 'PATCH', path: '/:id', body: updateBody },
    ({ target, body }) => new UpdateWebhook(target, body),
  ),
  routes.change(
    'Delete a webhook and abandon its pending deliveries',
    { method: 'DELETE', path: '/:id' },
    DeleteWebhook,
  ),
  routes.command(
    "Rotate a webhook's signing secret",
    {
      path: '/:id/rotate-secret',
      description:
        'For 24 hours, messages are signed with both the old and the new secret. At most four rotations are ' +
        'possible within 24 hours.',
      answers: {
        ...issuedAnswer,
        also: { 409: 'TOO_MANY_SECRETS: five secrets are already in use. Wait until the time given in `message`.' },
      },
    },
    ({ target }) => new RotateWebhookSecret(target, {}),
    issued,
  ),
  routes.command(
    "Send a single test message and get the receiver's response",
    { path: '/:id/test', answers: { ...valueOf(WebhookTestResultDto), status: 201, position: 'awaited' } },
    ({ target }) => new TestWebhook(target, {}),
    tested,
  ),
  routes.query(
    "List a webhook's latest deliveries, newest first",
    {
      path: '/:id/deliveries',
      description: 'The log keeps the last 1,000 deliveries of each webhook.',
      query: deliveriesQuery,
      answers: pageOf(WebhookDeliveryDto),
    },
    ({ scope, id, query }) => new ListDeliveries(scope, id, query),
  ),
  routes.command(
    'Resend a delivery',
    {
      path: '/:id/deliveries/:deliveryId/resend',
      ids: ['id', 'deliveryId'],
      description: 'Further requests have no effect until the delivery has been resent.',
      answers: { status: 201, shape: 'command', also: disabled },
    },
    ({ target, params: { deliveryId } }) => new ResendDelivery(target, { deliveryId: deliveryId.toLowerCase() }),
  ),
  routes.command(
    'Deliver all events since a given time, except those already logged as delivered',
    { path: '/:id/recover', body: recoverBody, answers: { status: 201, shape: 'command', also: disabled } },
    ({ target, body }) => new RecoverWebhook(target, body),
  ),
);
