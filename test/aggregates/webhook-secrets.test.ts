import {
  OVERLAP_MS,
  rotateWebhookSecret,
  secretsAt,
  webhook,
  type WebhookEvent,
} from '../../src/aggregates/webhook.aggregate.js';
import { given, NOW } from './given.js';

const named = (secretId: string, keyFingerprint = 'key') => ({ secretId, keyFingerprint });
const created: WebhookEvent = {
  type: 'WebhookCreated',
  data: { url: 'https://hooks.example/', types: ['*'], description: null, ...named('secret-0') },
};
const until = (ms: number) => new Date(NOW.getTime() + ms);
const rotated = (secretId: string, minute: number): WebhookEvent => ({
  type: 'WebhookSecretRotated',
  data: { ...named(secretId), previousUntil: until(minute * 60_000 + OVERLAP_MS).toISOString() },
});
const four = [created, ...[1, 2, 3, 4].map((n) => rotated(`secret-${n}`, n))];

describe('The secrets of a webhook', () => {
  test('all sign messages for the whole overlap: a fifth rotation is rejected until the oldest has expired', () => {
    const { state, when } = given(webhook, four);
    if (state.status === 'absent') throw new Error('The webhook is absent.');
    expect(secretsAt(state, until(5 * 60_000).getTime())).toHaveLength(5);
    when(rotateWebhookSecret, named('secret-5'), until(5 * 60_000)).isRefused('conflict TOO_MANY_SECRETS');
    const later = 60_000 + OVERLAP_MS;
    expect(when(rotateWebhookSecret, named('secret-5'), until(later)).events()).toHaveLength(1);
  });

  test('can be rotated at any time if WEBHOOK_KEY has changed, because the old ones no longer sign', () => {
    const rotation = given(webhook, four).when(rotateWebhookSecret, named('secret-5', 'new key'), until(5 * 60_000));
    expect(rotation.events()).toHaveLength(1);
  });
});
