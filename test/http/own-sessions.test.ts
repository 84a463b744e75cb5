import { decodeJwt } from 'jose';
import { SessionTokens } from '../../src/commands/session-tokens.js';
import { Appender } from '../../src/eventsourcing/appender.js';
import { asService } from '../../src/eventsourcing/context.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import type { Reply } from '../support/reply.js';
import { OPERATOR, PASSWORD, TestService, type TestTenant } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const DAY_MS = 24 * 3_600_000;

const clock = new ShiftedClock();
let service: TestService;
let home: TestTenant;
beforeAll(async () => {
  service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  home = await service.createTenant();
});
afterAll(() => service.close());

type Tokens = { readonly accessToken: string; readonly refreshToken: string };
type Listed = {
  readonly id: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly isCurrent: boolean;
};

const sidOf = ({ accessToken }: Tokens): string => String(decodeJwt(accessToken)['sid']);
async function newUser(): Promise<string> {
  const email = `${service.fresh('person')}@kontor.test`;
  const body = { fullName: 'A person', email, password: PASSWORD, role: 'USER' };
  await service.post('/api/users', body, await service.signIn(home.email));
  return email;
}
const signIn = async (
  email: string,
  device = 'Test/1',
  address = '10.5.0.1',
  password: string = PASSWORD,
): Promise<Tokens> => {
  const headers = { 'user-agent': device, 'x-forwarded-for': address };
  return (await service.post('/api/auth/login', { email, password }, undefined, headers)).data as Tokens;
};
const refresh = (refreshToken: string, headers = {}): Promise<Reply> =>
  service.post('/api/auth/refresh', { refreshToken }, undefined, headers);
const list = async ({ accessToken }: Tokens): Promise<Listed[]> => {
  await service.quiet();
  return (await service.get('/api/auth/sessions', accessToken)).data as Listed[];
};
const use = async ({ accessToken }: Tokens): Promise<string> => (await service.get('/api/auth/me', accessToken)).told;

describe("A person's sessions", () => {
  test('are listed with device, address and last use, most recent first, and no one else sees them', async () => {
    const email = await newUser();
    const phone = await signIn(email, 'Phone/1', '10.5.0.2');
    clock.pass(1_000);
    const laptop = await signIn(email, 'Laptop/1', '10.5.0.3');
    clock.pass(1_000);
    await refresh(phone.refreshToken, { 'user-agent': 'Phone/2', 'x-forwarded-for': '10.5.0.4' });
    expect(await list(laptop)).toMatchObject([
      { id: sidOf(phone), device: 'Phone/2', address: '10.5.0.4', isCurrent: false },
      { id: sidOf(laptop), device: 'Laptop/1', address: '10.5.0.3', isCurrent: true },
    ]);
    const other = await signIn(await newUser());
    expect((await list(other)).map(({ id }) => id)).toEqual([sidOf(other)]);
    const operator = await signIn(OPERATOR.email, 'Ops/1', '10.5.0.5', OPERATOR.password);
    expect(await list(operator)).toContainEqual(expect.objectContaining({ id: sidOf(operator), device: 'Ops/1' }));
  });

  test('can be ended one by one, at once and repeatedly, the current one included', async () => {
    const email = await newUser();
    const [phone, laptop] = [await signIn(email), await signIn(email)];
    const end = (id: string, { accessToken: token }: Tokens) =>
      service.call('DELETE', `/api/auth/sessions/${id}`, { token });
    const ended = await end(sidOf(phone), laptop);
    expect([ended.status, ended.data]).toMatchObject([200, { success: true, id: sidOf(phone), revision: 1 }]);
    expect(await use(phone)).toBe('401 UNAUTHENTICATED');
    expect((await refresh(phone.refreshToken)).told).toBe('401 UNAUTHENTICATED');
    expect((await end(sidOf(phone), laptop)).data).toMatchObject({ revision: 1 });
    expect((await list(laptop)).map(({ id }) => id)).toEqual([sidOf(laptop)]);
    expect((await end(sidOf(laptop), laptop)).status).toBe(200);
    expect(await use(laptop)).toBe('401 UNAUTHENTICATED');
  });

  test('of other users do not exist, in the same tenant, another one or the platform', async () => {
    const mine = await signIn(await newUser());
    const elsewhere = await service.createTenant();
    const strangers = [
      sidOf(await signIn(await newUser())),
      sidOf(await signIn(elsewhere.email)),
      sidOf(await signIn(OPERATOR.email, 'Ops/1', '10.5.0.5', OPERATOR.password)),
      service.service.engines.ids.next(),
    ];
    for (const id of strangers) {
      const reply = await service.call('DELETE', `/api/auth/sessions/${id}`, { token: mine.accessToken });
      expect([id, reply.told]).toEqual([id, '404 NOT_FOUND']);
    }
  });

  test('leave the list when a password change or the end of their time ends them', async () => {
    const email = await newUser();
    const [phone, laptop] = [await signIn(email), await signIn(email)];
    const change = { currentPassword: PASSWORD, newPassword: 'a different horse' };
    await service.post('/api/auth/change-password', change, laptop.accessToken);
    expect((await list(laptop)).map(({ id }) => id)).toEqual([sidOf(laptop)]);
    expect(await use(phone)).toBe('401 UNAUTHENTICATED');
    clock.pass(7 * DAY_MS + 1_000);
    const back = await signIn(email, 'Test/1', '10.5.0.1', change.newPassword);
    expect((await list(back)).map(({ id }) => id)).toEqual([sidOf(back)]);
  });
});

