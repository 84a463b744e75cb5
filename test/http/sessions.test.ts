import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { operator, deleteOperator } from '../../src/aggregates/operator.aggregate.js';
import { createRole, role } from '../../src/aggregates/role.aggregate.js';
import { tenant, updateTenant } from '../../src/aggregates/tenant.aggregate.js';
import {
  changePassword,
  createUser,
  deleteUser,
  updateUser,
  user,
  type NewUser,
  type UpdateUser,
} from '../../src/aggregates/user.aggregate.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { inContext } from '../../src/eventsourcing/context.js';
import { passwords, Passwords } from '../../src/security/passwords.js';
import { PERMISSIONS, SYSTEM_ROLE_PERMISSIONS } from '../../src/security/permissions.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { Reply } from '../support/reply.js';
import { SecondReplica } from '../support/second-replica.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

type Tokens = { readonly accessToken: string; readonly refreshToken: string };
type Person = { readonly id: string; readonly email: string };

const NEW_PASSWORD = 'another horse entirely';
const DAY_MS = 86_400_000;
const clock = new ShiftedClock();
let service: TestService;
let home: TestTenant;
let addresses = 0;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  home = await service.createTenant();
});
afterAll(() => service.close());

/** Returns a header with a new IP address, so that no test uses up another test's attempts. */
const newAddress = (): Record<string, string> => {
  addresses += 1;
  return { 'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}` };
};
const login = (email: string, password: string = PASSWORD): Promise<Reply> =>
  service.post('/api/auth/login', { email, password }, undefined, newAddress());
const signIn = async (email: string, password?: string): Promise<Tokens> => {
  const reply = await login(email, password);
  if (reply.status !== 200) throw new Error(reply.told);
  return reply.data as Tokens;
};
const refresh = (refreshToken: string): Promise<Reply> => service.post('/api/auth/refresh', { refreshToken });
const refreshed = async (refreshToken: string): Promise<Tokens> => (await refresh(refreshToken)).data as Tokens;
const use = async (token: string): Promise<string> => (await service.get('/api/auth/me', token)).told;
/** Rotates the key as `npm run keys:rotate` does, at the service's current time. */
async function rotateKeys(): Promise<void> {
  const env = { ...process.env, DATA_DIR: service.directory };
  await promisify(execFile)(process.execPath, ['scripts/rotate-signing-key.mjs'], {
    env,
    cwd: `${import.meta.dirname}/../..`,
  });
  const path = join(service.directory, 'signing-key.json');
  const { keys } = JSON.parse(await readFile(path, 'utf8')) as { keys: { supersededAt?: string }[] };
  const now = new Date(clock.nowMs()).toISOString();
  await writeFile(
    path,
    JSON.stringify({ keys: keys.map((key) => (key.supersededAt ? { ...key, supersededAt: now } : key)) }),
  );
}
const logout = (token: string): Promise<Reply> => service.post('/api/auth/logout', {}, token);
const change = (token: string, currentPassword: string, newPassword: string): Promise<Reply> =>
  service.post('/api/auth/change-password', { currentPassword, newPassword }, token, newAddress());

/** Executes commands that affect sessions. In production, requests from other users trigger these commands. */
const runs = <T>(tenantId: string, work: (runner: CommandRunner) => Promise<T>): Promise<T> => {
  const id = service.service.engines.ids.next();
  const context = {
    tenantId,
    actor: { kind: 'system', name: 'test' },
    requestId: id,
    correlationId: id,
    commandId: id,
  };
  return inContext(context as never, () => work(service.service.app.get(CommandRunner)));
};
async function person(facts: Partial<NewUser> = {}, tenantId = home.id): Promise<Person> {
  const id = service.service.engines.ids.next();
  const email = `${service.fresh('person')}@kontor.test`;
  const passwordHash = await passwords.hash(PASSWORD);
  const data: NewUser = { fullName: 'A person', email, role: 'USER', isActive: true, passwordHash, ...facts };
  await runs(tenantId, (runner) => runner.execute(user, { tenantId, id }, data, createUser));
  return { id, email };
}
const update = (id: string, data: UpdateUser) =>
  runs(home.id, (runner) => runner.execute(user, { tenantId: home.id, id }, data, updateUser));
const remove = (id: string) =>
  runs(home.id, (runner) => runner.execute(user, { tenantId: home.id, id }, undefined, deleteUser));
const reset = async (id: string) => {
  const passwordHash = await passwords.hash(NEW_PASSWORD);
  await runs(home.id, (runner) => runner.execute(user, { tenantId: home.id, id }, { passwordHash }, changePassword));
};
const setActive = (tenantId: string, isActive: boolean) =>
  runs(PLATFORM_TENANT, (runner) =>
    runner.execute(tenant, { tenantId: PLATFORM_TENANT, id: tenantId }, { isActive }, updateTenant),
  );

const events = (...prefixes: string[]): Promise<readonly RecordedEvent[]> =>
  service.service.engines.events.readAll({ filter: { on: 'type', prefixes } });
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error('It never came.');
    await delay(5);
  }
};
const withoutId = ({ status, text }: Reply): [number, string] => [status, text.replace(/"requestId":"[^"]*"/, '')];
const verified = (): number => service.service.app.get(Passwords).verified;
const sidOf = (token: string): string => String(decodeJwt(token)['sid']);

describe('A sign-in', () => {
  test('returns its position in the history, as a refresh does, so its user can be read', async () => {
    const { id, email } = await person({ role: 'OWNER' });
    const signedIn = await login(email);
    const tokens = signedIn.data as Tokens;
    const again = await refresh(tokens.refreshToken);
    const stream = await events('SessionStarted', 'RefreshTokenRotated');
    const own = stream.filter(({ stream: name }) => name.endsWith(sidOf(tokens.accessToken)));
    expect([signedIn, again].map(({ headers }) => Number(headers['x-event-position']))).toEqual(
      own.map(({ position }) => position),
    );
    const headers = { 'x-min-position': again.headers['x-event-position'] ?? '' };
    const read = await service.call('GET', `/api/users/${id}`, { token: tokens.accessToken, headers });
    expect(read.data).toMatchObject({ lastLoginAt: (own[0]?.data as { startedAt: string }).startedAt });
  });

  test('is rejected alike, with the same work, for any cause', async () => {
    const [active, inactive, deleted, known] = [await person(), await person(), await person(), await person()];
    const closed = await service.createTenant();
    await update(inactive.id, { isActive: false });
    await remove(deleted.id);
    await setActive(closed.id, false);
    const attempts: [string, string][] = [
      ['nobody@kontor.test', PASSWORD],
      ['no address', PASSWORD],
      ['', ''],
      [active.email, 'wrong'],
      [active.email, ''],
      [active.email, '\u0000'],
      [OPERATOR.email, 'wrong'],
      [inactive.email, PASSWORD],
      [inactive.email, 'wrong'],
      [deleted.email, PASSWORD],
      [closed.email, PASSWORD],
      [closed.email, 'wrong'],
    ];
    const expected = withoutId(await login(known.email, 'wrong'));
    expect(expected[0]).toBe(401);
    for (const [email, password] of attempts) {
      const before = verified();
      expect([email, ...withoutId(await login(email, password))]).toEqual([email, ...expected]);
      expect([email, verified() - before]).toEqual([email, 1]);
    }
  });

  test('is recorded when rejected, with user and reason, without the password', async () => {
    const { id, email } = await person();
    const failed = async () =>
      (await events('LoginFailed')).map(({ data }) => data as { userId: string }).filter(({ userId }) => userId === id);
    await login(email, 'a wrong password');
    await until(async () => (await failed()).length === 1);
    expect(await failed()).toMatchObject([{ reason: 'WRONG_PASSWORD' }]);
    await update(id, { isActive: false });
    await login(email);
    await until(async () => (await failed()).length === 2);
    expect((await failed())[1]).toMatchObject({ reason: 'INACTIVE' });
    const history = JSON.stringify(await service.service.engines.events.readAll());
    for (const secret of [PASSWORD, 'a wrong password', OPERATOR.password]) expect(history).not.toContain(secret);
  });

  test('is recorded in its own tenant, with the address and the session', async () => {
    const { id, email } = await person();
    const { accessToken, refreshToken } = await signIn(email);
    const started = (await events('SessionStarted')).find(({ data }) => (data as { userId: string }).userId === id);
    expect(started?.stream).toBe(`session-${home.id}_${sidOf(accessToken)}`);
    expect(started?.metadata).toMatchObject({ tenantId: home.id, userId: id, sessionId: sidOf(accessToken) });
    expect((started?.metadata as { ip: string }).ip).toMatch(/^10\.1\./);
    expect(JSON.stringify(started)).not.toContain(refreshToken.split('.')[2]);
  });

  test('finds the e-mail address in any case', async () => {
    const { email } = await person();
    expect((await login(email.toUpperCase())).status).toBe(200);
  });

  test.each([[{}], [{ email: 'a@b.test' }], [{ email: 1, password: 'x' }], [{ email: 'a', password: 'b', more: 1 }]])(
    'is rejected as %j',
    async (body) => {
      expect((await service.post('/api/auth/login', body, undefined, newAddress())).status).toBe(400);
    },
  );
});

describe('A refresh', () => {
  test('returns a new pair in the same session, and the old access token stays valid', async () => {
    const { email } = await person();
    const first = await signIn(email);
    const second = await refreshed(first.refreshToken);
    expect(second).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 });
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(sidOf(second.accessToken)).toBe(sidOf(first.accessToken));
    expect([await use(first.accessToken), await use(second.accessToken)]).toEqual(['200', '200']);
    const third = await refreshed(second.refreshToken);
    expect(await use(third.accessToken)).toBe('200');
  });

  test('works for operators', async () => {
    const { refreshToken } = await signIn(OPERATOR.email, OPERATOR.password);
    const { accessToken } = await refreshed(refreshToken);
    expect(decodeJwt(accessToken)).toMatchObject({ scope: 'platform' });
    expect(await use(accessToken)).toBe('200');
  });

  // Columns: the delay before the first token is reused, the number of rotations before the reuse, and whether the
  // second response equals the first.
  test.each([
    { afterMs: 0, rotations: 1, same: true },
    { afterMs: 5_000, rotations: 1, same: true },
    { afterMs: 7_000, rotations: 1, same: true },
    { afterMs: 7_000, rotations: 2, same: true },
    { afterMs: 10_500, rotations: 1, same: false },
    { afterMs: 10_500, rotations: 2, same: false },
    { afterMs: 3 * DAY_MS, rotations: 1, same: false },
  ])(
    'with a token used $afterMs ms ago, after $rotations rotations, returns the same token again: $same',
    async (row) => {
      const { email } = await person();
      const { refreshToken } = await signIn(email);
      const first = await refresh(refreshToken);
      let last = first.data as Tokens;
      for (let more = 1; more < row.rotations; more += 1) last = await refreshed(last.refreshToken);
      clock.pass(row.afterMs);
      const again = await refresh(refreshToken);
      if (row.same) {
        expect(again.text).toBe(first.text);
        expect(await use((again.data as Tokens).accessToken)).toBe('200');
        return;
      }
      expect(again.told).toBe('401 UNAUTHENTICATED');
      expect((await refresh(last.refreshToken)).told).toBe('401 UNAUTHENTICATED');
      expect(await use(last.accessToken)).toBe('401 UNAUTHENTICATED');
      const ended = (await events('SessionEnded')).filter(({ stream }) => stream.endsWith(sidOf(last.accessToken)));
      expect(ended.map(({ data }) => data)).toMatchObject([{ reason: 'REFRESH_TOKEN_REUSED' }]);
    },
  );

  test('with the same token concurrently on two replicas returns one result and is one rotation', async () => {
    const replica = await SecondReplica.beside(service);
    const { accessToken, refreshToken } = await signIn((await person()).email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? replica.refresh(refreshToken) : refreshed(refreshToken))),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await use(answers[0]?.accessToken ?? '')).toBe('200');
    const rotations = (await events('RefreshTokenRotated')).filter(({ stream }) => stream.endsWith(sidOf(accessToken)));
    expect(rotations).toHaveLength(1);
  });

  test('with a forged token is rejected and ends nothing', async () => {
    const { email } = await person();
    const [mine, other] = [await signIn(email), await signIn(email)];
    const [tenantId = '', sid = '', secret = ''] = mine.refreshToken.split('.');
    const flipped = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
    for (const token of [
      '',
      'x',
      mine.accessToken,
      `${tenantId}.${sid}`,
      `${tenantId}.${sid}.`,
      `${tenantId}.${sid}.${flipped}`,
      `${tenantId}.${sid}.${secret}x`,
      `${tenantId}.${sid}.${other.refreshToken.split('.')[2] ?? ''}`,
      `${PLATFORM_TENANT}.${sid}.${secret}`,
      `${tenantId}.${service.service.engines.ids.next()}.${secret}`,
      `${tenantId}_x.${sid}.${secret}`,
      ` ${mine.refreshToken}`,
    ])
      expect([token, (await refresh(token)).told]).toEqual([token, '401 UNAUTHENTICATED']);
    expect((await service.post('/api/auth/refresh', {})).told).toBe('400 VALIDATION_FAILED refreshToken');
    expect(await use(mine.accessToken)).toBe('200');
    expect((await refresh(mine.refreshToken)).status).toBe(200);
  });

  test('works across a rotation of the signing key, even when replayed with the old one', async () => {
    const { refreshToken, accessToken } = await signIn((await person()).email);
    const first = await refresh(refreshToken);
    await rotateKeys();
    const replica = await SecondReplica.beside(service);
    const second = await replica.refresh((first.data as Tokens).refreshToken);
    // The service has not read the new key yet, but returns the same response as the other replica.
    expect(await refreshed((first.data as Tokens).refreshToken)).toEqual(second);
    expect(await use(second.accessToken)).toBe('200');
    expect((await refresh(refreshToken)).text).toBe(first.text);
    expect(decodeProtectedHeader(second.accessToken).kid).not.toBe(decodeProtectedHeader(accessToken).kid);
    expect([await use(accessToken), await use((first.data as Tokens).accessToken)]).toEqual(['200', '200']);
    const { keys } = (await service.get('/.well-known/jwks.json')).body as { keys: { kid: string; d?: string }[] };
    expect(keys.map(({ kid }) => kid)).toEqual(
      [second.accessToken, accessToken].map((token) => decodeProtectedHeader(token).kid),
    );
    expect(keys.some((key) => 'd' in key || 'supersededAt' in key)).toBe(false);
  });
});

