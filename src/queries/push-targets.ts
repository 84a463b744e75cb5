import { Inject, Injectable } from '@nestjs/common';
import type { Person } from '../aggregates/notification-directory.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { notificationInboxes, type NotificationInboxView } from '../projections/notification-inbox.projection.js';
import { notifications, type NotificationView } from '../projections/notification.projection.js';
import { pushSubscriptions, pushUses, type PushSubscriptionView } from '../projections/push-subscription.projection.js';
import { CaughtUp } from './caught-up.js';
import { isFor } from './notification-lists.js';

/** A browser to push to. */
export type PushTarget = PushSubscriptionView & { readonly lastUsedAt: string | null };
/** Some targets, and what to give to go on after them. */
export type PushStretchTargets = { readonly targets: readonly PushTarget[]; readonly cursor: string };

/** How many browsers are looked at in one go. */
const STRETCH = 1_000;
/** Of those who are named, as each has a look of their own. */
const NAMED_STRETCH = 50;
const MAX_OF_ONE = 100;
const WAIT_MS = 5_000;

/** Which browsers a notification is pushed to: those of its people who are active now, in an order that stays. */
@Injectable()
export class PushTargets {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * In stretches, from a cursor on ('' from the beginning). Memory does not grow with their number. `position`: that of
   * the notification's event.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async *of(tenantId: string, id: string, position: number, cursor: string): AsyncIterable<PushStretchTargets> {
    await this.caughtUp.withPosition([notifications, notificationInboxes, pushSubscriptions], position, WAIT_MS);
    const found = await this.models.get(notifications, tenantScope(tenantId), id);
    if (!found) return;
    for await (const { meant, cursor: next } of this.reached(tenantId, found, cursor))
      yield { targets: await this.withUses(meant), cursor: next };
  }

  /**
   * Ids of the browsers of a person, with everything up to `position`.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async idsOf({ tenantId, userId }: Person, position: number): Promise<readonly string[]> {
    await this.caughtUp.withPosition([pushSubscriptions], position, WAIT_MS);
    const own = (await this.ofOne(userId)).filter((each) => each.tenantId === tenantId);
    return own.map(({ id }) => id);
  }

  /** Some browsers by their ids, as far as they are still subscribed by somebody of the tenant. */
  async byId(tenantId: string, ids: readonly string[]): Promise<PushTarget[]> {
    const found = await this.models.getMany(pushSubscriptions, PLATFORM, ids);
    const own = [...found.values()].filter((each) => each.tenantId === tenantId);
    return this.withUses(own);
  }

  private async *reached(tenantId: string, sent: NotificationView, cursor: string) {
    const { audience } = sent;
    const stretches = audience.kind === 'users' ? this.ofNamed(audience.userIds, cursor) : this.ofAll(tenantId, cursor);
    for await (const { found, cursor: next } of stretches) {
      const own = found.filter((each) => each.tenantId === tenantId);
      const people = [...new Set(own.map(({ userId }) => userId))];
      const inboxes = await this.models.getMany(notificationInboxes, tenantScope(tenantId), people);
      const meant = own.filter(({ userId }) => isReached(inboxes.get(userId), sent));
      yield { meant, cursor: next };
    }
  }

  private async *ofAll(tenantId: string, cursor: string) {
    const place = placeIn(cursor);
    let found: PushSubscriptionView[] = [];
    const query = { where: { tenantId }, between: { createdAt: { from: place.createdAt } } };
    for await (const each of this.models.each(pushSubscriptions, PLATFORM, query)) {
      if (each.createdAt === place.createdAt && each.id <= place.id) continue;
      if (found.length === STRETCH) {
        yield { found, cursor: cursorOf(found.at(-1)) };
        found = [];
      }
      found.push(each);
    }
    if (found.length > 0) yield { found, cursor: cursorOf(found.at(-1)) };
  }

  private async *ofNamed(userIds: readonly string[], cursor: string) {
    const begin = cursor === '' ? 0 : Number(cursor);
    for (let from = begin; from < userIds.length; from += NAMED_STRETCH) {
      const some = userIds.slice(from, from + NAMED_STRETCH);
      const pages = await Promise.all(some.map((userId) => this.ofOne(userId)));
      yield { found: pages.flat(), cursor: String(from + some.length) };
    }
  }

  private async ofOne(userId: string): Promise<readonly PushSubscriptionView[]> {
    const request = { pageNumber: 1, pageSize: MAX_OF_ONE, where: { userId } };
    return (await this.models.list(pushSubscriptions, PLATFORM, request)).items;
  }

  private async withUses(found: readonly PushSubscriptionView[]): Promise<PushTarget[]> {
    const ids = found.map(({ id }) => id);
    const uses = await this.models.getMany(pushUses, PLATFORM, ids);
    return found.map((each) => ({ ...each, lastUsedAt: uses.get(each.id)?.lastUsedAt ?? null }));
  }
}

/** Whoever is not active any more has no place to see it. */
const isReached = (inbox: NotificationInboxView | undefined, sent: NotificationView): boolean =>
  inbox?.isActive === true && isFor(inbox, sent);

const cursorOf = (last: PushSubscriptionView | undefined): string => (last ? `${last.createdAt} ${last.id}` : '');
function placeIn(cursor: string): { readonly createdAt: string; readonly id: string } {
  const [createdAt = '', id = ''] = cursor.split(' ');
  return { createdAt, id };
}
