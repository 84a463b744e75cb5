import { hash, randomUUID } from 'node:crypto';
import { fieldHashes, requestKeyId } from '../../src/aggregates/request-key.aggregate.js';
import type { Reply } from '../support/reply.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
});
afterAll(() => service.close());

const send = (path: string, body: object, key: string, by = token): Promise<Reply> =>
  service.post(path, body, by, { 'idempotency-key': key });
const RULES = '/api/transaction-categories/rules';

type Creation = { readonly path: string; readonly body: () => object; readonly changed: object; readonly list: string };
const fresh = (facts: object = {}) => ({ name: service.fresh('Keyed'), ...facts });
const creations: Readonly<Record<string, Creation>> = {
  customers: { path: '/api/customers', body: fresh, changed: { notes: 'x' }, list: '/api/customers' },
  accounts: {
    path: '/api/accounts',
    body: () => fresh({ type: 'BANK' }),
    changed: { code: 'k' },
    list: '/api/accounts',
  },
  'accounts of customers': {
    ...{ path: '/api/accounts', body: () => fresh({ type: 'CUSTOMER' }), changed: { code: 'k-2' } },
    list: '/api/customers',
  },
  branches: {
    ...{ path: '/api/branches', body: () => fresh({ code: service.fresh('B') }), changed: { phone: '1' } },
    list: '/api/branches',
  },
  users: {
    ...{ path: '/api/users', list: '/api/users', changed: { password: 'another password' } },
    body: () => ({ fullName: 'Ada', email: `${service.fresh('ada')}@kontor.test`, password: PASSWORD, role: 'USER' }),
  },
  roles: {
    ...{ path: '/api/roles', body: () => fresh({ permissions: ['customers.read'] }), changed: { permissions: [] } },
    list: '/api/roles',
  },
  categories: {
    ...{ path: '/api/transaction-categories', body: fresh, changed: { icon: 'x' } },
    list: '/api/transaction-categories',
  },
  sales: {
    ...{ path: '/api/sales', list: '/api/sales', changed: { branchCode: 'B' } },
    body: () => saleOf(service.fresh('S')),
  },
  notifications: {
    ...{ path: '/api/notifications/admin/send', list: '/api/notifications', changed: { body: 'Other' } },
    body: () => ({ title: service.fresh('Title'), body: 'Text', broadcast: true }),
  },
};

const countOf = async (list: string): Promise<number> => {
  const { body } = await service.get(`${list}?pageNumber=1&pageSize=100`, token);
  const { totalCount, data } = body as { totalCount?: number; data?: unknown[] };
  return totalCount ?? data?.length ?? Number.NaN;
};

type Claimant = { readonly route?: string; readonly tenant?: Books['tenant'] };
/**
 * Creates the state that a request leaves if it ends after claiming its key. `members`: those of the path and the body.
 */
async function claimed(
  key: string,
  members: object,
  recordId: string,
  { route = 'POST /api/customers', tenant = books.tenant }: Claimant = {},
): Promise<void> {
  const { id: userId } = ((await service.get('/api/auth/me', tenant.token)).data as { user: { id: string } }).user;
  const stream = `request-key-${tenant.id}_${requestKeyId(userId, route, key)}`;
  const data = { recordId, fieldHashes: fieldHashes(members), slowHashes: {}, claimedAt: new Date().toISOString() };
  const about = { tenantId: tenant.id, timestamp: data.claimedAt, version: 1, commandId: randomUUID() };
  const metadata = { ...about, requestId: 'r', $correlationId: 'r' };
  const event = { id: randomUUID(), type: 'RequestKeyClaimed', data, metadata };
  await service.service.engines.events.append({ stream, expected: 'no_stream', events: [event] });
}

