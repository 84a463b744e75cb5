import { getFrom, getsFrom, listFrom, listsFrom } from './query.js';
import { branches } from '../projections/tenant.projection.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

export class GetBranch extends getFrom(branches) {}
export class ListBranches extends listFrom(branches) {}

export class LookUpBranches extends lookUpFrom({ model: branches, where: { isActive: true }, briefOf: inBrief }) {}

export const branchQueryHandlers = [getsFrom(GetBranch), listsFrom(ListBranches), looksUpFrom(LookUpBranches)];
