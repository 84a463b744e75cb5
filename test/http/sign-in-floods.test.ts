/**
 * Uses separate modules, because the decoy hash for nonexistent accounts is computed only once, with the hash
 * parameters of the first suite.
 *
 * @jest-environment-options {"ownModules": true}
 */
import { PASSWORD, OPERATOR, TestService, type TestTenant } from '../support/service.js';

let service: TestService;
let tenant: TestTenant;
let userId: string;
let userEmail: string;
beforeAll(async () => {
  service = await TestService.start({ costlyPasswords: true, environment: { TRUST_PROXY: 'true' } });
  tenant = await service.createTenant();
  userEmail = `clerk@${tenant.slug}.test`;
  const person = { fullName: 'A clerk', email: userEmail, password: PASSWORD, role: 'USER' };
  userId = (await service.post('/api/users', person, tenant.token)).id;
});
afterAll(() => service.close());

const FLOOD = 250;

/**
 * Sends a wave of flood requests before each attempt. Returns the number of flood responses per status, and the status
 * of each attempt.
 */
async function during(
  flood: () => Promise<{ status: number }>,
  attempts: readonly (() => Promise<{ status: number }>)[],
  size = FLOOD,
): Promise<{ flooding: Map<number, number>; others: number[] }> {
  const flooding = new Map<number, number>();
  const others: number[] = [];
  for (const attempt of attempts) {
    const wave = Array.from({ length: size }, flood);
    others.push((await attempt()).status);
    for (const { status } of await Promise.all(wave)) flooding.set(status, (flooding.get(status) ?? 0) + 1);
  }
  return { flooding, others };
}

const login = (email: string, password: string, address: string) =>
  service.post('/api/auth/login', { email, password }, undefined, { 'x-forwarded-for': address });
const operatorFrom = (address: string) => () => login(OPERATOR.email, OPERATOR.password, address);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const reset = () =>
  service.post(`/api/users/${userId}/password`, { newPassword: PASSWORD }, tenant.token, {
    'x-forwarded-for': '10.9.0.1',
  });

test('Many concurrent sign-ins leave capacity for other requests', async () => {
  let answered = 0;
  const many = Array.from({ length: 20 }, () => login(userEmail, PASSWORD, '10.9.0.3').then(() => (answered += 1)));
  const during: number[] = [];
  while (answered < 20) {
    const startMs = performance.now();
    await service.get('/livez');
    during.push(performance.now() - startMs);
  }
  await Promise.all(many);
  during.sort((a, b) => a - b);
  // Checks the median, because a busy machine may delay any single request.
  expect(during[Math.floor(during.length / 2)]).toBeLessThan(100);
});

test('A user who signs in over very many connections locks out nobody, even at the same address', async () => {
  const attempts = [...times(3, operatorFrom('10.9.0.2')), ...times(3, operatorFrom('10.9.0.1'))];
  const { flooding, others } = await during(() => login(userEmail, PASSWORD, '10.9.0.1'), attempts);
  expect(others).toEqual(times(6, 200));
  expect([...flooding.keys()].sort()).toEqual([200, 503]);
});

test('Sign-ins to one account from very many addresses lock out nobody else', async () => {
  let address = 0;
  const flood = () => login(userEmail, PASSWORD, `10.8.${(address += 1) % 250}.1`);
  const { others } = await during(flood, times(3, operatorFrom('10.9.0.2')));
  expect(others).toEqual(times(3, 200));
});

test('An owner who sets passwords endlessly blocks neither sign-ins nor other tenants', async () => {
  const other = await service.createTenant();
  const invite = () => {
    const email = `new-${Math.round(performance.now() * 1_000)}@${other.slug}.test`;
    return service.post('/api/users', { fullName: 'New', email, password: PASSWORD, role: 'USER' }, other.token);
  };
  const { flooding, others } = await during(reset, [...times(3, operatorFrom('10.9.0.2')), ...times(3, invite)]);
  expect(others).toEqual([...times(3, 200), ...times(3, 201)]);
  expect(flooding.get(201)).toBeGreaterThan(0);
});

test('An owner who creates users with Idempotency-Keys endlessly does not block other tenants', async () => {
  const other = await service.createTenant();
  let users = 0;
  const create = ({ slug, token }: TestTenant, key: string) => {
    const email = `keyed-${(users += 1)}@${slug}.test`;
    const user = { fullName: 'New', email, password: PASSWORD, role: 'USER' };
    return service.post('/api/users', user, token, { 'idempotency-key': key });
  };
  const creations = await during(() => create(tenant, `key-${users}`), [() => create(other, 'other')], 60);
  expect(creations.others).toEqual([201]);
  expect(creations.flooding.get(201)).toBeGreaterThan(0);
});