describe('A creation with an Idempotency-Key', () => {
  test.each(Object.keys(creations))('of %s happens once, and retries get the same bytes', async (name) => {
    const { path, body: make, changed, list } = creations[name] as Creation;
    const [key, body] = [service.fresh('key'), make()];
    const before = list === '/api/roles' || list === '/api/transaction-categories' ? NaN : await countOf(list);
    const first = await send(path, body, key);
    expect([first.told, first.headers['idempotent-replayed']]).toEqual(['201', undefined]);
    const again = await send(path, body, key);
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
    expect(Number(again.headers['x-event-position'])).toBeGreaterThanOrEqual(Number(first.headers['x-event-position']));
    const differing = await send(path, { ...body, ...changed }, key);
    expect(differing.told).toBe(`409 IDEMPOTENCY_CONFLICT ${Object.keys(changed).join(' ')}`);
    if (!Number.isNaN(before)) expect((await countOf(list)) - before).toBe(1);
  });

  test('of a rule returns the same bytes, even if the rule has changed or is deleted', async () => {
    const { id: categoryId } = await service.post('/api/transaction-categories', fresh(), token);
    const body = { categoryId, keyword: 'x' };
    const first = await send(RULES, body, 'rule');
    await service.call('PATCH', `${RULES}/${first.id}`, { token, body: { keyword: 'y' } });
    expect((await send(RULES, body, 'rule')).text).toBe(first.text);
    await service.call('DELETE', `${RULES}/${first.id}`, { token });
    expect((await send(RULES, body, 'rule')).text).toBe(first.text);
  });

  test('of a tenant and of an operator happens once', async () => {
    const by = await service.operator();
    const owner = { fullName: 'Ada', email: 'keyed-owner@kontor.test', password: PASSWORD };
    const tenant = { name: 'Keyed', slug: 'keyed', currency: 'EUR', timeZone: 'UTC', owner };
    const operator = { fullName: 'Bob', email: 'keyed-operator@kontor.test', password: PASSWORD };
    for (const [path, body] of [
      ['/api/platform/tenants', tenant],
      ['/api/platform/operators', operator],
    ] as const) {
      const first = await send(path, body, 'once', by);
      const again = await send(path, body, 'once', by);
      expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
    }
    const changed = { ...tenant, owner: { ...owner, password: 'another password' } };
    expect((await send('/api/platform/tenants', changed, 'once', by)).told).toBe('409 IDEMPOTENCY_CONFLICT owner');
  });

  test('of an integration key shows its secret once: a replay is rejected and creates nothing', async () => {
    const body = { name: 'Keyed', sourceId: 'keyed-shop' };
    const first = await send('/api/integration-keys', body, 'secret');
    expect((first.data as { key: string }).key).toEqual(expect.any(String));
    const before = await countOf('/api/integration-keys');
    const again = await send('/api/integration-keys', body, 'secret');
    expect(again.told).toBe('409 SECRET_SHOWN_ONCE');
    expect(again.problem.message).toContain(first.id);
    expect(await countOf('/api/integration-keys')).toBe(before);
  });

  test('stores no passwords, fast digests of them, or key secrets', async () => {
    const email = 'ada@kontor.test';
    const body = { fullName: 'Ada', email, password: 'a password of digests', role: 'USER' };
    await send('/api/users', body, 'digest');
    const made = await send('/api/integration-keys', { name: 'Kept', sourceId: 'kept-shop' }, 'digest');
    const history = await service.service.engines.events.readAll({ maxCount: 1_000_000 });
    const kept = history.map((event) => JSON.stringify(event.data));
    const digest = hash('sha256', '"a password of digests"', 'base64url');
    expect(kept.filter((data) => data.includes(email)).length).toBeGreaterThan(0);
    for (const secret of ['a password of digests', digest, (made.data as { key: string }).key.split('.').at(-1) ?? ''])
      expect(kept.filter((data) => data.includes(secret))).toEqual([]);
  });

  test('that is rejected leaves its key free for any request', async () => {
    const taken = service.fresh('T');
    await service.post('/api/branches', { code: taken, name: 'Taken' }, token);
    expect((await send('/api/branches', { code: taken, name: 'Two' }, 'refused')).told).toBe('409 BRANCH_CODE_TAKEN');
    expect((await send('/api/branches', { name: 'No code' }, 'refused')).told).toBe('400 VALIDATION_FAILED code');
    const other = { code: service.fresh('T'), name: 'Two' };
    expect((await send('/api/branches', other, 'refused')).told).toBe('201');
    expect((await send('/api/branches', other, 'refused')).status).toBe(200);
  });

  test('does not conflict with the same key on another route, of another user or of another tenant', async () => {
    const body = { name: 'Collision' };
    const ids = new Set([
      (await send('/api/customers', body, 'shared')).id,
      (await send('/api/transaction-categories', body, 'shared')).id,
      (await send('/api/customers', body, 'shared', await service.createUser(books.tenant, 'ADMIN'))).id,
      (await send('/api/customers', body, 'shared', (await service.createTenant()).token)).id,
    ]);
    expect(ids.size).toBe(4);
  });

  test('happens once when sent concurrently: one gets 201, the others the same bytes', async () => {
    const body = { name: 'Crowd', code: 'CROWD' };
    const replies = await Promise.all(Array.from({ length: 20 }, () => send('/api/customers', body, 'crowd')));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await service.customers(token, 'search=Crowd')).totalCount).toBe(1);
    const both = await Promise.all(['A', 'B'].map((name) => send('/api/customers', { name }, 'two-bodies')));
    expect(both.map(({ told }) => told).sort()).toEqual(['201', '409 IDEMPOTENCY_CONFLICT name']);
  });

  test('is completed by the retry if the first attempt was interrupted', async () => {
    const body = { name: 'Interrupted' };
    const recordId = randomUUID();
    await claimed('interrupted', body, recordId);
    expect((await send('/api/customers', { name: 'Other' }, 'interrupted')).told).toBe('409 IDEMPOTENCY_CONFLICT name');
    const retried = await send('/api/customers', body, 'interrupted');
    expect([retried.status, retried.id]).toEqual([201, recordId]);
    expect((await send('/api/customers', body, 'interrupted')).text).toBe(retried.text);
    // Retries a request whose first attempt ended after creating the record.
    await claimed('made', body, recordId);
    expect((await send('/api/customers', body, 'made')).text).toBe(retried.text);
    expect((await service.customers(token, 'search=Interrupted')).totalCount).toBe(1);
  });

  test('requires a key of visible ASCII characters', async () => {
    expect((await send('/api/customers', { name: 'A' }, 'x'.repeat(256))).told).toBe(
      '400 VALIDATION_FAILED Idempotency-Key',
    );
  });

  test('of a transaction returns the same bytes', async () => {
    const customer = await service.post('/api/customers', { name: 'Bytes' }, token);
    const body = { type: 'ADJUSTMENT', date: '2026-03-01', amount: '5.00', customerId: customer.id, direction: 'OUT' };
    const first = await send('/api/transactions', body, 'bytes');
    const again = await send('/api/transactions', body, 'bytes');
    expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
  });
});

