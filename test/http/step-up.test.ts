import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { codeAt, stepAt } from '../../src/security/totp.js';
import { AuthenticatorApp, decodedSecret } from '../support/authenticator-app.js';
import { backupOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { routeTable } from '../support/route-table.js';
import { OPERATOR, PASSWORD, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { SoftAuthenticator } from '../support/soft-authenticator.js';

const MINUTE_MS = 60_000;
const OPERATORS = '/api/platform/operators';
const KEYS = '/api/platform/integration-keys';
const OWN_PASSWORD = 'POST /api/users/{id}/password';
const REQUIRED = '403 STEP_UP_REQUIRED';

const clock = new ShiftedClock();
let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  const tenant = await service.createTenant();
  books = { tenant, partner: await service.createKey(tenant, { rateLimit: null }) };
});
afterAll(() => service.close());

let addresses = 0;
const newAddress = (): Record<string, string> => {
  addresses += 1;
  return { 'x-forwarded-for': `10.4.${addresses >> 8}.${addresses & 255}` };
};
const stepUp = (token: string, proof: object): Promise<Reply> =>
  service.post('/api/auth/step-up', proof, token, newAddress());
const signIn = (): Promise<string> => service.signIn(OPERATOR.email, OPERATOR.password);

async function hire(owner: string): Promise<Account> {
  const email = `${service.fresh('person')}@kontor.test`;
  const body = { fullName: 'A person', email, password: PASSWORD, role: 'USER' };
  const { id } = await service.post('/api/users', body, owner);
  return { id, email };
}
async function newUser(): Promise<{ email: string; token: string }> {
  const { email } = await hire(await service.signIn(books.tenant.email));
  return { email, token: await service.signIn(email) };
}

type Act = (token: string) => Promise<Reply>;
type Account = { readonly id: string; readonly email: string };

async function newOperator(): Promise<Account> {
  const email = `${service.fresh('operator')}@kontor.test`;
  const body = { fullName: 'An operator', email, password: PASSWORD };
  const { id } = await service.post(OPERATORS, body, await signIn());
  return { id, email };
}
async function newOwner(): Promise<Account> {
  const { id, email } = await service.createTenant();
  return { id, email };
}
const addApp = async (email: string) => AuthenticatorApp.addTo(service, await service.signIn(email));

/**
 * A route that requires recent proof of identity. `prepare` requires a token with such proof. The operation that it
 * returns can succeed once.
 */
