import type { PushDeliveryEvent, PushSubscriptionEvent } from '../aggregates/push-subscription.aggregate.js';
import type { Projection } from '../projecting/projection.js';
import { ofRecord } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';

/**
 * A browser with a push subscription, of any tenant. It belongs to the last person who subscribed with it, even across
 * tenants.
 */
export type PushSubscriptionView = {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const pushSubscriptions: ReadModel<PushSubscriptionView> = {
  name: 'push_subscriptions',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    tenantId: { type: 'text', of: ({ tenantId }) => tenantId },
    userId: { type: 'text', of: ({ userId }) => userId },
  },
  filters: ['tenantId', 'userId'],
  order: { fields: ['createdAt'], direction: 'ascending' },
};

export const pushSubscriptionProjection: Projection<PushSubscriptionView, PushSubscriptionEvent> = {
  model: pushSubscriptions,
  sources: ['push-subscription'],
  // A browser's streams in two tenants feed one document.
  documents: ({ recordId }) => [recordId],
  scope: () => PLATFORM,
  evolve: (view, event) => {
    const { recordId: id, tenantId, revision, metadata } = event;
    if (event.type === 'PushUnsubscribed')
      return view?.tenantId === tenantId && view.userId === event.data.userId ? undefined : view;
    const isSame = view?.tenantId === tenantId && view.userId === event.data.userId;
    const createdAt = isSame ? view.createdAt : metadata.timestamp;
    return { id, tenantId, ...event.data, createdAt, updatedAt: metadata.timestamp, revision };
  },
};

/** When a browser was last pushed to, accurate to an hour. Separate, so that a subscription's revision stays. */
export type PushUseView = { readonly id: string; readonly lastUsedAt: string };

export const pushUses: ReadModel<PushUseView> = {
  name: 'push_uses',
  version: 1,
  fields: { id: { type: 'text', of: ({ id }) => id } },
  filters: [],
  order: { fields: ['id'], direction: 'ascending' },
};

export const pushUseProjection: Projection<PushUseView, PushDeliveryEvent | PushSubscriptionEvent> = {
  model: pushUses,
  sources: ['push-delivery', 'push-subscription'],
  recordsOf: [],
  documents: (event) => {
    if (event.type === 'PushesDelivered') return event.data.used;
    return event.type === 'PushUnsubscribed' ? ofRecord(event) : [];
  },
  scope: () => PLATFORM,
  evolve: (view, event, id) => {
    if (event.type === 'PushUnsubscribed') return undefined;
    return event.type === 'PushesDelivered' ? { id, lastUsedAt: event.data.at } : view;
  },
};
