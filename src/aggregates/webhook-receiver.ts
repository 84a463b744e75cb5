import { conflict } from '../eventsourcing/domain-error.js';
import { compileGlob } from '../ports/glob-pattern.js';
import { type PresentWebhook, secretsAt } from './webhook.aggregate.js';

/** Derives secrets from their names. */
type Keys = {
  readonly keyFingerprint: string;
  secretOf(name: { tenantId: string; webhookId: string; secretId: string }): string;
};

/**
 * Returns the address and the current signing secrets.
 * @throws DomainError conflict WEBHOOK_KEY_CHANGED
 */
export function receiverOf(
  keys: Keys,
  { tenantId, id: webhookId }: { readonly tenantId: string; readonly id: string },
  found: PresentWebhook,
  nowMs: number,
): { readonly url: string; readonly secrets: readonly string[] } {
  const own = secretsAt(found, nowMs).filter(({ keyFingerprint }) => keyFingerprint === keys.keyFingerprint);
  if (own.length === 0) throw conflict('WEBHOOK_KEY_CHANGED', 'WEBHOOK_KEY has changed. Rotate the secret.');
  return { url: found.url, secrets: own.map(({ secretId }) => keys.secretOf({ tenantId, webhookId, secretId })) };
}

/** Returns a predicate for the event types that the webhook receives. */
export function wantedBy({ types }: Pick<PresentWebhook, 'types'>): (type: string) => boolean {
  const globs = types.map(compileGlob);
  return (type) => globs.some((matches) => matches(type));
}