type Guarded = { readonly account: () => Promise<Account>; readonly prepare: (recent: string) => Promise<Act> };
const byOperator = (prepare: Guarded['prepare']): Guarded => ({ account: newOperator, prepare });
const byOwner = (prepare: Guarded['prepare']): Guarded => ({ account: newOwner, prepare });
const GUARDED: Readonly<Record<string, Guarded>> = {
  'POST /api/platform/operators': byOperator(() => {
    const email = `${service.fresh('operator')}@kontor.test`;
    return Promise.resolve((token) => service.post(OPERATORS, { fullName: 'New', email, password: PASSWORD }, token));
  }),
  'GET /api/platform/jobs/execution/{executionLogId}/backup-download': byOperator(async () => {
    const execution = service.service.engines.ids.next();
    await backupOf(service.service.engines.events, join(service.directory, 'backups'), execution);
    return (token) => service.get(`/api/platform/jobs/execution/${execution}/backup-download`, token);
  }),
  'PATCH /api/platform/integration-keys/{id}': byOperator(async () => {
    const { id } = await service.createKey(await service.createTenant(), { rateLimit: null });
    return (token) => service.call('PATCH', `${KEYS}/${id}`, { token, body: { rateLimit: 1_000 } });
  }),
  'POST /api/periods/reopen': byOwner(async (recent) => {
    await service.post('/api/periods/close', { through: '2020-01-31' }, recent);
    return (token) => service.post('/api/periods/reopen', { through: null, reason: 'A test' }, token);
  }),
  'POST /api/auth/factors': byOperator(() =>
    Promise.resolve((token) => service.post('/api/auth/factors', { type: 'TOTP' }, token)),
  ),
  'POST /api/auth/factors/{id}/confirm': byOperator(async (recent) => {
    const added = await service.post('/api/auth/factors', { type: 'TOTP' }, recent);
    const { id, secret } = added.data as { id: string; secret: string };
    const code = () => codeAt(decodedSecret(secret), stepAt(clock.nowMs()));
    return (token) => service.post(`/api/auth/factors/${id}/confirm`, { code: code() }, token);
  }),
  'DELETE /api/auth/factors/{id}': byOperator(async (recent) => {
    const { id } = await AuthenticatorApp.addTo(service, recent);
    return (token) => service.call('DELETE', `/api/auth/factors/${id}`, { token });
  }),
  'POST /api/users/{id}/invitation': byOwner(async (recent) => {
    const { id } = await hire(recent);
    return (token) => service.post(`/api/users/${id}/invitation`, {}, token);
  }),
  [OWN_PASSWORD]: byOwner((recent) => {
    const { sub = '' } = decodeJwt(recent);
    return Promise.resolve((token) =>
      service.post(`/api/users/${sub}/password`, { newPassword: `${PASSWORD} again` }, token),
    );
  }),
  'POST /api/users/{id}/remove-factors': byOwner(async (recent) => {
    const { id, email } = await hire(recent);
    await addApp(email);
    return (token) => service.post(`/api/users/${id}/remove-factors`, { reason: 'A test' }, token);
  }),
  'POST /api/platform/operators/{id}/remove-factors': byOperator(async () => {
    const { id, email } = await newOperator();
    await addApp(email);
    return (token) => service.post(`${OPERATORS}/${id}/remove-factors`, { reason: 'A test' }, token);
  }),
};

describe.each(Object.entries(GUARDED))('%s', (_name, { account, prepare }) => {
  test('is refused to an old sign-in, and accepted from a new one', async () => {
    const { email } = await account();
    const old = await service.signIn(email);
    clock.pass(11 * MINUTE_MS);
    const recent = await service.signIn(email);
    const act = await prepare(recent);
    expect((await act(old)).told).toBe(REQUIRED);
    expect((await act(recent)).told).toMatch(/^20[01]/);
  });

  test('is accepted from an old sign-in after a step-up with the second factor', async () => {
    const { email } = await account();
    const old = await service.signIn(email);
    const app = await AuthenticatorApp.addTo(service, old);
    clock.pass(11 * MINUTE_MS);
    const { factorToken } = (await service.post('/api/auth/login', { email, password: PASSWORD })).data as {
      factorToken: string;
    };
    const login = await service.post('/api/auth/login/factor', { factorToken, code: app.code() });
    const act = await prepare((login.data as { accessToken: string }).accessToken);
    expect((await act(old)).told).toBe(REQUIRED);
    clock.pass(MINUTE_MS);
    expect((await stepUp(old, { code: app.code() })).status).toBe(200);
    expect((await act(old)).told).toMatch(/^20[01]/);
  });
});

test('A sign-in is recent for ten minutes', async () => {
  const token = await signIn();
  const act = () => service.post('/api/auth/factors', { type: 'TOTP' }, token);
  clock.pass(9 * MINUTE_MS);
  expect((await act()).status).toBe(201);
  clock.pass(MINUTE_MS + 1_000);
  expect((await act()).told).toBe(REQUIRED);
});

