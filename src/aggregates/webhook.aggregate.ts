import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { changesTo, Instant, InstantText, paragraph, someOf } from './fields.js';
import { derived, field, input, optionalText, record, text } from './record.js';

const MAX_TYPES = 50;
/** Maximum number of signing secrets in use at the same time. */
const MAX_SECRETS = 5;
/** Period during which a replaced secret still signs messages. */
export const OVERLAP_MS = 24 * 60 * 60_000;

/**
 * A glob with Redis syntax: `*` matches any text, `?` matches one character, and `[a-z]` matches one character of a
 * class.
 */
const TypeGlob = z
  .string()
  .regex(/^[a-z0-9.*?_^[\]-]{1,100}$/, 'Must be an event type such as kontor.sale.booked.v1, with * for any text.');
/** Globs for integration event types. */
export const EventTypes = z.array(TypeGlob).min(1).max(MAX_TYPES);

export const DisabledReason = z.enum(['OWNER', 'GONE', 'FAILING']);
export type DisabledReason = z.output<typeof DisabledReason>;

export const webhookRecord = record({
  url: text(z.string().trim().min(1).max(2_000), { description: 'A public HTTPS URL.' }),
  types: field(EventTypes, z.array(z.string()), {
    description:
      'Event types to deliver. `*` matches any text, as in `kontor.sale.*`. Each entry of a request must ' +
      'match the type of an integration event.',
  }),
  description: optionalText(paragraph(500)),
  isEnabled: derived(z.boolean(), { description: 'Nothing is delivered to a disabled webhook.' }),
  disabledReason: derived(DisabledReason.nullable(), {
    description:
      'OWNER: a user disabled the webhook. GONE: the receiver returned 410. FAILING: the receiver failed for five ' +
      'days.',
  }),
  disabledAt: derived(InstantText.nullable()),
});
export const CreateWebhook = input('CreateWebhookDto', webhookRecord.create);
export type CreateWebhook = z.output<typeof CreateWebhook>;
export const UpdateWebhook = input('UpdateWebhookDto', {
  ...webhookRecord.update,
  isEnabled: z.exactOptional(z.boolean()),
});
export type UpdateWebhook = z.output<typeof UpdateWebhook>;
/**
 * Identifies a secret. The secret is derived from `secretId` and the key that has this fingerprint; see docs/adr/0072.
 */
const SecretName = z.object({ secretId: z.string(), keyFingerprint: z.string() });
export type SecretName = z.output<typeof SecretName>;

const Created = z.object({ ...webhookRecord.stored, ...SecretName.shape });
export type NewWebhook = z.output<typeof Created>;

const ResendRequested = z.object({
  /** The message's delivery log entry. */
  logged: z.object({ id: z.string(), number: z.int(), createdAt: Instant }),
  attempts: z.int(),
  /** The CloudEvents id of the message, and the event from which it was created. */
  messageId: z.string(),
  source: z.object({ eventId: z.string(), stream: z.string(), revision: z.number(), position: z.number() }),
});
export type ResendRequest = z.output<typeof ResendRequested>;

const RecoveryRequested = z.object({
  since: Instant,
  /** End of the history at the time of the request. */
  upTo: z.number(),
});
export type RecoveryRequest = z.output<typeof RecoveryRequested>;

const TestOutcome = z.object({ responseStatus: z.int().nullable(), code: z.string().nullable() });
export type TestOutcome = z.output<typeof TestOutcome>;

export const webhookEvents = {
  WebhookCreated: domain('CREATE', 'webhook', Created),
  WebhookUpdated: domain('UPDATE', 'webhook', z.object({ changes: someOf(webhookRecord.changes) })),
  WebhookDisabled: domain('UPDATE', 'webhook', z.object({ reason: DisabledReason, disabledAt: Instant })),
  WebhookEnabled: domain('UPDATE', 'webhook', z.object({})),
  /** The previous secrets continue to sign messages until `previousUntil`. */
  WebhookSecretRotated: domain('UPDATE', 'webhook', SecretName.extend({ previousUntil: Instant })),
  WebhookTested: domain('OTHER', 'webhook', TestOutcome),
  WebhookResendRequested: domain('OTHER', 'webhook', ResendRequested),
  WebhookRecoveryRequested: domain('OTHER', 'webhook', RecoveryRequested),
  WebhookDeleted: domain('DELETE', 'webhook', z.object({})),
};
export type WebhookEvent = EventOf<typeof webhookEvents>;

/** `until` is null for the current secret. */
export type WebhookSecret = SecretName & { readonly until: string | null };
export type PresentWebhook = Omit<NewWebhook, keyof SecretName> & {
  readonly status: 'present';
  readonly isEnabled: boolean;
  /** The webhook's secrets, starting with the current one. */
  readonly secrets: readonly WebhookSecret[];
};
export type Webhook = { readonly status: 'absent' } | PresentWebhook;

/** A tenant's subscription to its integration events. */
export const webhook: Aggregate<Webhook, WebhookEvent> = {
  name: 'webhook',
  events: webhookEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'WebhookCreated') {
      const { secretId, keyFingerprint, ...facts } = event.data;
      return { status: 'present', ...facts, isEnabled: true, secrets: [{ secretId, keyFingerprint, until: null }] };
    }
    return state.status === 'absent' ? state : changed(state, event);
  },
};

