import { branch, branchRecord } from '../aggregates/branch.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { tenant, tenantRecord } from '../aggregates/tenant.aggregate.js';
import { readModelOf, recordProjection } from './record-projection.js';

/** A tenant as displayed to operators. */
export type TenantView = ViewOf<typeof tenantRecord.fields>;
export const tenants = readModelOf(tenantRecord, { name: 'tenants', version: 3 });

export const tenantProjection = recordProjection(tenants, tenant, 'TenantCreated', {
  TenantCreated: ({ data: { owner, seeds: _, ...facts } }) => ({
    ...facts,
    isActive: true,
    ownerUserId: owner.userId,
    oidcDomains: [],
    requireFactor: false,
  }),
  TenantUpdated: ({ data }) => data.changes,
  TenantSettingsChanged: ({ data }) => data.changes,
  TenantDeactivated: () => ({ isActive: false }),
  TenantReactivated: () => ({ isActive: true }),
  // The period read models contain the details.
  PeriodClosed: () => ({}),
  PeriodReopened: () => ({}),
  LateEntriesDetected: () => ({}),
});

export type BranchView = ViewOf<typeof branchRecord.fields>;
export const branches = readModelOf(branchRecord, {
  name: 'branches',
  version: 2,
  sorts: { code: 'code', name: 'name' },
});

export const branchProjection = recordProjection(branches, branch, 'BranchCreated', {
  BranchCreated: ({ data }) => data,
  BranchUpdated: ({ data }) => data.changes,
  BranchDeactivated: () => ({ isActive: false }),
  BranchReactivated: () => ({ isActive: true }),
});
