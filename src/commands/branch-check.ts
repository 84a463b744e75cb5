import { branch } from '../aggregates/branch.aggregate.js';
import { conflict, notFoundAt } from '../platform/domain-error.js';
import type { RecordReader } from '../platform/record-reader.js';

/** A new record may name only a branch that takes new records. @throws DomainError NOT_FOUND, BRANCH_INACTIVE */
export async function ensureActiveBranch(
  reader: RecordReader,
  tenantId: string,
  branchId: string,
  path = 'branchId',
): Promise<void> {
  const { state } = await reader.read(branch, tenantId, branchId);
  if (state.status === 'absent') throw notFoundAt(path, 'branch');
  if (state.status === 'inactive') throw conflict('BRANCH_INACTIVE', 'The branch takes no new records.');
}
