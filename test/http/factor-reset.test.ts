import { decodeJwt } from 'jose';
import { systemRoleId } from '../../src/aggregates/role.aggregate.js';
import { removeUserFactors, user } from '../../src/aggregates/user.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { PLATFORM_TENANT } from '../../src/eventsourcing/stream-name.js';
import type { AuditLogDetail, AuditLogRecord } from '../../src/queries/audit-log.queries.js';
import type { NotificationRecord } from '../../src/queries/notification.queries.js';
import type { Page } from '../../src/queries/query.js';
import { AuthenticatorApp } from '../support/authenticator-app.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { PASSWORD, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { SoftAuthenticator } from '../support/soft-authenticator.js';
import { Team, type Member } from '../support/team.js';

const MINUTE_MS = 60_000;
const PATIENCE_MS = 10_000;
const REASON = 'Lost the phone; identity checked by telephone.';
const OPERATORS = '/api/platform/operators';

const clock = new ShiftedClock();
let service: TestService;
let team: Team;
beforeAll(async () => {
  service = await TestService.start({ clock });
});
beforeEach(async () => {
  team = await Team.of(service);
});
afterAll(() => service.close());

const reset = (id: string, token = team.token, body: object = { reason: REASON }): Promise<Reply> =>
  service.post(`/api/users/${id}/remove-factors`, body, token);
const resetOperator = (id: string, token: string): Promise<Reply> =>
  service.post(`${OPERATORS}/${id}/remove-factors`, { reason: REASON }, token);
const login = (email: string): Promise<Reply> => service.post('/api/auth/login', { email, password: PASSWORD });
const may = async (token: string): Promise<string> => (await service.get('/api/auth/me', token)).told;
const factorsOf = async (token: string) => (await service.get('/api/auth/factors', token)).data as { type: string }[];

type Locked = Member & { readonly app: AuthenticatorApp };
/** Creates a signed-in user with an authenticator app. */
async function locked(facts: object = {}): Promise<Locked> {
  const member = await team.signedIn(facts);
  return { ...member, app: await AuthenticatorApp.addTo(service, member.token) };
}
async function hiredOperator(): Promise<Member> {
  const email = `${service.fresh('operator')}@kontor.test`;
  const body = { fullName: 'An operator', email, password: PASSWORD };
  const { id } = await service.post(OPERATORS, body, await service.operator());
  return { id, email, token: await service.signIn(email) };
}
const isLocked = async (email: string): Promise<boolean> => {
  const { factorRequired = false } = (await login(email)).data as { factorRequired?: boolean };
  return factorRequired;
};

async function addPasskey(token: string): Promise<void> {
  const added = await service.post('/api/auth/factors', { type: 'PASSKEY' }, token);
  const { id, options } = added.data as { id: string; options: Parameters<SoftAuthenticator['create']>[0] };
  const credential = new SoftAuthenticator(service.url).create(options);
  expect((await service.post(`/api/auth/factors/${id}/confirm`, { credential }, token)).status).toBe(200);
}

