import { Appender } from '../../src/eventsourcing/appender.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { CLAIM_FENCED } from '../../src/eventsourcing/event-catalogue.js';
import type { Page } from '../../src/queries/query.js';
import { expectedAt } from '../../src/eventsourcing/record-reader.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import type { BranchView } from '../../src/projections/tenant.projection.js';
import { TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const clock = new ShiftedClock();
let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start({ clock });
});
beforeEach(async () => {
  tenant = await service.createTenant();
});
afterAll(() => service.close());

const create = (body: object) => service.post('/api/branches', body, tenant.token);
const shown = async (id: string) => (await service.get(`/api/branches/${id}`, tenant.token)).data as BranchView;
const created = async (body: object) => shown((await create(body)).id);
const change = (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  service.call('PATCH', `/api/branches/${id}`, { token: tenant.token, body, headers });
const changed = async (id: string, body: object) => {
  await change(id, body);
  return shown(id);
};
const list = async (query = '') => {
  const reply = await service.get(`/api/branches?pageNumber=1&pageSize=100&${query}`, tenant.token);
  return reply.body as Page<BranchView>;
};
const codes = async (query = '') => (await list(query)).items.map(({ code }) => code);
const lookup = async (query = '') =>
  (await service.get(`/api/branches/lookup?${query}`, tenant.token)).data as {
    id: string;
    name: string;
    code: string;
  }[];
/** Returns the status and body of a response, without the request id, so that responses can be compared. */
const asked = async (method: 'GET' | 'PATCH', path: string, body?: object) => {
  const { status, text } = await service.call(method, path, { token: tenant.token, body });
  return `${status} ${text.replace(/"requestId":"[^"]+"/, '')}`;
};

describe('Creating a branch', () => {
  test('requires only a code and a name', async () => {
    const reply = await create({ code: 'north', name: ' North side ' });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: reply.id, revision: 0 } });
    const branch = await shown(reply.id);
    expect(branch).toEqual({
      id: reply.id,
      code: 'NORTH',
      name: 'North side',
      description: null,
      address: null,
      phone: null,
      email: null,
      isActive: true,
      createdAt: branch.createdAt,
      updatedAt: branch.createdAt,
      revision: 0,
    });
    expect(branch.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('keeps every given field', async () => {
    const facts = {
      code: 'S-2',
      name: 'Süd',
      description: 'By the river.\nParking behind.',
      address: 'Street 1\nFloor 2',
      phone: '+90 212 000',
      email: 'south@example.test',
      isActive: false,
    };
    expect(await created(facts)).toMatchObject(facts);
  });

  test('rejects a code of another branch of the tenant, in any case, active or inactive', async () => {
    await create({ code: 'gone', name: 'Gone', isActive: false });
    expect((await create({ code: 'GONE', name: 'Again' })).told).toBe('409 BRANCH_CODE_TAKEN');
    expect((await create({ code: 'main', name: 'Main' })).told).toBe('409 BRANCH_CODE_TAKEN');
  });

  test('assigns a code once to concurrent requests', async () => {
    const race = await Promise.all(['x1', 'X1', 'x1', 'X1'].map((code) => create({ code, name: code })));
    expect(race.map(({ told }) => told).sort()).toEqual(['201', ...Array<string>(3).fill('409 BRANCH_CODE_TAKEN')]);
  });

  test('allows every tenant its own codes', async () => {
    await create({ code: 'same', name: 'Here' });
    tenant = await service.createTenant();
    expect((await create({ code: 'same', name: 'There' })).told).toBe('201');
  });
});

test.each([
  ['nothing', {}, 'code name'],
  ['an empty code', { code: '', name: 'A' }, 'code'],
  ['a code of 21 characters', { code: 'c'.repeat(21), name: 'A' }, 'code'],
  ['a code with a space', { code: 'A 1', name: 'A' }, 'code'],
  ['a code with an underscore', { code: 'A_1', name: 'A' }, 'code'],
  ['a code with a letter outside of A to Z', { code: 'ÇA', name: 'A' }, 'code'],
  ['a code that becomes A to Z only in upper case', { code: 'ı', name: 'A' }, 'code'],
  ['a code that is a number', { code: 7, name: 'A' }, 'code'],
  ['a blank name', { code: 'A', name: ' ' }, 'name'],
  ['a name of 121 characters', { code: 'A', name: 'n'.repeat(121) }, 'name'],
  ['no e-mail address', { code: 'A', name: 'A', email: 'nobody' }, 'email'],
  ['an active state that is a text', { code: 'A', name: 'A', isActive: 'true' }, 'isActive'],
  ['another tenant', { code: 'A', name: 'A', tenantId: 'x' }, 'tenantId'],
  ['an id given by the caller', { code: 'A', name: 'A', id: 'x' }, 'id'],
])('A branch is rejected with %s', async (_, body, path) => {
  expect((await create(body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
});

describe('A branch', () => {
  test('returns its revision as ETag', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    await change(id, { name: 'B' });
    const reply = await service.get(`/api/branches/${id}`, tenant.token);
    expect([reply.status, reply.headers['etag']]).toEqual([200, '"1"']);
  });

  test('that is unknown, malformed or of another tenant gets the same response', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    const unknown = service.service.engines.ids.next();
    tenant = await service.createTenant();
    const refused = await asked('GET', `/api/branches/${unknown}`);
    expect(refused).toContain('404 {"statusCode":404,"code":"NOT_FOUND"');
    expect(await asked('GET', `/api/branches/${id}`)).toBe(refused);
    expect(await asked('GET', '/api/branches/main')).toBe(refused);
    const unchanged = await asked('PATCH', `/api/branches/${unknown}`, { name: 'Mine' });
    expect(unchanged).toContain('404 {"statusCode":404,"code":"NOT_FOUND"');
    expect(await asked('PATCH', `/api/branches/${id}`, { name: 'Mine' })).toBe(unchanged);
  });
});

describe('Changing a branch', () => {
  test('changes given fields, clears null fields, and keeps the rest', async () => {
    const facts = { code: 'A', name: 'A', description: 'D', address: 'Street', phone: '+1 555', email: 'a@b.test' };
    const before = await created(facts);
    clock.pass(60_000);
    const after = await changed(before.id, { name: 'B', phone: null });
    expect(after).toEqual({ ...before, name: 'B', phone: null, updatedAt: after.updatedAt, revision: 1 });
    expect(Date.parse(after.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt) + 60_000);
  });

  test('returns the new revision, and the same one if nothing changes', async () => {
    const { id } = await create({ code: 'A', name: 'A', phone: '+1 555' });
    const reply = await change(id, { name: 'B' });
    expect([reply.status, reply.data]).toEqual([200, { success: true, id, revision: 1 }]);
    for (const same of [{}, { name: 'B' }, { isActive: true }, { phone: '+1 555', description: null }])
      expect((await change(id, same)).data).toEqual({ success: true, id, revision: 1 });
    expect(await shown(id)).toMatchObject({ revision: 1 });
  });

  test('deactivates and reactivates it', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    expect(await changed(id, { isActive: false })).toMatchObject({ isActive: false, revision: 1 });
    const customer = { name: 'C', branchId: id };
    expect((await service.post('/api/customers', customer, tenant.token)).told).toBe('409 BRANCH_INACTIVE');
    expect(await changed(id, { isActive: true })).toMatchObject({ isActive: true, revision: 2 });
    expect((await service.post('/api/customers', customer, tenant.token)).told).toBe('201');
  });

  test('cannot change the code', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    expect((await change(id, { code: 'B' })).told).toBe('400 VALIDATION_FAILED code');
    expect((await change(id, { code: 'A', name: 'B' })).told).toBe('400 VALIDATION_FAILED code');
    expect(await shown(id)).toMatchObject({ code: 'A', name: 'A', revision: 0 });
  });

  test.each([
    ['an unknown field', { color: 'red' }, 'color'],
    ['no name', { name: null }, 'name'],
    ['no activity', { isActive: null }, 'isActive'],
    ['no e-mail address', { email: 'nobody' }, 'email'],
  ])('is rejected with %s', async (_, body, path) => {
    const { id } = await create({ code: 'A', name: 'A' });
    expect((await change(id, body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('requires the revision in If-Match', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    expect((await change(id, { name: 'B' }, { 'if-match': '"0"' })).told).toBe('200');
    expect((await change(id, { name: 'C' }, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await change(id, { name: 'B' }, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await change(id, { name: 'C' }, { 'if-match': '1' })).told).toBe('400 VALIDATION_FAILED If-Match');
    expect(await shown(id)).toMatchObject({ name: 'B', revision: 1 });
  });

  test('matches its ETag after a fence has taken a revision', async () => {
    const { id } = await create({ code: 'A', name: 'A' });
    const { app, engines } = service.service;
    const commandId = engines.ids.next();
    const actor = { kind: 'system', name: 'test' } as const;
    const context = { tenantId: tenant.id, actor, requestId: commandId, correlationId: commandId, commandId };
    const fence = { type: CLAIM_FENCED, data: { claim: 'claim', attemptId: 'attempt' } };
    const stream = streamName('branch', tenant.id, id);
    await inContext(context, () => app.get(Appender).write(stream, expectedAt(0), [fence]));
    await service.quiet();
    const { headers, data } = await service.get(`/api/branches/${id}`, tenant.token);
    expect([headers['etag'], data]).toEqual(['"1"', expect.objectContaining({ revision: 1 })]);
    expect((await change(id, { name: 'B' }, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await change(id, { name: 'B' }, { 'if-match': headers['etag'] ?? '' })).told).toBe('200');
    expect(await shown(id)).toMatchObject({ name: 'B', revision: 2 });
  });
});

describe('The list of branches', () => {
  test('has the newest first, including inactive ones, in pages', async () => {
    for (const code of ['A', 'B', 'C']) await create({ code, name: code, isActive: code !== 'B' });
    expect(await codes()).toEqual(['C', 'B', 'A', 'MAIN']);
    const second = await service.get('/api/branches?pageNumber=2&pageSize=3', tenant.token);
    expect(second.body).toMatchObject({
      items: [{ code: 'MAIN', name: 'Main branch' }],
      pageNumber: 2,
      pageSize: 3,
      totalPages: 2,
      totalCount: 4,
      hasPreviousPage: true,
      hasNextPage: false,
    });
    expect((await service.get('/api/branches?pageNumber=9&pageSize=3', tenant.token)).body).toMatchObject({
      items: [],
    });
  });

  test('is sorted by code or name on request, and keeps equal names in order across pages', async () => {
    for (const code of ['Z', 'C', 'B']) await create({ code, name: code === 'C' ? 'ÄHNLICH' : 'ähnlich' });
    await create({ code: 'A', name: 'Zweite' });
    const paged = async (sort: string) => {
      const pages = [1, 2, 3].map((page) =>
        service.get(`/api/branches?pageNumber=${page}&pageSize=2&sort=${sort}`, tenant.token),
      );
      return (await Promise.all(pages)).flatMap(({ body }) => (body as Page<BranchView>).items.map(({ code }) => code));
    };
    expect(await paged('code')).toEqual(['A', 'B', 'C', 'MAIN', 'Z']);
    expect(await paged('name')).toEqual(['Z', 'C', 'B', 'MAIN', 'A']);
    expect(await paged('newest')).toEqual(['A', 'B', 'C', 'Z', 'MAIN']);
    const wrong = await service.get('/api/branches?pageNumber=1&pageSize=2&sort=phone', tenant.token);
    expect(wrong.told).toBe('400 VALIDATION_FAILED sort');
  });

  test('can be searched by word prefixes of code, name and phone', async () => {
    await create({
      code: 'IST-1',
      name: 'İstanbul Çarşı',
      phone: '+90 212',
      address: 'Elsewhere',
      description: 'Deep',
    });
    await create({ code: 'ANK', name: 'Ankara', email: 'istanbul@example.test' });
    for (const search of ['istanbul', 'carsi ist', 'ist-1', '212', 'ÇARŞ']) {
      const found = await codes(`search=${encodeURIComponent(search)}`);
      expect([search, found]).toEqual([search, ['IST-1']]);
    }
    for (const search of ['elsewhere', 'deep', 'tanbul', 'istanbul ankara', '!!'])
      expect([search, await codes(`search=${encodeURIComponent(search)}`)]).toEqual([search, []]);
    expect(await codes('search=')).toEqual(['ANK', 'IST-1', 'MAIN']);
  });

  test.each([
    ['pageNumber=1', 'pageSize'],
    ['pageNumber=0&pageSize=1', 'pageNumber'],
    ['pageNumber=1&pageSize=101', 'pageSize'],
    ['pageNumber=1&pageSize=1&isActive=true', 'isActive'],
    ['pageNumber=1&pageSize=1&search=a&search=b', 'search'],
  ])('is rejected for %s', async (query, path) => {
    const reply = await service.get(`/api/branches?${query}`, tenant.token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe('Looking branches up', () => {
  test('shows brief active ones only, newest first', async () => {
    const { id } = await create({ code: 'A', name: 'Alpha' });
    await create({ code: 'B', name: 'Beta', isActive: false });
    expect(await lookup()).toEqual([
      { id, name: 'Alpha', code: 'A' },
      { id: (await list('search=main')).items[0]?.id, name: 'Main branch', code: 'MAIN' },
    ]);
    await change(id, { isActive: false });
    expect((await lookup()).map(({ code }) => code)).toEqual(['MAIN']);
  });

  test('shows the best match first', async () => {
    for (const [code, name] of [
      ['D', 'New west'],
      ['C', 'Western'],
      ['B', 'West end'],
      ['A', 'West'],
      ['WEST', 'Somewhere'],
    ])
      await create({ code, name });
    await create({ code: 'E', name: 'Other' });
    expect((await lookup('search=west')).map(({ code }) => code)).toEqual(['WEST', 'A', 'B', 'C', 'D']);
  });

  test('shows at most 20', async () => {
    for (let made = 0; made < 21; made += 1) await create({ code: `N-${made}`, name: 'Next' });
    expect(await lookup('search=next')).toHaveLength(20);
    expect(await lookup()).toHaveLength(20);
  });

  test('finds the branch with the given code or name, even if 100 newer branches match', async () => {
    await create({ code: 'WEST', name: 'Somewhere' });
    await create({ code: 'FIRST', name: 'West' });
    for (let made = 0; made < 100; made += 1) await create({ code: `W-${made}`, name: 'West end' });
    expect((await lookup('search=west')).slice(0, 2).map(({ code }) => code)).toEqual(['WEST', 'FIRST']);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
