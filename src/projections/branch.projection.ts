import { branch, branchRecord } from '../aggregates/branch.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { readModelOf, recordProjection } from './record-projection.js';

export type BranchView = ViewOf<typeof branchRecord.fields>;
export const branches = readModelOf(branchRecord, { name: 'branches', version: 1 });

export const branchProjection = recordProjection(branches, branch, 'BranchCreated', {
  BranchCreated: ({ data }) => data,
  BranchUpdated: ({ data }) => data.changes,
  BranchDeactivated: () => ({ isActive: false }),
  BranchReactivated: () => ({ isActive: true }),
});
