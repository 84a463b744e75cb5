import type { Audience, NotificationEvent, NotificationType } from '../aggregates/notification.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** A notification, once for all whom it is for; what each has read is in their inbox. */
export type NotificationView = {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly type: NotificationType;
  readonly link: string | null;
  readonly audience: Audience;
  readonly createdAt: string;
  /** Of its event: the order of everybody's list. */
  readonly position: number;
  readonly revision: number;
};

/** By what a person's own lists are found. */
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
  version: 1,
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
  evolve: (_, { recordId: id, data, position, revision, metadata: { timestamp: createdAt } }) => ({
    id,
    ...data,
    createdAt,
    position,
    revision,
  }),
};