test('The public keys can be cached for a minute', async () => {
  const reply = await service.get('/.well-known/jwks.json');
  expect(reply.headers['cache-control']).toBe('public, max-age=60');
  const { keys } = reply.body as { keys: object[] };
  expect(keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
});

describe('Signing out', () => {
  test('ends only this session, once', async () => {
    const { email } = await person();
    const [mine, other] = [await signIn(email), await signIn(email)];
    const reply = await logout(mine.accessToken);
    expect(reply.data).toEqual({ success: true, id: sidOf(mine.accessToken), revision: 1 });
    expect(Number(reply.headers['x-event-position'])).toBeGreaterThan(0);
    expect((await logout(mine.accessToken)).told).toBe('401 UNAUTHENTICATED');
    expect((await refresh(mine.refreshToken)).told).toBe('401 UNAUTHENTICATED');
    expect(await use(other.accessToken)).toBe('200');
  });

  test('works for operators', async () => {
    const { accessToken } = await signIn(OPERATOR.email, OPERATOR.password);
    expect((await logout(accessToken)).status).toBe(200);
    expect(await use(accessToken)).toBe('401 UNAUTHENTICATED');
  });
});

describe('Sessions are ended by', () => {
  const everything: readonly { what: string; act: (who: Person, token: string) => Promise<unknown> }[] = [
    { what: 'signing out', act: (_, token) => logout(token) },
    { what: 'deactivation', act: ({ id }) => update(id, { isActive: false }) },
    {
      what: 'deactivation that is reverted at once',
      act: async ({ id }) => {
        await update(id, { isActive: false });
        await update(id, { isActive: true });
      },
    },
    { what: 'deletion', act: ({ id }) => remove(id) },
    { what: 'a password set by somebody else', act: ({ id }) => reset(id) },
    {
      what: 'a password changed in another session',
      act: async ({ email }) => change((await signIn(email)).accessToken, PASSWORD, NEW_PASSWORD),
    },
  ];
  test.each(everything)('$what: within a second, even on a replica with cached data', async ({ act }) => {
    const replica = await SecondReplica.beside(service);
    const who = await person();
    const { accessToken, refreshToken } = await signIn(who.email);
    expect(await replica.told(accessToken)).toBe('ok');
    await act(who, accessToken);
    clock.pass(1_000);
    expect(await replica.told(accessToken)).toBe('UNAUTHENTICATED');
    await expect(replica.refresh(refreshToken)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await use(accessToken)).toBe('401 UNAUTHENTICATED');
    expect((await refresh(refreshToken)).told).toBe('401 UNAUTHENTICATED');
  });

  test('deactivation of the tenant: permanently for all its users, and nobody else', async () => {
    const replica = await SecondReplica.beside(service);
    const closed = await service.createTenant();
    const { accessToken, refreshToken } = await signIn(closed.email);
    const elsewhere = await signIn((await person()).email);
    expect(await replica.told(accessToken)).toBe('ok');
    await setActive(closed.id, false);
    clock.pass(1_000);
    expect([await replica.told(accessToken), await replica.told(elsewhere.accessToken)]).toEqual([
      'UNAUTHENTICATED',
      'ok',
    ]);
    await setActive(closed.id, true);
    clock.pass(1_000);
    expect(await replica.told(accessToken)).toBe('UNAUTHENTICATED');
    expect((await refresh(refreshToken)).told).toBe('401 UNAUTHENTICATED');
    expect(await use((await signIn(closed.email)).accessToken)).toBe('200');
  });

  test('deletion of an operator', async () => {
    const email = `${service.fresh('operator')}@kontor.test`;
    const body = { fullName: 'Second', email, password: PASSWORD };
    const { id } = await service.post('/api/platform/operators', body, await service.operator());
    const { accessToken, refreshToken } = await signIn(email);
    expect(await use(accessToken)).toBe('200');
    const target = { tenantId: PLATFORM_TENANT, id };
    await runs(PLATFORM_TENANT, (runner) => runner.execute(operator, target, undefined, deleteOperator));
    clock.pass(1_000);
    expect(await use(accessToken)).toBe('401 UNAUTHENTICATED');
    expect((await refresh(refreshToken)).told).toBe('401 UNAUTHENTICATED');
    expect((await login(email)).status).toBe(401);
  });
});

describe('Changing the password', () => {
  test('keeps this session including refreshes, and requires the new password', async () => {
    const { id, email } = await person();
    const { accessToken, refreshToken } = await signIn(email);
    const reply = await change(accessToken, PASSWORD, NEW_PASSWORD);
    expect(reply.data).toMatchObject({ success: true, id });
    clock.pass(1_000);
    expect(await use(accessToken)).toBe('200');
    expect(await use((await refreshed(refreshToken)).accessToken)).toBe('200');
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    expect((await change(accessToken, NEW_PASSWORD, PASSWORD)).status).toBe(200);
    expect(await use(accessToken)).toBe('200');
  });

  test('works for operators', async () => {
    const email = `${service.fresh('operator')}@kontor.test`;
    const body = { fullName: 'Another', email, password: PASSWORD };
    await service.post('/api/platform/operators', body, await service.operator());
    const [mine, other] = [await signIn(email), await signIn(email)];
    expect((await change(mine.accessToken, PASSWORD, NEW_PASSWORD)).status).toBe(200);
    clock.pass(1_000);
    expect([await use(mine.accessToken), await use(other.accessToken)]).toEqual(['200', '401 UNAUTHENTICATED']);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
  });

  test('is rejected with the reason, and then changes nothing', async () => {
    const { email } = await person();
    const { accessToken } = await signIn(email);
    expect((await change(accessToken, 'wrong', NEW_PASSWORD)).told).toBe('400 VALIDATION_FAILED currentPassword');
    expect((await change(accessToken, PASSWORD, PASSWORD)).told).toBe('400 VALIDATION_FAILED newPassword');
    expect((await change(accessToken, PASSWORD, 'too short')).told).toBe('400 VALIDATION_FAILED newPassword');
    expect((await change(accessToken, PASSWORD, 'xy'.repeat(64) + 'x')).told).toBe('400 VALIDATION_FAILED newPassword');
    expect((await service.post('/api/auth/change-password', {}, accessToken)).status).toBe(400);
    expect((await change('', PASSWORD, NEW_PASSWORD)).told).toBe('401 UNAUTHENTICATED');
    expect((await login(email)).status).toBe(200);
  });

  test('in two sessions concurrently: one succeeds, and the other session ends', async () => {
    const { email } = await person();
    const [one, other] = [await signIn(email), await signIn(email)];
    const replies = await Promise.all([
      change(one.accessToken, PASSWORD, NEW_PASSWORD),
      change(other.accessToken, PASSWORD, `${NEW_PASSWORD}!`),
    ]);
    expect(replies.map(({ told }) => told).sort()).toEqual(['200', '400 VALIDATION_FAILED currentPassword']);
    clock.pass(1_000);
    const [winner, loser] = replies[0].status === 200 ? [one, other] : [other, one];
    expect([await use(winner.accessToken), await use(loser.accessToken)]).toEqual(['200', '401 UNAUTHENTICATED']);
  });
});

describe('The signed-in user', () => {
  test('is returned with the tenant and the permissions in catalogue order', async () => {
    const all = PERMISSIONS.map(({ code }) => code);
    const reply = (await service.get('/api/auth/me', (await signIn(home.email)).accessToken)).data;
    expect(reply).toMatchObject({
      user: { fullName: `Owner of ${home.slug}`, email: home.email, phone: null, role: 'OWNER', roleIds: [] },
      tenant: { id: home.id, name: `Tenant ${home.slug}`, slug: home.slug, currency: 'EUR', timeZone: 'UTC' },
      permissions: all,
    });
    expect(JSON.stringify(reply)).not.toContain('argon2');
    expect(Object.keys((reply as { user: object }).user).sort()).toEqual(
      ['branchId', 'branchIds', 'email', 'fullName', 'id', 'isActive', 'phone', 'role', 'roleIds'].sort(),
    );
  });

  test('is returned without a tenant for an operator', async () => {
    const { accessToken } = await signIn(OPERATOR.email, OPERATOR.password);
    expect((await service.get('/api/auth/me', accessToken)).data).toMatchObject({
      user: { id: decodeJwt(accessToken).sub, email: OPERATOR.email, role: null, isActive: true },
      tenant: null,
      permissions: [],
    });
  });

  test('has the current permissions of all their roles', async () => {
    const made = async (permissions: string[]): Promise<string> => {
      const target = { tenantId: home.id, id: service.service.engines.ids.next() };
      const data = { name: service.fresh('role'), permissions } as never;
      await runs(home.id, (runner) => runner.execute(role, target, data, createRole));
      return target.id;
    };
    const [users, keys] = [await made(['users.read', 'users.write']), await made(['integrations.manage'])];
    const { id, email } = await person({ roleIds: [users, keys] });
    const { accessToken } = await signIn(email);
    const permissions = async () =>
      ((await service.get('/api/auth/me', accessToken)).data as { permissions: string[] }).permissions;
    const expected = (...more: string[]) =>
      PERMISSIONS.map(({ code }) => code).filter(
        (code) => SYSTEM_ROLE_PERMISSIONS.USER.has(code) || more.includes(code),
      );
    expect(await permissions()).toEqual(expected('users.read', 'users.write', 'integrations.manage'));
    const keyBody = { name: 'Shop', sourceId: 'shop' };
    expect((await service.post('/api/integration-keys', keyBody, accessToken)).status).toBe(201);
    await update(id, { roleIds: [users] });
    clock.pass(1_000);
    expect(await permissions()).toEqual(expected('users.read', 'users.write'));
    expect((await service.post('/api/integration-keys', keyBody, accessToken)).told).toBe('403 FORBIDDEN');
    await update(id, { roleIds: [] });
    clock.pass(1_000);
    expect(await permissions()).toEqual(expected());
  });

  test('has no permissions of a deleted role', async () => {
    const target = { tenantId: home.id, id: service.service.engines.ids.next() };
    const data = { name: service.fresh('role'), permissions: ['users.read'] } as never;
    await runs(home.id, (runner) => runner.execute(role, target, data, createRole));
    const { accessToken } = await signIn((await person({ roleIds: [target.id] })).email);
    expect((await service.get('/api/auth/me', accessToken)).text).toContain('users.read');
    // Appends the event directly, because no command can delete a role that is in use.
    const write = service.service.app.get(Appender);
    await runs(home.id, () => write.write(`role-${home.id}_${target.id}`, 0, [{ type: 'RoleDeleted', data: {} }]));
    clock.pass(1_000);
    expect((await service.get('/api/auth/me', accessToken)).text).not.toContain('users.read');
  });
});

describe('While the event store is unavailable', () => {
  test('a session that was confirmed is valid for 5 s, then its state is unknown; the state of a new session is unknown at once', async () => {
    const replica = await SecondReplica.beside(service);
    const { accessToken } = await signIn((await person()).email);
    const unseen = await signIn((await person()).email);
    expect(await replica.told(accessToken)).toBe('ok');
    replica.store.away = true;
    clock.pass(4_000);
    expect(await replica.told(accessToken)).toBe('ok');
    expect(await replica.told(unseen.accessToken)).toBe('EventStoreUnavailable');
    clock.pass(1_500);
    expect(await replica.told(accessToken)).toBe('EventStoreUnavailable');
    replica.store.away = false;
    expect(await replica.told(accessToken)).toBe('ok');
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
