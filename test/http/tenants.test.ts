import { setTimeout as delay } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { createTenant, tenant, updateTenant } from '../../src/aggregates/tenant.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { passwords } from '../../src/security/passwords.js';
import type { Page } from '../../src/queries/query.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { TenantView } from '../../src/projections/tenant.projection.js';
import { elsewhere } from '../support/elsewhere.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { messagesIn } from '../support/stored-messages.js';

const clock = new ShiftedClock();
let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ clock });
});
afterAll(() => service.close());

const eventsOf = async (entity: string, tenantId: string): Promise<readonly RecordedEvent[]> => {
  const prefixes = [`${entity}-${tenantId}_`];
  return service.service.engines.events.readAll({ filter: { on: 'stream', prefixes } });
};
const dataOf = async (entity: string, tenantId: string): Promise<readonly object[]> =>
  (await eventsOf(entity, tenantId)).map(({ data }) => data);

const facts = (slug: string, changes: object = {}) => ({
  name: 'Acme Trading',
  slug,
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  owner: { fullName: 'Ada Owner', email: `ada@${slug}.test`, password: PASSWORD },
  ...changes,
});
const create = async (body: object) => service.post('/api/platform/tenants', body, await service.operator());

describe('A new tenant', () => {
  test('is returned as a command, with the position of its last seed', async () => {
    const reply = await create(facts('answered'));
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: reply.id, revision: 0 } });
    expect(Number(reply.headers['x-event-position'])).toBe(await service.service.engines.events.head());
  });

  test('starts with its owner, the branch MAIN, the default customer and seven accounts', async () => {
    const { id, token } = await service.createTenant({ currency: 'TRY', timeZone: 'Europe/Istanbul' });
    expect(await dataOf('user', id)).toMatchObject([{ role: 'OWNER', isActive: true }]);
    expect(await dataOf('branch', id)).toMatchObject([{ code: 'MAIN', isActive: true }]);
    const accounts = await dataOf('account', id);
    const brief = accounts.map((account) => {
      const { name, type, currency, isSystem } = account as Record<string, unknown>;
      return [name, type, currency, isSystem].join(' ');
    });
    expect(brief.sort()).toEqual([
      'Adjustments EQUITY TRY true',
      'Bank BANK TRY false',
      'Card terminal POS TRY false',
      'Cash CASH TRY false',
      'Opening balances EQUITY TRY true',
      'Sales INCOME TRY true',
      'Tax payable TAX TRY true',
    ]);
    const { items } = await service.customers(token);
    expect(items).toMatchObject([{ name: 'Walk-in customer', isDefault: true, status: 'ACTIVE', currency: 'TRY' }]);
    expect(items[0]?.balance).toEqual({ amount: '0.00', currency: 'TRY' });
  });

  test('keeps the password of its owner out of the history and the broker', async () => {
    const { engines } = service.service;
    await create(facts('secretive'));
    const events = await engines.events.readAll();
    expect(JSON.stringify(events)).not.toContain(PASSWORD);
    const messages = messagesIn(service.directory);
    expect(JSON.stringify(messages)).not.toMatch(/argon2|passwordHash/);
  });

  test('cannot have the slug of another', async () => {
    await create(facts('taken'));
    const again = facts('taken', { owner: { fullName: 'B', email: 'b@other.test', password: PASSWORD } });
    expect((await create(again)).told).toBe('409 SLUG_TAKEN');
  });

  test('can be retried immediately with a free slug', async () => {
    const owner = { fullName: 'C', email: 'c@retry.test', password: PASSWORD };
    expect((await create(facts('taken', { owner }))).told).toBe('409 SLUG_TAKEN');
    expect((await create(facts('retried', { owner }))).told).toBe('201');
  });

  test('can have an owner whose e-mail address is used elsewhere', async () => {
    const { email } = await service.createTenant();
    const owner = { fullName: 'D', email: email.toUpperCase(), password: PASSWORD };
    expect((await create(facts('mail-1', { owner }))).told).toBe('201');
    const operator = { fullName: 'E', email: 'operator@kontor.test', password: PASSWORD };
    expect((await create(facts('mail-2', { owner: operator }))).told).toBe('201');
  });

  test('is created once by two concurrent requests with one slug', async () => {
    const body = (name: string) =>
      facts('raced', { owner: { fullName: name, email: `${name}@raced.test`, password: PASSWORD } });
    const replies = await Promise.all(['one', 'two', 'three'].map((name) => create(body(name))));
    expect(replies.map(({ told }) => told).sort()).toEqual(['201', '409 SLUG_TAKEN', '409 SLUG_TAKEN']);
  });

  test('gets its seeds after a crash that interrupted them', async () => {
    const { app, engines } = service.service;
    const next = () => engines.ids.next();
    const id = next();
    const accounts = { cash: next(), bank: next(), card: next(), sales: next(), tax: next() };
    const seeds = {
      branchId: next(),
      customerId: next(),
      accounts: { ...accounts, openingBalances: next(), adjustments: next() },
    };
    const owner = {
      userId: next(),
      fullName: 'G',
      email: 'g@crashed.test',
      passwordHash: await passwords.hash(PASSWORD),
    };
    const data = { name: 'Crashed', slug: 'crashed', currency: 'EUR', timeZone: 'UTC', owner, seeds };
    const actor = { kind: 'system', name: 'test' } as const;
    const context = { tenantId: PLATFORM_TENANT, actor, requestId: id, correlationId: id, commandId: next() };
    const target = { tenantId: PLATFORM_TENANT, id };
    await inContext(context, () => app.get(CommandRunner).execute(tenant, target, data, createTenant));
    const accountsOf = async (): Promise<number> => (await dataOf('account', id)).length;
    for (let waitedMs = 0; waitedMs < 5_000 && (await accountsOf()) < 7; waitedMs += 10) await delay(10);
    await service.quiet();
    const { items } = await service.customers(await service.signIn('g@crashed.test'));
    expect(items).toMatchObject([{ id: seeds.customerId, isDefault: true }]);
    expect(await dataOf('branch', id)).toHaveLength(1);
    expect(await accountsOf()).toBe(7);
  });

  const owner = { fullName: 'F', email: 'f@faults.test', password: PASSWORD };
  test.each([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of 121 characters', { name: 'n'.repeat(121) }, 'name'],
    ['a slug in upper case', { slug: 'Acme' }, 'slug'],
    ['a slug that begins with a dash', { slug: '-acme' }, 'slug'],
    ['an unknown currency', { currency: 'EUX' }, 'currency'],
    ['a currency in lower case', { currency: 'eur' }, 'currency'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['an offset instead of a time zone', { timeZone: '+03:00' }, 'timeZone'],
    ['no owner', { owner: undefined }, 'owner'],
    ['an owner without e-mail', { owner: { ...owner, email: undefined } }, 'owner.email'],
    ['an invalid e-mail address', { owner: { ...owner, email: 'nobody' } }, 'owner.email'],
    ['a password of 9 characters', { owner: { ...owner, password: '123456789' } }, 'owner.password'],
    ['a password of 129 characters', { owner: { ...owner, password: 'pq'.repeat(64) + 'p' } }, 'owner.password'],
    ['a role for the owner', { owner: { ...owner, role: 'ADMIN' } }, 'owner.role'],
    ['an id given by the caller', { id: 'mine' }, 'id'],
    ['a name that is a number', { name: 7 }, 'name'],
  ])('is rejected with %s', async (_, changes, path) => {
    expect((await create(facts('faulty', changes))).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('gets all errors at once', async () => {
    const reply = await create({ ...facts('many'), name: '', currency: 'X', timeZone: 'Y' });
    expect(reply.told).toBe('400 VALIDATION_FAILED name currency timeZone');
  });
});

const shown = async (id: string): Promise<TenantView> =>
  (await service.get(`/api/platform/tenants/${id}`, await service.operator())).data as TenantView;
const change = async (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  service.call('PATCH', `/api/platform/tenants/${id}`, { token: await service.operator(), body, headers });
const list = async (query = ''): Promise<Page<TenantView>> =>
  (await service.get(`/api/platform/tenants?${query}`, await service.operator())).body as Page<TenantView>;

describe('Operators reading tenants', () => {
  test('get a tenant with its revision as ETag, without secrets', async () => {
    const { id } = await create(facts('seen', { name: ' Seen Ltd ' }));
    const reply = await service.get(`/api/platform/tenants/${id}`, await service.operator());
    const { createdAt, ownerUserId } = reply.data as TenantView;
    expect(reply.data).toEqual({
      id,
      name: 'Seen Ltd',
      slug: 'seen',
      currency: 'EUR',
      timeZone: 'Europe/Berlin',
      isActive: true,
      oidcDomains: [],
      requireFactor: false,
      ownerUserId,
      createdAt,
      updatedAt: createdAt,
      revision: 0,
    });
    expect((await eventsOf('user', id)).map(({ stream }) => stream)).toEqual([`user-${id}_${ownerUserId}`]);
    expect(reply.headers['etag']).toBe('"0"');
  });

  test('get 404 for an unknown tenant', async () => {
    const unknown = service.service.engines.ids.next();
    for (const id of [unknown, 'acme', 'platform']) {
      const reply = await service.get(`/api/platform/tenants/${id}`, await service.operator());
      expect([id, reply.told]).toEqual([id, '404 NOT_FOUND']);
    }
    expect((await change(unknown, { name: 'A' })).told).toBe('404 NOT_FOUND');
  });

  test('get a list, newest first, in pages of 20 by default', async () => {
    for (const slug of ['listed-1', 'listed-2', 'listed-3']) await create(facts(slug));
    expect(await list()).toMatchObject({ pageNumber: 1, pageSize: 20 });
    const { items, ...page } = await list('search=listed&pageNumber=1&pageSize=2');
    expect(items.map(({ slug }) => slug)).toEqual(['listed-3', 'listed-2']);
    expect(page).toMatchObject({ totalCount: 3, totalPages: 2, hasNextPage: true });
    const refused = await service.get('/api/platform/tenants?pageSize=101&color=red', await service.operator());
    expect(refused.told).toBe('400 VALIDATION_FAILED pageSize color');
  });

  test('can search by name and slug', async () => {
    await create(facts('wholesale-7', { name: 'Çiçek Toptan' }));
    const found = async (search: string) =>
      (await list(`search=${encodeURIComponent(search)}`)).items.map(({ slug }) => slug);
    for (const search of ['cicek', 'TOPTAN', 'wholesale', 'wholesale-7 cicek'])
      expect([search, await found(search)]).toEqual([search, ['wholesale-7']]);
    expect(await found('ada wholesale')).toEqual([]);
  });
});

describe('Renaming a tenant', () => {
  test('returns the new revision, and changes nothing else', async () => {
    const { id } = await create(facts('renamed'));
    const before = await shown(id);
    const reply = await change(id, { name: 'Another name' });
    expect([reply.status, reply.data]).toEqual([200, { success: true, id, revision: 1 }]);
    const { updatedAt } = await shown(id);
    expect(await shown(id)).toEqual({ ...before, name: 'Another name', updatedAt, revision: 1 });
    for (const same of [{}, { name: 'Another name' }, { isActive: true }])
      expect((await change(id, same)).data).toEqual({ success: true, id, revision: 1 });
    expect((await change(id, { name: 'Late' }, { 'if-match': '"0"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await change(id, { name: 'In time' }, { 'if-match': '"1"' })).told).toBe('200');
  });

  test.each([
    ['its slug', { slug: 'other' }, 'slug'],
    ['its currency', { currency: 'USD' }, 'currency'],
    ['its time zone', { timeZone: 'UTC' }, 'timeZone'],
    ['a blank name', { name: ' ' }, 'name'],
    ['an invalid active state', { isActive: 0 }, 'isActive'],
  ])('cannot change %s', async (_, body, path) => {
    const { id } = await service.createTenant();
    expect((await change(id, body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe('A deactivated tenant', () => {
  const PATH = '/api/customers?pageNumber=1&pageSize=1';
  const told = async ({ tenant, partner }: Books): Promise<readonly string[]> => {
    const login = { email: tenant.email, password: PASSWORD };
    return [
      (await service.get(PATH, tenant.token)).told,
      (await service.post('/api/auth/login', login)).told,
      (await service.postSale(partner, saleOf(service.fresh('sale')))).told,
    ];
  };
  const OUT = ['401 UNAUTHENTICATED', '401 UNAUTHENTICATED', '401 INVALID_KEY'];

  test('is locked out immediately: users, passwords and partners', async () => {
    const books = await service.openBooks();
    expect(await told(books)).toEqual(['200', '200', '202']);
    expect((await change(books.tenant.id, { isActive: false })).told).toBe('200');
    expect(await told(books)).toEqual(OUT);
    expect(await shown(books.tenant.id)).toMatchObject({ isActive: false, revision: 1 });
    expect((await list(`isActive=false&search=${books.tenant.slug}`)).totalCount).toBe(1);
    expect((await list(`isActive=true&search=${books.tenant.slug}`)).totalCount).toBe(0);
  });

  test('is locked out within a second on another replica', async () => {
    const books = await service.openBooks();
    expect(await told(books)).toEqual(['200', '200', '202']);
    await elsewhere(service.service.engines, ({ runner }) =>
      runner.execute(tenant, { tenantId: PLATFORM_TENANT, id: books.tenant.id }, { isActive: false }, updateTenant),
    );
    clock.pass(1_000);
    expect(await told(books)).toEqual(OUT);
  });

  test('can be reactivated: its users can sign in again, and its keys work', async () => {
    const { tenant: shut, partner } = await service.openBooks();
    await change(shut.id, { isActive: false });
    expect((await change(shut.id, { isActive: true })).told).toBe('200');
    expect((await service.get(PATH, await service.signIn(shut.email))).told).toBe('200');
    expect((await service.postSale(partner, saleOf('after'))).told).toBe('202');
  });

  test('does not affect others', async () => {
    const [shut, open] = [await service.openBooks(), await service.openBooks()];
    await change(shut.tenant.id, { isActive: false });
    expect(await told(open)).toEqual(['200', '200', '202']);
  });
});

describe("A change of a tenant's key by an operator", () => {
  test('is in the history of the tenant, attributed to the operator', async () => {
    const { tenant: owner, partner } = await service.openBooks();
    await service.setRateLimit(partner.id, 77);
    const [last] = (await eventsOf('integration-key', owner.id)).slice(-1);
    expect(last?.data).toMatchObject({ rateLimit: 77 });
    const { operatorId, ...metadata } = last?.metadata as { operatorId: string; tenantId: string };
    expect(metadata.tenantId).toBe(owner.id);
    expect(decodeJwt(await service.operator()).sub).toBe(operatorId);
  });
});

describe('Signing in', () => {
  test('returns a bearer token valid for 15 minutes', async () => {
    const { email } = await service.createTenant();
    const reply = await service.post('/api/auth/login', {
      email: ` ${email.toUpperCase()} `.trim(),
      password: PASSWORD,
    });
    expect(reply.status).toBe(200);
    expect(reply.data).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 });
    expect(Object.keys(reply.data as object).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken', 'tokenType']);
  });

  test('fails alike for a wrong password, an unknown address and an operator without a tenant', async () => {
    const { email } = await service.createTenant();
    const replies = await Promise.all([
      service.post('/api/auth/login', { email, password: 'wrong password' }),
      service.post('/api/auth/login', { email: 'nobody@nowhere.test', password: 'wrong password' }),
      service.post('/api/auth/login', { email: 'operator@kontor.test', password: 'wrong password' }),
      service.post('/api/auth/login', { email: '', password: '' }),
    ]);
    const seen = replies.map(({ status, text, headers }) => {
      // Ignores the counters of attempts from the client's address, which reveal nothing about accounts.
      const counters = /^(?:x-request-id|date|ratelimit|x-ratelimit-(?:remaining|reset))$/;
      const kept = Object.entries(headers).filter(([name]) => !counters.test(name));
      return { status, text: text.replace(/"requestId":"[^"]+"/, ''), kept };
    });
    expect(seen[0]?.status).toBe(401);
    for (const reply of seen) expect(reply).toEqual(seen[0]);
  });

  test('requires exactly two fields', async () => {
    expect((await service.post('/api/auth/login', {})).told).toBe('400 VALIDATION_FAILED email password');
    const more = { email: 'a@b.test', password: 'x', tenantId: '1' };
    expect((await service.post('/api/auth/login', more)).told).toBe('400 VALIDATION_FAILED tenantId');
  });
});

describe('Users of a tenant', () => {
  test('with the role USER read most data and write customers, but manage no integrations', async () => {
    const tenant = await service.createTenant();
    const token = await service.createUser(tenant, 'USER');
    const told = async (reply: ReturnType<TestService['get']>) => (await reply).told;
    expect(await told(service.get('/api/customers?pageNumber=1&pageSize=1', token))).toBe('200');
    expect(await told(service.get('/api/customers/lookup', token))).toBe('200');
    expect(await told(service.get('/api/transactions?pageNumber=1&pageSize=1', token))).toBe('200');
    expect(await told(service.get('/api/reports/trial-balance', token))).toBe('200');
    expect(await told(service.post('/api/customers', { name: 'Made by a user' }, token))).toBe('201');
    expect(await told(service.post('/api/integration-keys', { name: 'K', sourceId: 's' }, token))).toBe(
      '403 FORBIDDEN',
    );
  });

  test('with the role ADMIN have all permissions', async () => {
    const tenant = await service.createTenant();
    const token = await service.createUser(tenant, 'ADMIN');
    expect((await service.post('/api/integration-keys', { name: 'K', sourceId: 's' }, token)).status).toBe(201);
  });

  test('are rejected for missing permissions before their input is validated', async () => {
    const tenant = await service.createTenant();
    const token = await service.createUser(tenant, 'USER');
    const broken = { token, raw: '{"name":', headers: {} };
    expect((await service.call('POST', '/api/integration-keys', broken)).told).toBe('403 FORBIDDEN');
    expect((await service.call('POST', '/api/integration-keys', { raw: '{' })).told).toBe('401 UNAUTHENTICATED');
  });
});

describe('Tenants', () => {
  test('are isolated: the id of another tenant is unknown', async () => {
    const [mine, theirs] = [await service.openBooks(), await service.openBooks()];
    const { id } = await service.post('/api/customers', { name: 'Theirs', code: 'T-1' }, theirs.tenant.token);
    await service.sell(theirs.partner, saleOf('their-sale', { customer: { name: 'Theirs', code: 'T-1' } }));
    const unknown = service.service.engines.ids.next();
    const { token } = mine.tenant;
    const asked = async (path: string) => {
      const { status, text } = await service.get(path, token);
      return `${status} ${text.replace(/"requestId":"[^"]+"/, '')}`;
    };
    expect(await asked(`/api/customers/${id}`)).toBe(await asked(`/api/customers/${unknown}`));
    const paging = 'pageNumber=1&pageSize=10';
    expect(await asked(`/api/customers/${id}/transactions?${paging}`)).toBe(
      await asked(`/api/customers/${unknown}/transactions?${paging}`),
    );
    expect((await service.transactions(token, `customerId=${id}`)).totalCount).toBe(0);
    expect((await service.customers(token, 'search=theirs')).totalCount).toBe(0);
    expect((await service.transactions(token)).totalCount).toBe(0);
    expect((await service.trialBalance(token)).rows).toEqual([]);
    expect(await service.saleStatus(mine.partner, 'their-sale')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('can use the same codes, sources, external ids and idempotency keys', async () => {
    const [a, b] = [await service.openBooks(), await service.openBooks()];
    for (const { tenant, partner } of [a, b]) {
      const body = { name: 'Same', code: 'SAME' };
      expect((await service.post('/api/customers', body, tenant.token)).status).toBe(201);
      expect((await service.postSale(partner, saleOf('same'), 'same-key')).status).toBe(202);
    }
    const ids = await Promise.all([a, b].map(({ partner }) => service.settled(partner, 'same')));
    expect(new Set(ids.map(({ saleId }) => saleId)).size).toBe(2);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
