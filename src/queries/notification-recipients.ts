import { answers, query } from '../eventsourcing/handler.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Audience, MAX_NAMED, type SendAdminNotification } from '../aggregates/notification.aggregate.js';
import { notFoundAt } from '../eventsourcing/domain-error.js';
import { PLATFORM, type ReadModel, type Scope, tenantScope } from '../ports/read-store.js';
import { branches } from '../projections/tenant.projection.js';
import { notificationInboxes, type NotificationInboxView } from '../projections/notification-inbox.projection.js';
import { notifications, type NotificationView } from '../projections/notification.projection.js';
import { pushSubscriptions, type PushSubscriptionView, pushUses } from '../projections/push-subscription.projection.js';
import { users, type UserView } from '../projections/user.projection.js';
import { isFor, type Person } from './notification.queries.js';
import { CaughtUp } from './caught-up.js';
import { ReadModels } from './query.js';

const WAIT_MS = 5_000;

/** The audiences of a request. There are several if the request names more people than one notification may address. */
type Addressed = { readonly audiences: readonly Audience[]; readonly recipientCount: number };

/** Resolves the current recipients of a notification request. */
@Injectable()
export class NotificationRecipients {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /** Returns the recipients of a request. @throws DomainError not_found with the path of an unknown user or branch */
  async addressed(tenantId: string, request: SendAdminNotification): Promise<Addressed> {
    const scope = tenantScope(tenantId);
    await this.caughtUp.withHead(users, WAIT_MS);
    const { roles, userIds, branchIds } = request;
    if (request.broadcast) {
      const recipientCount = await this.models.count(users, scope, { where: { isActive: true } });
      return { audiences: [{ kind: 'everyone' }], recipientCount };
    }
    if (roles && !userIds && !branchIds) {
      const counts = await Promise.all(roles.map((role) => this.countActive(scope, role)));
      return { audiences: [{ kind: 'roles', roles }], recipientCount: counts.reduce((sum, count) => sum + count, 0) };
    }
    return inParts(await this.named(scope, request));
  }

  private countActive(scope: Scope, role: string): Promise<number> {
    return this.models.count(users, scope, { where: { role, isActive: true } });
  }

  /** Returns the active users selected by id, role or branch. */
  private async named(scope: Scope, request: SendAdminNotification): Promise<string[]> {
    const { userIds = [], roles = [], branchIds = [] } = request;
    await this.mustExist(scope, branches, branchIds, 'branchIds', 'branch');
    await this.mustExist(scope, users, userIds, 'userIds', 'user');
    const found = await this.models.getMany(users, scope, userIds);
    const ids = new Set([...found.values()].filter(({ isActive }) => isActive).map(({ id }) => id));
    if (roles.length === 0 && branchIds.length === 0) return [...ids];
    const isMeant = ({ role, branchId, branchIds: own }: UserView): boolean =>
      roles.includes(role) || [branchId, ...own].some((id) => id !== null && branchIds.includes(id));
    for await (const user of this.models.each(users, scope, { where: { isActive: true } }))
      if (isMeant(user)) ids.add(user.id);
    return [...ids];
  }

  private async mustExist<Doc extends object>(
    scope: Scope,
    model: ReadModel<Doc>,
    ids: readonly string[],
    path: string,
    what: string,
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.caughtUp.withHead(model, WAIT_MS);
    const found = await this.models.getMany(model, scope, ids);
    const unknown = ids.findIndex((id) => !found.has(id));
    if (unknown >= 0) throw notFoundAt(`${path}[${unknown}]`, what);
  }
}

/** Splits the recipients, because one notification may name only a limited number of them. */
function inParts(ids: readonly string[]): Addressed {
  const audiences: Audience[] = [];
  for (let from = 0; from < Math.max(1, ids.length); from += MAX_NAMED)
    audiences.push({ kind: 'users', userIds: ids.slice(from, from + MAX_NAMED) });
  return { audiences, recipientCount: ids.length };
}

/** A browser that receives pushes. */
export type PushTarget = PushSubscriptionView & { readonly lastUsedAt: string | null };
/** A batch of targets and the cursor after it. */
export type PushStretchTargets = { readonly targets: readonly PushTarget[]; readonly cursor: string };

type Sent = Pick<NotificationView, 'audience' | 'position'>;

/** Number of browsers loaded per batch. */
const STRETCH = 1_000;
/** Number of named recipients loaded per batch. Each recipient requires one query. */
const NAMED_STRETCH = 50;
const MAX_OF_ONE = 100;

/** Finds the push targets of a notification: the browsers of its active recipients, in a stable order. */
@Injectable()
export class PushTargets {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /**
   * Yields batches after a cursor ('' to start), which limits memory use. `position`: position of the notification's
   * event.
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
   * Returns the ids of a person's browsers, as of `position` or later.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  async idsOf(person: Person, position: number): Promise<readonly string[]> {
    await this.caughtUp.withPosition([pushSubscriptions], position, WAIT_MS);
    return (await this.ownedBy(person)).map(({ id }) => id);
  }

  /** Returns a person's browsers in the read model, oldest first. */
  async ownedBy({ tenantId, userId }: Person): Promise<PushTarget[]> {
    const own = (await this.ofOne(userId)).filter((each) => each.tenantId === tenantId);
    return this.withUses(own);
  }

  /** Returns browsers by id, except those that no longer belong to a user of the tenant. */
  async byId(tenantId: string, ids: readonly string[]): Promise<PushTarget[]> {
    const found = await this.models.getMany(pushSubscriptions, PLATFORM, ids);
    const own = [...found.values()].filter((each) => each.tenantId === tenantId);
    return this.withUses(own);
  }

  /**
   * Returns the number of browsers that a notification to this audience would currently reach.
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

export class ListPushSubscriptions extends query<readonly PushTarget[], [person: Person]>() {}

export const pushSubscriptionQueryHandlers = [
  NotificationRecipients,
  PushTargets,
  answers(ListPushSubscriptions, [PushTargets], async (targets, person) =>
    (await targets.ownedBy(person)).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
  ),
];