function changed(state: PresentWebhook, event: Exclude<WebhookEvent, { type: 'WebhookCreated' }>): Webhook {
  switch (event.type) {
    case 'WebhookUpdated':
      return { ...state, ...event.data.changes };
    case 'WebhookDisabled':
      return { ...state, isEnabled: false };
    case 'WebhookEnabled':
      return { ...state, isEnabled: true };
    case 'WebhookSecretRotated': {
      const { secretId, keyFingerprint, previousUntil } = event.data;
      const previous = state.secrets.map((one) => ({ ...one, until: one.until ?? previousUntil }));
      const secrets = [{ secretId, keyFingerprint, until: null }, ...previous].slice(0, MAX_SECRETS);
      return { ...state, secrets };
    }
    case 'WebhookTested':
    case 'WebhookResendRequested':
    case 'WebhookRecoveryRequested':
      return state;
    case 'WebhookDeleted':
      return { status: 'absent' };
  }
}

/** Returns the secrets that sign messages at `nowMs`, newest first. */
export const secretsAt = ({ secrets }: PresentWebhook, nowMs: number): readonly WebhookSecret[] =>
  secrets.filter(({ until }) => until === null || Date.parse(until) > nowMs);

/** @throws DomainError not_found */
export function presentWebhook(state: Webhook): PresentWebhook {
  if (state.status === 'absent') throw notFound('webhook');
  return state;
}

/** @throws DomainError not_found; conflict WEBHOOK_DISABLED */
export function enabledWebhook(state: Webhook): PresentWebhook {
  const found = presentWebhook(state);
  if (!found.isEnabled) throw conflict('WEBHOOK_DISABLED', 'The webhook is disabled. Enable it first.');
  return found;
}

export const createWebhook = (state: Webhook, data: CreateWebhook & SecretName): WebhookEvent[] =>
  state.status === 'present' ? [] : [{ type: 'WebhookCreated', data: { ...webhookRecord.otherwise, ...data } }];

export function updateWebhook(state: Webhook, { isEnabled, ...patch }: UpdateWebhook, now: Date): WebhookEvent[] {
  const found = presentWebhook(state);
  const events: WebhookEvent[] = [];
  const { url, types, description } = found;
  const changes = changesTo({ url, types, description }, patch);
  if (changes) events.push({ type: 'WebhookUpdated', data: { changes } });
  if (isEnabled === false) events.push(...disableWebhook(state, { reason: 'OWNER' }, now));
  if (isEnabled === true && !found.isEnabled) events.push({ type: 'WebhookEnabled', data: {} });
  return events;
}

/**
 * Returns `[]` if the webhook is disabled or deleted, or no longer has the URL whose failure is the reason.
 */
export function disableWebhook(
  state: Webhook,
  { reason, url }: { readonly reason: DisabledReason; readonly url?: string },
  now: Date,
) {
  if (state.status === 'absent' || !state.isEnabled || (url ?? state.url) !== state.url) return [];
  return [{ type: 'WebhookDisabled', data: { reason, disabledAt: now.toISOString() } }] satisfies WebhookEvent[];
}

/**
 * Replaces the secret. For 24 hours, both the old and the new secret sign messages.
 * @throws DomainError not_found; conflict TOO_MANY_SECRETS
 */
export function rotateWebhookSecret(state: Webhook, name: SecretName, now: Date): WebhookEvent[] {
  const known = presentWebhook(state);
  if (known.secrets[0]?.secretId === name.secretId) return [];
  const signing = secretsAt(known, now.getTime()).filter((one) => one.keyFingerprint === name.keyFingerprint);
  if (signing.length >= MAX_SECRETS)
    throw conflict(
      'TOO_MANY_SECRETS',
      `${MAX_SECRETS} secrets already sign the messages. Try again after ${signing.at(-1)?.until ?? ''}.`,
    );
  const previousUntil = new Date(now.getTime() + OVERLAP_MS).toISOString();
  return [{ type: 'WebhookSecretRotated', data: { ...name, previousUntil } }];
}

export function noteWebhookTest(state: Webhook, data: TestOutcome): WebhookEvent[] {
  presentWebhook(state);
  return [{ type: 'WebhookTested', data }];
}

/** @throws DomainError not_found; conflict WEBHOOK_DISABLED */
export function requestResend(state: Webhook, data: ResendRequest): WebhookEvent[] {
  enabledWebhook(state);
  return [{ type: 'WebhookResendRequested', data }];
}

/** @throws DomainError not_found; conflict WEBHOOK_DISABLED */
export function requestRecovery(state: Webhook, data: RecoveryRequest): WebhookEvent[] {
  enabledWebhook(state);
  return [{ type: 'WebhookRecoveryRequested', data }];
}

export function deleteWebhook(state: Webhook): WebhookEvent[] {
  presentWebhook(state);
  return [{ type: 'WebhookDeleted', data: {} }];
}

export const webhookProgressEvents = {
  /** Every event up to and including `position` has been delivered or has become a dead letter. */
  WebhookProgressed: technical(z.object({ position: z.number(), at: Instant })),
};
export type WebhookProgressEvent = EventOf<typeof webhookProgressEvents>;
export type WebhookProgress = { readonly position: number };

/**
 * Approximate progress of the webhook with the same id. Used to restore the progress if the read store is lost. The
 * progress is recorded in a separate stream, so that it does not change the webhook's revision.
 */
export const webhookProgress: Aggregate<WebhookProgress, WebhookProgressEvent> = {
  name: 'webhook-progress',
  events: webhookProgressEvents,
  initial: { position: -1 },
  evolve: (_, event) => ({ position: event.data.position }),
};

/** A report from the webhook dispatcher. */
export type WebhookReport =
  | { readonly kind: 'progressed'; readonly position: number }
  | { readonly kind: 'disabled'; readonly reason: DisabledReason; readonly url: string };

export const noteWebhookProgress = (
  state: WebhookProgress,
  { position }: { readonly position: number },
  now: Date,
): WebhookProgressEvent[] =>
  position <= state.position ? [] : [{ type: 'WebhookProgressed', data: { position, at: now.toISOString() } }];
