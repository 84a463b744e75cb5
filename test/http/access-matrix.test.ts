import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import {
  formatIntegrationKey,
  integrationKey,
  parseIntegrationKey,
  revokeIntegrationKey,
} from '../../src/aggregates/integration-key.aggregate.js';
import { deleteOperator, operator } from '../../src/aggregates/operator.aggregate.js';
import { createRole, role } from '../../src/aggregates/role.aggregate.js';
import { endSession, session } from '../../src/aggregates/session.aggregate.js';
import { createUser, deleteUser, updateUser, user, type Role } from '../../src/aggregates/user.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { passwords } from '../../src/security/passwords.js';
import { isPermission } from '../../src/security/permissions.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { exchange } from '../support/exchange.js';
import { ApiDocument, routeTable, type Route } from '../support/route-table.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';

/*
 * Tests access to every route with every kind of credential. The expected outcomes are derived only from the route
 * table, never from the implementation.
 */

/** The access that a credential grants. */
type Standing =
  | { readonly is: 'nobody' | 'operator' | 'partner' | 'scraper' }
  | { readonly is: 'user'; readonly permissions: ReadonlySet<string> };

const refusal = { nobody: '401 UNAUTHENTICATED', stranger: '401 INVALID_KEY', forbidden: '403 FORBIDDEN' } as const;
const OPEN = 'open';

const isSignedIn = ({ is }: Standing): boolean => is === 'user' || is === 'operator';

/**
 * Returns a route's expected response to a caller. If any row of the route table is not covered here, the test fails.
 */
function expectedOf({ name, who, permission }: Route, caller: Standing): string {
  switch (who) {
    case 'public':
      return OPEN;
    case 'token':
      return caller.is === 'scraper' ? OPEN : refusal.nobody;
    case 'partner':
      return caller.is === 'partner' ? OPEN : refusal.stranger;
    case 'any':
      return isSignedIn(caller) ? OPEN : refusal.nobody;
    case 'platform':
      if (!isSignedIn(caller)) return refusal.nobody;
      return caller.is === 'operator' ? OPEN : refusal.forbidden;
    case 'tenant':
    case 'tenant-admin':
      if (!isSignedIn(caller)) return refusal.nobody;
      return caller.is === 'user' && caller.permissions.has(permission) ? OPEN : refusal.forbidden;
    default:
      throw new Error(`${name} is for ${who}: say who that is.`);
  }
}

const everyPermission = [...new Set(routeTable.map(({ permission }) => permission))].filter((code) => code !== '-');
const all: ReadonlySet<string> = new Set(everyPermission);
/**
 * All read permissions except those for users, roles and the audit log, and write permissions for customers and
 * transactions.
 */
const ofUsers: ReadonlySet<string> = new Set([
  ...everyPermission.filter((code) => code.endsWith('.read') && !/^(?:users|roles|audit)\./.test(code)),
  'customers.write',
  'transactions.write',
]);

const nobody: Standing = { is: 'nobody' };
const member = (permissions: ReadonlySet<string>): Standing => ({ is: 'user', permissions });

const METRICS_TOKEN = 'a-secret-of-the-scraper';
const signing = generateKeyPairSync('ed25519');
const foreign = generateKeyPairSync('ed25519');

let service: TestService;
let document: ApiDocument;
let books: Books;
let headBefore: number;
/** Credentials, by the name of their caller. */
const made = new Map<string, string>();
const credential = (name: string): string => {
  const found = made.get(name);
  if (found === undefined) throw new Error(`Nobody made the credential ${name}`);
  return found;
};
/** Ids of the first tenant's records, by the path that precedes the id. */
const ids = new Map<string, string>();

type Headers = Readonly<Record<string, string>>;
type Caller = readonly [name: string, standing: Standing, headers: () => Headers];
const bearing = (name: string, standing: Standing): Caller => [
  name,
  standing,
  () => ({ authorization: `Bearer ${credential(name)}` }),
];
const keyed = (name: string, standing: Standing, key = name): Caller => [
  name,
  standing,
  () => ({ 'x-integration-key': credential(key) }),
];

