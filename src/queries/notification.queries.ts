import { Inject, Injectable } from '@nestjs/common';
import type { NotificationType, SeenNotification } from '../aggregates/notification.aggregate.js';
import { answers, query } from '../eventsourcing/handler.js';
import { type Scope, tenantScope } from '../ports/read-store.js';
import {
  notificationInboxes,
  type NotificationInboxView,
  type SingleRead,
  type Stay,
} from '../projections/notification-inbox.projection.js';
import {
  EVERYONE,
  notifications,
  type NotificationView,
  ofRole,
  ofUser,
} from '../projections/notification.projection.js';
import { offsetOf, type Page, pageOf, type Paging, ReadModels } from './query.js';

/** Part of a person's list: the notifications with this key, from one position to another, inclusive. */
type Part = { readonly key: string; readonly from: number; readonly to: number };
/** A list of non-overlapping parts. `without` contains the excluded positions, newest first. */
type List = { readonly scope: Scope; readonly parts: readonly Part[]; readonly without: readonly number[] };
/** A user of a tenant, or an operator of the platform. `tenantId` is the tenant of the person's streams. */
export type Person = { readonly tenantId: string; readonly userId: string };
export type Window = { readonly offset: number; readonly limit: number };

const LAST = Number.MAX_SAFE_INTEGER;
/**
 * Up to this offset, a page is merged from the start of the parts. Beyond this offset, a binary search finds the page's
 * position.
 */
const NEAR = 60;

/**
 * Returns the position up to and including which the last sweep marked every notification as read; −1 before the first
 * sweep.
 */
export const markOf = ({ sweeps }: NotificationInboxView): number => sweeps.at(-1)?.position ?? -1;

/**
 * Returns the event with which a person read the notification individually; undefined if there is none, or if the
 * notification has been extended since.
 */
const singleReadOf = (
  reads: readonly SingleRead[],
  { id, position }: Pick<NotificationView, 'id' | 'position'>,
): SingleRead | undefined => reads.find((read) => read.id === id && read.position >= position);

const isWithin = (position: number, { from, to }: Stay): boolean => position >= from && position <= (to ?? LAST);

/** Whether a notification is addressed to a person, according to that person's history. */
export function isFor(
  inbox: NotificationInboxView,
  { audience, position }: Pick<NotificationView, 'audience' | 'position'>,
): boolean {
  if (audience.kind === 'users') return audience.userIds.includes(inbox.id);
  const stay = inbox.stays.find((one) => isWithin(position, one));
  if (!stay) return false;
  return audience.kind === 'everyone' || audience.roles.some((role) => role === stay.role);
}

/** Merges adjacent stays into periods of activity, regardless of role. */
function active(stays: readonly Stay[]): Stay[] {
  const joined: Stay[] = [];
  for (const stay of stays) {
    const before = joined.at(-1);
    if (before?.to === stay.from) joined.splice(-1, 1, { ...before, to: stay.to });
    else joined.push(stay);
  }
  return joined;
}

function partsOf({ id, stays }: NotificationInboxView, after: number, upTo: number): Part[] {
  const all = [
    ...active(stays).map(({ from, to }) => ({ key: EVERYONE, from, to: to ?? LAST })),
    ...stays.flatMap(({ from, to, role }) => (role === null ? [] : [{ key: ofRole(role), from, to: to ?? LAST }])),
    { key: ofUser(id), from: 0, to: LAST },
  ];
  return all
    .map(({ key, from, to }) => ({ key, from: Math.max(from, after + 1), to: Math.min(to, upTo) }))
    .filter(({ from, to }) => from <= to);
}

/**
 * The notifications of one person, newest first. A list contains notifications that were sent to everyone while the
 * person was active, or to a role while the person had that role. It also contains notifications addressed to the
 * person individually. No list is stored for any person. Instead, lists are merged from index ranges.
 */
@Injectable()
export class NotificationLists {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  inbox({ tenantId, userId }: Person): Promise<NotificationInboxView | undefined> {
    return this.models.get(notificationInboxes, tenantScope(tenantId), userId);
  }

  /** Returns a notification as seen by a person; undefined if it is not addressed to that person. */
  async find(person: Person, notificationId: string): Promise<SeenNotification | undefined> {
    const found = await this.models.get(notifications, tenantScope(person.tenantId), notificationId);
    const inbox = await this.inbox(person);
    if (!found || !inbox || !isFor(inbox, found)) return undefined;
    const isRead = found.position <= markOf(inbox) || singleReadOf(inbox.reads, found) !== undefined;
    const timesRead = inbox.reads.filter(({ id }) => id === notificationId).length;
    return { notificationId, isRead, sweeps: inbox.sweepCount, timesRead };
  }

  async unreadCount(person: Person): Promise<number> {
    const inbox = await this.inbox(person);
    if (!inbox) return 0;
    const scope = tenantScope(person.tenantId);
    const singles = await this.singles(scope, inbox);
    const parts = partsOf(inbox, markOf(inbox), LAST);
    const count = await this.count({ scope, parts, without: singles.map(({ position }) => position) });
    return Math.max(0, count);
  }

  /** If `isRead` is undefined, the page contains both read and unread notifications. */
  async page(
    tenantId: string,
    inbox: NotificationInboxView,
    isRead: boolean | undefined,
    window: Window,
  ): Promise<{ readonly items: readonly NotificationView[]; readonly totalCount: number }> {
    const scope = tenantScope(tenantId);
    const mark = markOf(inbox);
    if (isRead === undefined) return this.take({ scope, parts: partsOf(inbox, -1, LAST), without: [] }, window);
    const singles = await this.singles(scope, inbox);
    if (!isRead) {
      const without = singles.map(({ position }) => position);
      return this.take({ scope, parts: partsOf(inbox, mark, LAST), without }, window);
    }
    // Notifications that were read individually are newer than all those that a sweep marked as read.
    const first = singles.slice(window.offset, window.offset + window.limit);
    const rest = { offset: Math.max(0, window.offset - singles.length), limit: window.limit - first.length };
    const { items, totalCount } = await this.take({ scope, parts: partsOf(inbox, -1, mark), without: [] }, rest);
    return { items: [...first, ...items], totalCount: totalCount + singles.length };
  }

