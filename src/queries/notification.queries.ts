import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  NOTIFICATION_DIRECTORY,
  type NotificationDirectory,
  type Person,
} from '../aggregates/notification-directory.js';
import type { NotificationType } from '../aggregates/notification.aggregate.js';
import { pageOf, type Page } from '../platform/query.js';
import type { NotificationInboxView } from '../projections/notification-inbox.projection.js';
import type { NotificationView } from '../projections/notification.projection.js';
import { markOf, NotificationLists } from './notification-lists.js';
import { PushCounts } from './push-counts.js';
import { PushTargets, type PushTarget } from './push-targets.js';

/** A notification as one person sees it. Reading it is its only change. */
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
export type NotificationFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly isRead?: boolean | undefined;
};

export class ListNotifications extends Query<Page<NotificationRecord>> {
  constructor(
    readonly person: Person,
    readonly filters: NotificationFilters,
  ) {
    super();
  }
}
export class CountUnread extends Query<{ readonly count: number }> {
  constructor(readonly person: Person) {
    super();
  }
}
export class ListPushSubscriptions extends Query<readonly PushTarget[]> {
  constructor(readonly person: Person) {
    super();
  }
}

/** When it was read: by itself, or with all others by the first sweep after it. */
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
    id,
    title,
    body,
    type,
    link,
    isRead,
    readAt: at,
    createdAt,
    updatedAt: at ?? createdAt,
    revision: isRead ? 1 : 0,
  };
}

@QueryHandler(ListNotifications)
export class ListNotificationsHandler implements IQueryHandler<ListNotifications> {
  constructor(@Inject(NotificationLists) private readonly lists: NotificationLists) {}

  async execute({ person, filters }: ListNotifications): Promise<Page<NotificationRecord>> {
    const { pageNumber, pageSize, isRead } = filters;
    const inbox = await this.lists.inbox(person.tenantId, person.userId);
    if (!inbox) return pageOf([], 0, pageNumber, pageSize);
    const window = { offset: (pageNumber - 1) * pageSize, limit: pageSize };
    const { items, totalCount } = await this.lists.page(person.tenantId, inbox, isRead, window);
    const records = items.map((item) => recordOf(inbox, item));
    return pageOf(records, totalCount, pageNumber, pageSize);
  }
}

@QueryHandler(CountUnread)
export class CountUnreadHandler implements IQueryHandler<CountUnread> {
  constructor(@Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory) {}

  async execute({ person }: CountUnread): Promise<{ readonly count: number }> {
    return { count: await this.directory.unreadCount(person) };
  }
}

@QueryHandler(ListPushSubscriptions)
export class ListPushSubscriptionsHandler implements IQueryHandler<ListPushSubscriptions> {
  constructor(
    @Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory,
    @Inject(PushTargets) private readonly targets: PushTargets,
  ) {}

  async execute({ person }: ListPushSubscriptions): Promise<readonly PushTarget[]> {
    const ids = await this.directory.subscriptionsOf(person);
    const found = await this.targets.byId(person.tenantId, ids);
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }
}

export const notificationQueryHandlers = [
  NotificationLists,
  PushCounts,
  PushTargets,
  ListNotificationsHandler,
  CountUnreadHandler,
  ListPushSubscriptionsHandler,
];
