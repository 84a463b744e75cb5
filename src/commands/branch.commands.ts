import * as branches from '../aggregates/branch.aggregate.js';
import { command, decides } from '../eventsourcing/command.js';

export class CreateBranch extends command(branches.CreateBranch) {}
export class UpdateBranch extends command(branches.UpdateBranch) {}

export const branchCommandHandlers = [
  decides(CreateBranch, branches.branch, branches.createBranch),
  decides(UpdateBranch, branches.branch, branches.updateBranch),
];
