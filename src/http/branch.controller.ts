import { z } from 'zod';
import { branchRecord } from '../aggregates/branch.aggregate.js';
import { CreateBranch, UpdateBranch } from '../commands/branch.commands.js';
import { EachBranch, GetBranch, ListBranches, LookUpBranches } from '../queries/branch.queries.js';
import { requiredPaging, searchInput } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, tenantRoutes } from './routes.js';

const BranchDto = recordDto('BranchDto', branchRecord);
const listQuery = listQueryOf(branchRecord, {
  ...requiredPaging,
  sort: z.enum(['code', 'name', 'newest']).default('newest'),
});
const lookupQuery = z.strictObject({ search: searchInput.exactOptional() });

const { read, write } = tenantRoutes('/api/branches', 'Branches', 'branches');

export const BranchController = controllerOf(
  read.lookUp('Look up active branches', lookupQuery, LookUpBranches),
  write.change('Create a branch', { creates: {} }, CreateBranch),
  read.listWithCsv('List branches', listQuery, BranchDto, [ListBranches, EachBranch]),
  read.get('Get a branch', BranchDto, GetBranch),
  write.change('Update a branch', { method: 'PATCH', path: '/:id' }, UpdateBranch),
);
