import type {
  NewPushSubscription,
  PushDeliveryEvent,
  PushSubscriptionEvent,
} from '../aggregates/push-subscription.aggregate.js';
import type { Projection } from '../projecting/projection.js';
import { ofRecord } from '../projecting/projection.js';
import { PLATFORM, type ReadModel } from '../ports/read-store.js';
import { keyedBy, texts } from './record-projection.js';

/**
 * A browser with a push subscription in any tenant. It belongs to the last person who subscribed with it, even if that
 * person is in another tenant.
 */
export type PushSubscriptionView = NewPushSubscription & {
  readonly id: string;
  readonly tenantId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const pushSubscriptions: ReadModel<PushSubscriptionView> = {
  name: 'push_subscriptions',
  version: 1,
  fields: texts<PushSubscriptionView>('createdAt', 'tenantId', 'userId'),
  filters: ['tenantId', 'userId'],
  order: { fields: ['createdAt'], direction: 'ascending' },
};

export const pushSubscriptionProjection: Projection<PushSubscriptionView, PushSubscriptionEvent> = {
  model: pushSubscriptions,
  sources: ['push-subscription'],
  // If a browser has subscribed in several tenants, all of its streams feed the same document.
  documents: ({ recordId }) => [recordId],
  scope: () => PLATFORM,
  acrossTenants: true,
  evolve: (view, event) => {
    const { recordId: id, tenantId, revision, metadata } = event;
    if (event.type === 'PushUnsubscribed')
      return view?.tenantId === tenantId && view.userId === event.data.userId ? undefined : view;
    const isSame = view?.tenantId === tenantId && view.userId === event.data.userId;
    const createdAt = isSame ? view.createdAt : metadata.timestamp;
    return { id, tenantId, ...event.data, createdAt, updatedAt: metadata.timestamp, revision };
  },
};

/**
 * Time of the last push to a browser, accurate to within an hour. This is a separate model, because a push does not
 * change the revision of a subscription.
 */
export type PushUseView = { readonly id: string; readonly lastUsedAt: string };

export const pushUses = keyedBy<PushUseView>('push_uses', 'id');

export const pushUseProjection: Projection<PushUseView, PushDeliveryEvent | PushSubscriptionEvent> = {
  model: pushUses,
  sources: ['push-delivery', 'push-subscription'],
  recordsOf: [],
  documents: (event) => {
    if (event.type === 'PushesDelivered') return event.data.used;
    return event.type === 'PushUnsubscribed' ? ofRecord(event) : [];
  },
  scope: () => PLATFORM,
  acrossTenants: true,
  evolve: (view, event, id) => {
    if (event.type === 'PushUnsubscribed') return undefined;
    return event.type === 'PushesDelivered' ? { id, lastUsedAt: event.data.at } : view;
  },
};