const worthless: readonly Caller[] = [
  ['no credential', nobody, () => ({})],
  ['an empty one', nobody, () => ({ authorization: '', 'x-integration-key': '' })],
  ['the scheme alone', nobody, () => ({ authorization: 'Bearer' })],
  ['garbage', nobody, () => ({ authorization: 'Bearer garbage', 'x-integration-key': 'garbage' })],
  ['three parts of garbage', nobody, () => ({ authorization: 'Bearer a.b.c', 'x-integration-key': 'a.b.c' })],
  ['a token without its scheme', nobody, () => ({ authorization: credential('an owner') })],
  ['a token as a password', nobody, () => ({ authorization: `Basic ${credential('an owner')}` })],
  ...[
    'an expired token',
    'a token without an end',
    'a token signed by a foreign key',
    'a token of the algorithm none',
    'a token signed with the public key as a secret',
    "a token signed with the public key's PEM as a secret",
    'a token for another audience',
    'a token of another issuer',
    'a token of another type',
    'a token of a user as an operator',
    'a token of an operator as a user',
    'a refresh token',
    'an ended session',
    'a deactivated user',
    'a deleted user',
    'a user of a tenant that is shut out',
    'a deleted operator',
  ].map((name) => bearing(name, nobody)),
  ['an integration key as a token', nobody, () => ({ authorization: `Bearer ${credential('a partner')}` })],
  ['a token as an integration key', nobody, () => ({ 'x-integration-key': credential('an owner') })],
  keyed('a revoked key', nobody),
  keyed('a key with another secret', nobody),
  keyed('a key with the id of another tenant', nobody),
  keyed('a key of a tenant that is shut out', nobody),
];

const worthy: readonly Caller[] = [
  bearing('a user', member(ofUsers)),
  bearing('an administrator', member(all)),
  bearing('an owner', member(all)),
  bearing('an owner of another tenant', member(all)),
  bearing('an operator', { is: 'operator' }),
  keyed('a partner', { is: 'partner' }),
  ['the scraper of metrics', { is: 'scraper' }, () => ({ authorization: `Bearer ${METRICS_TOKEN}` })],
];

beforeAll(async () => {
  const environment = {
    JWT_SIGNING_KEY: JSON.stringify(signing.privateKey.export({ format: 'jwk' })),
    METRICS_TOKEN,
    TRUST_PROXY: 'true',
  };
  service = await TestService.start({ environment });
  document = new ApiDocument(service.service.openApi());
  books = await service.openBooks();
  await makeRecords();
  await makeMembers();
  await makeOthers();
  await forge();
  headBefore = await service.quiet();
});
afterAll(() => service.close());

const asSystem = <T>(tenantId: string, work: (runner: CommandRunner) => Promise<T>): Promise<T> => {
  const commandId = service.service.engines.ids.next();
  const actor = { kind: 'system', name: 'test' } as const;
  const context = { tenantId, actor, requestId: commandId, correlationId: commandId, commandId };
  return inContext(context, () => work(service.service.app.get(CommandRunner)));
};

