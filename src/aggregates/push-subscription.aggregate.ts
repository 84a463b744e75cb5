import { z } from 'zod';
import { type Aggregate, domain, type EventOf, technical } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { Instant, line } from './fields.js';
import { personal, secret } from './personal.js';

/** Maximum number of subscriptions per person. A new subscription beyond this number replaces the oldest one. */
export const MAX_SUBSCRIPTIONS = 20;
const MAX_ENDPOINT_LENGTH = 2_000;

/** An uncompressed P-256 point: 65 bytes, the first of which is 4. Encryption checks that the point is on the curve. */
const P256dh = z
  .string()
  .regex(/^B[A-P][\w-]{84}[AEIMQUYcgkosw048]={0,2}$/, 'Must be a P-256 public key in base64url.');
const Auth = z.string().regex(/^[\w-]{21}[AQgw]={0,2}$/, 'Must be 16 bytes in base64url.');
const Endpoint = z.string().trim().min(1).max(MAX_ENDPOINT_LENGTH);

export const CreateWebPushSubscription = z
  .strictObject({
    endpoint: Endpoint,
    keys: z.strictObject({ p256dh: P256dh, auth: Auth }),
    userAgent: z.exactOptional(line(500).nullable()),
  })
  .meta({ id: 'CreateWebPushSubscriptionDto' });
export type CreateWebPushSubscription = z.output<typeof CreateWebPushSubscription>;

export const DeleteWebPushSubscription = z
  .strictObject({ endpoint: Endpoint })
  .meta({ id: 'DeleteWebPushSubscriptionDto' });

const PushSubscribed = z.object({
  userId: z.string(),
  /** A capability URL: anyone who knows the URL can push to the browser. */
  endpoint: secret(personal(z.string())),
  keys: z.object({ p256dh: secret(z.string()), auth: secret(z.string()) }),
  userAgent: personal(z.string().nullable()),
});
export type NewPushSubscription = z.output<typeof PushSubscribed>;

const EndReason = z.enum(['UNSUBSCRIBED', 'GONE', 'REPLACED', 'USER_DELETED']);
export type EndReason = z.output<typeof EndReason>;

export const pushSubscriptionEvents = {
  /** Appended again if the browser's keys or owner change, or if the read model does not list the subscription. */
  PushSubscribed: domain('CREATE', 'notification', PushSubscribed, { label: () => 'Web Push' }),
  /**
   * GONE: the push service no longer recognizes the subscription. REPLACED: newer subscriptions of the same person
   * replaced it.
   */
  PushUnsubscribed: domain('DELETE', 'notification', z.object({ userId: z.string(), reason: EndReason }), {
    label: () => 'Web Push',
  }),
};
export type PushSubscriptionEvent = EventOf<typeof pushSubscriptionEvents>;
export type PushSubscription = { readonly status: 'absent' } | ({ readonly status: 'present' } & NewPushSubscription);

/** A browser's push subscription. Its id is derived from its endpoint. */
export const pushSubscription: Aggregate<PushSubscription, PushSubscriptionEvent> = {
  name: 'push-subscription',
  events: pushSubscriptionEvents,
  initial: { status: 'absent' },
  evolve: (_, event) => {
    switch (event.type) {
      case 'PushSubscribed':
        return { status: 'present', ...event.data };
      case 'PushUnsubscribed':
        return { status: 'absent' };
    }
  },
};

// Must never change, because a browser must always map to the same subscription.
const ENDPOINT_NAMESPACE = 'b0b7b7b0-3f0e-5d9c-8b6d-5a3c6f0e2d41';
export const pushSubscriptionId = (endpoint: string): string => nameUuid(endpoint, ENDPOINT_NAMESPACE);

/**
 * Returns `[]` if the person already has the subscription with these keys and `isHere` is set. If the subscription
 * belongs to another person, transfers it. `isHere`: whether the read model lists the subscription for the person.
 */
export function subscribeToPush(
  state: PushSubscription,
  { isHere, ...data }: NewPushSubscription & { readonly isHere: boolean },
): PushSubscriptionEvent[] {
  const { userId, keys } = data;
  const isSame =
    state.status === 'present' &&
    state.userId === userId &&
    state.keys.p256dh === keys.p256dh &&
    state.keys.auth === keys.auth;
  return isSame && isHere ? [] : [{ type: 'PushSubscribed', data }];
}

