import type { Page } from '../../src/queries/query.js';
import type { AuditLogDetail, AuditLogRecord } from '../../src/queries/audit-log.queries.js';
import { OPERATOR, PASSWORD, saleOf, TestService, type Books } from '../support/service.js';
import { eventually } from '../support/eventually.js';

let service: TestService;
let books: Books;
let other: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  [books, other] = [await service.openBooks(), await service.openBooks()];
  ({ token } = books.tenant);
});
afterAll(() => service.close());

const list = async (query = '', as = token): Promise<readonly AuditLogRecord[]> => {
  await service.quiet();
  const found: AuditLogRecord[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { body } = await service.get(`/api/audit-logs?pageSize=100&pageNumber=${page}&${query}`, as);
    const { items, totalPages } = body as Page<AuditLogRecord>;
    found.push(...items);
    pages = totalPages;
  }
  return found;
};
const get = (id: string | undefined, as = token) => service.get(`/api/audit-logs/${id ?? ''}`, as);

test('A tenant sees exactly the entries of its own history, as operators see them', async () => {
  await service.post('/api/customers', { name: 'Ada Ltd' }, token);
  await service.post('/api/customers', { name: 'Of the others' }, other.tenant.token);
  await service.post('/api/periods/close', { through: '2020-12-31' }, token);
  const mine = await list();
  expect(mine.map(({ summary }) => summary)).toEqual(
    expect.arrayContaining(['Customer "Ada Ltd" created', 'Period "2020-12-31" closed']),
  );
  const { body } = await service.get(
    `/api/platform/audit-logs?pageSize=100&tenantId=${books.tenant.id}`,
    await service.operator(),
  );
  const { items } = body as Page<AuditLogRecord>;
  expect(mine.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  expect(new Set(mine.map(({ tenantId }) => tenantId))).toEqual(new Set([books.tenant.id]));
  expect(JSON.stringify(mine)).not.toContain('Of the others');
});

test('An entry can be read with its changes only by its own tenant', async () => {
  const { id } = await service.post('/api/branches', { code: 'HARBOUR', name: 'Harbour' }, token);
  await service.call('PATCH', `/api/branches/${id}`, { token, body: { name: 'Old harbour' } });
  const [entry] = await list(`entity=branch&entityId=${id}`);
  const { data } = await get(entry?.id);
  expect((data as AuditLogDetail).changes).toEqual([{ path: 'name', before: 'Harbour', after: 'Old harbour' }]);
  expect((await get(entry?.id, other.tenant.token)).told).toBe('404 NOT_FOUND');
  expect((await get('0199d3a0-0000-7000-8000-000000000001')).told).toBe('404 NOT_FOUND');
  const [platform] = (
    (await service.get('/api/platform/audit-logs?tenantId=platform', await service.operator()))
      .body as Page<AuditLogRecord>
  ).items;
  expect((await get(platform?.id)).told).toBe('404 NOT_FOUND');
});

test('Owners and administrators can read it, but users cannot', async () => {
  const [admin, clerk] = [
    await service.createUser(books.tenant, 'ADMIN'),
    await service.createUser(books.tenant, 'USER'),
  ];
  expect((await list('', admin)).length).toBeGreaterThan(0);
  expect((await service.get('/api/audit-logs', clerk)).told).toBe('403 FORBIDDEN');
  expect((await service.get('/api/audit-logs', await service.operator())).told).toBe('403 FORBIDDEN');
});

test('The filters restrict it, and a tenant cannot be chosen', async () => {
  await service.post('/api/customers', { name: 'Zora' }, token);
  for (const entry of await list('entity=customer&action=CREATE'))
    expect([entry.entity, entry.action]).toEqual(['customer', 'CREATE']);
  expect(await list('search=zora')).toHaveLength(1);
  expect(await list('entity=customer&dateTo=2020-01-01')).toEqual([]);
  for (const query of [`tenantId=${other.tenant.id}`, 'action=NONE', 'dateFrom=yesterday'])
    expect((await service.get(`/api/audit-logs?${query}`, token)).status).toBe(400);
});

test('Actions of operators on a record of the tenant are listed without identities of operators', async () => {
  await service.setRateLimit(books.partner.id, 2_000);
  const [entry] = await list('entity=integration-key');
  expect(entry).toMatchObject({ userId: null, userName: 'operator', ipAddress: null, userAgent: null });
  const { text } = await get(entry?.id);
  expect(text).toContain('2000');
  expect(text).not.toContain(OPERATOR.email);
  expect(text).not.toContain('127.0.0.1');
});

/** The answers to a query as a page and as a CSV file. */
const answers = async (query: string): Promise<unknown[]> => {
  const page = await service.get(`/api/audit-logs?${query}`, token);
  const file = await service.get(`/api/audit-logs?${query}`, token, { accept: 'text/csv' });
  return [page.body, file.text];
};

test('No search or filter of a tenant reveals which operator acted', async () => {
  const olga = { fullName: 'Olga Meyer', email: 'olga@kontor.test', password: PASSWORD };
  const { id: olgaId } = await service.post('/api/platform/operators', olga, await service.operator());
  const operator = await service.signIn(olga.email);
  const key = `/api/platform/integration-keys/${books.partner.id}`;
  await service.call('PATCH', key, { token: operator, body: { rateLimit: 3_000 } });
  await service.post('/api/users', { ...olga, email: 'o@others.test', role: 'USER' }, other.tenant.token);
  await service.quiet();
  for (const query of ['search=olga', `userId=${olgaId}`]) {
    const found = await service.get(`/api/platform/audit-logs?tenantId=${books.tenant.id}&${query}`, operator);
    expect((found.body as Page<AuditLogRecord>).totalCount).toBe(1);
  }
  const nothing = await answers('userId=0199d3a0-0000-7000-8000-000000000001');
  expect(nothing[0]).toMatchObject({ items: [], totalCount: 0 });
  const queries = ['search=olg', 'search=olga%20meyer', 'search=integration%20olga', `userId=${olgaId}`];
  for (const query of queries) expect([query, await answers(query)]).toEqual([query, nothing]);
});

test('A search or filter for any other actor finds its entries, even after a user was deleted', async () => {
  const zoe = { fullName: 'Zoe Albers', email: `zoe@${books.tenant.slug}.test`, password: PASSWORD, role: 'ADMIN' };
  const { id: zoeId } = await service.post('/api/users', zoe, token);
  await service.post('/api/customers', { name: 'Quill Ltd' }, await service.signIn(zoe.email));
  await service.call('DELETE', `/api/users/${zoeId}`, { token });
  await service.postSale(books.partner, saleOf('found'));
  await service.settled(books.partner, 'found');
  const mine = await list();
  const own = mine.filter(({ userId }) => userId === zoeId);
  expect(own.map(({ entity }) => entity)).toEqual(expect.arrayContaining(['session', 'customer']));
  expect(await list(`userId=${zoeId}`)).toEqual(own);
  expect(await list('search=albers&entity=customer')).toEqual(own.filter(({ entity }) => entity === 'customer'));
  expect(await list('search=quill%20zoe')).toHaveLength(1);
  for (const [word, isActor] of [
    ['owner', (name: string) => name.startsWith('Owner of')],
    ['partner', (name: string) => name === 'partner:shop'],
    ['operator', (name: string) => name === 'operator'],
  ] as const) {
    const wanted = mine.filter(({ userName }) => isActor(userName ?? '')).map(({ id }) => id);
    expect(wanted).not.toEqual([]);
    expect((await list(`search=${word}`)).map(({ id }) => id)).toEqual(expect.arrayContaining(wanted));
  }
  const owners = mine.filter(({ userName }) => userName?.startsWith('Owner of'));
  expect(await list(`userId=${owners[0]?.userId ?? ''}`)).toEqual(owners);
});

test('Only operators see dead letters: a rejected sale is listed, but not its dead letter', async () => {
  await service.postSale(books.partner, saleOf('lost', { branchCode: 'NOWHERE' }));
  expect((await service.settled(books.partner, 'lost')).status).toBe('REJECTED');
  const path = '/api/platform/audit-logs?entity=dead-letter';
  const letter = await eventually(
    async () => {
      const { body } = await service.get(path, await service.operator());
      return (body as Page<AuditLogRecord>).items[0];
    },
    5_000,
    () => path,
  );
  expect(letter.tenantId).toBe(books.tenant.id);
  expect((await list()).map(({ summary }) => summary)).toContain('Sale rejected: BRANCH_UNKNOWN');
  expect(await list('entity=dead-letter')).toEqual([]);
  expect((await get(letter.id)).told).toBe('404 NOT_FOUND');
});