describe('Removing the factors of a user', () => {
  test('removes apps, passkeys and recovery codes: the password alone is then enough, and new ones can be added', async () => {
    const { id, email, token, app } = await locked();
    await addPasskey(token);
    expect((await factorsOf(token)).map(({ type }) => type)).toEqual(['TOTP', 'PASSKEY']);
    const { factorToken } = (await login(email)).data as { factorToken: string };
    const admin = await service.createUser(team.tenant, 'ADMIN');
    const reply = await reset(id, admin);
    expect([reply.status, reply.data]).toEqual([201, { success: true, id, revision: 1 }]);

    for (const proof of [{ code: app.code(1) }, { recoveryCode: app.recoveryCodes[0] }])
      expect((await service.post('/api/auth/login/factor', { factorToken, ...proof })).told).toBe(
        '401 UNAUTHENTICATED',
      );
    const again = await service.signIn(email);
    expect(await factorsOf(again)).toEqual([]);
    await AuthenticatorApp.addTo(service, again);
    expect(await isLocked(email)).toBe(true);
  });

  test('ends all sessions of the user within a second, and no others', async () => {
    const { id, token, app, email } = await locked();
    clock.pass(MINUTE_MS);
    const { factorToken } = (await login(email)).data as { factorToken: string };
    const second = (await service.post('/api/auth/login/factor', { factorToken, code: app.code() })).data as {
      accessToken: string;
      refreshToken: string;
    };
    const colleague = await team.signedIn();
    for (const one of [token, second.accessToken]) expect(await may(one)).toBe('200');
    expect((await reset(id)).told).toBe('201');
    clock.pass(1_000);
    for (const one of [token, second.accessToken]) expect(await may(one)).toBe('401 UNAUTHENTICATED');
    const { refreshToken } = second;
    expect((await service.post('/api/auth/refresh', { refreshToken })).told).toBe('401 UNAUTHENTICATED');
    for (const one of [team.token, colleague.token]) expect(await may(one)).toBe('200');
  });

  test('allows an administrator only to add a new factor if the tenant requires one', async () => {
    const { id, email, token } = await locked({ role: 'ADMIN' });
    await AuthenticatorApp.addTo(service, team.token);
    const settings = { token: team.token, body: { requireFactor: true } };
    expect((await service.call('PATCH', '/api/settings', settings)).status).toBe(200);
    expect((await service.get('/api/settings', token)).status).toBe(200);
    expect((await reset(id)).told).toBe('201');
    const again = await service.signIn(email);
    clock.pass(1_000);
    expect((await service.get('/api/settings', again)).told).toBe('403 FACTOR_REQUIRED');
    await AuthenticatorApp.addTo(service, again);
    clock.pass(1_000);
    expect((await service.get('/api/settings', again)).status).toBe(200);
  });

  test('requires a sign-in or step-up within the last ten minutes', async () => {
    const { id, email } = await locked();
    const token = await service.signIn(team.tenant.email);
    clock.pass(11 * MINUTE_MS);
    expect((await reset(id, token)).told).toBe('403 STEP_UP_REQUIRED');
    expect(await isLocked(email)).toBe(true);
    expect((await service.post('/api/auth/step-up', { password: PASSWORD }, token)).status).toBe(200);
    expect((await reset(id, token)).told).toBe('201');
    expect(await isLocked(email)).toBe(false);
  });

  test('requires the permission to change users', async () => {
    const { id, email } = await locked();
    const reader = await team.memberWith('users.read');
    const clerk = await team.memberWith('users.write');
    expect((await reset(id, reader.token)).told).toBe('403 FORBIDDEN');
    expect((await reset(id, await service.operator())).told).toBe('403 FORBIDDEN');
    expect(await isLocked(email)).toBe(true);
    expect((await reset(id, clerk.token)).told).toBe('201');
  });

  test('is refused for a user with permissions that the caller lacks, and for an owner unless by an owner', async () => {
    const clerk = await team.memberWith('users.write');
    const admin = await service.createUser(team.tenant, 'ADMIN');
    const superiors = {
      admin: await locked({ role: 'ADMIN' }),
      inactive: await locked({ role: 'ADMIN' }),
      colleague: await locked({ roleIds: [await team.role(['periods.close'])] }),
      withoutFactors: await team.signedIn({ role: 'ADMIN' }),
    };
    await team.change(superiors.inactive.id, { isActive: false });
    // The rejection must not reveal whether the user has second factors.
    for (const { id } of Object.values(superiors)) expect((await reset(id, clerk.token)).told).toBe('403 FORBIDDEN');
    const owner = await locked({ role: 'OWNER' });
    expect((await reset(owner.id, admin)).told).toBe('403 FORBIDDEN');
    for (const { email } of [superiors.admin, superiors.colleague, owner]) expect(await isLocked(email)).toBe(true);
    expect(await may(owner.token)).toBe('200');

    expect((await reset(owner.id)).told).toBe('201');
    for (const { id } of [superiors.admin, superiors.inactive, superiors.colleague])
      expect((await reset(id, admin)).told).toBe('201');
  });

  test('is refused for the caller’s own account', async () => {
    const { id, token, email } = await locked({ role: 'ADMIN' });
    expect((await reset(id, token)).told).toBe('409 OWN_FACTORS');
    expect([await may(token), await isLocked(email)]).toEqual(['200', true]);
  });

  test('finds no users of other tenants, no removed users and no other records', async () => {
    const { id, email } = await locked();
    const gone = await locked();
    await team.delete(gone.id);
    const others = await Team.of(service);
    expect((await reset(id, others.token)).told).toBe('404 NOT_FOUND');
    for (const one of [gone.id, systemRoleId(team.tenant.id, 'ADMIN'), service.service.engines.ids.next()])
      expect((await reset(one)).told).toBe('404 NOT_FOUND');
    expect(await isLocked(email)).toBe(true);
  });

  test('is refused if there are none, and ends no session then', async () => {
    const { id, token } = await team.signedIn();
    expect((await reset(id)).told).toBe('409 NO_FACTORS');
    // An unconfirmed factor must not count.
    await service.post('/api/auth/factors', { type: 'TOTP' }, token);
    expect((await reset(id)).told).toBe('409 NO_FACTORS');
    clock.pass(1_000);
    expect(await may(token)).toBe('200');
  });

  test('by concurrent requests either succeeds or finds none', async () => {
    const { id } = await locked();
    const told = (await Promise.all(Array.from({ length: 4 }, () => reset(id)))).map((reply) => reply.told);
    expect(told).toContain('201');
    expect((await reset(id)).told).toBe('409 NO_FACTORS');
    expect(told.filter((one) => one !== '201' && one !== '409 NO_FACTORS')).toEqual([]);
  });

  test('can be repeated after a failure that left the factors in place', async () => {
    const { id, email } = await locked();
    const target = { tenantId: team.tenant.id, id };
    await asService({ tenantId: target.tenantId, commandId: service.service.engines.ids.next(), name: 'a test' }, () =>
      service.service.app.get(CommandRunner).execute(user, target, { reason: REASON, count: 1 }, removeUserFactors),
    );
    expect(await isLocked(email)).toBe(true);
    expect((await reset(id)).told).toBe('201');
    expect(await isLocked(email)).toBe(false);
  });

  test('requires a reason in one line', async () => {
    const { id } = await locked();
    for (const body of [{}, { reason: ' ' }, { reason: 'two\nlines' }, { reason: 'x'.repeat(501) }])
      expect((await reset(id, team.token, body)).told).toBe('400 VALIDATION_FAILED reason');
  });

  test('is in the audit log with the reason, the caller and every factor', async () => {
    const { id, app } = await locked();
    expect((await reset(id)).told).toBe('201');
    await service.quiet();
    const list = async (query: string) =>
      (
        (await service.get(`/api/audit-logs?pageNumber=1&pageSize=100&${query}`, team.token))
          .body as Page<AuditLogRecord>
      ).items;
    const [entry] = await list(`entity=user&entityId=${id}`);
    const { sub } = decodeJwt(team.token);
    expect(entry).toMatchObject({ action: 'UPDATE', eventType: 'UserFactorsRemoved', userId: sub });
    const { data } = await service.get(`/api/audit-logs/${entry?.id ?? ''}`, team.token);
    expect((data as AuditLogDetail).changes).toContainEqual({
      path: 'factorRemovalReason',
      before: null,
      after: REASON,
    });
    expect((await list('entity=factor&action=DELETE'))[0]).toMatchObject({ entityId: app.id, userId: sub });
  });

  test('notifies the user, and nobody else', async () => {
    const { id, email } = await locked();
    expect((await reset(id)).told).toBe('201');
    const token = await service.signIn(email);
    const list = async (as: string): Promise<readonly NotificationRecord[]> =>
      ((await service.get('/api/notifications?pageSize=100', as)).body as Page<NotificationRecord>).items;
    await eventually(async () => (await list(token)).length > 0, PATIENCE_MS);
    const notices = await list(token);
    expect(notices).toMatchObject([{ title: 'Your second factors were removed', link: '/console/account' }]);
    expect(notices[0]?.body).toContain(REASON);
    expect(await list(team.token)).toEqual([]);
  });
});