/** Ends the subscription if it still belongs to `userId`; otherwise returns `[]`. */
export function unsubscribeFromPush(
  state: PushSubscription,
  { userId, reason }: { readonly userId: string; readonly reason: EndReason },
): PushSubscriptionEvent[] {
  if (state.status === 'absent' || state.userId !== userId) return [];
  return [{ type: 'PushUnsubscribed', data: { userId, reason } }];
}

/** @throws DomainError not_found if the subscription does not belong to the person */
export function endOwnPush(state: PushSubscription, { userId }: { readonly userId: string }): PushSubscriptionEvent[] {
  if (state.status === 'absent' || state.userId !== userId) throw notFound('push subscription');
  return unsubscribeFromPush(state, { userId, reason: 'UNSUBSCRIBED' });
}

const Failed = z.object({ subscriptionId: z.string(), code: z.string() });
export type FailedPush = z.output<typeof Failed>;

const PushesDelivered = z.object({
  /** Start of the next batch. All earlier batches are done. */
  cursor: z.string(),
  delivered: z.int().min(0),
  gone: z.int().min(0),
  /** Abandoned pushes, each with the code of its last failure. */
  failed: z.array(Failed),
  /** Subscriptions that received the push and had no recorded use within the last hour. */
  used: z.array(z.string()),
  /** Whether this is the last batch. */
  isLast: z.boolean(),
  at: Instant,
});
export type PushStretch = Omit<z.output<typeof PushesDelivered>, 'at'>;

const FailedPushesRetried = z.object({
  delivered: z.int().min(0),
  /** Pushes that failed again. */
  failed: z.array(Failed),
  /**
   * The retried subscriptions. Pushes to other subscriptions remain recorded as failed. Events from earlier releases,
   * which retried all subscriptions, lack this field.
   */
  tried: z.exactOptional(z.array(z.string())),
  at: Instant,
});
export type RetriedPushes = Required<Omit<z.output<typeof FailedPushesRetried>, 'at'>>;

export const pushDeliveryEvents = {
  PushesDelivered: technical(PushesDelivered),
  /** Failed pushes were retried. */
  FailedPushesRetried: technical(FailedPushesRetried),
};
export type PushDeliveryEvent = EventOf<typeof pushDeliveryEvents>;
export type PushDelivery = {
  readonly cursor: string;
  readonly isDone: boolean;
  readonly failed: readonly FailedPush[];
};

/**
 * The progress of pushing one notification, recorded in batches of at most 1,000 pushes. The record has the
 * notification's id. The delivery of an alert to ALERT_WEBHOOK_URL is recorded in the same way, with its own id.
 */
export const pushDelivery: Aggregate<PushDelivery, PushDeliveryEvent> = {
  name: 'push-delivery',
  events: pushDeliveryEvents,
  initial: { cursor: '', isDone: false, failed: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'PushesDelivered': {
        const { cursor, isLast, failed } = event.data;
        return { cursor, isDone: isLast, failed: [...state.failed, ...failed] };
      }
      case 'FailedPushesRetried': {
        const { tried, failed } = event.data;
        // Pushes that fail again move to the end, so that the next replay starts with the others.
        return { ...state, failed: [...(tried ? without(tried, state.failed) : []), ...failed] };
      }
    }
  },
};

/** `after` is the cursor at which the batch started. Returns `[]` if another leader has already recorded the batch. */
export function recordPushes(
  state: PushDelivery,
  { after, ...stretch }: PushStretch & { readonly after: string },
  now: Date,
): PushDeliveryEvent[] {
  if (state.isDone || state.cursor !== after) return [];
  return [{ type: 'PushesDelivered', data: { ...stretch, at: now.toISOString() } }];
}

/** Pushes settled by a concurrent replay in another process remain settled. */
export function recordRetriedPushes(
  state: PushDelivery,
  { delivered, failed, tried }: RetriedPushes,
  now: Date,
): PushDeliveryEvent[] {
  const left = new Set(state.failed.map(({ subscriptionId }) => subscriptionId));
  if (!tried.some((id) => left.has(id))) return [];
  const still = failed.filter(({ subscriptionId }) => left.has(subscriptionId));
  return [{ type: 'FailedPushesRetried', data: { delivered, failed: still, tried, at: now.toISOString() } }];
}

function without(ids: readonly string[], failed: readonly FailedPush[]): FailedPush[] {
  const known = new Set(ids);
  return failed.filter(({ subscriptionId }) => !known.has(subscriptionId));
}
