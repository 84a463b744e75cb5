import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { getFrom, getsFrom, listFrom, listsFrom, ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { branches } from '../projections/branch.projection.js';
import { bestMatches, CANDIDATES } from './best-match.js';

export class GetBranch extends getFrom(branches) {}
export class ListBranches extends listFrom(branches) {}

export type BranchInBrief = { readonly id: string; readonly name: string; readonly code: string };

export class LookUpBranches extends Query<readonly BranchInBrief[]> {
  constructor(
    readonly scope: Scope,
    readonly search: string | undefined,
  ) {
    super();
  }
}

@QueryHandler(LookUpBranches)
export class LookUpBranchesHandler implements IQueryHandler<LookUpBranches> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, search }: LookUpBranches): Promise<readonly BranchInBrief[]> {
    const request = { pageNumber: 1, pageSize: CANDIDATES, where: { isActive: true } };
    const { items } = await this.models.list(branches, scope, { ...request, ...(search !== undefined && { search }) });
    return bestMatches(items, search).map(({ id, name, code }) => ({ id, name, code }));
  }
}

export const branchQueryHandlers = [getsFrom(GetBranch), listsFrom(ListBranches), LookUpBranchesHandler];
