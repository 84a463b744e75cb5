import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { line } from './fields.js';
import { personal, secret } from './personal.js';

/** Maximum per person; a new subscription replaces the oldest. */
export const MAX_SUBSCRIPTIONS = 20;
const MAX_ENDPOINT_LENGTH = 2_000;

/** An uncompressed P-256 point: 65 bytes, the first is 4. The encryption checks that it is on the curve. */
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
  /** A capability URL: anyone who has it can push to the browser. */
  endpoint: secret(personal(z.string())),
  keys: z.object({ p256dh: secret(z.string()), auth: secret(z.string()) }),
  userAgent: personal(z.string().nullable()),
});
export type NewPushSubscription = z.output<typeof PushSubscribed>;

const EndReason = z.enum(['UNSUBSCRIBED', 'GONE', 'REPLACED', 'USER_DELETED']);
export type EndReason = z.output<typeof EndReason>;

export const pushSubscriptionEvents = {
  /** Appended again when the browser's keys or person change. */
  PushSubscribed: domain('CREATE', 'notification', PushSubscribed, { label: () => 'Web Push' }),
  /** GONE: unknown to the push service. REPLACED: superseded by newer subscriptions of the same person. */
  PushUnsubscribed: domain('DELETE', 'notification', z.object({ userId: z.string(), reason: EndReason }), {
    label: () => 'Web Push',
  }),
};
export type PushSubscriptionEvent = EventOf<typeof pushSubscriptionEvents>;
export type PushSubscription = { readonly status: 'absent' } | ({ readonly status: 'present' } & NewPushSubscription);

/** A browser's push subscription; the id derives from the endpoint. */
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

// Permanent: a browser must always map to the same subscription.
const ENDPOINT_NAMESPACE = 'b0b7b7b0-3f0e-5d9c-8b6d-5a3c6f0e2d41';
export const pushSubscriptionId = (endpoint: string): string => nameUuid(endpoint, ENDPOINT_NAMESPACE);

/** Returns `[]` if the person already has it with these keys. Another person's subscription is transferred. */
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
