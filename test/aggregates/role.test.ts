import {
  CreateRole,
  createRole,
  deleteRole,
  role,
  systemRoleId,
  systemRoleOf,
  UpdateRole,
  updateRole,
  UpdateRolePermissions,
  updateRolePermissions,
} from '../../src/aggregates/role.aggregate.js';
import { PERMISSIONS, type PermissionCode } from '../../src/security/permissions.js';
import { given } from './given.js';

const permitted: PermissionCode[] = ['customers.read', 'reports.read'];
const till = { name: 'Till', description: null, permissions: permitted };
const created = { type: 'RoleCreated', data: till } as const;
const deleted = { type: 'RoleDeleted', data: {} } as const;

describe('a role', () => {
  test('is created once', () => {
    given(role, []).when(createRole, { name: 'Till', permissions: till.permissions }).then(created);
    given(role, [created]).when(createRole, till).changesNothing();
    given(role, [created, deleted]).when(createRole, till).changesNothing();
  });
  test('holds its name in any case, within its tenant, until it is deleted', () => {
    given(role, [created]).holds('t role-name till ROLE_NAME_TAKEN');
    given(role, [{ ...created, data: { ...till, name: 'ＴILL' } }]).holds('t role-name till ROLE_NAME_TAKEN');
    given(role, [created, deleted]).holds();
    given(role, []).holds();
  });
  test('cannot have the name of a system role', () => {
    for (const name of ['owner', 'ADMIN', 'User']) {
      given(role, [])
        .when(createRole, { ...till, name })
        .isRefused('conflict ROLE_NAME_TAKEN');
      given(role, [created]).when(updateRole, { name }).isRefused('conflict ROLE_NAME_TAKEN');
    }
    given(role, [created]).when(updateRole, { name: 'Superuser' }).events();
  });
  test('is updated with the changed fields only', () => {
    given(role, [created])
      .when(updateRole, { name: 'Till', description: 'Sells' })
      .then({ type: 'RoleUpdated', data: { changes: { description: 'Sells' } } });
    given(role, [created]).when(updateRole, { name: 'Till', description: null }).changesNothing();
    given(role, [created]).when(updateRole, {}).changesNothing();
  });
  test('can get other permissions, but a different order is not a change', () => {
    given(role, [created])
      .when(updateRolePermissions, { permissions: ['customers.read'] })
      .then({ type: 'RolePermissionsChanged', data: { permissions: ['customers.read'] } });
    given(role, [created])
      .when(updateRolePermissions, { permissions: ['customers.read', 'users.read'] })
      .then({ type: 'RolePermissionsChanged', data: { permissions: ['customers.read', 'users.read'] } });
    given(role, [created])
      .when(updateRolePermissions, { permissions: [...till.permissions].reverse() })
      .changesNothing();
  });
  test('that is deleted, or never existed, is not found', () => {
    given(role, [created]).when(deleteRole, {}).then(deleted);
    for (const gone of [given(role, []), given(role, [created, deleted])]) {
      gone.when(deleteRole, {}).isRefused('not_found NOT_FOUND');
      gone.when(updateRole, {}).isRefused('not_found NOT_FOUND');
      gone.when(updateRolePermissions, { permissions: [] }).isRefused('not_found NOT_FOUND');
    }
  });
  test('accepts existing permissions, stored once each in the order of the catalogue', () => {
    const permissions = ['reports.read', 'customers.read', 'reports.read'];
    expect(CreateRole.parse({ name: ' Till ', permissions })).toEqual({ name: 'Till', permissions: till.permissions });
    expect(UpdateRolePermissions.parse({ permissions })).toEqual({ permissions: till.permissions });
    for (const bad of [['customers'], ['toString'], [1], Array(PERMISSIONS.length + 1).fill('users.read')])
      expect([bad, UpdateRolePermissions.safeParse({ permissions: bad }).success]).toEqual([bad, false]);
    expect(UpdateRole.safeParse({ permissions }).success).toBe(false);
  });
});

describe('a system role', () => {
  test('has a separate id in every tenant', () => {
    const ids = ['t', 'u'].flatMap((tenant) =>
      (['OWNER', 'ADMIN', 'USER'] as const).map((name) => systemRoleId(tenant, name)),
    );
    expect(new Set(ids).size).toBe(6);
    expect(systemRoleOf('t', systemRoleId('t', 'ADMIN'))).toBe('ADMIN');
    expect(systemRoleOf('u', systemRoleId('t', 'ADMIN'))).toBeUndefined();
    // Clients store these ids, so the ids must never change.
    expect(systemRoleId('0199d3a0-0000-7000-8000-000000000000', 'OWNER')).toBe('7c964573-ef1f-52c3-880f-39e40f108541');
  });
});
