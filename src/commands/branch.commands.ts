import {
  branch,
  createBranch,
  CreateBranch as CreateBranchInput,
  updateBranch,
  UpdateBranch as UpdateBranchInput,
} from '../aggregates/branch.aggregate.js';
import { command, decides } from '../eventsourcing/command.js';

export class CreateBranch extends command(CreateBranchInput) {}
export class UpdateBranch extends command(UpdateBranchInput) {}

export const branchCommandHandlers = [
  decides(CreateBranch, branch, createBranch),
  decides(UpdateBranch, branch, updateBranch),
];
