import { Inject, Injectable } from '@nestjs/common';
import type { NotificationDirectory, Person } from '../aggregates/notification-directory.js';
import type { SeenNotification } from '../aggregates/notification-inbox.aggregate.js';
import { MAX_NAMED, type Audience, type SendAdminNotification } from '../aggregates/notification.aggregate.js';
import { notFoundAt } from '../platform/domain-error.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM, tenantScope, type ReadModel, type Scope } from '../ports/read-store.js';
import { branches } from '../projections/branch.projection.js';
import { notifications } from '../projections/notification.projection.js';
import { pushSubscriptions } from '../projections/push-subscription.projection.js';
import { users, type UserView } from '../projections/user.projection.js';
import { CaughtUp } from './caught-up.js';
import { isFor, markOf, NotificationLists } from './notification-lists.js';
import { PushCounts } from './push-counts.js';

const WAIT_MS = 5_000;
const MAX_LISTED = 100;

type Addressed = Awaited<ReturnType<NotificationDirectory['addressed']>>;

@Injectable()
export class ProjectedNotificationDirectory implements NotificationDirectory {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
    @Inject(NotificationLists) private readonly lists: NotificationLists,
    @Inject(PushCounts) private readonly pushes: PushCounts,
  ) {}

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

  countPushes(tenantId: string, audience: Audience): Promise<number> {
    return this.pushes.of(tenantId, audience);
  }

  async find({ tenantId, userId }: Person, notificationId: string): Promise<SeenNotification | undefined> {
    const found = await this.models.get(notifications, tenantScope(tenantId), notificationId);
    const inbox = await this.lists.inbox(tenantId, userId);
    if (!found || !inbox || !isFor(inbox, found)) return undefined;
    const isRead = found.position <= markOf(inbox) || inbox.reads.some(({ id }) => id === notificationId);
    return { notificationId, isRead, sweeps: inbox.sweepCount };
  }

  async unreadCount({ tenantId, userId }: Person): Promise<number> {
    const inbox = await this.lists.inbox(tenantId, userId);
    return inbox ? this.lists.unreadCount(tenantId, inbox) : 0;
  }

  async subscriptionsOf({ tenantId, userId }: Person): Promise<readonly string[]> {
    const request = { pageNumber: 1, pageSize: MAX_LISTED, where: { userId } };
    const { items } = await this.models.list(pushSubscriptions, PLATFORM, request);
    return items.filter((each) => each.tenantId === tenantId).map(({ id }) => id);
  }

  private countActive(scope: Scope, role: string): Promise<number> {
    return this.models.count(users, scope, { where: { role, isActive: true } });
  }

  /** The active users who are named themselves, by their role or by a branch of theirs. */
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

/** One record names a bounded number of people. */
function inParts(ids: readonly string[]): Addressed {
  const audiences: Audience[] = [];
  for (let from = 0; from < Math.max(1, ids.length); from += MAX_NAMED)
    audiences.push({ kind: 'users', userIds: ids.slice(from, from + MAX_NAMED) });
  return { audiences, recipientCount: ids.length };
}