async function makeRecords(): Promise<void> {
  const { tenant, partner } = books;
  const { saleId } = await service.sell(partner, saleOf('a-sale'));
  ids.set('/api/sales', saleId);
  const { id: customerId } = await service.post('/api/customers', { name: 'A customer' }, tenant.token);
  const { id: branchId } = await service.post('/api/branches', { code: 'B', name: 'A branch' }, tenant.token);
  const key = ['/api/integration-keys', '/api/platform/integration-keys'];
  for (const path of key) ids.set(path, partner.id);
  ids.set('/api/customers', customerId).set('/api/accounts', customerId).set('/api/branches', branchId);
  const [transaction] = (await service.transactions(tenant.token)).items;
  ids.set('/api/transactions', transaction?.id ?? '');
  ids.set('/api/users', decodeJwt(tenant.token).sub ?? '').set('/api/roles', await roleWith([]));
  ids.set('/api/platform/tenants', tenant.id);
  const { body } = await service.get('/api/audit-logs', tenant.token);
  ids.set('/api/audit-logs', (body as { items: { id: string }[] }).items[0]?.id ?? '');
  const notice = { title: 'A notice', body: 'For all.', broadcast: true };
  const sent = (await service.post('/api/notifications/admin/send', notice, tenant.token)).data;
  ids.set('/api/notifications', (sent as { notificationId: string }).notificationId);
  const hook = { url: 'https://receiver.invalid/', types: ['kontor.period.closed.v1'] };
  ids.set('/api/webhooks', (await service.post('/api/webhooks', hook, tenant.token)).id);
  const category = await service.post('/api/transaction-categories', { name: 'A category' }, tenant.token);
  expect(category.told).toBe('201');
  const rule = { categoryId: category.id, keyword: 'word' };
  const { id: ruleId } = await service.post('/api/transaction-categories/rules', rule, tenant.token);
  ids.set('/api/transaction-categories', category.id).set('/api/transaction-categories/rules', ruleId);
}

async function roleWith(codes: readonly string[]): Promise<string> {
  const id = service.service.engines.ids.next();
  const data = { name: service.fresh('Role'), permissions: codes.filter(isPermission) };
  await asSystem(books.tenant.id, (runner) =>
    runner.execute(role, { tenantId: books.tenant.id, id }, data, createRole),
  );
  return id;
}

/** The hash is computed only once, because hashing is slow. */
let passwordHash: Promise<string> | undefined;
async function hired(systemRole: Role, roleIds: readonly string[] = []): Promise<{ id: string; email: string }> {
  passwordHash ??= passwords.hash(PASSWORD);
  const id = service.service.engines.ids.next();
  const email = `${service.fresh('member')}@${books.tenant.slug}.test`;
  const person = {
    fullName: 'A member',
    email,
    role: systemRole,
    isActive: true,
    passwordHash: await passwordHash,
    roleIds: [...roleIds],
  };
  const target = { tenantId: books.tenant.id, id };
  await asSystem(target.tenantId, (runner) => runner.execute(user, target, person, createUser));
  return { id, email };
}

async function makeMembers(): Promise<void> {
  const token = async (systemRole: Role, roleIds?: readonly string[]) =>
    service.signIn((await hired(systemRole, roleIds)).email);
  made.set('an owner', books.tenant.token).set('a partner', books.partner.key);
  made.set('a user', await token('USER')).set('an administrator', await token('ADMIN'));
  for (const code of everyPermission) {
    made.set(`with ${code}`, await token('USER', [await roleWith([code])]));
    const others = everyPermission.filter((other) => other !== code);
    made.set(`without ${code}`, await token('USER', [await roleWith(others)]));
  }
}

/** Creates revoked credentials, and credentials of other tenants. */
async function makeOthers(): Promise<void> {
  const { tenant } = books;
  const other = await service.createTenant();
  made.set('an owner of another tenant', other.token).set('an operator', await service.operator());

  const shut = await service.openBooks();
  made.set('a user of a tenant that is shut out', shut.tenant.token);
  made.set('a key of a tenant that is shut out', shut.partner.key);
  const body = { isActive: false };
  await service.call('PATCH', `/api/platform/tenants/${shut.tenant.id}`, { token: await service.operator(), body });

  const [deactivated, deleted] = [await hired('ADMIN'), await hired('ADMIN')];
  made.set('a deactivated user', await service.signIn(deactivated.email));
  made.set('a deleted user', await service.signIn(deleted.email));
  const target = (id: string) => ({ tenantId: tenant.id, id });
  const ended = await service.signIn(tenant.email);
  made.set('an ended session', ended);
  const revoked = await service.createKey(tenant);
  made.set('a revoked key', revoked.key);
  await asSystem(tenant.id, async (runner) => {
    await runner.execute(user, target(deactivated.id), { isActive: false }, updateUser);
    await runner.execute(user, target(deleted.id), {}, deleteUser);
    await runner.execute(session, target(decodeJwt<{ sid: string }>(ended).sid), { reason: 'LOGOUT' }, endSession);
    await runner.execute(integrationKey, target(revoked.id), {}, revokeIntegrationKey);
  });

  const email = 'gone@kontor.test';
  const gone = { fullName: 'Gone', email, password: PASSWORD };
  const { id } = await service.post('/api/platform/operators', gone, await service.operator());
  made.set('a deleted operator', await service.signIn(email));
  await asSystem(PLATFORM_TENANT, (runner) =>
    runner.execute(operator, { tenantId: PLATFORM_TENANT, id }, {}, deleteOperator),
  );
  const key = credential('a partner');
  made.set('a key with another secret', `${key.slice(0, -2)}${key.endsWith('xx') ? 'yy' : 'xx'}`);
  const parts = parseIntegrationKey(key);
  if (parts) made.set('a key with the id of another tenant', formatIntegrationKey({ ...parts, tenantId: other.id }));
}