describe('Among all routes', () => {
  test('only the listed ones are documented as requiring recent proof', async () => {
    type Paths = Record<string, Record<string, { description?: string }>>;
    const { paths } = (await service.get('/openapi.json')).body as { paths: Paths };
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { description = '' }]) => description.includes('STEP_UP_REQUIRED'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.toSorted()).toEqual(Object.keys(GUARDED).toSorted());
  });

  test('only the listed ones demand one, whatever else is wrong with the request', async () => {
    const owner = await newOwner();
    const demanding: string[] = [];
    for (const { name, method, path, who, body } of routeTable) {
      if (who === 'public' || who === 'partner' || who === 'token' || body === 'sse') continue;
      // Signs in for each route, because some routes end the session.
      const isOwner = who.startsWith('tenant');
      const token = isOwner ? await service.signIn(owner.email) : await signIn();
      clock.pass(11 * MINUTE_MS);
      const at = path.replace(/\{\w+\}/g, service.service.engines.ids.next());
      const { told } = await service.call(method, at, { token, ...(method !== 'GET' && { body: {} }) });
      expect([name, told]).not.toEqual([name, expect.stringMatching(/^(?:401|403 FORBIDDEN|429)/)]);
      if (told === REQUIRED) demanding.push(name);
    }
    // Changing an integration key requires recent proof only if the request raises the key's rate limit, and resetting
    // a password only if it is the caller's own.
    const sometimes = ['PATCH /api/platform/integration-keys/{id}', OWN_PASSWORD];
    const always = Object.keys(GUARDED).filter((name) => !sometimes.includes(name));
    expect(demanding.toSorted()).toEqual(always.toSorted());
  });
});

test('A refresh does not count as proof', async () => {
  const login = (await service.post('/api/auth/login', OPERATOR)).data as { refreshToken: string };
  clock.pass(11 * MINUTE_MS);
  const { refreshToken } = login;
  const fresh = (await service.post('/api/auth/refresh', { refreshToken })).data as { accessToken: string };
  expect((await service.post('/api/auth/factors', { type: 'TOTP' }, fresh.accessToken)).told).toBe(REQUIRED);
});

test('Resetting the password of another user requires no step-up', async () => {
  const { email } = await newOwner();
  const token = await service.signIn(email);
  const { id } = await hire(token);
  clock.pass(11 * MINUTE_MS);
  expect((await service.post(`/api/users/${id}/password`, { newPassword: `${PASSWORD} 2` }, token)).status).toBe(201);
});

test('Lowering a limit requires no step-up', async () => {
  const token = await signIn();
  const path = `/api/platform/integration-keys/${books.partner.id}`;
  clock.pass(11 * MINUTE_MS);
  expect((await service.call('PATCH', path, { token, body: { rateLimit: 1 } })).status).toBe(200);
  expect((await service.call('PATCH', path, { token, body: { rateLimit: 1_000 } })).told).toBe(REQUIRED);
});

test('STEP_UP_REQUIRED comes after authorization and before the body is read', async () => {
  const owner = await service.signIn(books.tenant.email);
  const token = await signIn();
  clock.pass(11 * MINUTE_MS);
  expect((await service.post('/api/platform/operators', {}, owner)).told).toBe('403 FORBIDDEN');
  const raw = { token, raw: '{"broken' };
  expect((await service.call('POST', '/api/platform/operators', raw)).told).toBe(REQUIRED);
});

