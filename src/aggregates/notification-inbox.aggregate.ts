import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';

/**
 * How many notifications a person may have read one by one since they last read all. The next one then reads all, so
 * that what is kept of a person stays small.
 */
const MAX_SINGLE_READS = 2_000;

export const notificationInboxEvents = {
  NotificationRead: domain('UPDATE', 'notification', z.object({ notificationId: z.string() }), {
    subject: ({ notificationId }) => notificationId,
  }),
  /** Everything that is before this event in the history, and addressed to the person. */
  AllNotificationsRead: domain('UPDATE', 'notification', z.object({})),
};
export type NotificationInboxEvent = EventOf<typeof notificationInboxEvents>;

/** `sweeps`: how often all were read. `readIds`: what was read one by one since then. */
export type NotificationInbox = { readonly sweeps: number; readonly readIds: readonly string[] };

/** What one person has read; the stream has the user's or operator's id. */
export const notificationInbox: Aggregate<NotificationInbox, NotificationInboxEvent> = {
  name: 'notification-inbox',
  events: notificationInboxEvents,
  initial: { sweeps: 0, readIds: [] },
  evolve: (state, event) => {
    switch (event.type) {
      case 'NotificationRead':
        return { ...state, readIds: [...state.readIds, event.data.notificationId] };
      case 'AllNotificationsRead':
        return { sweeps: state.sweeps + 1, readIds: [] };
    }
  },
};

/** What the read model tells of a notification of somebody's: `sweeps` as the model knows them. */
export type SeenNotification = {
  readonly notificationId: string;
  readonly isRead: boolean;
  readonly sweeps: number;
};

/** It was there when the model was asked, so whatever swept since then has read it. */
export const isReadIn = (state: NotificationInbox, { notificationId, isRead, sweeps }: SeenNotification): boolean =>
  isRead || state.sweeps > sweeps || state.readIds.includes(notificationId);

export function readNotification(state: NotificationInbox, seen: SeenNotification): NotificationInboxEvent[] {
  if (isReadIn(state, seen)) return [];
  if (state.readIds.length >= MAX_SINGLE_READS) return [{ type: 'AllNotificationsRead', data: {} }];
  return [{ type: 'NotificationRead', data: { notificationId: seen.notificationId } }];
}

/** `unread`: how many there are to be read. */
export const readAllNotifications = (_: NotificationInbox, { unread }: { unread: number }): NotificationInboxEvent[] =>
  unread === 0 ? [] : [{ type: 'AllNotificationsRead', data: {} }];
