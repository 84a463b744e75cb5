import { Passwords } from '../../src/security/passwords.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';

let service: TestService;
let tenants: TestTenant[];
beforeAll(async () => {
  service = await TestService.start();
  tenants = [];
  for (let count = 0; count < 7; count += 1) tenants.push(await service.createTenant());
});
afterAll(() => service.close());

const tenantAt = (index: number): TestTenant => {
  const found = tenants[index];
  if (!found) throw new Error(`There is no tenant ${index}.`);
  return found;
};
const hire = (index: number, email: string, password = PASSWORD) =>
  service.post('/api/users', { fullName: 'Ada', email, password, role: 'USER' }, tenantAt(index).token);
const login = (email: string, password = PASSWORD, tenant?: string) =>
  service.post('/api/auth/login', { email, password, ...(tenant !== undefined && { tenant }) });
const tenantOf = async (token: unknown): Promise<unknown> => {
  const { accessToken } = token as { accessToken: string };
  const me = await service.get('/api/auth/me', accessToken);
  return (me.data as { tenant: { slug: string } | null }).tenant?.slug ?? 'platform';
};
const offered = (body: unknown): unknown => (body as { tenants?: { slug: string }[] }).tenants;
const named = (...indexes: number[]): unknown =>
  expect.arrayContaining(
    indexes.map((index) => ({ name: `Tenant ${tenantAt(index).slug}`, slug: tenantAt(index).slug })),
  );
const verifiedBy = async (work: () => Promise<unknown>): Promise<number> => {
  const passwords = service.service.app.get(Passwords);
  const before = passwords.verified;
  await work();
  return passwords.verified - before;
};

describe('An e-mail address', () => {
  test('can be used in every tenant, once in each', async () => {
    const email = 'ada@everywhere.test';
    expect((await hire(0, email)).told).toBe('201');
    expect((await hire(1, email.toUpperCase())).told).toBe('201');
    expect((await hire(0, email)).told).toBe('409 EMAIL_TAKEN');
    expect((await hire(1, email)).told).toBe('409 EMAIL_TAKEN');
  });

  test('of an owner elsewhere, or of an operator, does not prevent the creation of a tenant', async () => {
    for (const [slug, email] of [
      ['second-home', tenantAt(0).email],
      ['of-operator', OPERATOR.email],
    ]) {
      const owner = { fullName: 'Owner', email, password: PASSWORD };
      const body = { name: 'Another', slug, currency: 'EUR', timeZone: 'UTC', owner };
      expect((await service.post('/api/platform/tenants', body, await service.operator())).told).toBe('201');
    }
  });

  test('of a removed operator is free for another operator, whoever else has it', async () => {
    const person = { fullName: 'Op', email: 'op@shared.test', password: PASSWORD };
    const token = await service.operator();
    expect((await hire(0, person.email)).told).toBe('201');
    const made = await service.post('/api/platform/operators', person, token);
    expect(made.told).toBe('201');
    expect((await service.post('/api/platform/operators', person, token)).told).toBe('409 EMAIL_TAKEN');
    expect((await service.call('DELETE', `/api/platform/operators/${made.id}`, { token })).status).toBe(200);
    expect((await service.post('/api/platform/operators', person, token)).told).toBe('201');
    expect(await tenantOf((await login(person.email, PASSWORD, 'platform')).data)).toBe('platform');
    expect(await tenantOf((await login(person.email, PASSWORD, tenantAt(0).slug)).data)).toBe(tenantAt(0).slug);
  });

  test('that was changed or deleted can be reused in the same tenant', async () => {
    const { id } = await hire(2, 'moving@shared.test');
    await hire(3, 'moving@shared.test');
    const moved = { token: tenantAt(2).token, body: { email: 'moved@shared.test' } };
    expect((await service.call('PATCH', `/api/users/${id}`, moved)).status).toBe(200);
    const again = await hire(2, 'moving@shared.test');
    expect(again.told).toBe('201');
    await service.call('DELETE', `/api/users/${again.id}`, { token: tenantAt(2).token });
    expect(await tenantOf((await login('moving@shared.test')).data)).toBe(tenantAt(3).slug);
    expect((await hire(2, 'moving@shared.test')).told).toBe('201');
  });

  test('can be registered by many tenants concurrently', async () => {
    const made = await Promise.all(tenants.map((_, index) => hire(index, 'rush@shared.test')));
    expect(new Set(made.map(({ told }) => told))).toEqual(new Set(['201']));
    const again = await Promise.all([0, 0, 0].map((index) => hire(index, 'rush-2@shared.test')));
    expect(again.map(({ told }) => told).sort()).toEqual(['201', '409 EMAIL_TAKEN', '409 EMAIL_TAKEN']);
  });
});

