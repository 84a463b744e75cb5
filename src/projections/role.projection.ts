import { role, roleRecord } from '../aggregates/role.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { readModelOf, recordProjection } from './record-projection.js';

/** A custom role. Its users are counted on reading. */
export type RoleView = ViewOf<typeof roleRecord.fields>;
export const roles = readModelOf(roleRecord, { name: 'roles', version: 1, direction: 'ascending' });

export const roleProjection = recordProjection(roles, role, 'RoleCreated', {
  RoleCreated: ({ data }) => data,
  RoleUpdated: ({ data }) => data.changes,
  RolePermissionsChanged: ({ data }) => data,
  RoleDeleted: null,
});
