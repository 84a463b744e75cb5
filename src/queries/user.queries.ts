import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Role } from '../aggregates/user.aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { ReadModels, type ListRequest, type Page } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { userLogins } from '../projections/user-login.projection.js';
import { users, type UserView } from '../projections/user.projection.js';
import { looksUpFrom, lookUpFrom } from './look-up.js';

/** A user as the API shows it. `lastLoginAt` is null before the first sign-in. */
export type UserRecord = UserView & { readonly lastLoginAt: string | null };

export class GetUser extends Query<UserRecord> {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {
    super();
  }
}

export type UserListRequest = Pick<ListRequest, 'pageNumber' | 'pageSize'> & {
  readonly search?: string | undefined;
  readonly role?: Role | undefined;
};

export class ListUsers extends Query<Page<UserRecord>> {
  constructor(
    readonly scope: Scope,
    readonly request: UserListRequest,
  ) {
    super();
  }
}

export class LookUpUsers extends lookUpFrom({
  model: users,
  where: { isActive: true },
  briefOf: ({ id, fullName }) => ({ id, name: fullName, code: null }),
}) {}

@QueryHandler(GetUser)
export class GetUserHandler implements IQueryHandler<GetUser> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, id }: GetUser): Promise<UserRecord> {
    const view = await this.models.get(users, scope, id);
    if (!view) throw notFound('user');
    const login = await this.models.get(userLogins, scope, id);
    return { ...view, lastLoginAt: login?.lastLoginAt ?? null };
  }
}

@QueryHandler(ListUsers)
export class ListUsersHandler implements IQueryHandler<ListUsers> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, request }: ListUsers): Promise<Page<UserRecord>> {
    const { role, search, ...paging } = request;
    const page = await this.models.list(users, scope, {
      ...paging,
      ...(role !== undefined && { where: { role } }),
      ...(search !== undefined && { search }),
    });
    const ids = page.items.map(({ id }) => id);
    const logins = await this.models.getMany(userLogins, scope, ids);
    const items = page.items.map((view) => ({ ...view, lastLoginAt: logins.get(view.id)?.lastLoginAt ?? null }));
    return { ...page, items };
  }
}

export const userQueryHandlers = [GetUserHandler, ListUsersHandler, looksUpFrom(LookUpUsers)];
