import { factors } from '../../src/aggregates/factor.aggregate.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import { decodeJwt } from 'jose';
import { AuthenticatorApp } from '../support/authenticator-app.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

const clock = new ShiftedClock();
let service: TestService;
let home: TestTenant;
let addresses = 0;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  home = await service.createTenant();
});
afterAll(() => service.close());

type Challenge = { readonly factorToken: string; readonly methods: string[]; readonly options: object | null };
type Person = { readonly email: string; readonly token: string; readonly app: AuthenticatorApp };

const newAddress = (): Record<string, string> => {
  addresses += 1;
  return { 'x-forwarded-for': `10.2.${addresses >> 8}.${addresses & 255}` };
};
const login = (email: string, password = PASSWORD): Promise<Reply> =>
  service.post('/api/auth/login', { email, password }, undefined, newAddress());
const challengeOf = async (email: string, password?: string): Promise<Challenge> =>
  (await login(email, password)).data as Challenge;
const complete = (factorToken: string, proof: object, headers = newAddress()): Promise<Reply> =>
  service.post('/api/auth/login/factor', { factorToken, ...proof }, undefined, headers);

/** Creates a user with an authenticator app whose next code can be used for a sign-in. */
async function person(): Promise<Person> {
  const email = `${service.fresh('person')}@kontor.test`;
  const body = { fullName: 'A person', email, password: PASSWORD, role: 'USER' };
  await service.post('/api/users', body, await service.signIn(home.email));
  const token = await service.signIn(email);
  const app = await AuthenticatorApp.addTo(service, token);
  clock.pass(STEP_MS);
  return { email, token, app };
}

