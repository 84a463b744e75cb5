import { Inject, Injectable } from '@nestjs/common';
import type { Audience } from '../aggregates/notification.aggregate.js';
import { ReadModels } from './query.js';
import { PLATFORM, tenantScope } from '../ports/read-store.js';
import { notificationInboxes, type NotificationInboxView } from '../projections/notification-inbox.projection.js';
import { notifications, type NotificationView } from '../projections/notification.projection.js';
import { pushSubscriptions, pushUses, type PushSubscriptionView } from '../projections/push-subscription.projection.js';
import { CaughtUp } from './caught-up.js';
import { isFor, type Person } from './notification-lists.js';

/** A browser that receives pushes. */
export type PushTarget = PushSubscriptionView & { readonly lastUsedAt: string | null };
/** A batch of targets and the cursor after it. */
export type PushStretchTargets = { readonly targets: readonly PushTarget[]; readonly cursor: string };

type Sent = Pick<NotificationView, 'audience' | 'position'>;

/** Browsers loaded per batch. */
const STRETCH = 1_000;
/** Named recipients loaded per batch, with one query each. */
const NAMED_STRETCH = 50;
const MAX_OF_ONE = 100;
const WAIT_MS = 5_000;

/** The push targets of a notification: the browsers of its active recipients, in a stable order. */
@Injectable()
export class PushTargets {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * Yields batches after a cursor ('' to start), so that memory use is bounded. `position`: position of the
   * notification's event.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async *of(tenantId: string, id: string, position: number, cursor: string): AsyncIterable<PushStretchTargets> {
    await this.caughtUp.withPosition([notifications, notificationInboxes, pushSubscriptions], position, WAIT_MS);
    const found = await this.models.get(notifications, tenantScope(tenantId), id);
    if (!found) return;
    for await (const { meant, cursor: next } of this.reached(tenantId, found, cursor))
      yield { targets: await this.withUses(meant), cursor: next };
  }

  /** Ids of a person's browsers, up to date with `position`. @throws DomainError unavailable READ_MODEL_BEHIND */
  async idsOf(person: Person, position: number): Promise<readonly string[]> {
    await this.caughtUp.withPosition([pushSubscriptions], position, WAIT_MS);
    return (await this.ownedBy(person)).map(({ id }) => id);
  }

  /** A person's browsers known to the read model, oldest first. */
  async ownedBy({ tenantId, userId }: Person): Promise<PushTarget[]> {
    const own = (await this.ofOne(userId)).filter((each) => each.tenantId === tenantId);
    return this.withUses(own);
  }

  /** Browsers by id, if a user of the tenant still owns the subscription. */
  async byId(tenantId: string, ids: readonly string[]): Promise<PushTarget[]> {
    const found = await this.models.getMany(pushSubscriptions, PLATFORM, ids);
    const own = [...found.values()].filter((each) => each.tenantId === tenantId);
    return this.withUses(own);
  }

  /**
   * The number of browsers that a notification to this audience would currently reach.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async count(tenantId: string, audience: Audience): Promise<number> {
    await this.caughtUp.withHead(notificationInboxes, WAIT_MS);
    let count = 0;
    for await (const { meant } of this.reached(tenantId, { audience, position: Number.MAX_SAFE_INTEGER }, ''))
      count += meant.length;
    return count;
  }

  private async *reached(tenantId: string, sent: Sent, cursor: string) {
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

  private ofOne(userId: string): Promise<readonly PushSubscriptionView[]> {
    return this.models.first(pushSubscriptions, PLATFORM, MAX_OF_ONE, { where: { userId } });
  }

  private async withUses(found: readonly PushSubscriptionView[]): Promise<PushTarget[]> {
    const ids = found.map(({ id }) => id);
    const uses = await this.models.getMany(pushUses, PLATFORM, ids);
    return found.map((each) => ({ ...each, lastUsedAt: uses.get(each.id)?.lastUsedAt ?? null }));
  }
}

/** Inactive people cannot see the notification. */
const isReached = (inbox: NotificationInboxView | undefined, sent: Sent): boolean =>
  inbox?.isActive === true && isFor(inbox, sent);

const cursorOf = (last: PushSubscriptionView | undefined): string => (last ? `${last.createdAt} ${last.id}` : '');
function placeIn(cursor: string): { readonly createdAt: string; readonly id: string } {
  const [createdAt = '', id = ''] = cursor.split(' ');
  return { createdAt, id };
}