describe('A step-up', () => {
  test('with the password is accepted from an account without a factor, and returns its expiry', async () => {
    const { token } = await newUser();
    const asked = await stepUp(token, {});
    expect(asked.data).toMatchObject({ factorRequired: true, methods: ['PASSWORD'], options: null });
    expect((await stepUp(token, { password: 'wrong' })).told).toBe('400 VALIDATION_FAILED password');
    expect((await stepUp(token, { code: '000000' })).told).toBe('400 VALIDATION_FAILED password');
    const before = clock.nowMs();
    const { verifiedUntil } = (await stepUp(token, { password: PASSWORD })).data as { verifiedUntil: string };
    expect(Date.parse(verifiedUntil) - before).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    expect(Date.parse(verifiedUntil) - before).toBeLessThan(11 * MINUTE_MS);
  });

  test('needs the factor of an account that has one, once for each code', async () => {
    const { token } = await newUser();
    const app = await AuthenticatorApp.addTo(service, token);
    clock.pass(11 * MINUTE_MS);
    expect((await service.post('/api/auth/factors', { type: 'TOTP' }, token)).told).toBe(REQUIRED);
    expect((await stepUp(token, {})).data).toMatchObject({ methods: ['TOTP', 'RECOVERY_CODE'] });
    expect((await stepUp(token, { password: PASSWORD })).told).toBe('400 VALIDATION_FAILED password');
    expect((await stepUp(token, { code: '000000' })).told).toBe('400 VALIDATION_FAILED code');
    expect((await stepUp(token, { code: app.code(), password: PASSWORD })).told).toBe('400 VALIDATION_FAILED code');
    expect((await stepUp(token, { code: app.code() })).status).toBe(200);
    expect((await stepUp(token, { code: app.code() })).told).toBe('400 VALIDATION_FAILED code');
    const [recoveryCode] = app.recoveryCodes;
    expect((await stepUp(token, { recoveryCode })).status).toBe(200);
    expect((await stepUp(token, { recoveryCode })).told).toBe('400 VALIDATION_FAILED recoveryCode');
    expect((await service.post('/api/auth/factors', { type: 'TOTP' }, token)).status).toBe(201);
  });

  test('with a passkey answers the challenge of the same session', async () => {
    const { token, email } = await newUser();
    const passkey = new SoftAuthenticator('https://kontor.test');
    const host = { 'x-forwarded-host': 'kontor.test' };
    const added = await service.post('/api/auth/factors', { type: 'PASSKEY' }, token, host);
    const { id, options } = added.data as { id: string; options: Parameters<SoftAuthenticator['create']>[0] };
    const credential = passkey.create(options);
    expect((await service.post(`/api/auth/factors/${id}/confirm`, { credential }, token)).status).toBe(200);
    type Asked = { factorToken: string; options: Parameters<SoftAuthenticator['get']>[0] };
    const own = (await service.post('/api/auth/step-up', {}, token, host)).data as Asked;
    const login = { email, password: PASSWORD };
    const foreign = (await service.post('/api/auth/login', login, undefined, host)).data as Asked;
    const refused = '400 VALIDATION_FAILED credential';
    const foreignProof = { factorToken: foreign.factorToken, credential: passkey.get(foreign.options) };
    expect((await stepUp(token, foreignProof)).told).toBe(refused);
    expect((await stepUp(token, { credential: passkey.get(own.options) })).told).toBe(refused);
    const proof = { factorToken: own.factorToken, credential: passkey.get(own.options) };
    expect((await stepUp(token, proof)).status).toBe(200);
    expect((await stepUp(token, proof)).told).toBe(refused);
    // A step-up token must not be able to complete a sign-in.
    const again = (await service.post('/api/auth/step-up', {}, token, host)).data as Asked;
    const asLogin = { factorToken: again.factorToken, credential: passkey.get(again.options) };
    expect((await service.post('/api/auth/login/factor', asLogin)).told).toBe('401 UNAUTHENTICATED');
  });

  test('with a wrong password or a wrong code is recorded like a rejected sign-in, as is a change of password', async () => {
    const { token } = await newUser();
    const { sub, sid } = decodeJwt(token);
    const refusals = async () => {
      const history = await service.service.engines.events.readAll({ maxCount: 1_000_000 });
      const own = history.filter(({ data }) => (data as { userId?: unknown }).userId === sub);
      return own.filter(({ type }) => type === 'LoginFailed' || type === 'FactorRefused');
    };
    await stepUp(token, { password: 'wrong' });
    const change = { currentPassword: 'wrong', newPassword: 'an even longer harbour' };
    expect((await service.post('/api/auth/change-password', change, token)).told).toBe(
      '400 VALIDATION_FAILED currentPassword',
    );
    await AuthenticatorApp.addTo(service, token);
    await stepUp(token, { code: '000000' });
    await eventually(async () => (await refusals()).length === 3, 10_000);
    const [factor, ...passwords] = (await refusals()).toSorted((one, other) => one.type.localeCompare(other.type));
    const wrongPassword = { type: 'LoginFailed', data: { reason: 'WRONG_PASSWORD' } };
    expect(passwords).toMatchObject([wrongPassword, wrongPassword]);
    expect(factor).toMatchObject({
      type: 'FactorRefused',
      metadata: { tenantId: books.tenant.id, userId: sub, sessionId: sid },
    });
  });

  test('is limited like a sign-in', async () => {
    const { token } = await newUser();
    const headers = newAddress();
    const attempt = (password: string) => service.post('/api/auth/step-up', { password }, token, headers);
    for (let wrong = 0; wrong < 10; wrong += 1) expect((await attempt('wrong')).status).toBe(400);
    expect((await attempt(PASSWORD)).told).toBe('429 RATE_LIMITED');
  });
});