  /** Returns the notifications read individually since the last sweep and not extended since, newest first. */
  private async singles(scope: Scope, { reads }: NotificationInboxView): Promise<NotificationView[]> {
    const readUpTo = new Map(reads.map(({ id, position }) => [id, position]));
    if (readUpTo.size === 0) return [];
    const found = await this.models.getMany(notifications, scope, [...readUpTo.keys()]);
    return [...found.values()]
      .filter((one) => one.position <= (readUpTo.get(one.id) ?? -1))
      .sort((a, b) => b.position - a.position);
  }

  private async take(list: List, { offset, limit }: Window) {
    const totalCount = await this.count(list);
    if (offset >= totalCount || limit === 0) return { items: [], totalCount };
    const isNear = offset <= NEAR;
    const upTo = isNear ? LAST : await this.placeOf(list, offset);
    const found = await this.newest(list, upTo, isNear ? offset + limit : limit);
    return { items: isNear ? found.slice(offset) : found, totalCount };
  }

  /** Returns the number of items between two positions, excluding `after` and including `upTo`. */
  private async count({ scope, parts, without }: List, after = -1, upTo = LAST): Promise<number> {
    const clipped = parts
      .map(({ key, from, to }) => ({ key, from: Math.max(from, after + 1), to: Math.min(to, upTo) }))
      .filter(({ from, to }) => from <= to);
    const counts = await Promise.all(
      clipped.map(({ key, from, to }) =>
        this.models.count(notifications, scope, { where: { audience: key }, between: { position: { from, to } } }),
      ),
    );
    const left = without.filter((position) => position > after && position <= upTo).length;
    return counts.reduce((sum, count) => sum + count, 0) - left;
  }

  /**
   * Returns the position at which the list continues after `offset` items. The list must be longer than `offset`. The
   * binary search by position counts only the newer half, so the search costs little more than counting the list once.
   */
  private async placeOf(list: List, offset: number): Promise<number> {
    const [newest] = await this.newest(list, LAST, 1);
    let [upTo, newer] = [newest?.position ?? 0, 0];
    for (let after = -1; upTo - after > 1 && newer < offset;) {
      const middle = after + Math.floor((upTo - after) / 2);
      const count = newer + (await this.count(list, middle, upTo));
      if (count > offset) after = middle;
      else [upTo, newer] = [middle, count];
    }
    return upTo;
  }

  /** Returns the newest `limit` items at or before a position. */
  private async newest({ scope, parts, without }: List, upTo: number, limit: number): Promise<NotificationView[]> {
    const left = new Set(without);
    const found: NotificationView[] = [];
    for (let bound = upTo; found.length < limit;) {
      const wanted = limit - found.length;
      const ahead = await Promise.all(parts.map((part) => this.ahead(scope, part, bound, wanted)));
      const merged = ahead.flat().sort((a, b) => b.position - a.position);
      const first = merged.slice(0, wanted);
      found.push(...first.filter(({ position }) => !left.has(position)));
      const last = first.at(-1);
      if (!last || first.length < wanted) break;
      bound = last.position - 1;
    }
    return found;
  }

  private async ahead(scope: Scope, { key, from, to }: Part, upTo: number, limit: number): Promise<NotificationView[]> {
    const last = Math.min(to, upTo);
    if (last < from) return [];
    const matching = { where: { audience: key }, between: { position: { from, to: last } } };
    return [...(await this.models.first(notifications, scope, limit, matching))];
  }
}

/** A notification as seen by one person. Only its read state can change. */
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

/**
 * Returns the time at which the notification was read, either individually or by the first sweep after the notification
 * was sent.
 */
function readAt(inbox: NotificationInboxView, view: NotificationView): string | null {
  const { position } = view;
  const single = singleReadOf(inbox.reads, view) ?? singleReadOf(inbox.earlierReads, view);
  if (single) return single.at;
  return position <= markOf(inbox) ? (inbox.sweeps.find((sweep) => sweep.position >= position)?.at ?? null) : null;
}

function recordOf(inbox: NotificationInboxView, view: NotificationView): NotificationRecord {
  const { id, title, body, type, link, createdAt, updatedAt } = view;
  const at = readAt(inbox, view);
  const isRead = at !== null;
  return {
    ...{ id, title, body, type, link, isRead, readAt: at, createdAt },
    updatedAt: isRead && at > updatedAt ? at : updatedAt,
    revision: isRead ? 1 : 0,
  };
}

export const notificationQueryHandlers = [
  NotificationLists,
  answers(ListNotifications, [NotificationLists], async (lists, person, { pageNumber, pageSize, isRead }) => {
    const inbox = await lists.inbox(person);
    if (!inbox) return pageOf([], 0, pageNumber, pageSize);
    const window = { offset: offsetOf(pageNumber, pageSize), limit: pageSize };
    const { items, totalCount } = await lists.page(person.tenantId, inbox, isRead, window);
    const records = items.map((item) => recordOf(inbox, item));
    return pageOf(records, totalCount, pageNumber, pageSize);
  }),
  answers(CountUnread, [NotificationLists], async (lists, person) => ({ count: await lists.unreadCount(person) })),
];