describe('Signing in with an address of several accounts', () => {
  test('selects the only one that matches the password', async () => {
    const email = 'apart@shared.test';
    await hire(0, email, 'a long way home');
    await hire(1, email, 'another long way');
    expect(await tenantOf((await login(email, 'a long way home')).data)).toBe(tenantAt(0).slug);
    expect(await tenantOf((await login(email, 'another long way')).data)).toBe(tenantAt(1).slug);
    expect((await login(email, 'no way at all')).told).toBe('401 UNAUTHENTICATED');
  });

  test('requires the tenant if the password matches several, and lists only these', async () => {
    const email = 'same@shared.test';
    for (const index of [0, 1]) await hire(index, email);
    await hire(2, email, 'quite another one');
    const asked = await login(email);
    expect(asked.told).toBe('409 TENANT_REQUIRED');
    expect(offered(asked.body)).toHaveLength(2);
    expect(offered(asked.body)).toEqual(named(0, 1));
    expect(await tenantOf((await login(email, PASSWORD, tenantAt(1).slug)).data)).toBe(tenantAt(1).slug);
    expect((await login(email, PASSWORD, tenantAt(2).slug)).told).toBe('401 UNAUTHENTICATED');
    expect((await login(email, PASSWORD, 'no-such-tenant')).told).toBe('401 UNAUTHENTICATED');
    expect((await login(email, 'wrong altogether')).told).toBe('401 UNAUTHENTICATED');
  });

  test('skips deactivated accounts', async () => {
    const email = 'retired@shared.test';
    const { id } = await hire(0, email);
    await hire(1, email);
    await service.call('PATCH', `/api/users/${id}`, { token: tenantAt(0).token, body: { isActive: false } });
    expect(await tenantOf((await login(email)).data)).toBe(tenantAt(1).slug);
    expect((await login(email, PASSWORD, tenantAt(0).slug)).told).toBe('401 UNAUTHENTICATED');
  });

  test('requires the tenant, without names, if more than five have it', async () => {
    const email = 'six@shared.test';
    for (let index = 0; index < 5; index += 1) await hire(index, email, `password number ${index}`);
    expect(await tenantOf((await login(email, 'password number 4')).data)).toBe(tenantAt(4).slug);
    await hire(5, email, 'password number 5');
    let asked = await login(email, 'password number 4');
    expect([asked.told, offered(asked.body)]).toEqual(['409 TENANT_REQUIRED', undefined]);
    asked = await login(email, 'no way at all');
    expect([asked.told, offered(asked.body)]).toEqual(['409 TENANT_REQUIRED', undefined]);
    const told = await login(email, 'password number 5', tenantAt(5).slug);
    expect(await tenantOf(told.data)).toBe(tenantAt(5).slug);
  });

  test('costs one password check for zero or one account, and five for several', async () => {
    await hire(0, 'two@shared.test');
    await hire(1, 'two@shared.test', 'quite another one');
    expect(await verifiedBy(() => login('nobody@shared.test'))).toBe(1);
    expect(await verifiedBy(() => login(tenantAt(6).email))).toBe(1);
    expect(await verifiedBy(() => login(tenantAt(6).email, 'wrong altogether'))).toBe(1);
    expect(await verifiedBy(() => login('two@shared.test', 'wrong altogether'))).toBe(5);
    expect(await verifiedBy(() => login('two@shared.test'))).toBe(5);
    expect(await verifiedBy(() => login('two@shared.test', PASSWORD, tenantAt(0).slug))).toBe(1);
    expect(await verifiedBy(() => login('two@shared.test', PASSWORD, 'no-such-tenant'))).toBe(1);
  });

  test('counts failures per address, whatever tenant is given', async () => {
    const email = 'guessed@shared.test';
    for (let guess = 0; guess < 10; guess += 1)
      expect((await login(email, `guess number ${guess}`, tenantAt(guess % 7).slug)).told).toBe('401 UNAUTHENTICATED');
    expect((await login(email, 'one more guess', tenantAt(0).slug)).told).toBe('429 RATE_LIMITED');
    expect((await login(email, 'one more guess')).told).toBe('429 RATE_LIMITED');
  });
});

test("An administrator who creates an account with another person's address cannot guess that person's password", async () => {
  const email = 'victim@shared.test';
  const victim = await hire(0, email, 'a long way home');
  const decoy = await hire(1, email, 'guess number 0');
  const guess = async (number: number) => {
    const newPassword = `guess number ${number}`;
    await service.post(`/api/users/${decoy.id}/password`, { newPassword }, tenantAt(1).token);
    return (await login(email, newPassword)).told;
  };
  for (let number = 1; number <= 10; number += 1) expect(await guess(number)).toBe('200');
  expect(await guess(11)).toBe('429 RATE_LIMITED');
  const failures = async () =>
    (await service.service.engines.events.readAll({ maxCount: 1_000_000 })).filter(
      ({ type, data }) => type === 'LoginFailed' && (data as { userId: string }).userId === victim.id,
    );
  // The first three sign-ins are not recorded for the other account.
  await eventually(async () => (await failures()).length === 7, 10_000);
});

test('No tenant can use the slug of the platform', async () => {
  const owner = { fullName: 'Owner', email: 'owner@platform.test', password: PASSWORD };
  const body = { name: 'Platform', slug: 'platform', currency: 'EUR', timeZone: 'UTC', owner };
  expect((await service.post('/api/platform/tenants', body, await service.operator())).told).toBe('409 SLUG_TAKEN');
});
