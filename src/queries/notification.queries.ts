import { answers, query } from '../eventsourcing/handler.js';
import type { NotificationType } from '../aggregates/notification.aggregate.js';
import { offsetOf, pageOf, type Page, type Paging } from './query.js';
import type { NotificationInboxView } from '../projections/notification-inbox.projection.js';
import type { NotificationView } from '../projections/notification.projection.js';
import { markOf, NotificationLists, type Person } from './notification-lists.js';
import { PushTargets, type PushTarget } from './push-targets.js';

/** A notification as seen by one person. Being read is its only change. */
export type NotificationRecord = {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly type: NotificationType;
  readonly link: string | null;
  readonly isRead: boolean;
  readonly readAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};
export type NotificationFilters = Paging & {
  readonly isRead?: boolean | undefined;
};

export class ListNotifications extends query<
  Page<NotificationRecord>,
  [person: Person, filters: NotificationFilters]
>() {}
export class CountUnread extends query<{ readonly count: number }, [person: Person]>() {}
export class ListPushSubscriptions extends query<readonly PushTarget[], [person: Person]>() {}

/** When it was read: individually, or by the first sweep after it. */
function readAt(inbox: NotificationInboxView, { id, position }: NotificationView): string | null {
  const single = inbox.reads.find((read) => read.id === id);
  if (single) return single.at;
  return position <= markOf(inbox) ? (inbox.sweeps.find((sweep) => sweep.position >= position)?.at ?? null) : null;
}

function recordOf(inbox: NotificationInboxView, view: NotificationView): NotificationRecord {
  const { id, title, body, type, link, createdAt } = view;
  const at = readAt(inbox, view);
  const isRead = at !== null;
  return {
    ...{ id, title, body, type, link, isRead, readAt: at, createdAt },
    updatedAt: at ?? createdAt,
    revision: isRead ? 1 : 0,
  };
}

export const notificationQueryHandlers = [
  NotificationLists,
  PushTargets,
  answers(ListNotifications, [NotificationLists], async (lists, person, { pageNumber, pageSize, isRead }) => {
    const inbox = await lists.inbox(person);
    if (!inbox) return pageOf([], 0, pageNumber, pageSize);
    const window = { offset: offsetOf(pageNumber, pageSize), limit: pageSize };
    const { items, totalCount } = await lists.page(person.tenantId, inbox, isRead, window);
    const records = items.map((item) => recordOf(inbox, item));
    return pageOf(records, totalCount, pageNumber, pageSize);
  }),
  answers(CountUnread, [NotificationLists], async (lists, person) => ({ count: await lists.unreadCount(person) })),
  answers(ListPushSubscriptions, [PushTargets], async (targets, person) =>
    (await targets.ownedBy(person)).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
  ),
];
