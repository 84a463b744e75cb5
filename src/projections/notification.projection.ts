import type { Audience, NotificationEvent, NewNotification } from '../aggregates/notification.aggregate.js';
import { ofRecord, type Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A notification, stored once for all recipients. Read states are in the recipients' inboxes. */
export type NotificationView = NewNotification & {
  readonly id: string;
  readonly createdAt: string;
  /** Time of the notification's last event. */
  readonly updatedAt: string;
  /** Position of the notification's last event, by which lists are ordered. */
  readonly position: number;
  readonly revision: number;
};

/** Keys of the lists that a person sees. */
export const EVERYONE = 'everyone';
export const ofRole = (role: string): string => `role:${role}`;
export const ofUser = (userId: string): string => `user:${userId}`;

function keysOf(audience: Audience): string[] {
  switch (audience.kind) {
    case 'everyone':
      return [EVERYONE];
    case 'roles':
      return audience.roles.map(ofRole);
    case 'users':
      return audience.userIds.map(ofUser);
  }
}

export const notifications: ReadModel<NotificationView> = {
  name: 'notifications',
  version: 3,
  fields: {
    position: { type: 'integer', of: ({ position }) => position },
    audience: { type: 'text', of: ({ audience }) => keysOf(audience) },
  },
  filters: ['audience'],
  order: { fields: ['position'], direction: 'descending' },
};

export const notificationProjection: Projection<NotificationView, NotificationEvent> = {
  model: notifications,
  sources: ['notification'],
  documents: ofRecord,
  evolve: (view, { type, recordId: id, data: { subjects: _, ...content }, position, revision, metadata }) => {
    const last = { updatedAt: metadata.timestamp, position, revision };
    return type === 'NotificationSent'
      ? { id, ...(content as NewNotification), createdAt: metadata.timestamp, ...last }
      : view && { ...view, ...content, ...last };
  },
};
