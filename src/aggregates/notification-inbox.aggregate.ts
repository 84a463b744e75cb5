import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';

/** Maximum notifications read one by one. The next one marks all as read, which bounds the inbox's state. */
const MAX_SINGLE_READS = 2_000;

export const notificationInboxEvents = {
  NotificationRead: domain('UPDATE', 'notification', z.object({ notificationId: z.string() }), {
    subject: ({ notificationId }) => notificationId,
  }),
  /** Marks all notifications to the person that precede this event in the history. */
  AllNotificationsRead: domain('UPDATE', 'notification', z.object({})),
};
export type NotificationInboxEvent = EventOf<typeof notificationInboxEvents>;

/** `sweeps` counts AllNotificationsRead events. `readIds` lists notifications read one by one since the last one. */
export type NotificationInbox = { readonly sweeps: number; readonly readIds: readonly string[] };

/** One person's read notifications; the stream has the user's or operator's id. */
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

/** A person's notification in the read model. `sweeps` is the count that the model has processed. */
export type SeenNotification = {
  readonly notificationId: string;
  readonly isRead: boolean;
  readonly sweeps: number;
};

/** The notification existed when the model was read, so any later sweep has marked it as read. */
export const isReadIn = (state: NotificationInbox, { notificationId, isRead, sweeps }: SeenNotification): boolean =>
  isRead || state.sweeps > sweeps || state.readIds.includes(notificationId);

export function readNotification(state: NotificationInbox, seen: SeenNotification): NotificationInboxEvent[] {
  if (isReadIn(state, seen)) return [];
  if (state.readIds.length >= MAX_SINGLE_READS) return [{ type: 'AllNotificationsRead', data: {} }];
  return [{ type: 'NotificationRead', data: { notificationId: seen.notificationId } }];
}

/** `unread` is the number of unread notifications. */
export const readAllNotifications = (_: NotificationInbox, { unread }: { unread: number }): NotificationInboxEvent[] =>
  unread === 0 ? [] : [{ type: 'AllNotificationsRead', data: {} }];
