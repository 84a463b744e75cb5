import { Inject, Injectable } from '@nestjs/common';
import { MAX_NAMED, type Audience, type SendAdminNotification } from '../aggregates/notification.aggregate.js';
import { notFoundAt } from '../eventsourcing/domain-error.js';
import { ReadModels } from './query.js';
import { tenantScope, type ReadModel, type Scope } from '../ports/read-store.js';
import { branches } from '../projections/branch.projection.js';
import { users, type UserView } from '../projections/user.projection.js';
import { CaughtUp } from './caught-up.js';

const WAIT_MS = 5_000;

/** Several audiences if a request names more people than one record may. */
type Addressed = { readonly audiences: readonly Audience[]; readonly recipientCount: number };

/** Resolves the current recipients of a notification request. */
@Injectable()
export class NotificationRecipients {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CaughtUp) private readonly caughtUp: CaughtUp,
  ) {}

  /** The recipients of a request. @throws DomainError not_found with the path of an unknown user or branch */
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

  /** Active users addressed by id, role or branch. */
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

/** Splits the recipients, because a record may name only a limited number. */
function inParts(ids: readonly string[]): Addressed {
  const audiences: Audience[] = [];
  for (let from = 0; from < Math.max(1, ids.length); from += MAX_NAMED)
    audiences.push({ kind: 'users', userIds: ids.slice(from, from + MAX_NAMED) });
  return { audiences, recipientCount: ids.length };
}