describe('A sign-in to an account with a second factor', () => {
  test('takes a password, then a code, and only then returns tokens', async () => {
    const { email, app } = await person();
    const first = await login(email);
    expect([first.status, first.data]).toEqual([
      200,
      {
        factorRequired: true,
        factorToken: expect.any(String) as string,
        methods: ['TOTP', 'RECOVERY_CODE'],
        options: null,
      },
    ]);
    const { factorToken } = first.data as Challenge;
    expect((await service.get('/api/auth/me', factorToken)).told).toBe('401 UNAUTHENTICATED');
    const done = await complete(factorToken, { code: app.code() });
    expect(done.data).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 });
    const { accessToken, refreshToken } = done.data as { accessToken: string; refreshToken: string };
    expect((await service.get('/api/auth/me', accessToken)).status).toBe(200);
    expect((await service.post('/api/auth/refresh', { refreshToken })).status).toBe(200);
  });

  test('is rejected for a wrong password as for any other account', async () => {
    const { email } = await person();
    expect((await login(email, 'not the password')).told).toBe('401 UNAUTHENTICATED');
  });

  test('accepts the code of the previous or next half minute, but each code once and none before it', async () => {
    const { email, app } = await person();
    const { factorToken } = await challengeOf(email);
    for (const drift of [-2, 2])
      expect((await complete(factorToken, { code: app.code(drift) })).told).toBe('401 UNAUTHENTICATED');
    expect((await complete(factorToken, { code: app.code(1) })).status).toBe(200);
    for (const drift of [-1, 0, 1])
      expect((await complete(factorToken, { code: app.code(drift) })).told).toBe('401 UNAUTHENTICATED');
    clock.pass(2 * STEP_MS);
    expect((await complete((await challengeOf(email)).factorToken, { code: app.code() })).status).toBe(200);
  });

  test('accepts a code once even from concurrent requests', async () => {
    const { email, app } = await person();
    const { factorToken } = await challengeOf(email);
    const code = app.code();
    const replies = await Promise.all(Array.from({ length: 8 }, () => complete(factorToken, { code })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  test('does not accept the code that confirmed the app', async () => {
    const token = await service.signIn(home.email);
    const added = await service.post(
      '/api/users',
      { fullName: 'Eve', email: 'eve@kontor.test', password: PASSWORD, role: 'USER' },
      token,
    );
    expect(added.status).toBe(201);
    const app = await AuthenticatorApp.addTo(service, await service.signIn('eve@kontor.test'));
    const { factorToken } = await challengeOf('eve@kontor.test');
    expect((await complete(factorToken, { code: app.code() })).told).toBe('401 UNAUTHENTICATED');
  });

  test('accepts each of ten recovery codes once, and reports when none is left', async () => {
    const { email, app } = await person();
    expect(app.recoveryCodes).toHaveLength(10);
    for (const [index, recoveryCode] of app.recoveryCodes.entries()) {
      const { factorToken, methods } = await challengeOf(email);
      expect(methods).toContain('RECOVERY_CODE');
      expect([index, (await complete(factorToken, { recoveryCode: recoveryCode.toLowerCase() })).status]).toEqual([
        index,
        200,
      ]);
      expect((await complete(factorToken, { recoveryCode })).told).toBe('401 UNAUTHENTICATED');
    }
    expect((await challengeOf(email)).methods).toEqual(['TOTP']);
  });

  test('must be completed within five minutes, with the token of the same account and an unchanged password', async () => {
    const [one, other] = [await person(), await person()];
    const late = await challengeOf(one.email);
    clock.pass(5 * MINUTE_MS + 1_000);
    expect((await complete(late.factorToken, { code: one.app.code() })).told).toBe('401 UNAUTHENTICATED');
    const { factorToken } = await challengeOf(one.email);
    expect((await complete(factorToken, { code: other.app.code() })).told).toBe('401 UNAUTHENTICATED');
    const change = { currentPassword: PASSWORD, newPassword: 'a different horse' };
    expect((await service.post('/api/auth/change-password', change, await tokenOf(one), newAddress())).status).toBe(
      200,
    );
    expect((await complete(factorToken, { code: one.app.code() })).told).toBe('401 UNAUTHENTICATED');
  });

  test('rejects every altered token', async () => {
    const { email, app } = await person();
    const { factorToken } = await challengeOf(email);
    const [head, body, signature] = factorToken.split('.');
    const claims = { ...decodeJwt(factorToken), sub: 'somebody else' };
    const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const accessToken = await service.signIn(home.email);
    for (const token of ['', 'x', accessToken, `${head}.${forged}.${signature}`, `${head}.${body}.`, `${head}.${body}`])
      expect([token, (await complete(token, { code: app.code() })).told]).toEqual([token, '401 UNAUTHENTICATED']);
    expect((await complete(factorToken, { code: app.code() })).status).toBe(200);
  });

  test('takes exactly one proof', async () => {
    const { email, app } = await person();
    const { factorToken } = await challengeOf(email);
    for (const proof of [{}, { code: app.code(), recoveryCode: app.recoveryCodes[0] }])
      expect((await complete(factorToken, proof)).told).toBe('400 VALIDATION_FAILED code');
    expect((await complete(factorToken, { code: 1 })).told).toBe('400 VALIDATION_FAILED code');
    expect((await complete(factorToken, { pin: '1' })).told).toMatch(/^400 VALIDATION_FAILED/);
  });

  test('is limited to ten wrong codes, recovery codes included, from an address', async () => {
    const { email, app } = await person();
    const { factorToken } = await challengeOf(email);
    const headers = newAddress();
    for (let wrong = 0; wrong < 10; wrong += 1) {
      const proof = wrong % 2 === 0 ? { code: '000000' } : { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' };
      expect((await complete(factorToken, proof, headers)).told).toBe('401 UNAUTHENTICATED');
    }
    const limited = await complete(factorToken, { code: app.code() }, headers);
    expect([limited.told, Number(limited.headers['retry-after']) > 0]).toEqual(['429 RATE_LIMITED', true]);
    // A new sign-in must not reset the limit.
    const again = await challengeOf(email);
    expect((await complete(again.factorToken, { code: app.code() }, headers)).told).toBe('429 RATE_LIMITED');
  });

  test('is slowed down for wrong codes from many addresses', async () => {
    const { email } = await person();
    const { factorToken } = await challengeOf(email);
    const told: string[] = [];
    for (let wrong = 0; wrong < 13; wrong += 1) told.push((await complete(factorToken, { code: '000000' })).told);
    expect(told.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '401 UNAUTHENTICATED'));
    expect(told.slice(10)).toContain('429 RATE_LIMITED');
  });

  test('with a wrong code is recorded in the audit log', async () => {
    const { email } = await person();
    const { factorToken } = await challengeOf(email);
    await complete(factorToken, { code: '000000' });
    const { sub } = decodeJwt(factorToken);
    const entries = async () => {
      await service.quiet();
      const reply = await service.get('/api/platform/audit-logs?search=factor%20refused', await service.operator());
      return (reply.body as { items: { summary: string; tenantId: string }[] }).items;
    };
    const stream = () =>
      service.service.engines.events.readAll({ filter: { on: 'type', prefixes: ['FactorRefused'] } });
    const isOwn = ({ data }: { data: unknown }) => (data as { userId: string }).userId === sub;
    await eventually(async () => (await stream()).some(isOwn), 10_000);
    expect((await entries())[0]).toMatchObject({ summary: 'Factor refused', tenantId: home.id });
  });
});

const tokenOf = async ({ email, app }: Person): Promise<string> => {
  clock.pass(2 * STEP_MS);
  const { factorToken } = await challengeOf(email);
  return ((await complete(factorToken, { code: app.code() })).data as { accessToken: string }).accessToken;
};

describe('Second factors', () => {
  test('are listed with their last use and can be removed; then the password suffices', async () => {
    const { email, token, app } = await person();
    expect((await service.get('/api/auth/factors', token)).data).toEqual([
      { id: app.id, type: 'TOTP', createdAt: expect.any(String) as string, lastUsedAt: null },
    ]);
    const fresh = await tokenOf({ email, token, app });
    const [listed] = (await service.get('/api/auth/factors', fresh)).data as { lastUsedAt: string | null }[];
    expect(listed?.lastUsedAt).not.toBeNull();
    const removed = await service.call('DELETE', `/api/auth/factors/${app.id}`, { token: fresh });
    expect([removed.status, removed.data]).toMatchObject([200, { success: true, id: app.id }]);
    expect((await service.get('/api/auth/factors', fresh)).data).toEqual([]);
    expect((await login(email)).data).toMatchObject({ tokenType: 'Bearer' });
    expect((await service.call('DELETE', `/api/auth/factors/${app.id}`, { token: fresh })).told).toBe('404 NOT_FOUND');
  });

  test('are not used before their confirmation with a right code', async () => {
    const { token: owner } = home;
    const email = `${service.fresh('unconfirmed')}@kontor.test`;
    await service.post('/api/users', { fullName: 'U', email, password: PASSWORD, role: 'USER' }, owner);
    const token = await service.signIn(email);
    const added = await service.post('/api/auth/factors', { type: 'TOTP' }, token);
    const { id, secret, uri } = added.data as { id: string; secret: string; uri: string };
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain(encodeURIComponent(email));
    const confirm = (body: object) => service.post(`/api/auth/factors/${id}/confirm`, body, token);
    expect((await confirm({ code: '000000' })).told).toBe('400 VALIDATION_FAILED code');
    expect((await confirm({})).told).toBe('400 VALIDATION_FAILED code');
    expect((await service.get('/api/auth/factors', token)).data).toEqual([]);
    expect((await login(email)).data).toMatchObject({ tokenType: 'Bearer' });
    expect((await service.post('/api/auth/factors', { type: 'SMS' }, token)).told).toBe('400 VALIDATION_FAILED type');
  });

  test('of another account do not exist, even for an owner of the same tenant', async () => {
    const { app } = await person();
    const token = await service.signIn(home.email);
    expect((await service.call('DELETE', `/api/auth/factors/${app.id}`, { token })).told).toBe('404 NOT_FOUND');
    const confirm = await service.post(`/api/auth/factors/${app.id}/confirm`, { code: app.code() }, token);
    expect(confirm.told).toBe('404 NOT_FOUND');
  });

  test('are created once for an Idempotency-Key, and their secret is shown once', async () => {
    const token = await service.signIn(home.email);
    const headers = { 'idempotency-key': service.fresh('key') };
    expect((await service.post('/api/auth/factors', { type: 'TOTP' }, token, headers)).status).toBe(201);
    expect((await service.post('/api/auth/factors', { type: 'TOTP' }, token, headers)).told).toBe(
      '409 SECRET_SHOWN_ONCE',
    );
  });

  test('survive a restart and a rotation of passwords by others', async () => {
    const { email, app } = await person();
    await service.restart();
    clock.pass(2 * STEP_MS);
    const { factorToken } = await challengeOf(email);
    expect((await complete(factorToken, { code: app.code() })).status).toBe(200);
  });

  test('never show their secrets or codes: not in the history, former states, audit entries, errors or logs', async () => {
    const { email, app, token } = await person();
    await complete((await challengeOf(email)).factorToken, { code: app.code(1) });
    await complete((await challengeOf(email)).factorToken, { recoveryCode: app.recoveryCodes[0] });
    const { sub = '' } = decodeJwt(token);
    const { state } = await service.service.app.get(RecordReader).read(factors, home.id, sub);
    const sealed = state.factors.flatMap((factor) => (factor.type === 'TOTP' ? [factor.sealedSecret] : []));
    const raw = JSON.stringify(await service.service.engines.events.readAll({ maxCount: 1_000_000 }));
    const secrets = [app.secret, ...app.recoveryCodes, ...app.recoveryCodes.map((code) => code.replaceAll('-', ''))];
    for (const secret of secrets) expect(raw).not.toContain(secret);
    // No endpoint may return the encrypted or hashed secrets that the history contains.
    const operator = await service.operator();
    await service.quiet();
    const stream = `/api/platform/streams/factor/${sub}`;
    const shown = [
      await service.get(`${stream}/events?tenantId=${home.id}&pageNumber=1&pageSize=100`, operator),
      await service.get(`${stream}/state?tenantId=${home.id}`, operator),
      await service.get('/api/platform/audit-logs?pageNumber=1&pageSize=100&entity=factor', operator),
      await service.get('/api/platform/error-logs?pageNumber=1&pageSize=100', operator),
    ];
    const entries = (shown[2]?.body as { items: { id: string }[] }).items;
    for (const { id } of entries) shown.push(await service.get(`/api/platform/audit-logs/${id}`, operator));
    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 200));
    expect(shown[0]?.text).toContain('AuthenticatorAppAdded');
    for (const secret of [...secrets, ...sealed, ...state.recoveryCodes])
      for (const { text } of shown) expect(text).not.toContain(secret);
    expect(service.complaints.join()).not.toContain(app.secret);
  });
});

