import { branch } from '../aggregates/branch.aggregate.js';
import { conflict, notFoundAt } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';

/** Checks that the branch accepts new records. @throws DomainError NOT_FOUND, BRANCH_INACTIVE */
export async function ensureActiveBranch(
  reader: RecordReader,
  tenantId: string,
  branchId: string,
  path = 'branchId',
): Promise<void> {
  const { state } = await reader.read(branch, tenantId, branchId);
  if (state.status === 'absent') throw notFoundAt(path, 'branch');
  if (state.status === 'inactive')
    throw conflict('BRANCH_INACTIVE', 'The branch is inactive. Activate it, or choose another one.');
}
