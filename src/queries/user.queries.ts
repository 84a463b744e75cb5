import { answers, query } from '../eventsourcing/handler.js';
import type { Role } from '../aggregates/user.aggregate.js';
import { ReadModels, type Page, type Paging } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { userLogins } from '../projections/user-login.projection.js';
import { users, type UserView } from '../projections/user.projection.js';
import { looksUpFrom, lookUpFrom } from './look-up.js';

/** A user as returned by the API. `lastLoginAt` is null before the first sign-in. */
export type UserRecord = UserView & { readonly lastLoginAt: string | null };

export type UserFilters = Paging & {
  readonly search?: string | undefined;
  readonly role?: Role | undefined;
};

export class GetUser extends query<UserRecord, [scope: Scope, id: string]>() {}
export class ListUsers extends query<Page<UserRecord>, [scope: Scope, filters: UserFilters]>() {}
export class LookUpUsers extends lookUpFrom({
  model: users,
  where: { isActive: true },
  briefOf: ({ id, fullName }) => ({ id, name: fullName, code: null }),
}) {}

export const userQueryHandlers = [
  answers(GetUser, [ReadModels], async (models, scope, id) => {
    const view = await models.found(users, scope, id, 'user');
    const login = await models.get(userLogins, scope, id);
    return { ...view, lastLoginAt: login?.lastLoginAt ?? null };
  }),
  answers(ListUsers, [ReadModels], (models, scope, { role, ...rest }) =>
    models.page(users, scope, { ...rest, where: { role } }, async (views) => {
      const ids = views.map(({ id }) => id);
      const logins = await models.getMany(userLogins, scope, ids);
      return views.map((view) => ({ ...view, lastLoginAt: logins.get(view.id)?.lastLoginAt ?? null }));
    }),
  ),
  looksUpFrom(LookUpUsers),
];