describe('Removing the factors of an operator', () => {
  test('is possible for another operator: the password alone is then enough, and all sessions end', async () => {
    const { id, email, token } = await hiredOperator();
    await AuthenticatorApp.addTo(service, token);
    expect(await isLocked(email)).toBe(true);
    const reply = await resetOperator(id, await service.operator());
    expect([reply.status, reply.data]).toEqual([201, { success: true, id, revision: 1 }]);
    clock.pass(1_000);
    expect(await may(token)).toBe('401 UNAUTHENTICATED');
    const again = await service.signIn(email);
    expect(await factorsOf(again)).toEqual([]);
    await AuthenticatorApp.addTo(service, again);
    expect(await isLocked(email)).toBe(true);
  });

  test('is refused without a recent sign-in, for oneself, and if there are none or no such operator', async () => {
    const { id, email, token } = await hiredOperator();
    const operator = await service.operator();
    expect((await resetOperator(id, operator)).told).toBe('409 NO_FACTORS');
    await AuthenticatorApp.addTo(service, token);
    expect((await resetOperator(id, token)).told).toBe('409 OWN_FACTORS');
    expect((await resetOperator(id, team.token)).told).toBe('403 FORBIDDEN');
    // Tests the id of an existing user, and an unknown id.
    const stranger = await locked();
    for (const one of [stranger.id, service.service.engines.ids.next()])
      expect((await resetOperator(one, operator)).told).toBe('404 NOT_FOUND');
    const old = (await hiredOperator()).token;
    clock.pass(11 * MINUTE_MS);
    expect((await resetOperator(id, old)).told).toBe('403 STEP_UP_REQUIRED');
    expect([await isLocked(email), await isLocked(stranger.email)]).toEqual([true, true]);
  });

  test('is in the audit log and notifies the operator', async () => {
    const { id, email, token } = await hiredOperator();
    await AuthenticatorApp.addTo(service, token);
    const operator = await service.operator();
    expect((await resetOperator(id, operator)).told).toBe('201');
    await service.quiet();
    const path = `/api/platform/audit-logs?pageNumber=1&pageSize=100&entity=operator&entityId=${id}`;
    const [entry] = ((await service.get(path, operator)).body as Page<AuditLogRecord>).items;
    expect(entry).toMatchObject({
      ...{ action: 'UPDATE', eventType: 'OperatorFactorsRemoved', tenantId: PLATFORM_TENANT },
      userId: decodeJwt(operator).sub,
    });
    const again = await service.signIn(email);
    const titles = async (): Promise<string[]> => {
      const { body } = await service.get('/api/notifications?pageSize=100', again);
      return (body as Page<NotificationRecord>).items.map(({ title }) => title);
    };
    await eventually(async () => (await titles()).includes('Your second factors were removed'), PATIENCE_MS);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
