import { Inject, Injectable } from '@nestjs/common';
import type { Audience } from '../aggregates/notification.aggregate.js';
import { Role } from '../aggregates/user.aggregate.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM, tenantScope, type Scope } from '../ports/read-store.js';
import { pushSubscriptions } from '../projections/push-subscription.projection.js';
import { users } from '../projections/user.projection.js';

type Where = { readonly role: Role; readonly isActive: boolean };

/** How many people are asked about side by side. */
const AT_ONCE = 100;
const everybody: readonly Where[] = Role.options.flatMap((role) => [
  { role, isActive: true },
  { role, isActive: false },
]);

/** How many browsers an audience has now, by looking at those who are meant or at all others, whichever are fewer. */
@Injectable()
export class PushCounts {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async of(tenantId: string, audience: Audience): Promise<number> {
    if (audience.kind === 'users') return this.ofEach(audience.userIds);
    const scope = tenantScope(tenantId);
    const isMeant = ({ role, isActive }: Where): boolean =>
      isActive && (audience.kind === 'everyone' || audience.roles.includes(role));
    const [meant, others] = [everybody.filter(isMeant), everybody.filter((where) => !isMeant(where))];
    const isFew = (await this.people(scope, meant)) < (await this.people(scope, others));
    if (isFew) return this.ofGroups(scope, meant);
    return (await this.count({ tenantId })) - (await this.ofGroups(scope, others));
  }

  private async people(scope: Scope, groups: readonly Where[]): Promise<number> {
    const counts = await Promise.all(groups.map((where) => this.models.count(users, scope, { where })));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  private async ofGroups(scope: Scope, groups: readonly Where[]): Promise<number> {
    let sum = 0;
    for (const where of groups) {
      const ids: string[] = [];
      for await (const { id } of this.models.each(users, scope, { where })) {
        ids.push(id);
        if (ids.length === AT_ONCE) sum += await this.ofEach(ids.splice(0));
      }
      sum += await this.ofEach(ids);
    }
    return sum;
  }

  private async ofEach(userIds: readonly string[]): Promise<number> {
    let sum = 0;
    for (let from = 0; from < userIds.length; from += AT_ONCE) {
      const counts = await Promise.all(userIds.slice(from, from + AT_ONCE).map((userId) => this.count({ userId })));
      sum += counts.reduce((all, count) => all + count, 0);
    }
    return sum;
  }

  private count(where: { readonly tenantId: string } | { readonly userId: string }): Promise<number> {
    return this.models.count(pushSubscriptions, PLATFORM, { where });
  }
}
