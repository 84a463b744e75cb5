import type { Page } from '../../src/queries/query.js';
import { notificationInboxes } from '../../src/projections/notification-inbox.projection.js';
import { notifications } from '../../src/projections/notification.projection.js';
import type { NotificationRecord } from '../../src/queries/notification.queries.js';
import { OPERATOR, TestService, type TestTenant } from '../support/service.js';
import type { Reply } from '../support/reply.js';
import { Team, type Member } from '../support/team.js';

type Sent = { readonly notificationId: string; readonly recipientCount: number; readonly pushCount: number };

let service: TestService;
let team: Team;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  team = await Team.of(service);
  tenant = team.tenant;
});
afterAll(() => service.close());

const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const attempt = (body: object, token = tenant.token): Promise<Reply> =>
  service.post('/api/notifications/admin/send', { title: 'Stocktaking', body: 'On Friday.', ...body }, token);
async function send(body: object, token = tenant.token): Promise<Sent> {
  const reply = await attempt(body, token);
  if (reply.status !== 201) throw new Error(`${reply.told}: ${reply.text}`);
  return reply.data as Sent;
}
const list = async (token: string, query = ''): Promise<Page<NotificationRecord>> =>
  (await service.get(`/api/notifications?${query}`, token)).body as Page<NotificationRecord>;
const titles = async (token: string, query = ''): Promise<string[]> =>
  (await list(token, query)).items.map(({ title }) => title);
const unread = async (token: string): Promise<number> =>
  ((await service.get('/api/notifications/unread-count', token)).data as { count: number }).count;
