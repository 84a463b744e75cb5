import { z } from 'zod';
import { receiverOf } from '../aggregates/webhook-receiver.js';
import * as webhooks from '../aggregates/webhook.aggregate.js';
import { secretShown } from '../aggregates/request-key.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, decides, decidesWith, type Receipt, receiptOf, type Target } from '../eventsourcing/command.js';
import { conflict, invalid, notFound } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { lastOwnEvent } from '../eventsourcing/stream-events.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { DeliveryLog } from '../observability/delivery-log.js';
import { EVENT_STORE } from '../ports/event-store.js';
import { CLOCK, IDS } from '../ports/time.js';
import { WebhookCount } from '../queries/webhook.queries.js';
import { type WebhookAnswer, WebhookSender } from '../security/webhook-sender.js';

/** Maximum number of webhooks per tenant. */
const MAX_WEBHOOKS = 50;

/** A webhook with its secret, which is derived from the service's key and returned only once. */
export type IssuedWebhook = Receipt & {
  readonly url: string;
  readonly types: readonly string[];
  readonly secret: string;
};
/** Result of sending a test message. */
export type TestedWebhook = Receipt & { readonly answer: WebhookAnswer };

const Nothing = z.strictObject({});
export class CreateWebhook extends command<typeof webhooks.CreateWebhook, IssuedWebhook>(webhooks.CreateWebhook) {}
export class UpdateWebhook extends command(webhooks.UpdateWebhook) {}
export class DeleteWebhook extends command(Nothing) {}
export class RotateWebhookSecret extends command<typeof Nothing, IssuedWebhook>(Nothing) {}
export class TestWebhook extends command<typeof Nothing, TestedWebhook>(Nothing) {}
const Resend = z.object({ deliveryId: z.string() });
export class ResendDelivery extends command(Resend) {}
const Recover = z.object({ since: z.string() });
export class RecoverWebhook extends command(Recover) {}

/** @throws DomainError invalid */
function ensureAllowed(sender: WebhookSender, url: string | undefined): void {
  const message = url === undefined ? undefined : sender.faultOf(url);
  if (message !== undefined) throw invalid([{ path: 'url', message }]);
}

function issued(
  sender: WebhookSender,
  { tenantId, id: webhookId }: Target,
  done: Receipt & { readonly state: webhooks.Webhook },
): IssuedWebhook {
  const { url, types, secrets } = webhooks.presentWebhook(done.state);
  const secret = sender.secretOf({ tenantId, webhookId, secretId: secrets[0]?.secretId ?? '' });
  return { ...receiptOf(done), url, types, secret };
}

/** Returns the CloudEvent for a test message. */
const testMessage = ({ tenantId, id: subject }: Target, id: string, nowMs: number): string =>
  JSON.stringify({
    ...{ specversion: '1.0', id, source: `/tenants/${tenantId}`, type: 'kontor.webhook.test.v1', subject },
    ...{ time: new Date(nowMs).toISOString(), datacontenttype: 'application/json', tenantid: tenantId },
    sequence: '0',
    data: { webhookId: subject },
  });

export const webhookCommandHandlers = [
  handles(
    CreateWebhook,
    [CommandRunner, WebhookCount, WebhookSender, IDS],
    async (runner, count, sender, ids, { target, data }) => {
      ensureAllowed(sender, data.url);
      if ((await count.of(target.tenantId)) >= MAX_WEBHOOKS)
        throw conflict('TOO_MANY_WEBHOOKS', `A tenant can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`);
      const named = { ...data, secretId: ids.next(), keyFingerprint: sender.keyFingerprint };
      const made = await runner.execute(webhooks.webhook, target, named, webhooks.createWebhook);
      // An earlier attempt at this request created the webhook and returned its secret.
      if (made.events.length === 0) throw secretShown(target.id);
      return issued(sender, target, made);
    },
  ),
  decidesWith(
    UpdateWebhook,
    [WebhookSender],
    (sender, { data }) => {
      ensureAllowed(sender, data.url);
      return data;
    },
    webhooks.webhook,
    webhooks.updateWebhook,
  ),
  decides(DeleteWebhook, webhooks.webhook, webhooks.deleteWebhook),
  handles(RotateWebhookSecret, [CommandRunner, WebhookSender, IDS], async (runner, sender, ids, { target }) => {
    const name = { secretId: ids.next(), keyFingerprint: sender.keyFingerprint };
    return issued(sender, target, await runner.execute(webhooks.webhook, target, name, webhooks.rotateWebhookSecret));
  }),
  handles(
    TestWebhook,
    [CommandRunner, RecordReader, WebhookSender, IDS, CLOCK],
    async (runner, reader, sender, ids, clock, { target }) => {
      const found = webhooks.presentWebhook((await reader.read(webhooks.webhook, target.tenantId, target.id)).state);
      const [id, nowMs] = [ids.next(), clock.nowMs()];
      const message = { id, body: testMessage(target, id, nowMs) };
      const answer = await sender.send(receiverOf(sender, target, found, nowMs), message);
      const outcome = { responseStatus: answer.status, code: answer.code };
      const done = await runner.execute(webhooks.webhook, target, outcome, webhooks.noteWebhookTest);
      return { ...receiptOf(done), answer };
    },
  ),
  decidesWith(
    ResendDelivery,
    [DeliveryLog],
    async (log, { target: { tenantId, id: webhookId }, data }) => {
      const found = await log.find(tenantId, data.deliveryId);
      if (found?.webhookId !== webhookId) throw notFound('delivery');
      const { id, number, createdAt, attempts, messageId, source } = found;
      return { logged: { id, number, createdAt }, attempts, messageId, source };
    },
    webhooks.webhook,
    webhooks.requestResend,
  ),
  decidesWith(
    RecoverWebhook,
    [EVENT_STORE, EventCatalogue, CLOCK],
    async (events, catalogue, clock, { data: { since } }) => {
      if (Date.parse(since) > clock.nowMs()) throw invalid([{ path: 'since', message: 'Must not be in the future.' }]);
      return { since, upTo: await lastOwnEvent(events, catalogue) };
    },
    webhooks.webhook,
    webhooks.requestRecovery,
  ),
];