test('An operator signs in with a factor like a user', async () => {
  const operator = await service.signIn(OPERATOR.email, OPERATOR.password);
  const email = 'second@kontor.test';
  const body = { fullName: 'Second', email, password: 'operator-other' };
  expect((await service.post('/api/platform/operators', body, operator)).status).toBe(201);
  const app = await AuthenticatorApp.addTo(service, await service.signIn(email, body.password));
  clock.pass(STEP_MS);
  const { factorToken } = await challengeOf(email, body.password);
  expect(decodeJwt(factorToken)).toMatchObject({ tid: PLATFORM_TENANT });
  const done = await complete(factorToken, { code: app.code() });
  const { accessToken } = done.data as { accessToken: string };
  expect((await service.get('/api/platform/operators', accessToken)).status).toBe(200);
});

test('A second factor is refused for a day after thirty wrong codes, step-ups included, except from an address used before', async () => {
  const { email, app } = await person();
  const usual = newAddress();
  const done = await complete((await challengeOf(email)).factorToken, { code: app.code() }, usual);
  const { accessToken } = done.data as { accessToken: string };
  const guessed = async (guess: () => Promise<Reply>) => {
    for (let wrong = 0; wrong < 15; wrong += 1) {
      expect([wrong, (await guess()).told]).toEqual([wrong, expect.stringMatching(/^40[01] /)]);
      clock.pass(17_000);
    }
  };
  await guessed(() => service.post('/api/auth/step-up', { code: '000000' }, accessToken, newAddress()));
  const { factorToken } = await challengeOf(email);
  await guessed(() => complete(factorToken, { code: '000000' }));
  const later = await challengeOf(email);
  const refused = await complete(later.factorToken, { code: app.code() });
  expect([refused.told, Number(refused.headers['retry-after']) > 23 * 3_600]).toEqual(['429 RATE_LIMITED', true]);
  expect((await complete(later.factorToken, { code: app.code() }, usual)).status).toBe(200);
  clock.pass(24 * 60 * MINUTE_MS);
  expect((await complete((await challengeOf(email)).factorToken, { code: app.code() })).status).toBe(200);
});
