import { answers, query } from '../eventsourcing/handler.js';
import type { Scope } from '../ports/read-store.js';
import { getFrom, getsFrom, listFrom, type ListRequest, listsFrom, ReadModels, type Rows } from './query.js';
import { branches, type BranchView } from '../projections/tenant.projection.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

export class GetBranch extends getFrom(branches) {}
export class ListBranches extends listFrom(branches) {}
/** All pages of the list of branches. */
export class EachBranch extends query<Rows<BranchView>, [scope: Scope, request: ListRequest]>() {}

export class LookUpBranches extends lookUpFrom({ model: branches, where: { isActive: true }, briefOf: inBrief }) {}

export const branchQueryHandlers = [
  getsFrom(GetBranch),
  listsFrom(ListBranches),
  answers(EachBranch, [ReadModels], (models, scope, request) =>
    Promise.resolve(models.parts(branches, scope, request)),
  ),
  looksUpFrom(LookUpBranches),
];
