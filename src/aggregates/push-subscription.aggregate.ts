import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { line } from './fields.js';
import { personal, secret } from './personal.js';

/** Of one person; a new one beyond it takes the place of the oldest. */
export const MAX_SUBSCRIPTIONS = 20;
const MAX_ENDPOINT_LENGTH = 2_000;

/** An uncompressed point of P-256 (65 bytes, the first of them 4); whether it is on the curve, the encryption says. */
const P256dh = z.string().regex(/^B[A-P][\w-]{84}[AEIMQUYcgkosw048]={0,2}$/, 'Must be a P-256 key, base64url.');
const Auth = z.string().regex(/^[\w-]{21}[AQgw]={0,2}$/, 'Must be 16 bytes, base64url.');
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
  /** Whoever has it can push to the browser. */
  endpoint: secret(personal(z.string())),
  keys: z.object({ p256dh: secret(z.string()), auth: secret(z.string()) }),
  userAgent: personal(z.string().nullable()),
});
export type NewPushSubscription = z.output<typeof PushSubscribed>;

const EndReason = z.enum(['UNSUBSCRIBED', 'GONE', 'REPLACED', 'USER_DELETED']);
export type EndReason = z.output<typeof EndReason>;

export const pushSubscriptionEvents = {
  /** Again where the browser's keys or its person have changed. */
  PushSubscribed: domain('CREATE', 'notification', PushSubscribed, { label: () => 'Web Push' }),
  /** GONE: the push service does not know it any more. REPLACED: by newer ones of the same person. */
  PushUnsubscribed: domain('DELETE', 'notification', z.object({ userId: z.string(), reason: EndReason }), {
    label: () => 'Web Push',
  }),
};
export type PushSubscriptionEvent = EventOf<typeof pushSubscriptionEvents>;
export type PushSubscription = { readonly status: 'absent' } | ({ readonly status: 'present' } & NewPushSubscription);

/** A browser that may be pushed to; the id derives from the endpoint. */
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

// Fixed for ever: the same browser is the same subscription.
const ENDPOINT_NAMESPACE = 'b0b7b7b0-3f0e-5d9c-8b6d-5a3c6f0e2d41';
export const pushSubscriptionId = (endpoint: string): string => nameUuid(endpoint, ENDPOINT_NAMESPACE);

/** `[]` where the browser is the same person's with the same keys. Another's becomes this person's. */
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

/** Ends it for the person whose it was thought to be; another's stays. */
export function unsubscribeFromPush(
  state: PushSubscription,
  { userId, reason }: { readonly userId: string; readonly reason: EndReason },
): PushSubscriptionEvent[] {
  if (state.status === 'absent' || state.userId !== userId) return [];
  return [{ type: 'PushUnsubscribed', data: { userId, reason } }];
}

/** @throws DomainError not_found when it is not the person's */
export function endOwnPush(state: PushSubscription, { userId }: { readonly userId: string }): PushSubscriptionEvent[] {
  if (state.status === 'absent' || state.userId !== userId) throw notFound('push subscription');
  return unsubscribeFromPush(state, { userId, reason: 'UNSUBSCRIBED' });
}