/** Returns the owner's token with changed claims or header fields, signed with the given key. */
async function forged(
  { claims = {}, header = {} }: { claims?: object; header?: object },
  key: KeyObject | Uint8Array = signing.privateKey,
  original = credential('an owner'),
): Promise<string> {
  const protectedHeader = { ...decodeProtectedHeader(original), ...header } as { alg: string };
  return new SignJWT({ ...decodeJwt(original), ...claims }).setProtectedHeader(protectedHeader).sign(key);
}

async function forge(): Promise<void> {
  const owner = credential('an owner');
  const nowSeconds = Math.floor(service.clock.nowMs() / 1_000);
  const [header = '', payload = ''] = owner.split('.');
  const unsigned = Buffer.from(JSON.stringify({ ...decodeProtectedHeader(owner), alg: 'none' })).toString('base64url');
  expect(header).not.toBe(unsigned);
  const publicBytes = Buffer.from(signing.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const publicText = Buffer.from(signing.publicKey.export({ type: 'spki', format: 'pem' }));
  const hs256 = { header: { alg: 'HS256' } };
  const login = await service.post('/api/auth/login', { email: books.tenant.email, password: PASSWORD });
  made
    .set('an expired token', await forged({ claims: { iat: nowSeconds - 1_000, exp: nowSeconds - 100 } }))
    .set('a token without an end', await forged({ claims: { exp: undefined } }))
    .set('a token signed by a foreign key', await forged({}, foreign.privateKey))
    .set('a token of the algorithm none', `${unsigned}.${payload}.`)
    .set('a token signed with the public key as a secret', await forged(hs256, publicBytes))
    .set("a token signed with the public key's PEM as a secret", await forged(hs256, publicText))
    .set('a token for another audience', await forged({ claims: { aud: 'elsewhere' } }))
    .set('a token of another issuer', await forged({ claims: { iss: 'https://elsewhere.test' } }))
    .set('a token of another type', await forged({ header: { typ: 'JWT' } }))
    .set('a token of a user as an operator', await forged({ claims: { scope: 'platform', tid: undefined } }))
    .set(
      'a token of an operator as a user',
      await forged(
        { claims: { scope: 'tenant', tid: books.tenant.id } },
        signing.privateKey,
        credential('an operator'),
      ),
    )
    .set('a refresh token', (login.data as { refreshToken: string }).refreshToken);
}

const unknownId = (): string => service.service.engines.ids.next();
/** Returns the id of the first tenant's record at this path, or an unknown id if the tenant has no such record. */
const ownId = (before: string): string => ids.get(before) ?? unknownId();
const addressOf = ({ path }: Route, idOf: (before: string) => string = ownId): string =>
  path.replace(/^(.*?)\/\{\w+\}/, (_, before: string) => `${before}/${idOf(before)}`).replace(/\{\w+\}/g, unknownId);

let asked = 0;
type Ask = { readonly address: string; readonly headers: Headers; readonly method?: string; readonly raw?: string };
/**
 * Sends each request from a different IP address, so that no rate limit is reached. Returns the status and, for a
 * rejection, the code.
 */
async function ask({ address, headers, method = 'GET', raw }: Ask): Promise<string> {
  asked += 1;
  const from = `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`;
  const { status, text } = await exchange(`${service.url}${address}`, {
    method,
    headers: { ...headers, 'x-forwarded-for': from, ...(raw !== undefined && { 'content-type': 'application/json' }) },
    ...(raw !== undefined && { body: raw }),
  });
  if (status !== 401 && status !== 403) return String(status);
  const body = JSON.parse(text) as { code?: string; error?: { code: string } };
  return `${status} ${body.error?.code ?? body.code ?? ''}`;
}

const isWrite = ({ method }: Route): boolean => method !== 'GET';
const MALFORMED = '{"';
const inDisguise = (address: string): string =>
  address.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/**
 * Returns OPEN if the request was admitted, and otherwise the status and code. Writes are malformed, so an admitted
 * write is rejected with 400 and has no effect.
 */
const opened = (route: Route, told: string): string =>
  (isWrite(route) ? told === '400' : /^[234](?!0[13]|29)/.test(told)) ? OPEN : told;

type Way = readonly [name: string, ask: (route: Route, address: string, headers: Headers) => Promise<string>];
const send = (route: Route, address: string, headers: Headers, raw = MALFORMED): Promise<string> =>
  ask({ address, headers, method: route.method, ...(isWrite(route) && { raw }) });
const ways: readonly Way[] = [
  ['as it is', send],
  ['in an encoded path', (route, address, headers) => send(route, inDisguise(address), headers)],
];
/** Used only with callers that must be rejected, because an admitted request would take effect. */
const wellFormed: Way = ['with a body', (route, address, headers) => send(route, address, headers, '{}')];

const AT_ONCE = 8;
async function askedOf(which: readonly Route[], [, standing, headers]: Caller): Promise<[string[], string[]]> {
  const cases = which.flatMap((route) => {
    const expected = expectedOf(route, standing);
    const also = isWrite(route) && expected !== OPEN ? [wellFormed] : [];
    return [...ways, ...also].map((way) => ({ route, expected, way }));
  });
  const told: string[] = [];
  const line = ({ name }: Route, way: string, outcome: string): string => `${name} ${way}: ${outcome}`;
  for (let first = 0; first < cases.length; first += AT_ONCE) {
    const batch = cases.slice(first, first + AT_ONCE).map(async ({ route, way: [way, send_] }) => {
      const outcome = await send_(route, addressOf(route), headers());
      return line(route, way, opened(route, outcome));
    });
    told.push(...(await Promise.all(batch)));
  }
  return [told, cases.map(({ route, way: [way], expected }) => line(route, way, expected))];
}

test('The route table lists every route of the service with its callers', () => {
  const known = new Set(routeTable.map(({ name }) => name));
  expect(new Set(document.names)).toEqual(known);
  for (const route of routeTable) expect([OPEN, ...Object.values(refusal)]).toContain(expectedOf(route, nobody));
  expect(everyPermission.filter((code) => !isPermission(code))).toEqual([]);
});

test('Forged credentials fail only because of their forged part', async () => {
  const headers = { authorization: `Bearer ${await forged({})}` };
  expect(await ask({ address: '/api/customers?pageNumber=1&pageSize=1', headers })).toBe('200');
});

test.each(worthless)('%s reaches only public routes', async (...caller) => {
  const [told, expected] = await askedOf(routeTable, caller);
  expect(told).toEqual(expected);
  expect(new Set(expected.map((line) => line.split(': ')[1]))).not.toContain(refusal.forbidden);
});

test.each(worthy)('%s reaches exactly its routes', async (...caller) => {
  const [told, expected] = await askedOf(routeTable, caller);
  expect(told).toEqual(expected);
});

const ofTenants = (): readonly Route[] => routeTable.filter(({ who }) => who.startsWith('tenant'));

test.each(everyPermission)('A user with the role USER and %s reaches exactly the additional routes', async (code) => {
  const caller = bearing(`with ${code}`, member(new Set([...ofUsers, code])));
  const [told, expected] = await askedOf(ofTenants(), caller);
  expect(told).toEqual(expected);
});

test.each(everyPermission)('A user without %s does not reach its routes unless the role USER does', async (code) => {
  const others = everyPermission.filter((other) => other !== code);
  const caller = bearing(`without ${code}`, member(new Set([...ofUsers, ...others])));
  const [told, expected] = await askedOf(ofTenants(), caller);
  expect(told).toEqual(expected);
});

test('Other methods and spellings of an address do not expose protected routes', async () => {
  for (const route of routeTable.filter(({ who }) => who !== 'public' && who !== 'token')) {
    const address = addressOf(route);
    const spellings = [
      `${address}/`,
      `/${address}`,
      address.toUpperCase(),
      `${address};a=b`,
      `${address}%2f`,
      `/.${address}`,
    ];
    const asks: Ask[] = [
      // Every path below `/console` returns the console's page for GET, and therefore also accepts HEAD.
      ...(address.startsWith('/console/') ? ['OPTIONS', 'PUT'] : ['HEAD', 'OPTIONS', 'PUT']).map((method) => ({
        address,
        headers: {},
        method,
      })),
      ...spellings.map((spelling) => ({ address: spelling, headers: {}, method: route.method })),
    ];
    const told = await Promise.all(
      asks.map(async (one) => {
        const { status } = await exchange(`${service.url}${one.address}`, {
          method: one.method ?? 'GET',
          headers: { 'x-forwarded-for': `10.99.0.${(asked += 1) % 250}` },
        });
        return [one.method, one.address, status];
      }),
    );
    expect(told.filter(([, , status]) => Number(status) < 400 || Number(status) >= 500)).toEqual([]);
  }
});

describe('Ids of another tenant', () => {
  const addressed = (): readonly Route[] => ofTenants().filter(({ path }) => path.includes('{'));
  const queried = (route: Route, address: string): string => {
    const wanted = document.queryOf(route, 'required').map((name) => `${name}=1`);
    return wanted.length === 0 ? address : `${address}?${wanted.join('&')}`;
  };
  const answerTo = async (route: Route, token: string, idOf: (before: string) => string): Promise<[number, string]> => {
    const body = document.leastBodyOf(route);
    const address = queried(route, addressOf(route, idOf));
    const reply = await service.call(route.method, address, { token, body });
    return [reply.status, reply.text.replace(/"requestId":"[^"]+"/, '')];
  };

  test('get the same response as unknown ids on every route, without any effect', async () => {
    const token = credential('an owner of another tenant');
    expect(addressed().length).toBeGreaterThan(4);
    for (const route of addressed()) {
      const [status, text] = await answerTo(route, token, unknownId);
      expect([route.name, status, text]).toEqual([route.name, 404, expect.stringContaining('"NOT_FOUND"')]);
      expect([route.name, await answerTo(route, token, ownId)]).toEqual([route.name, [status, text]]);
    }
  });

  test('belong to records that exist for their own tenant', async () => {
    for (const route of addressed().filter(({ method }) => method === 'GET')) {
      const [status] = await answerTo(route, credential('an owner'), ownId);
      expect([route.name, status]).toEqual([route.name, 200]);
    }
  });
});

test('None of these requests appends an event', async () => {
  const { events } = service.service.engines;
  const written = (await events.readAll({ from: headBefore })).map(({ type }) => type);
  // The service records key use and a caller's repeated rejections once a minute, and it records every read of the
  // event list and of a tenant's webhooks.
  const expected = ['IntegrationKeyUsed', 'ErrorOccurred', 'EventsRead', 'HistoryRead'];
  expect(written.filter((type) => !expected.includes(type))).toEqual([]);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
