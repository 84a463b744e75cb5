import { emailClaim } from '../../src/aggregates/credentials.js';
import { systemRoleId } from '../../src/aggregates/role.aggregate.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { PASSWORD, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { Team, type Member } from '../support/team.js';

const NOBODY = '0199d3a0-0000-7000-8000-000000000000';

let service: TestService;
let team: Team;
let others: Team;
let clock: ShiftedClock;
beforeAll(async () => {
  clock = new ShiftedClock();
  service = await TestService.start({ clock });
  others = await Team.of(service);
});
afterAll(() => service.close());

const newTeam = async (): Promise<void> => {
  team = await Team.of(service);
};
const lookup = async (query: string, token = team.token): Promise<{ id: string; name: string; code: null }[]> =>
  (await service.get(`/api/users/lookup?${query}`, token)).data as [];
const names = async (query: string): Promise<string[]> =>
  (await team.list(query)).items.map(({ fullName }) => fullName);
const canSignIn = async (email: string, password: string = PASSWORD): Promise<boolean> =>
  (await service.post('/api/auth/login', { email, password })).status === 200;

describe('Creating a user', () => {
  beforeAll(newTeam);

  test('requires a name, an e-mail address, a password and a role', async () => {
    const person = team.person({ fullName: 'Ada Lovelace', role: 'ADMIN' });
    const reply = await service.post('/api/users', person, team.token);
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: reply.id, revision: 0 } });
    const got = await team.get(reply.id);
    expect(got.headers['etag']).toBe('"0"');
    const { createdAt } = await team.user(reply.id);
    expect(got.body).toEqual({
      statusCode: 200,
      data: {
        id: reply.id,
        fullName: 'Ada Lovelace',
        email: person.email,
        phone: null,
        role: 'ADMIN',
        roleIds: [],
        isActive: true,
        branchId: null,
        branchIds: [],
        lastLoginAt: null,
        createdAt,
        updatedAt: createdAt,
        revision: 0,
      },
    });
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('keeps every given field', async () => {
    const [one, two] = [await team.branch(), await team.branch()];
    const roleIds = [await team.role(['reports.read']), await team.role([])];
    const facts = { phone: '+90 212 000', roleIds, branchId: one, branchIds: [two, one], isActive: false };
    expect(await team.user(await team.hire(facts))).toMatchObject(facts);
  });

  test.each<[string, object]>([
    ['fullName', { fullName: ' ' }],
    ['fullName', { fullName: 'x'.repeat(121) }],
    ['email', { email: 'nobody' }],
    ['email', { email: null }],
    ['password', { password: 'too short' }],
    ['password', { password: 'xy'.repeat(64) + 'x' }],
    ['role', { role: 'OPERATOR' }],
    ['phone', { phone: '' }],
    ['isActive', { isActive: 'true' }],
    ['roleIds', { roleIds: null }],
    ['branchIds[0]', { branchIds: [7] }],
    ['tenantId', { tenantId: NOBODY }],
    ['passwordHash', { passwordHash: 'x' }],
    ['revision', { revision: 3 }],
  ])('is rejected for %s: %j', async (path, facts) => {
    expect((await team.create(facts)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('reports all missing fields', async () => {
    const reply = await service.post('/api/users', {}, team.token);
    expect(reply.told).toBe('400 VALIDATION_FAILED fullName email password role');
  });

  test('lets them sign in, unless inactive', async () => {
    const { email } = team.person();
    const id = await team.hire({ email, isActive: false });
    expect(await canSignIn(email)).toBe(false);
    await team.change(id, { isActive: true });
    expect(await canSignIn(email)).toBe(true);
  });

  test('keeps the password out of the history and responses', async () => {
    const id = await team.hire({ password: 'a very special secret' });
    await team.resetPassword(id, team.token, 'a still more special secret');
    const events = JSON.stringify(await service.service.engines.events.readAll());
    expect(events).toContain('$argon2id$');
    expect(events).not.toMatch(/special secret/);
    expect((await team.get(id)).text).not.toMatch(/argon2|password/i);
  });
});

describe('A role or branch of a user', () => {
  let branch: string;
  let closed: string;
  let foreignBranch: string;
  let foreignRole: string;
  beforeAll(async () => {
    await newTeam();
    [branch, closed, foreignBranch] = [
      await team.branch(),
      await team.branch({ isActive: false }),
      await others.branch(),
    ];
    foreignRole = await others.role([]);
  });

  const cases = (): [object, string][] => [
    [{ branchId: NOBODY }, '404 NOT_FOUND branchId'],
    [{ branchId: foreignBranch }, '404 NOT_FOUND branchId'],
    [{ branchId: 'no id' }, '404 NOT_FOUND branchId'],
    [{ branchId: 'a\u0000b' }, '404 NOT_FOUND branchId'],
    [{ branchIds: [branch, NOBODY] }, '404 NOT_FOUND branchIds[1]'],
    [{ roleIds: [NOBODY] }, '404 NOT_FOUND roleIds[0]'],
    [{ roleIds: [foreignRole] }, '404 NOT_FOUND roleIds[0]'],
    [{ roleIds: ['\ud800'] }, '404 NOT_FOUND roleIds[0]'],
    [{ roleIds: [systemRoleId(team.tenant.id, 'USER')] }, '409 SYSTEM_ROLE'],
    [{ roleIds: [systemRoleId(others.tenant.id, 'USER')] }, '404 NOT_FOUND roleIds[0]'],
    [{ branchId: closed }, '409 BRANCH_INACTIVE'],
    [{ branchIds: [closed] }, '409 BRANCH_INACTIVE'],
  ];

  test('must exist when a user is created, and a rejection leaves the address free', async () => {
    const { email } = team.person();
    for (const [facts, told] of cases())
      expect([facts, (await team.create({ ...facts, email })).told]).toEqual([facts, told]);
    await team.hire({ email });
  });

  test('must exist when a user is changed, and a rejection changes nothing', async () => {
    const id = await team.hire();
    for (const [facts, told] of cases()) expect([facts, (await team.change(id, facts)).told]).toEqual([facts, told]);
    expect((await team.user(id)).revision).toBe(0);
  });

  test('is kept when the branch is deactivated', async () => {
    const [main, second] = [await team.branch(), await team.branch()];
    const id = await team.hire({ branchId: main, branchIds: [main, second] });
    for (const gone of [main, second])
      await service.call('PATCH', `/api/branches/${gone}`, { token: team.token, body: { isActive: false } });
    const kept = await team.change(id, { branchId: second, branchIds: [second, main], phone: '123' });
    expect(kept.told).toBe('200');
    await team.change(id, { branchId: null, branchIds: [] });
    expect((await team.change(id, { branchId: main })).told).toBe('409 BRANCH_INACTIVE');
  });

  test('can be given twice, and counts once', async () => {
    const role = await team.role([]);
    const id = await team.hire({ roleIds: [role, role], branchIds: [branch, branch] });
    expect(await team.user(id)).toMatchObject({ roleIds: [role], branchIds: [branch] });
  });
});

describe('The e-mail address of a user', () => {
  beforeAll(newTeam);

  test('is unique in the tenant, in any case', async () => {
    const { email } = team.person();
    await team.hire({ email });
    for (const taken of [email, email.toUpperCase(), team.tenant.email])
      expect([taken, (await team.create({ email: taken })).told]).toEqual([taken, '409 EMAIL_TAKEN']);
    const other = await team.hire();
    expect((await team.change(other, { email: email.toUpperCase() })).told).toBe('409 EMAIL_TAKEN');
  });

  test('can change its case', async () => {
    const { email } = team.person();
    const id = await team.hire({ email });
    expect((await team.change(id, { email: email.toUpperCase() })).told).toBe('200');
    expect(await team.user(id)).toMatchObject({ email: email.toUpperCase(), revision: 1 });
    expect((await team.create({ email })).told).toBe('409 EMAIL_TAKEN');
  });

  test('is free again when the user is changed or deleted', async () => {
    const { email } = team.person();
    const id = await team.hire({ email });
    await team.change(id, { email: `new-${email}` });
    const second = await team.hire({ email });
    expect((await team.change(id, { email })).told).toBe('409 EMAIL_TAKEN');
    await team.delete(second);
    await team.hire({ email });
  });

  test('is kept by an inactive user', async () => {
    const { email } = team.person();
    const id = await team.hire({ email });
    await team.change(id, { isActive: false });
    expect((await team.create({ email })).told).toBe('409 EMAIL_TAKEN');
  });

  test('is assigned to one of fifty concurrent requests', async () => {
    const { email } = team.person();
    const all = Array.from({ length: 50 }, () => team.create({ email }));
    const told = (await Promise.all(all)).map((reply) => reply.told);
    expect(told.filter((one) => one === '201')).toHaveLength(1);
    expect(told.filter((one) => one === '409 EMAIL_TAKEN')).toHaveLength(49);
    expect((await team.list(`search=${email}`)).items).toHaveLength(1);
  });

  /** Creates the state that a process leaves if it dies between a command's claim and its append. */
  const crashWith = async (email: string, id: string, revision: number): Promise<void> => {
    const { app, engines } = service.service;
    const context = { tenantId: team.tenant.id, actor: { kind: 'system', name: 'test' } as const };
    const traced = { requestId: id, correlationId: id, commandId: engines.ids.next() };
    const owner = { stream: `user-${team.tenant.id}_${id}`, revision };
    await inContext({ ...context, ...traced }, () => app.get(Claims).acquire(emailClaim(email), owner));
  };

  test('is reserved for a few seconds after a crash before the user is created, then free', async () => {
    const { email } = team.person();
    const id = service.service.engines.ids.next();
    await crashWith(email, id, -1);
    expect((await team.create({ email })).told).toBe('409 EMAIL_TAKEN');
    clock.pass(6_000);
    expect((await team.create({ email })).told).toBe('201');
    await service.quiet();
    expect((await team.get(id)).told).toBe('404 NOT_FOUND');
  });

  test('has a fence after a crash during its change, consistent in ETag and If-Match', async () => {
    const { email } = team.person();
    const id = await team.hire();
    await crashWith(email, id, 0);
    clock.pass(6_000);
    expect((await team.create({ email })).told).toBe('201');
    await service.quiet();
    expect((await team.get(id)).headers['etag']).toBe('"1"');
    expect((await team.user(id)).revision).toBe(1);
    expect((await team.change(id, { phone: '123' }, team.token, { 'if-match': '"0"' })).told).toBe(
      '409 REVISION_CONFLICT',
    );
    expect((await team.change(id, { phone: '123' }, team.token, { 'if-match': '"1"' })).told).toBe('200');
    expect((await team.get(id)).headers['etag']).toBe('"2"');
  });
});

describe('Reading users', () => {
  let ada: string;
  beforeAll(async () => {
    await newTeam();
    ada = await team.hire({ fullName: 'Ada Lovelace', role: 'ADMIN', phone: '+90 555 111' });
    await team.hire({ fullName: 'Işıl Öz', email: `isil@${team.tenant.slug}.test` });
    await team.hire({ fullName: 'Adam Inactive', isActive: false });
  });

  test('lists them newest first, including inactive ones', async () => {
    expect(await names('')).toEqual(['Adam Inactive', 'Işıl Öz', 'Ada Lovelace', `Owner of ${team.tenant.slug}`]);
  });

  test('lists them by name on request, in pages, and those with equal names in order of creation', async () => {
    const own = await Team.of(service);
    const hire = (fullName: string): Promise<string> => own.hire({ fullName });
    const hired = [await hire('Zoë'), await hire('Éva Same'), await hire('eva same'), await hire('EVA SAME')];
    const page = async (query: string): Promise<string[]> => {
      const reply = await service.get(`/api/users?pageSize=2&${query}`, own.token);
      return (reply.body as { items: { id: string }[] }).items.map(({ id }) => id);
    };
    const { id: owner } = await own.owner();
    const [zoe = '', ...same] = hired;
    const byName = await Promise.all([1, 2, 3].map((number) => page(`sort=name&pageNumber=${number}`)));
    expect(byName.flat()).toEqual([...same, owner, zoe]);
    const newest = await Promise.all([1, 2, 3].map((number) => page(`sort=newest&pageNumber=${number}`)));
    expect(newest.flat()).toEqual([owner, ...hired].reverse());
  });

  test.each([
    ['role=ADMIN', ['Ada Lovelace']],
    ['role=USER&search=ada', ['Adam Inactive']],
    ['search=ada', ['Adam Inactive', 'Ada Lovelace']],
    ['search=ISIL', ['Işıl Öz']],
    ['search=555', ['Ada Lovelace']],
    ['search=%2B', []],
  ])('finds by %s', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test('finds by e-mail address', async () => {
    expect(await names(`search=isil@${team.tenant.slug}`)).toEqual(['Işıl Öz']);
  });

  test.each([
    ['', 'pageNumber pageSize'],
    ['pageNumber=0&pageSize=101', 'pageNumber pageSize'],
    ['pageNumber=1&pageSize=1&role=admin', 'role'],
    ['pageNumber=1&pageSize=1&status=ALL', 'status'],
    ['pageNumber=1&pageSize=1&sort=email', 'sort'],
  ])('is rejected for "%s"', async (query, paths) => {
    expect((await service.get(`/api/users?${query}`, team.token)).told).toBe(`400 VALIDATION_FAILED ${paths}`);
  });

  test('returns pages', async () => {
    const second = await service.get('/api/users?pageNumber=2&pageSize=3', team.token);
    expect(second.body).toMatchObject({ totalCount: 4, totalPages: 2, hasPreviousPage: true, hasNextPage: false });
    const past = await service.get('/api/users?pageNumber=9&pageSize=3', team.token);
    expect(past.body).toMatchObject({ items: [], totalCount: 4 });
  });

  test('looks up active ones by a required search', async () => {
    expect(await lookup('search=ada')).toEqual([{ id: ada, name: 'Ada Lovelace', code: null }]);
    expect(await lookup('search=')).toHaveLength(3);
    expect((await service.get('/api/users/lookup', team.token)).told).toBe('400 VALIDATION_FAILED search');
  });

  test('shows their last sign-in, without changing their revision', async () => {
    const { id, email } = await team.signedIn();
    await service.quiet();
    const { lastLoginAt, revision, updatedAt, createdAt } = await team.user(id);
    expect(lastLoginAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect([revision, updatedAt]).toEqual([0, createdAt]);
    clock.pass(1_000);
    await service.signIn(email);
    await service.quiet();
    const { items } = await team.list(`search=${email}`);
    expect(Date.parse(items[0]?.lastLoginAt ?? '')).toBeGreaterThan(Date.parse(lastLoginAt ?? ''));
  });

  test('shows nothing to another tenant', async () => {
    expect((await others.get(ada)).told).toBe('404 NOT_FOUND');
    expect((await others.list('search=lovelace')).items).toEqual([]);
    expect(await lookup('search=lovelace', others.token)).toEqual([]);
    expect((await team.get('me')).told).toBe('404 NOT_FOUND');
  });
});

describe('Changing a user', () => {
  let id: string;
  beforeAll(newTeam);
  beforeEach(async () => {
    id = await team.hire({ phone: '+49 30', branchId: await team.branch() });
  });

  test('changes given fields; null clears', async () => {
    const reply = await team.change(id, { fullName: 'Grace Hopper', phone: null, branchId: null, role: 'ADMIN' });
    expect(reply.body).toEqual({ statusCode: 200, data: { success: true, id, revision: 1 } });
    const facts = { fullName: 'Grace Hopper', phone: null, branchId: null, role: 'ADMIN', revision: 1 };
    expect(await team.user(id)).toMatchObject(facts);
  });

  test('changes nothing if the values are the same', async () => {
    const { fullName, email, role, isActive, roleIds } = await team.user(id);
    for (const patch of [{}, { fullName, email, role, isActive, roleIds }])
      expect((await team.change(id, patch)).data).toEqual({ success: true, id, revision: 0 });
  });

  test.each<[string, object]>([
    ['password', { password: 'long enough password' }],
    ['fullName', { fullName: null }],
    ['email', { email: null }],
    ['role', { role: null }],
    ['isActive', { isActive: 1 }],
    ['revision', { revision: 1 }],
  ])('is rejected for %s: %j', async (path, patch) => {
    expect((await team.change(id, patch)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('is rejected on a revision conflict', async () => {
    await team.change(id, { phone: '1234' });
    const late = await team.change(id, { phone: '12345' }, team.token, { 'if-match': '"0"' });
    expect(late.told).toBe('409 REVISION_CONFLICT');
    expect((await team.delete(id, team.token, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await team.change(id, {}, team.token, { 'if-match': 'W/"1"' })).told).toBe(
      '400 VALIDATION_FAILED If-Match',
    );
    expect((await team.change(id, { phone: '12345' }, team.token, { 'if-match': '"1"' })).told).toBe('200');
  });

  test('is not possible for unknown users or users of another tenant', async () => {
    for (const [whose, unknown] of [
      [others, id],
      [team, NOBODY],
      [team, 'x'],
    ] as const) {
      expect((await whose.change(unknown, { fullName: 'X' })).told).toBe('404 NOT_FOUND');
      expect((await whose.delete(unknown)).told).toBe('404 NOT_FOUND');
      expect((await whose.resetPassword(unknown)).told).toBe('404 NOT_FOUND');
    }
    expect((await team.user(id)).revision).toBe(0);
  });

  test('ends the access and sessions of a deactivated user', async () => {
    const member = await team.signedIn();
    expect((await service.get('/api/customers/lookup', member.token)).status).toBe(200);
    await team.change(member.id, { isActive: false });
    expect((await service.get('/api/customers/lookup', member.token)).told).toBe('401 UNAUTHENTICATED');
    await team.change(member.id, { isActive: true });
    expect((await service.get('/api/customers/lookup', member.token)).told).toBe('401 UNAUTHENTICATED');
    expect(await canSignIn(member.email)).toBe(true);
  });

  test('takes effect on permissions immediately', async () => {
    const member = await team.signedIn();
    expect((await team.list('', member.token)).items).toBeUndefined();
    const role = await team.role(['users.read']);
    await team.change(member.id, { roleIds: [role] });
    expect((await team.list('', member.token)).items.length).toBeGreaterThan(1);
    await team.change(member.id, { roleIds: [] });
    expect((await team.list('', member.token)).items).toBeUndefined();
  });
});

describe('Removing a user', () => {
  beforeAll(newTeam);

  test('hides them everywhere; the history keeps them', async () => {
    const member = await team.signedIn({ fullName: 'Gone Girl' });
    expect((await team.delete(member.id)).body).toEqual({
      statusCode: 200,
      data: { success: true, id: member.id, revision: 1 },
    });
    expect((await team.get(member.id)).told).toBe('404 NOT_FOUND');
    expect(await names('search=gone')).toEqual([]);
    expect(await lookup('search=gone')).toEqual([]);
    expect((await service.get('/api/customers/lookup', member.token)).told).toBe('401 UNAUTHENTICATED');
    expect(await canSignIn(member.email)).toBe(false);
    for (const again of [team.delete(member.id), team.change(member.id, {}), team.resetPassword(member.id)])
      expect((await again).told).toBe('404 NOT_FOUND');
    const { events } = await service.service.engines.events.readStream(`user-${team.tenant.id}_${member.id}`);
    expect(events.map(({ type }) => type)).toEqual(['UserCreated', 'UserDeleted']);
  });

  test('is possible for the caller’s own account', async () => {
    const admin = await team.signedIn({ role: 'ADMIN' });
    expect((await team.delete(admin.id, admin.token)).told).toBe('200');
    const second = await team.signedIn({ role: 'ADMIN' });
    expect((await team.change(second.id, { isActive: false }, second.token)).told).toBe('200');
    expect((await team.get(second.id, second.token)).told).toBe('401 UNAUTHENTICATED');
  });
});

describe('Owners', () => {
  let owner: string;
  let admin: Member;
  beforeEach(async () => {
    await newTeam();
    owner = (await team.owner()).id;
    admin = await team.signedIn({ role: 'ADMIN' });
  });

  test('can be created, changed and removed by owners only', async () => {
    const told = async (): Promise<string[]> =>
      (
        await Promise.all([
          team.create({ role: 'OWNER' }, admin.token),
          team.change(admin.id, { role: 'OWNER' }, admin.token),
          team.change(owner, { role: 'ADMIN' }, admin.token),
          team.change(owner, { fullName: 'X' }, admin.token),
          team.change(owner, { isActive: false }, admin.token),
          team.resetPassword(owner, admin.token),
          team.delete(owner, admin.token),
        ])
      ).map((reply) => reply.told);
    expect(await told()).toEqual(Array(7).fill('403 FORBIDDEN'));
    const second = await team.signedIn({ role: 'OWNER' });
    expect((await team.change(owner, { phone: '123' }, second.token)).told).toBe('200');
    expect((await team.resetPassword(second.id)).told).toBe('201');
    expect((await team.delete(second.id)).told).toBe('200');
  });

  test('cannot be removed while they are the last active one', async () => {
    await team.hire({ role: 'OWNER', isActive: false });
    for (const attempt of [
      team.change(owner, { role: 'ADMIN' }),
      team.change(owner, { isActive: false }),
      team.delete(owner),
    ])
      expect((await attempt).told).toBe('409 LAST_OWNER');
    expect((await team.change(owner, { phone: '123' })).told).toBe('200');
    await team.hire({ role: 'OWNER' });
    expect((await team.change(owner, { role: 'USER' })).told).toBe('200');
  });

  test('who demote each other concurrently leave one, 50 times', async () => {
    const second = await team.signedIn({ role: 'OWNER' });
    const first = { id: owner, token: team.token };
    for (let round = 0; round < 50; round += 1) {
      const told = (
        await Promise.all([
          team.change(second.id, { role: 'ADMIN' }, first.token),
          team.change(first.id, { role: 'ADMIN' }, second.token),
        ])
      ).map((reply) => reply.told);
      // The slower request is rejected, because either its target is the last owner, or its sender is no longer an
      // owner.
      expect(['409 LAST_OWNER', '403 FORBIDDEN']).toContain(told.find((one) => one !== '200'));
      expect(told).toContain('200');
      const [kept, demoted] = told[0] === '200' ? [first, second] : [second, first];
      expect((await team.list('role=OWNER', kept.token)).items.map(({ id }) => id)).toEqual([kept.id]);
      expect((await team.change(demoted.id, { role: 'OWNER' }, kept.token)).told).toBe('200');
    }
  });
});

describe('Missing permissions cannot be granted', () => {
  let clerk: Member;
  let reports: string;
  let keys: string;
  beforeAll(async () => {
    await newTeam();
    clerk = await team.memberWith('users.read', 'users.write', 'reports.read');
    reports = await team.role(['reports.read']);
    keys = await team.role(['reports.read', 'integrations.manage']);
  });

  test('by creating a user', async () => {
    expect((await team.create({ role: 'USER', roleIds: [reports] }, clerk.token)).told).toBe('201');
    for (const facts of [{ role: 'ADMIN' }, { roleIds: [reports, keys] }, { role: 'ADMIN', isActive: false }])
      expect([facts, (await team.create(facts, clerk.token)).told]).toEqual([facts, '403 FORBIDDEN']);
  });

  test('by changing a user, including oneself', async () => {
    const plain = await team.hire();
    for (const id of [plain, clerk.id])
      for (const patch of [{ role: 'ADMIN' }, { roleIds: [keys] }])
        expect([patch, (await team.change(id, patch, clerk.token)).told]).toEqual([patch, '403 FORBIDDEN']);
    expect((await team.change(plain, { roleIds: [reports], phone: '123' }, clerk.token)).told).toBe('200');
  });

  test('by taking over an account that has them', async () => {
    for (const stronger of [await team.hire({ role: 'ADMIN' }), await team.hire({ roleIds: [keys] })]) {
      const { email } = team.person();
      expect((await team.change(stronger, { email }, clerk.token)).told).toBe('403 FORBIDDEN');
      expect((await team.resetPassword(stronger, clerk.token)).told).toBe('403 FORBIDDEN');
      const { revision } = await team.user(stronger);
      expect(revision).toBe(0);
    }
    const weaker = await team.hire({ roleIds: [reports] });
    expect((await team.change(weaker, { email: team.person().email }, clerk.token)).told).toBe('200');
    expect((await team.resetPassword(weaker, clerk.token)).told).toBe('201');
  });

  test('and users with more permissions cannot be changed, suspended, demoted or removed', async () => {
    for (const facts of [{ role: 'ADMIN' }, { roleIds: [keys] }, { role: 'ADMIN', isActive: false }]) {
      const stronger = await team.hire(facts);
      for (const patch of [
        {},
        { fullName: 'Another' },
        { isActive: false },
        { isActive: true },
        { role: 'USER', roleIds: [] },
        { branchId: null },
      ])
        expect([patch, (await team.change(stronger, patch, clerk.token)).told]).toEqual([patch, '403 FORBIDDEN']);
      expect((await team.delete(stronger, clerk.token)).told).toBe('403 FORBIDDEN');
      expect((await team.user(stronger)).revision).toBe(0);
    }
    const peer = await team.hire({ roleIds: [reports] });
    expect((await team.change(peer, { isActive: false, roleIds: [] }, clerk.token)).told).toBe('200');
    expect((await team.change(peer, { isActive: true }, clerk.token)).told).toBe('200');
    expect((await team.delete(peer, clerk.token)).told).toBe('200');
  });

  test('and users given more permissions can no longer be changed', async () => {
    const one = await team.hire();
    expect((await team.change(one, { phone: '1' }, clerk.token)).told).toBe('200');
    await team.change(one, { roleIds: [keys] });
    expect((await team.change(one, { phone: '2' }, clerk.token)).told).toBe('403 FORBIDDEN');
    await service.call('PATCH', `/api/roles/${keys}/permissions`, {
      token: team.token,
      body: { permissions: ['reports.read'] },
    });
    expect((await team.change(one, { phone: '2' }, clerk.token)).told).toBe('200');
    await service.call('PATCH', `/api/roles/${keys}/permissions`, {
      token: team.token,
      body: { permissions: ['reports.read', 'integrations.manage'] },
    });
  });
});

describe('A password set by another user', () => {
  beforeAll(newTeam);

  test('ends the sessions of the user, and is then required to sign in', async () => {
    const member = await team.signedIn();
    expect((await service.get('/api/customers/lookup', member.token)).status).toBe(200);
    const reply = await team.resetPassword(member.id, team.token, 'the second password');
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: member.id, revision: 1 } });
    expect((await service.get('/api/customers/lookup', member.token)).told).toBe('401 UNAUTHENTICATED');
    expect(await canSignIn(member.email)).toBe(false);
    expect(await canSignIn(member.email, 'the second password')).toBe(true);
  });

  test.each<[object, string]>([
    [{}, 'newPassword'],
    [{ newPassword: 'too short' }, 'newPassword'],
    [{ newPassword: 'long enough password', currentPassword: 'x' }, 'currentPassword'],
  ])('is rejected: %j', async (body, path) => {
    const reply = await service.post(`/api/users/${await team.hire()}/password`, body, team.token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe('A user’s own profile', () => {
  beforeAll(newTeam);
  const profile = (body: object, token: string, headers: Readonly<Record<string, string>> = {}) =>
    service.call('PATCH', '/api/users/me/profile', { token, body, headers });

  test('can be changed without a permission', async () => {
    const member = await team.signedIn();
    const reply = await profile({ fullName: 'My Name', phone: '+1 555' }, member.token);
    expect(reply.body).toEqual({ statusCode: 200, data: { success: true, id: member.id, revision: 1 } });
    expect(await team.user(member.id)).toMatchObject({ fullName: 'My Name', phone: '+1 555', revision: 1 });
    expect((await profile({}, member.token)).data).toMatchObject({ revision: 1 });
    expect((await profile({ phone: null }, member.token, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await profile({ phone: null }, member.token, { 'if-match': '"1"' })).told).toBe('200');
  });

  test('has only a name and a phone number', async () => {
    const { token } = await team.signedIn();
    for (const field of ['email', 'role', 'roleIds', 'isActive', 'branchId', 'password'])
      expect((await profile({ [field]: 'x' }, token)).told).toBe(`400 VALIDATION_FAILED ${field}`);
    expect((await profile({ fullName: null }, token)).told).toBe('400 VALIDATION_FAILED fullName');
  });

  test('of an owner can be changed by the owner', async () => {
    expect((await profile({ fullName: 'The Owner' }, team.token)).told).toBe('200');
  });

  test('of an operator has a name, but no phone number', async () => {
    const operator = await service.operator();
    const reply = await profile({ fullName: 'Root' }, operator);
    expect([reply.told, (await profile({ fullName: 'Root' }, operator)).data]).toEqual(['200', reply.data]);
    const shown = await service.get('/api/platform/operators?pageNumber=1&pageSize=1&search=root', operator);
    expect(shown.body).toMatchObject({ items: [{ id: reply.id, fullName: 'Root' }] });
    for (const phone of ['+1 555', null])
      expect((await profile({ phone }, operator)).told).toBe('400 VALIDATION_FAILED phone');
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