describe('A retry of a stored request whose response was lost', () => {
  const openedTenant = async () => {
    const tenant = await service.createTenant();
    const { id: customerId } = await service.post('/api/customers', { name: 'Ada' }, tenant.token);
    const entry = { type: 'ADJUSTMENT', date: '2026-03-01', amount: '5.00', customerId, direction: 'OUT' };
    const record = async () => (await service.post('/api/transactions', entry, tenant.token)).id;
    return { tenant, entry, record };
  };
  const isReversedBy = async (id: string, by: string) =>
    ((await service.get(`/api/transactions/${id}`, by)).data as { reversedBy: { transactionId: string } }).reversedBy;

  test.each(['cancel', 'correct'])('to %s a transaction succeeds despite If-Match and a closed period', async (act) => {
    const { tenant, entry, record } = await openedTenant();
    const id = await record();
    const body = { reason: 'Digits swapped', date: '2026-03-02', ...(act === 'correct' && { replacement: entry }) };
    const path = `/api/transactions/${id}/${act}`;
    const first = await service.post(path, body, tenant.token, { 'if-match': '"0"' });
    expect(first.told).toBe('201');
    const newId = act === 'correct' ? first.id : (await isReversedBy(id, tenant.token)).transactionId;
    const retried = async (key: string) => {
      await claimed(key, { id, ...body }, newId, { route: `POST /api/transactions/:id/${act}`, tenant });
      return service.post(path, body, tenant.token, { 'if-match': '"0"', 'idempotency-key': key });
    };
    const soon = await retried('lost');
    expect([soon.told, soon.text]).toEqual(['201', first.text]);
    await service.post('/api/periods/close', { through: '2026-03-31' }, tenant.token);
    const later = await retried('lost-longer');
    expect([later.told, later.text]).toEqual(['201', first.text]);
    expect((await service.post(path, body, tenant.token, { 'if-match': '"0"' })).status).toBe(409);
  });

  test('to create a customer with an opening balance succeeds in a closed period', async () => {
    const { tenant } = await openedTenant();
    const body = { name: 'Opened', openingBalance: { amount: '9.00', direction: 'OUT', date: '2026-03-01' } };
    const first = await service.post('/api/customers', body, tenant.token);
    await claimed('lost', body, first.id, { tenant });
    await service.post('/api/periods/close', { through: '2026-03-31' }, tenant.token);
    const retried = await send('/api/customers', body, 'lost', tenant.token);
    expect([retried.told, retried.text]).toEqual(['201', first.text]);
    expect((await send('/api/customers', body, 'new', tenant.token)).told).toBe('409 PERIOD_CLOSED');
  });

  test('to record a sale without an external id succeeds in a closed period', async () => {
    const { tenant } = await openedTenant();
    const { externalId: _, ...body } = saleOf('');
    const facts = { route: 'POST /api/sales', tenant };
    const requestId = randomUUID();
    await claimed('first', body, requestId, facts);
    const first = await send('/api/sales', body, 'first', tenant.token);
    expect(first.told).toBe('201');
    await claimed('lost', body, requestId, facts);
    await service.post('/api/periods/close', { through: body.occurredAt.slice(0, 10) }, tenant.token);
    const retried = await send('/api/sales', body, 'lost', tenant.token);
    expect([retried.told, retried.text]).toEqual(['201', first.text]);
    expect((await send('/api/sales', body, 'new', tenant.token)).told).toBe('409 PERIOD_CLOSED');
  });
});

test('A retry of a request that was not stored is rejected if the record has changed since', async () => {
  const { id } = await service.post('/api/customers', { name: 'Ada' }, token);
  const entry = { type: 'ADJUSTMENT', date: '2026-03-01', amount: '5.00', customerId: id, direction: 'OUT' };
  const { id: changed } = await service.post('/api/transactions', entry, token);
  const path = `/api/transactions/${changed}`;
  await service.call('PATCH', `${path}/category`, { token, body: { categoryId: null } });
  const body = { reason: 'Digits swapped' };
  await claimed('unstored', { id: changed, ...body }, randomUUID(), { route: 'POST /api/transactions/:id/cancel' });
  const headers = { 'if-match': '"0"', 'idempotency-key': 'unstored' };
  expect((await service.post(`${path}/cancel`, body, token, headers)).told).toBe('409 REVISION_CONFLICT');
});