describe('A tenant that requires a second factor', () => {
  const settings = (token: string, requireFactor: boolean) =>
    service.call('PATCH', '/api/settings', { token, body: { requireFactor } });

  test('allows owners and administrators without one only to add one, even in sessions that began earlier', async () => {
    const { token: owner, email } = await service.createTenant();
    const users = `${service.fresh('staff')}.test`;
    const person = (role: string) => ({ fullName: role, email: `${role}@${users}`, password: PASSWORD, role });
    for (const role of ['ADMIN', 'USER']) await service.post('/api/users', person(role), owner);
    const admin = await service.signIn(`ADMIN@${users}`);
    const user = await service.signIn(`USER@${users}`);
    expect((await service.get('/api/settings', owner)).data).toMatchObject({ requireFactor: false });
    expect((await settings(owner, true)).status).toBe(200);
    const again = await service.signIn(email);
    clock.pass(1_000);
    for (const token of [owner, admin, again]) {
      expect((await service.get('/api/customers?pageNumber=1&pageSize=1', token)).told).toBe('403 FACTOR_REQUIRED');
      expect((await service.get('/api/auth/me', token)).status).toBe(200);
    }
    expect((await service.get('/api/customers?pageNumber=1&pageSize=1', user)).status).toBe(200);

    const app = await AuthenticatorApp.addTo(service, again);
    clock.pass(1_000);
    expect((await service.get('/api/settings', again)).data).toMatchObject({ requireFactor: true });
    // The same user's other session has not been verified with a code yet.
    expect((await service.get('/api/settings', owner)).told).toBe('403 FACTOR_REQUIRED');
    clock.pass(MINUTE_MS);
    expect((await stepUp(owner, { code: app.code() })).status).toBe(200);
    clock.pass(1_000);
    expect((await service.get('/api/settings', owner)).status).toBe(200);
    const remove = await service.call('DELETE', `/api/auth/factors/${app.id}`, { token: owner });
    expect(remove.told).toBe('409 LAST_FACTOR');
    expect((await settings(owner, false)).status).toBe(200);
    clock.pass(1_000);
    expect((await service.get('/api/customers?pageNumber=1&pageSize=1', admin)).status).toBe(200);
  });

  test('does not accept a factor that was removed before the requirement, even in the session that used it', async () => {
    const { token: owner, email } = await service.createTenant();
    const removing = await service.signIn(email);
    const removed = await AuthenticatorApp.addTo(service, removing);
    expect((await service.call('DELETE', `/api/auth/factors/${removed.id}`, { token: removing })).status).toBe(200);
    expect((await settings(owner, true)).status).toBe(200);
    clock.pass(1_000);
    expect((await service.get('/api/settings', removing)).told).toBe('403 FACTOR_REQUIRED');
    await AuthenticatorApp.addTo(service, removing);
    clock.pass(1_000);
    expect((await service.get('/api/settings', removing)).status).toBe(200);
  });
});

test('With OPERATOR_FACTOR=required, an operator without a factor can only add one', async () => {
  const strict = await TestService.start({ environment: { OPERATOR_FACTOR: 'required' } });
  try {
    const token = await strict.signIn(OPERATOR.email, OPERATOR.password);
    expect((await strict.get('/api/platform/operators', token)).told).toBe('403 FACTOR_REQUIRED');
    await AuthenticatorApp.addTo(strict, token);
    expect((await strict.get('/api/platform/operators', token)).status).toBe(200);
  } finally {
    await strict.close();
  }
});
