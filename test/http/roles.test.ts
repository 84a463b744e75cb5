import { systemRoleId } from '../../src/aggregates/role.aggregate.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS } from '../../src/security/permissions.js';
import type { RoleDetail, RoleRecord } from '../../src/queries/user.queries.js';
import { TestService } from '../support/service.js';
import { Team, type Member } from '../support/team.js';
import type { Reply } from '../support/reply.js';

const NOBODY = '0199d3a0-0000-7000-8000-000000000000';

let service: TestService;
let team: Team;
let others: Team;
beforeAll(async () => {
  service = await TestService.start();
  others = await Team.of(service);
});
afterAll(() => service.close());

const newTeam = async (): Promise<void> => {
  team = await Team.of(service);
};
const list = async (): Promise<RoleRecord[]> => (await service.get('/api/roles', team.token)).data as RoleRecord[];
const get = (id: string, token = team.token): Promise<Reply> => service.get(`/api/roles/${id}`, token);
const change = (id: string, body: object, token = team.token, headers: Readonly<Record<string, string>> = {}) =>
  service.call('PATCH', `/api/roles/${id}`, { token, body, headers });
const grant = (id: string, permissions: unknown, token = team.token, headers: Readonly<Record<string, string>> = {}) =>
  service.call('PATCH', `/api/roles/${id}/permissions`, { token, body: { permissions }, headers });
const remove = (id: string, token = team.token, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  service.call('DELETE', `/api/roles/${id}`, { token, headers });
const permissionsOf = async (token: string): Promise<string[]> => {
  // Infers the permissions from the requests that succeed.
  const asked = { 'users.read': '/api/users/lookup?search=x', 'roles.read': '/api/roles' };
  const told = await Promise.all(Object.values(asked).map((path) => service.get(path, token)));
  return Object.keys(asked).filter((_, index) => told[index]?.status === 200);
};

describe('Creating a role', () => {
  beforeAll(newTeam);

  test('returns the whole role, as a read does', async () => {
    const body = { name: '  Till ', description: 'Sells\nthings', permissions: ['reports.read', 'customers.read'] };
    const reply = await team.createRole(body);
    const { createdAt } = reply.data as RoleDetail;
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        statusCode: 201,
        data: {
          id: reply.id,
          name: 'Till',
          description: 'Sells\nthings',
          isSystem: false,
          permissionCount: 2,
          userCount: 0,
          permissions: ['customers.read', 'reports.read'],
          createdAt,
          updatedAt: createdAt,
          revision: 0,
        },
      },
    ]);
    expect(Number(reply.headers['x-event-position'])).toBeGreaterThan(0);
    const got = await get(reply.id);
    expect(got.data).toEqual(reply.data);
    expect(got.headers['etag']).toBe('"0"');
  });

  test('requires no description or permission', async () => {
    const reply = await team.createRole({ name: 'Nothing', permissions: [] });
    expect(reply.data).toMatchObject({ description: null, permissionCount: 0, permissions: [] });
    const twice = await team.createRole({ name: 'Twice', permissions: ['reports.read', 'reports.read'] });
    expect(twice.data).toMatchObject({ permissionCount: 1, permissions: ['reports.read'] });
  });

  test.each<[string, object]>([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(61) }],
    ['description', { description: 'x'.repeat(501) }],
    ['permissions[1]', { permissions: ['reports.read', 'reports.write'] }],
    ['permissions[0]', { permissions: ['constructor'] }],
    ['permissions', { permissions: null }],
    ['permissions', { permissions: undefined }],
    ['isSystem', { isSystem: true }],
  ])('is rejected for %s: %j', async (path, facts) => {
    const reply = await team.createRole({ name: 'Some name', permissions: [], ...facts });
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('responds even if the read models lag', async () => {
    const late = await TestService.start({ environment: { READ_WAIT_MS: '0' } });
    const crew = await Team.of(late);
    const reply = await crew.createRole({ name: 'Early', permissions: ['reports.read'] });
    expect(reply.status).toBe(201);
    expect(reply.data).toMatchObject({ name: 'Early', permissions: ['reports.read'], revision: 0 });
    await late.quiet();
    expect(await crew.roleOf(reply.id)).toEqual(reply.data);
    await late.close();
  });
});

describe("A role's name", () => {
  beforeAll(newTeam);

  test('is unique within the tenant in any case, including names of system roles', async () => {
    await team.createRole({ name: 'Till', permissions: [] });
    const other = await team.role([]);
    for (const name of ['Till', ' TILL ', 'owner', 'Admin', 'uSer']) {
      expect([name, (await team.createRole({ name, permissions: [] })).told]).toEqual([name, '409 ROLE_NAME_TAKEN']);
      expect([name, (await change(other, { name })).told]).toEqual([name, '409 ROLE_NAME_TAKEN']);
    }
    expect((await others.createRole({ name: 'Till', permissions: [] })).told).toBe('201');
  });

  test('is free again when its role is renamed or deleted', async () => {
    const { id } = await team.createRole({ name: 'Cook', permissions: [] });
    expect((await change(id, { name: 'COOK' })).told).toBe('200');
    await change(id, { name: 'Chef' });
    const second = await team.createRole({ name: 'Cook', permissions: [] });
    await remove(second.id);
    expect((await team.createRole({ name: 'cook', permissions: [] })).told).toBe('201');
  });

  test('is assigned to one of twenty concurrent requests', async () => {
    const all = Array.from({ length: 20 }, () => team.createRole({ name: 'Wanted', permissions: [] }));
    const told = (await Promise.all(all)).map((reply) => reply.told).sort();
    expect(told).toEqual(['201', ...Array<string>(19).fill('409 ROLE_NAME_TAKEN')]);
  });
});

