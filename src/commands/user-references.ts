import { Inject, Injectable } from '@nestjs/common';
import type { RolePermissions } from '../aggregates/authority.js';
import { role, systemRoleOf } from '../aggregates/role.aggregate.js';
import { conflict, notFoundAt } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { UUID } from '../ports/uuid.js';
import { ensureActiveBranch } from './branch-check.js';

/** The records that a user's record names. */
export type UserLinks = {
  readonly roleIds: readonly string[];
  readonly branchId: string | null;
  readonly branchIds: readonly string[];
};
const NO_LINKS: UserLinks = { roleIds: [], branchId: null, branchIds: [] };

/** Reads, from their streams, the roles and branches that a user's record is about to name. */
@Injectable()
export class UserReferences {
  constructor(@Inject(RecordReader) private readonly reader: RecordReader) {}

  /**
   * Checks what is named anew, beside what the record names already, and answers with the permissions of all roles.
   * @throws DomainError not_found with the path; conflict SYSTEM_ROLE, BRANCH_INACTIVE
   */
  async check(tenantId: string, wanted: Partial<UserLinks>, held: UserLinks = NO_LINKS): Promise<RolePermissions> {
    await this.checkBranches(tenantId, wanted, held);
    const roles = new Map<string, readonly string[]>();
    for (const id of held.roleIds) roles.set(id, (await this.permissionsOf(tenantId, id)) ?? []);
    for (const [index, id] of (wanted.roleIds ?? []).entries()) {
      if (roles.has(id)) continue;
      if (systemRoleOf(tenantId, id))
        throw conflict('SYSTEM_ROLE', 'A system role is given as the role, not beside it.');
      const permissions = UUID.test(id) ? await this.permissionsOf(tenantId, id) : undefined;
      if (!permissions) throw notFoundAt(`roleIds[${index}]`, 'role');
      roles.set(id, permissions);
    }
    return roles;
  }

  private async permissionsOf(tenantId: string, id: string): Promise<readonly string[] | undefined> {
    const { state } = await this.reader.read(role, tenantId, id);
    return state.status === 'present' ? state.permissions : undefined;
  }

  /** A branch that was taken out of use keeps the users that it has. */
  private async checkBranches(tenantId: string, wanted: Partial<UserLinks>, held: UserLinks): Promise<void> {
    const known = new Set([held.branchId, ...held.branchIds]);
    const named = [
      { id: wanted.branchId ?? null, path: 'branchId' },
      ...(wanted.branchIds ?? []).map((id, index) => ({ id, path: `branchIds[${index}]` })),
    ];
    for (const { id, path } of named) {
      if (id === null || known.has(id)) continue;
      if (!UUID.test(id)) throw notFoundAt(path, 'branch');
      await ensureActiveBranch(this.reader, tenantId, id, path);
    }
  }
}