describe('A session', () => {
  test('ends after seven days without a refresh', async () => {
    const email = await newUser();
    const idle = await signIn(email);
    clock.pass(7 * DAY_MS - 1_000);
    const kept = (await refresh(idle.refreshToken)).data as Tokens;
    clock.pass(7 * DAY_MS + 1_000);
    expect((await refresh(kept.refreshToken)).told).toBe('401 UNAUTHENTICATED');
  });

  test('ends thirty days after the sign-in, however often it is refreshed', async () => {
    let tokens = await signIn(await newUser());
    for (let day = 0; day < 29; day += 1) {
      clock.pass(DAY_MS);
      tokens = (await refresh(tokens.refreshToken)).data as Tokens;
      expect([day, await use(tokens)]).toEqual([day, '200']);
    }
    clock.pass(DAY_MS);
    expect((await refresh(tokens.refreshToken)).told).toBe('401 UNAUTHENTICATED');
  });
});

test('A session of an earlier version keeps its expiry until its next refresh, and then has the new lifetimes', async () => {
  const { sub = '' } = decodeJwt((await signIn(await newUser())).accessToken);
  const tokens = service.service.app.get(SessionTokens);
  /** Appends a session as earlier versions recorded it: the session expires only after a month without a refresh. */
  async function former(daysAgo: number): Promise<string> {
    const id = service.service.engines.ids.next();
    const [startedMs, hash] = [clock.nowMs() - daysAgo * DAY_MS, await tokens.nextHash(id, 0)];
    const startedAt = new Date(startedMs).toISOString();
    const times = { startedAt, expiresAt: new Date(clock.nowMs() + 20 * DAY_MS).toISOString() };
    const data = { userId: sub, refreshTokenHash: hash, ...times, userEpoch: 0, tenantEpoch: 0 };
    const stream = streamName('session', home.id, id);
    const context = { tenantId: home.id, name: 'test', commandId: id };
    await asService(context, () =>
      service.service.app.get(Appender).write(stream, 'no_stream', [{ type: 'SessionStarted', data }]),
    );
    return (
      await tokens.answer({ tenantId: home.id, userId: sub, sessionId: id, generation: 0, hash, issuedAt: startedAt })
    ).refreshToken;
  }
  const [young, old] = [await former(15), await former(45)];
  const renewed = (await refresh(young)).data as Tokens;
  expect(await use(renewed)).toBe('200');
  expect((await list(renewed)).map(({ id }) => id)).toContain(sidOf(renewed));
  const { expiresAt } = (await list(renewed)).find(({ isCurrent }) => isCurrent) ?? { expiresAt: '' };
  expect(Date.parse(expiresAt) - clock.nowMs()).toBeLessThanOrEqual(7 * DAY_MS);
  // This session's sign-in is not recent enough for a dangerous operation.
  const stale = await service.post('/api/auth/factors', { type: 'TOTP' }, renewed.accessToken);
  expect(stale.told).toBe('403 STEP_UP_REQUIRED');
  expect((await refresh(old)).told).toBe('401 UNAUTHENTICATED');
});

test('Both lifetimes are configurable', async () => {
  const own = await TestService.start({
    clock,
    environment: { SESSION_IDLE_DAYS: '1', SESSION_MAX_DAYS: '2' },
  });
  try {
    const signedIn = async () => (await own.post('/api/auth/login', OPERATOR)).data as Tokens;
    const again = ({ refreshToken }: Tokens) => own.post('/api/auth/refresh', { refreshToken });
    const idle = await signedIn();
    let used = await signedIn();
    for (let half = 0; half < 3; half += 1) {
      clock.pass(DAY_MS / 2 + 1_000);
      used = (await again(used)).data as Tokens;
    }
    expect((await again(idle)).told).toBe('401 UNAUTHENTICATED');
    clock.pass(DAY_MS / 2);
    expect((await again(used)).told).toBe('401 UNAUTHENTICATED');
  } finally {
    await own.close();
  }
});
