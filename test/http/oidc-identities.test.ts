import { decodeJwt } from 'jose';
import { eventually } from '../support/eventually.js';
import { OidcIssuer } from '../support/oidc-issuer.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const clock = new ShiftedClock();
const DAY_MS = 24 * 3_600_000;
let issuer: OidcIssuer;
let service: TestService;
let [acme, evil]: TestTenant[] = [];
beforeAll(async () => {
  issuer = await OidcIssuer.start();
  const environment = { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'kontor-api' };
  service = await TestService.start({ clock, environment });
});
beforeEach(async () => {
  [acme, evil] = [await service.createTenant(), await service.createTenant()];
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

let made = 0;
const freshAddress = (): string => `ada.${(made += 1)}@acme.test`;
const tokenFor = (email: string, changes: object = {}, header: object = {}): Promise<string> =>
  issuer.token(email, { exp: Math.floor(clock.nowMs() / 1_000) + 300, ...changes }, header);
const REFUSED = '401 UNAUTHENTICATED';

const at = (tenant: TestTenant | undefined): TestTenant => {
  if (!tenant) throw new Error('No tenant yet.');
  return tenant;
};
const hire = async (tenant: TestTenant | undefined, email: string, role = 'USER'): Promise<string> =>
  (await service.post('/api/users', { fullName: 'Ada', email, password: PASSWORD, role }, at(tenant).token)).id;
const settings = (tenant: TestTenant | undefined, body: object) =>
  service.call('PATCH', '/api/settings', { token: at(tenant).token, body });
const list = (tenant: TestTenant | undefined, domain = 'acme.test', by = issuer.url) =>
  settings(tenant, { oidcDomains: [{ issuer: by, domain }] });
/** Returns the slug of the tenant that a token grants access to, or `platform` without a tenant, or the rejection. */
const into = async (token: string): Promise<string> => {
  const me = await service.get('/api/auth/me', token);
  return me.status === 200 ? ((me.data as { tenant: { slug: string } | null }).tenant?.slug ?? 'platform') : me.told;
};
const invite = async (tenant: TestTenant | undefined, id: string): Promise<string> => {
  const reply = await service.post(`/api/users/${id}/invitation`, {}, at(tenant).token);
  expect(reply.told).toBe('201');
  return (reply.data as { code: string }).code;
};
const bind = async (token: string, code: string): Promise<string> =>
  (await service.post('/api/auth/oidc/bind', { code }, token)).told;

describe('The first sign-in by OpenID', () => {
  test('is not allowed merely because a tenant registered the address', async () => {
    const email = freshAddress();
    await hire(evil, email);
    expect(await into(await tokenFor(email))).toBe(REFUSED);
    await list(acme);
    expect(await into(await tokenFor(email))).toBe(REFUSED);
  });

  test('permanently binds a person to the user of the tenant that lists their issuer and domain', async () => {
    const email = freshAddress();
    await hire(evil, email);
    const id = await hire(acme, email.toUpperCase());
    await list(acme, 'ACME.test');
    const token = await tokenFor(email);
    expect(await into(token)).toBe(acme?.slug);
    expect(((await service.get('/api/auth/me', token)).data as { user: { id: string } }).user.id).toBe(id);
    await list(evil);
    await settings(acme, { oidcDomains: [] });
    expect(await into(await tokenFor(email, { jti: 'later' }))).toBe(acme?.slug);
    expect(await into(await tokenFor(email, { aud: 'other' }))).toBe(REFUSED);
  });

  test.each([
    ['another domain', 'other.test', undefined],
    ['a domain below it', 'mail.acme.test', undefined],
    ['the end of it only', 'me.test', undefined],
    ['another issuer', 'acme.test', 'https://login.elsewhere.test'],
  ])('is rejected if the tenant lists %s', async (_, domain, by) => {
    const email = freshAddress();
    await hire(acme, email);
    expect((await list(acme, domain, by)).status).toBe(200);
    expect(await into(await tokenFor(email))).toBe(REFUSED);
  });

  test('is rejected if two tenants match, unless an invitation selects one', async () => {
    const email = freshAddress();
    await hire(evil, email);
    const id = await hire(acme, email);
    await list(acme);
    await list(evil);
    const token = await tokenFor(email);
    expect(await into(token)).toBe(REFUSED);
    expect(await bind(token, await invite(acme, id))).toBe('200');
    expect(await into(token)).toBe(acme?.slug);
  });

  test('is rejected for the previous holder of an address that was reassigned by the issuer', async () => {
    const email = freshAddress();
    await hire(acme, email);
    await list(acme);
    expect(await into(await tokenFor(email, { sub: 'first' }))).toBe(acme?.slug);
    expect(await into(await tokenFor(email, { sub: 'second' }))).toBe(REFUSED);
  });

  test('of a verified operator address succeeds regardless of tenants', async () => {
    await hire(evil, OPERATOR.email);
    await list(evil, 'kontor.test');
    expect(await into(await tokenFor(OPERATOR.email))).toBe('platform');
    expect(await into(await tokenFor(OPERATOR.email, { sub: 'second' }))).toBe(REFUSED);
  });

  test('binds once for concurrent requests', async () => {
    const email = freshAddress();
    await hire(acme, email);
    await list(acme);
    const token = await tokenFor(email);
    const all = await Promise.all(Array.from({ length: 10 }, () => into(token)));
    expect(new Set(all)).toEqual(new Set([acme?.slug]));
  });
});

describe('An invitation', () => {
  test('binds its bearer, under any address, once', async () => {
    const id = await hire(acme, freshAddress());
    const [token, other] = [await tokenFor(freshAddress()), await tokenFor(freshAddress())];
    const code = await invite(acme, id);
    expect(await into(token)).toBe(REFUSED);
    expect(await bind(token, code)).toBe('200');
    expect(await into(token)).toBe(acme?.slug);
    expect(await bind(other, code)).toBe('400 VALIDATION_FAILED code');
    expect(await into(other)).toBe(REFUSED);
    const title = 'An OpenID identity was bound to your account';
    await eventually(async () => {
      const { body } = await service.get('/api/notifications?pageNumber=1&pageSize=10', token);
      return (body as { items: { title: string }[] }).items.some((one) => one.title === title);
    }, 10_000);
  });

  test('moves the user to another identity', async () => {
    const id = await hire(acme, freshAddress());
    const [before, after] = [await tokenFor(freshAddress()), await tokenFor(freshAddress())];
    expect(await bind(before, await invite(acme, id))).toBe('200');
    expect(await into(before)).toBe(acme?.slug);
    expect(await bind(after, await invite(acme, id))).toBe('200');
    clock.pass(1_000);
    expect([await into(before), await into(after)]).toEqual([REFUSED, acme?.slug]);
  });

  test('expires after seven days, with the next one, and with the user', async () => {
    const id = await hire(acme, freshAddress());
    const token = await tokenFor(freshAddress(), { exp: Math.floor(clock.nowMs() / 1_000) + 30 * 86_400 });
    const first = await invite(acme, id);
    const second = await invite(acme, id);
    expect(await bind(token, first)).toBe('400 VALIDATION_FAILED code');
    clock.pass(7 * DAY_MS);
    expect(await bind(token, second)).toBe('400 VALIDATION_FAILED code');
    const tenant = { ...at(acme), token: await service.signIn(at(acme).email) };
    const third = await invite(tenant, id);
    await service.call('DELETE', `/api/users/${id}`, { token: tenant.token });
    expect(await bind(token, third)).toBe('400 VALIDATION_FAILED code');
    for (const code of ['', 'nonsense', third.replace(/.$/, '-')])
      expect(await bind(token, code)).toBe('400 VALIDATION_FAILED code');
  });

  test('ends when the password, roles, address or status of its user change, but not with the name', async () => {
    const token = await tokenFor(freshAddress());
    const change = (id: string, body: object) =>
      service.call('PATCH', `/api/users/${id}`, { token: at(acme).token, body });
    const changes: ((id: string) => Promise<{ status: number }>)[] = [
      (id) => service.post(`/api/users/${id}/password`, { newPassword: `${PASSWORD} 2` }, at(acme).token),
      (id) => change(id, { role: 'ADMIN' }),
      (id) => change(id, { email: freshAddress() }),
      async (id) => {
        await change(id, { isActive: false });
        return change(id, { isActive: true });
      },
    ];
    for (const act of changes) {
      const id = await hire(acme, freshAddress());
      const code = await invite(acme, id);
      expect([200, 201]).toContain((await act(id)).status);
      expect(await bind(token, code)).toBe('400 VALIDATION_FAILED code');
    }
    const id = await hire(acme, freshAddress());
    const code = await invite(acme, id);
    await change(id, { fullName: 'Ada B.' });
    expect(await bind(token, code)).toBe('200');
  });

  test('requires a token of the provider', async () => {
    const code = await invite(acme, await hire(acme, freshAddress()));
    expect(await bind(at(evil).token, code)).toBe(REFUSED);
    expect((await service.post('/api/auth/oidc/bind', { code })).told).toBe(REFUSED);
    expect(await bind(await tokenFor(freshAddress(), {}, { typ: 'JWT' }), code)).toBe(REFUSED);
  });

  test('does not bind an identity bound to another user until that user is removed', async () => {
    const token = await tokenFor(freshAddress());
    const there = await hire(evil, freshAddress());
    expect(await bind(token, await invite(evil, there))).toBe('200');
    const code = await invite(acme, await hire(acme, freshAddress()));
    expect(await bind(token, code)).toBe('409 IDENTITY_TAKEN');
    await service.call('DELETE', `/api/users/${there}`, { token: at(evil).token });
    expect(await bind(token, code)).toBe('200');
    clock.pass(1_000);
    expect(await into(token)).toBe(acme?.slug);
  });

  test('requires the permission to set the password of the user', async () => {
    const { sub: owner = '' } = decodeJwt(at(acme).token);
    const admin = await service.createUser(at(acme), 'ADMIN');
    expect((await service.post(`/api/users/${owner}/invitation`, {}, admin)).told).toBe('403 FORBIDDEN');
    expect((await service.post(`/api/users/${owner}/invitation`, {}, at(evil).token)).told).toBe('404 NOT_FOUND');
    const clerk = await service.createUser(at(acme), 'USER');
    expect((await service.post(`/api/users/${owner}/invitation`, {}, clerk)).told).toBe('403 FORBIDDEN');
  });
});

describe('Tenant settings', () => {
  test('are empty initially, and separate per tenant', async () => {
    expect((await list(acme)).status).toBe(200);
    const own = await service.get('/api/settings', at(acme).token);
    expect(own.data).toMatchObject({ id: acme?.id, oidcDomains: [{ issuer: issuer.url, domain: 'acme.test' }] });
    expect(own.headers['etag']).toBe('"1"');
    expect((await service.get('/api/settings', at(evil).token)).data).toMatchObject({ id: evil?.id, oidcDomains: [] });
    const seen = await service.get(`/api/platform/tenants/${acme?.id ?? ''}`, await service.operator());
    expect(seen.data).toMatchObject({ oidcDomains: [{ issuer: issuer.url, domain: 'acme.test' }] });
  });

  test('change under If-Match, and only if something differs', async () => {
    await list(acme);
    const change = { token: at(acme).token, headers: { 'if-match': '"0"' }, body: { oidcDomains: [] } };
    expect((await service.call('PATCH', '/api/settings', change)).told).toBe('409 REVISION_CONFLICT');
    expect((await list(acme)).data).toMatchObject({ success: true, id: acme?.id, revision: 1 });
    expect((await settings(acme, {})).data).toMatchObject({ revision: 1 });
  });

  test('change only for callers with all permissions', async () => {
    const { id } = await service.post('/api/roles', { name: 'Staff', permissions: ['users.write'] }, at(acme).token);
    const email = freshAddress();
    const person = { fullName: 'Ada', email, password: PASSWORD, role: 'USER', roleIds: [id] };
    await service.post('/api/users', person, at(acme).token);
    const clerk = await service.signIn(email);
    const change = (token: string) => service.call('PATCH', '/api/settings', { token, body: { requireFactor: true } });
    const refused = await change(clerk);
    expect([refused.told, refused.problem.message]).toEqual([
      '403 FORBIDDEN',
      'Only users with all permissions can change the settings.',
    ]);
    expect((await change(await service.createUser(at(acme), 'ADMIN'))).status).toBe(200);
  });

  test.each([
    [{ oidcDomains: [{ issuer: 'nowhere', domain: 'acme.test' }] }, 'oidcDomains[0].issuer'],
    [{ oidcDomains: [{ issuer: 'https://a.test', domain: 'acme' }] }, 'oidcDomains[0].domain'],
    [{ oidcDomains: [{ issuer: 'https://a.test', domain: '@acme.test' }] }, 'oidcDomains[0].domain'],
    [{ oidcDomains: null }, 'oidcDomains'],
    [{ requireFactor: 'yes' }, 'requireFactor'],
  ])('are rejected as %j', async (body, path) => {
    expect((await settings(acme, body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});
