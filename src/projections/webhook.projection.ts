import type { ViewOf } from '../aggregates/record.js';
import { webhook, webhookRecord } from '../aggregates/webhook.aggregate.js';
import { readModelOf, recordProjection } from './record-projection.js';

/** A webhook, without the names of its secrets. */
export type WebhookView = ViewOf<typeof webhookRecord.fields>;
export const webhooks = readModelOf(webhookRecord, { name: 'webhooks', version: 1 });

export const webhookProjection = recordProjection(webhooks, webhook, 'WebhookCreated', {
  WebhookCreated: ({ data: { secretId: _, keyFingerprint: __, ...facts } }) => ({
    ...{ ...facts, isEnabled: true, disabledReason: null, disabledAt: null },
  }),
  WebhookUpdated: ({ data }) => data.changes,
  WebhookDisabled: ({ data: { reason, disabledAt } }) => ({ isEnabled: false, disabledReason: reason, disabledAt }),
  WebhookEnabled: () => ({ isEnabled: true, disabledReason: null, disabledAt: null }),
  WebhookSecretRotated: () => ({}),
  WebhookTested: () => ({}),
  WebhookResendRequested: () => ({}),
  WebhookRecoveryRequested: () => ({}),
  WebhookDeleted: null,
});