const read = (id: string, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  service.call('PATCH', `/api/notifications/${id}/read`, { token, headers });
const readAll = async (token: string): Promise<number> => {
  const reply = await service.call('PATCH', '/api/notifications/read-all', { token });
  return (reply.data as { updatedCount: number }).updatedCount;
};
/** Returns the number of events of a type in the history. */
async function stored(type: string): Promise<number> {
  let count = 0;
  for await (const { events, caughtUp } of service.service.engines.events.subscribeToAll({
    after: -1,
    filter: { on: 'type', prefixes: [type] },
    signal: new AbortController().signal,
  })) {
    count += events.length;
    if (caughtUp) break;
  }
  return count;
}

/** Returns the number of documents in the two notification read models, across all tenants. */
async function documents(): Promise<number> {
  await service.quiet();
  let count = 0;
  for (const model of [notifications, notificationInboxes])
    for await (const { json } of service.service.engines.reads.scan({ model, generation: 1 }))
      count += json === null ? 0 : 1;
  return count;
}

describe('A notification for all users', () => {
  test('is seen by every active user including the sender, and is one event', async () => {
    const clerk = await team.signedIn();
    const [before, documentsBefore] = [await stored('NotificationSent'), await documents()];
    const sent = await send({ broadcast: true, type: 'WARNING', link: '/stock' });
    expect(sent).toEqual({ notificationId: expect.any(String) as string, recipientCount: 2, pushCount: 0 });
    expect(await stored('NotificationSent')).toBe(before + 1);
    expect(await documents()).toBe(documentsBefore + 1);
    for (const token of [tenant.token, clerk.token]) {
      const { items, totalCount } = await list(token);
      expect(totalCount).toBe(1);
      expect(items[0]).toEqual({
        id: sent.notificationId,
        title: 'Stocktaking',
        body: 'On Friday.',
        type: 'WARNING',
        link: '/stock',
        isRead: false,
        readAt: null,
        createdAt: expect.any(String) as string,
        updatedAt: items[0]?.createdAt,
        revision: 0,
      });
    }
  });

  test('is not seen by later users, or by users suspended at the time', async () => {
    const clerk = await team.signedIn();
    const activity = (isActive: boolean) =>
      service.call('PATCH', `/api/users/${clerk.id}`, { token: tenant.token, body: { isActive } });
    await send({ broadcast: true, title: 'Before' });
    await activity(false);
    expect((await send({ broadcast: true, title: 'Meanwhile' })).recipientCount).toBe(1);
    await activity(true);
    await send({ broadcast: true, title: 'After' });
    const newcomer = await team.signedIn();
    await send({ broadcast: true, title: 'Last' });
    expect(await titles(await service.signIn(clerk.email))).toEqual(['Last', 'After', 'Before']);
    expect(await titles(newcomer.token)).toEqual(['Last']);
    expect(await unread(newcomer.token)).toBe(1);
  });
});

describe('A targeted notification', () => {
  test('reaches users who had the role at the time', async () => {
    const clerk = await team.signedIn();
    const become = (role: string) =>
      service.call('PATCH', `/api/users/${clerk.id}`, { token: tenant.token, body: { role } });
    await send({ roles: ['ADMIN'], title: 'Too early' });
    await become('ADMIN');
    expect((await send({ roles: ['ADMIN', 'OWNER'], title: 'In time' })).recipientCount).toBe(2);
    await become('USER');
    expect((await send({ roles: ['ADMIN'], title: 'Too late' })).recipientCount).toBe(0);
    await send({ roles: ['USER'], title: 'For users' });
    expect(await titles(clerk.token)).toEqual(['For users', 'In time']);
    expect(await titles(tenant.token)).toEqual(['In time']);
  });

  test('selects users by id, role and branch, each once', async () => {
    const branch = await service.post('/api/branches', { code: 'NORTH', name: 'North' }, tenant.token);
    const inBranch = await team.signedIn({ branchIds: [branch.id] });
    const atBranch = await team.signedIn({ branchId: branch.id });
    const named = await team.signedIn({ branchIds: [branch.id] });
    const suspended = await team.hire({ isActive: false });
    const other = await team.signedIn();
    const sent = await send({ userIds: [named.id, suspended], roles: ['OWNER'], branchIds: [branch.id] });
    expect(sent.recipientCount).toBe(4);
    for (const { token } of [inBranch, atBranch, named, tenant]) expect(await unread(token)).toBe(1);
    expect(await unread(other.token)).toBe(0);
  });

  test('reports unknown targets, and takes either a broadcast or targets', async () => {
    const nobody = '01890000-0000-7000-8000-000000000000';
    const stranger = await (await Team.of(service)).owner();
    for (const id of [nobody, stranger.id, 'x']) {
      const reply = await attempt({ userIds: [id] });
      expect(codeOf(reply)).toBe('404 NOT_FOUND');
      expect((reply.body as { errors: object[] }).errors).toEqual([{ path: 'userIds[0]', message: 'No such user.' }]);
    }
    expect(codeOf(await attempt({ branchIds: [nobody] }))).toBe('404 NOT_FOUND');
    const refused = [
      {},
      { broadcast: false },
      { broadcast: true, roles: ['USER'] },
      { userIds: [] },
      { roles: ['CLERK'] },
      { broadcast: true, link: 'javascript:alert(1)' },
      { broadcast: true, link: '//elsewhere.test' },
      { broadcast: true, link: 'http://elsewhere.test' },
      { broadcast: true, title: ' ' },
      { broadcast: true, type: 'LOUD' },
      { broadcast: true, tenantId: nobody },
    ];
    for (const body of refused) expect([body, codeOf(await attempt(body))]).toEqual([body, '400 VALIDATION_FAILED']);
    expect((await attempt({ broadcast: true, link: 'https://kontor.test/x' })).status).toBe(201);
  });

  test('requires the permission', async () => {
    const clerk = await team.signedIn();
    expect(codeOf(await attempt({ broadcast: true }, clerk.token))).toBe('403 FORBIDDEN');
    expect(codeOf(await attempt({ broadcast: true }, await service.operator()))).toBe('403 FORBIDDEN');
    const role = await team.role(['notifications.send']);
    const speaker = await team.signedIn({ roleIds: [role] });
    expect((await send({ broadcast: true }, speaker.token)).recipientCount).toBe(3);
  });
});

describe('Reading notifications', () => {
  let clerk: Member;
  beforeEach(async () => {
    clerk = await team.signedIn();
  });

  test('one at a time decreases the count once', async () => {
    const { notificationId } = await send({ broadcast: true });
    await send({ userIds: [clerk.id], title: 'For you' });
    expect(await unread(clerk.token)).toBe(2);
    const replies = [await read(notificationId, clerk.token), await read(notificationId, clerk.token)];
    for (const reply of replies) {
      expect([reply.status, reply.data]).toEqual([200, { success: true, id: notificationId, revision: 1 }]);
    }
    expect(await unread(clerk.token)).toBe(1);
    expect(await unread(tenant.token)).toBe(1);
    const [first] = (await list(clerk.token, 'isRead=true')).items;
    expect(first).toMatchObject({ id: notificationId, isRead: true, revision: 1, readAt: first?.updatedAt });
    expect(await titles(clerk.token, 'isRead=false')).toEqual(['For you']);
  });

  test('compares If-Match with the revision of the reader', async () => {
    const { notificationId } = await send({ broadcast: true });
    expect(codeOf(await read(notificationId, clerk.token, { 'if-match': '"1"' }))).toBe('409 REVISION_CONFLICT');
    expect((await read(notificationId, clerk.token, { 'if-match': '"0"' })).status).toBe(200);
    expect((await read(notificationId, clerk.token, { 'if-match': '"1"' })).status).toBe(200);
    await readAll(clerk.token);
    const another = await send({ broadcast: true });
    await readAll(clerk.token);
    expect(codeOf(await read(another.notificationId, clerk.token, { 'if-match': '"0"' }))).toBe(
      '409 REVISION_CONFLICT',
    );
  });

  test('does not affect notifications of others', async () => {
    const { notificationId } = await send({ userIds: [clerk.id] });
    const elsewhere = (await Team.of(service)).tenant;
    for (const token of [tenant.token, elsewhere.token, await service.operator()])
      expect(codeOf(await read(notificationId, token))).toBe('404 NOT_FOUND');
    expect(codeOf(await read('x', clerk.token))).toBe('404 NOT_FOUND');
    expect(await unread(elsewhere.token)).toBe(0);
  });

  test('at once is one event, and excludes later ones and those read before', async () => {
    for (const title of ['a', 'b', 'c']) await send({ broadcast: true, title });
    const [newest] = (await list(clerk.token)).items;
    await read(newest?.id ?? '', clerk.token);
    const readAtOf = async () => (await list(clerk.token)).items.find(({ id }) => id === newest?.id)?.readAt;
    const alone = await readAtOf();
    const [before, documentsBefore] = [await stored('AllNotificationsRead'), await documents()];
    expect(await readAll(clerk.token)).toBe(2);
    expect(await readAll(clerk.token)).toBe(0);
    expect(await stored('AllNotificationsRead')).toBe(before + 1);
    expect(await documents()).toBe(documentsBefore);
    expect(await readAtOf()).toBe(alone);
    await send({ broadcast: true, title: 'd' });
    expect(await unread(clerk.token)).toBe(1);
    expect(await titles(clerk.token, 'isRead=false')).toEqual(['d']);
    expect(await titles(clerk.token, 'isRead=true')).toEqual(['c', 'b', 'a']);
    expect(await unread(tenant.token)).toBe(4);
    const swept = (await list(clerk.token, 'isRead=true')).items.map(({ readAt }) => readAt);
    expect(swept.every((at) => at !== null)).toBe(true);
  });

  test('at once returns a readable position even if there are none', async () => {
    const reply = await service.call('PATCH', '/api/notifications/read-all', { token: clerk.token });
    expect([reply.data, reply.headers['x-event-position']]).toEqual([{ updatedCount: 0 }, '0']);
    const headers = { 'x-min-position': reply.headers['x-event-position'] ?? '' };
    expect((await service.call('GET', '/api/notifications', { token: clerk.token, headers })).status).toBe(200);
  });

  test('is paged across all kinds in one order', async () => {
    const expected: string[] = [];
    for (let n = 0; n < 13; n += 1) {
      const target = [{ broadcast: true }, { roles: ['USER'] }, { userIds: [clerk.id] }][n % 3] ?? {};
      await send({ ...target, title: `n${n}` });
      expected.unshift(`n${n}`);
    }
    const pages = [];
    for (const pageNumber of [1, 2, 3]) pages.push(await list(clerk.token, `pageNumber=${pageNumber}&pageSize=5`));
    expect(pages.flatMap(({ items }) => items.map(({ title }) => title))).toEqual(expected);
    expect(pages.map(({ totalCount, totalPages, hasNextPage }) => [totalCount, totalPages, hasNextPage])).toEqual([
      [13, 3, true],
      [13, 3, true],
      [13, 3, false],
    ]);
    expect((await list(clerk.token, 'pageNumber=9')).items).toEqual([]);
    expect(codeOf(await service.get('/api/notifications?isRead=yes', clerk.token))).toBe('400 VALIDATION_FAILED');
  });
});

test('Operators have their own notifications', async () => {
  const operator = await service.signIn(OPERATOR.email, OPERATOR.password);
  await send({ broadcast: true });
  expect(await titles(operator)).not.toContain('Stocktaking');
  expect((await service.get('/api/notifications/push-subscriptions/me', operator)).data).toEqual([]);
});