describe('The list of roles', () => {
  beforeAll(newTeam);

  test('begins with the system roles by name', async () => {
    const roles = await list();
    expect(roles.map(({ name, permissionCount, userCount }) => [name, permissionCount, userCount])).toEqual([
      ['ADMIN', ALL_PERMISSIONS.size, 0],
      ['OWNER', ALL_PERMISSIONS.size, 1],
      ['USER', SYSTEM_ROLE_PERMISSIONS.USER.size, 0],
    ]);
    for (const [index, name] of (['ADMIN', 'OWNER', 'USER'] as const).entries())
      expect(roles[index]).toMatchObject({ id: systemRoleId(team.tenant.id, name), isSystem: true, revision: 0 });
    expect(roles[0]).not.toHaveProperty('permissions');
    expect(roles[0]?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('continues with the others by name', async () => {
    for (const name of ['waiter', 'Çelik', 'Admin of tills', 'Zebra', 'cook'])
      await team.createRole({ name, permissions: [] });
    const names = (await list()).slice(3).map(({ name }) => name);
    expect(names).toEqual(['Admin of tills', 'Çelik', 'cook', 'waiter', 'Zebra']);
  });

  test('counts existing users, active or not, like single roles', async () => {
    const [till, empty] = [await team.role([]), await team.role([])];
    const gone = await team.hire({ roleIds: [till] });
    await team.hire({ roleIds: [till, empty] });
    await team.hire({ roleIds: [till], role: 'ADMIN', isActive: false });
    const moved = await team.hire({ roleIds: [empty] });
    await team.delete(gone);
    await team.change(moved, { roleIds: [], role: 'ADMIN' });
    const counts = Object.fromEntries((await list()).map(({ id, userCount }) => [id, userCount]));
    const [admin, user] = [systemRoleId(team.tenant.id, 'ADMIN'), systemRoleId(team.tenant.id, 'USER')];
    expect(counts).toMatchObject({ [till]: 2, [empty]: 1, [admin]: 2, [user]: 1 });
    for (const id of [till, empty, admin, user]) expect((await team.roleOf(id)).userCount).toBe(counts[id]);
  });

  test('takes no parameters', async () => {
    expect((await service.get('/api/roles?search=x', team.token)).told).toBe('400 VALIDATION_FAILED search');
  });
});

describe('A system role', () => {
  beforeAll(newTeam);

  test.each(['OWNER', 'ADMIN', 'USER'] as const)('%s is shown with its permissions', async (name) => {
    const id = systemRoleId(team.tenant.id, name);
    const got = await get(id);
    expect(got.headers['etag']).toBe('"0"');
    expect(got.data).toMatchObject({ id, name, isSystem: true, permissions: [...SYSTEM_ROLE_PERMISSIONS[name]] });
  });

  test('cannot be changed', async () => {
    const id = systemRoleId(team.tenant.id, 'USER');
    for (const attempt of [change(id, { description: 'Mine' }), change(id, {}), grant(id, []), remove(id)])
      expect((await attempt).told).toBe('409 SYSTEM_ROLE');
  });

  test('of another tenant is not found', async () => {
    const id = systemRoleId(others.tenant.id, 'USER');
    for (const attempt of [get(id), change(id, {}), grant(id, []), remove(id)])
      expect((await attempt).told).toBe('404 NOT_FOUND');
  });
});

describe('Changing a role', () => {
  let id: string;
  beforeAll(newTeam);
  beforeEach(async () => {
    ({ id } = await team.createRole({ name: service.fresh('Role'), description: 'Old', permissions: ['users.read'] }));
  });

  test('changes name and description; null clears', async () => {
    const reply = await change(id, { name: 'New name', description: null });
    expect(reply.body).toEqual({ statusCode: 200, data: { success: true, id, revision: 1 } });
    expect(await team.roleOf(id)).toMatchObject({ name: 'New name', description: null, permissionCount: 1 });
    expect((await change(id, {})).data).toMatchObject({ revision: 1 });
    expect((await change(id, { name: 'New name' })).data).toMatchObject({ revision: 1 });
  });

  test('replaces its permissions, immediately for its users', async () => {
    const member = await team.signedIn({ roleIds: [id] });
    expect(await permissionsOf(member.token)).toEqual(['users.read']);
    expect((await grant(id, ['roles.read'])).data).toEqual({ success: true, id, revision: 1 });
    expect(await permissionsOf(member.token)).toEqual(['roles.read']);
    expect((await grant(id, ['roles.read'])).data).toMatchObject({ revision: 1 });
    await grant(id, []);
    expect(await permissionsOf(member.token)).toEqual([]);
    expect(await team.roleOf(id)).toMatchObject({ permissions: [], permissionCount: 0, revision: 2 });
  });

  test.each<[string, object]>([
    ['name', { name: null }],
    ['name', { name: '' }],
    ['permissions', { permissions: [] }],
    ['isSystem', { isSystem: false }],
  ])('is rejected for %s: %j', async (path, body) => {
    expect((await change(id, body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('is rejected for unknown permissions', async () => {
    expect((await grant(id, ['users.read', 'everything'])).told).toBe('400 VALIDATION_FAILED permissions[1]');
    expect((await grant(id, null)).told).toBe('400 VALIDATION_FAILED permissions');
    expect((await grant(id, undefined)).told).toBe('400 VALIDATION_FAILED permissions');
  });

  test('is rejected on a revision conflict', async () => {
    await change(id, { description: 'Newer' });
    const late = { 'if-match': '"0"' };
    for (const attempt of [
      change(id, {}, team.token, late),
      grant(id, [], team.token, late),
      remove(id, team.token, late),
    ])
      expect((await attempt).told).toBe('409 REVISION_CONFLICT');
    expect((await grant(id, [], team.token, { 'if-match': '"1"' })).told).toBe('200');
  });

  test('is not possible for an unknown role or one of another tenant', async () => {
    const foreign = others.token;
    for (const [unknown, token] of [
      [id, foreign],
      [NOBODY, team.token],
      ['x', team.token],
    ] as const)
      for (const attempt of [
        get(unknown, token),
        change(unknown, {}, token),
        grant(unknown, [], token),
        remove(unknown, token),
      ])
        expect((await attempt).told).toBe('404 NOT_FOUND');
    expect((await team.roleOf(id)).revision).toBe(0);
  });
});

describe('Deleting a role', () => {
  beforeAll(newTeam);

  test('hides it everywhere', async () => {
    const id = await team.role([]);
    expect((await remove(id)).body).toEqual({ statusCode: 200, data: { success: true, id, revision: 1 } });
    expect((await list()).map((role) => role.id)).not.toContain(id);
    for (const again of [get(id), change(id, {}), grant(id, []), remove(id)])
      expect((await again).told).toBe('404 NOT_FOUND');
    expect((await team.create({ roleIds: [id] })).told).toBe('404 NOT_FOUND roleIds[0]');
  });

  test('requires that no user, active or not, has it', async () => {
    const id = await team.role([]);
    const users = [await team.hire({ roleIds: [id] }), await team.hire({ roleIds: [id], isActive: false })];
    for (const user of users) {
      expect((await remove(id)).told).toBe('409 ROLE_IN_USE');
      await team.change(user, { roleIds: [] });
    }
    expect((await remove(id)).told).toBe('200');
    const second = await team.role([]);
    await team.delete(await team.hire({ roleIds: [second] }));
    expect((await remove(second)).told).toBe('200');
  });
});

describe('Missing permissions cannot be granted', () => {
  let clerk: Member;
  beforeAll(async () => {
    await newTeam();
    clerk = await team.memberWith('roles.read', 'roles.write', 'users.read');
  });
  const create = (permissions: readonly string[]) =>
    team.createRole({ name: service.fresh('Made'), permissions }, clerk.token);

  test('with a new role', async () => {
    expect((await create(['roles.write', 'customers.write'])).told).toBe('201');
    for (const permissions of [['users.write'], ['users.read', 'integrations.manage'], [...ALL_PERMISSIONS]])
      expect((await create(permissions)).told).toBe('403 FORBIDDEN');
  });

  test('with an existing role, or revoked from it', async () => {
    const id = await team.role(['integrations.manage']);
    for (const permissions of [['users.write'], ['integrations.manage', 'users.write'], [], ['users.read']])
      expect([permissions, (await grant(id, permissions, clerk.token)).told]).toEqual([permissions, '403 FORBIDDEN']);
    expect((await grant(id, ['integrations.manage', 'users.read'], clerk.token)).told).toBe('200');
    expect((await grant(id, ['integrations.manage'], clerk.token)).told).toBe('200');
    expect((await team.roleOf(id)).permissions).toEqual(['integrations.manage']);
    expect((await change(id, { name: 'Renamed' }, clerk.token)).told).toBe('200');
  });

  test('to oneself', async () => {
    const own = (await team.user(clerk.id)).roleIds[0] ?? '';
    expect((await grant(own, ['roles.write', 'users.write'], clerk.token)).told).toBe('403 FORBIDDEN');
  });
});

describe('The list of permissions', () => {
  test('contains groups and descriptions', async () => {
    await newTeam();
    const told = (await service.get('/api/permissions', team.token)).data as { code: string }[];
    expect(told.map(({ code }) => code)).toEqual([...ALL_PERMISSIONS]);
    expect(told).toHaveLength(19);
    expect(told).toContainEqual({ code: 'users.read', group: 'Users', description: 'View users' });
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
