import type { Page } from '../../src/queries/query.js';
import { notification, type Report, reportSubjects } from '../../src/aggregates/notification.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import { noticeId } from '../../src/policies/notice-ids.js';
import type { NotificationRecord } from '../../src/queries/notification.queries.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { addJob, ToyJob } from '../support/toy-job.js';

const PATIENCE_MS = 10_000;
const HOUR_MS = 60 * 60 * 1_000;

let clock: ShiftedClock;
let service: TestService;
let books: Books;
let operator: string;
beforeEach(async () => {
  clock = new ShiftedClock();
  // The clock starts in the middle of an hour, so that no test continues into the next hour.
  clock.pass(1.5 * HOUR_MS - (clock.nowMs() % HOUR_MS));
  service = await TestService.start({ clock });
  books = await service.openBooks();
  operator = await service.operator();
});
afterEach(() => service.close());

const list = async (token: string): Promise<readonly NotificationRecord[]> =>
  ((await service.get('/api/notifications?pageSize=100', token)).body as Page<NotificationRecord>).items;
const told = (token: string, title: RegExp): Promise<NotificationRecord> =>
  eventually(
    async () => (await list(token)).find((each) => title.test(each.title)),
    PATIENCE_MS,
    () => service.complaints.join('; '),
  );
/** Resolves when the policies have processed all stored events, including those that the policies themselves append. */
async function reacted(): Promise<void> {
  await eventually(async () => (await service.queues()).every(({ lag }) => lag === 0), PATIENCE_MS);
}

test('A notification of rejected sales names each of them and links to it, or to all of them', async () => {
  const { token } = books.tenant;
  const reject = async (externalId: string, facts: object = { branchCode: 'NOWHERE' }): Promise<string> => {
    await service.postSale(books.partner, saleOf(externalId, facts));
    return (await service.settled(books.partner, externalId)).saleId;
  };
  const first = await reject('first');
  expect(await told(token, /^The sale first was rejected: BRANCH_UNKNOWN$/)).toMatchObject({
    body: expect.stringContaining('NOWHERE does not exist') as string,
    link: `/console/sales/${first}`,
  });
  await service.call('PATCH', '/api/notifications/read-all', { token });
  await Promise.all(Array.from({ length: 24 }, (_, index) => reject(`lost-${index}`)));
  const notice = await told(token, /^25 sales were rejected: BRANCH_UNKNOWN$/);
  expect(notice).toMatchObject({ link: '/console/sales?status=REJECTED', isRead: false });
  const named = /Rejected: (.+?)\./.exec(notice.body)?.[1]?.split(', ') ?? [];
  expect([named.length, named[0]]).toEqual([20, 'first']);
  expect(named.at(-1)).toMatch(/^lost-\d+ and 5 more$/);
  await reject('paid', { payments: [{ method: 'CASH', amount: '1', accountCode: 'none' }] });
  expect((await told(token, /ACCOUNT_UNKNOWN/)).body).toContain('Rejected: paid.');
  await reacted();
  expect(await list(token)).toHaveLength(2);
});

const FIRST_CAUSE = 'The branch NOWHERE does not exist. Create it, or correct branchCode.';
const rejectAt = async (externalId: string, branchCode: string): Promise<void> => {
  await service.postSale(books.partner, saleOf(externalId, { branchCode }));
  await service.settled(books.partner, externalId);
};

test('A notification of sales that were rejected for different causes names none of the causes', async () => {
  const { token } = books.tenant;
  await rejectAt('a', 'NOWHERE');
  await rejectAt('b', 'NOWHERE');
  expect((await told(token, /^2 sales/)).body).toBe(
    `${FIRST_CAUSE} Rejected: a, b. The sales are booked as soon as the cause is removed.`,
  );
  await service.restart();
  await rejectAt('c', 'ELSEWHERE');
  const differing = await told(token, /^3 sales/);
  expect(differing.body).toBe(
    'Each sale shows its own cause. Rejected: a, b, c. Each sale is booked as soon as its cause is removed.',
  );
  await rejectAt('d', 'ELSEWHERE');
  expect((await told(token, /^4 sales/)).body).toBe(differing.body.replace('a, b, c', 'a, b, c, d'));
});

test('A notification that was sent without the cause of a sale names no cause once it is extended', async () => {
  const { id: tenantId, token } = books.tenant;
  const hour = new Date(clock.nowMs()).toISOString().slice(0, 'YYYY-MM-DDTHH'.length);
  const id = noticeId('sale-rejected', tenantId, 'BRANCH_UNKNOWN', hour);
  const content = { title: 'The sale old was rejected: BRANCH_UNKNOWN', body: FIRST_CAUSE, link: null };
  const report: Report = {
    subjects: [{ id: service.service.engines.ids.next(), name: 'old' }],
    describe: () => content,
    type: 'WARNING',
    audience: { kind: 'roles', roles: ['OWNER'] },
  };
  const runner = service.service.app.get(CommandRunner);
  await asService({ tenantId, name: 'test', commandId: id }, () =>
    runner.execute(notification, { tenantId, id }, report, reportSubjects),
  );
  await rejectAt('new', 'NOWHERE');
  expect((await told(token, /^2 sales/)).body).toMatch(/^Each sale shows its own cause\. Rejected: old, new\./);
});

test('A notification that is extended by further sales shows the time of its last change', async () => {
  const { token } = books.tenant;
  await service.postSale(books.partner, saleOf('first', { branchCode: 'NOWHERE' }));
  const first = await told(token, /^The sale first was rejected/);
  expect(first.updatedAt).toBe(first.createdAt);
  clock.pass(60_000);
  await service.postSale(books.partner, saleOf('second', { branchCode: 'NOWHERE' }));
  const { id, createdAt, updatedAt } = await told(token, /^2 sales were rejected/);
  expect([id, createdAt]).toEqual([first.id, first.createdAt]);
  expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(60_000);
  await service.call('PATCH', '/api/notifications/read-all', { token });
  const read = await told(token, /^2 sales were rejected/);
  expect(read.updatedAt).toBe(read.readAt);
});

test('A notification that a user has read is unread again once it is extended', async () => {
  const { token } = books.tenant;
  const unread = async () => (await service.get('/api/notifications/unread-count', token)).data;
  const listed = async (isRead: boolean) => {
    const { items, totalCount } = (await service.get(`/api/notifications?isRead=${isRead}`, token))
      .body as Page<NotificationRecord>;
    return [totalCount, ...items.map(({ title }) => title)];
  };
  await rejectAt('first', 'NOWHERE');
  const { id } = await told(token, /^The sale first was rejected/);
  const read = async () =>
    (await service.call('PATCH', `/api/notifications/${id}/read`, { token, headers: { 'if-match': '"0"' } })).told;
  expect([await read(), await unread()]).toEqual(['200', { count: 0 }]);
  await rejectAt('second', 'NOWHERE');
  const extended = await told(token, /^2 sales were rejected/);
  expect(extended).toMatchObject({ id, isRead: false, readAt: null, revision: 0 });
  expect([await unread(), await listed(true)]).toEqual([{ count: 1 }, [0]]);
  expect(await listed(false)).toEqual([1, extended.title]);
  expect([await read(), await unread()]).toEqual(['200', { count: 0 }]);
  expect([await listed(true), await listed(false)]).toEqual([[1, extended.title], [0]]);
  expect(await read()).toBe('409 REVISION_CONFLICT');
});

test('Owners and administrators are notified of rejected sales, once per reason and hour', async () => {
  const clerk = await service.createUser(books.tenant, 'USER');
  const admin = await service.createUser(books.tenant, 'ADMIN');
  for (const n of [1, 2, 3]) await service.postSale(books.partner, saleOf(`lost-${n}`, { branchCode: 'NOWHERE' }));
  for (const n of [1, 2, 3]) expect((await service.settled(books.partner, `lost-${n}`)).status).toBe('REJECTED');
  for (const token of [books.tenant.token, admin])
    expect(await told(token, /BRANCH_UNKNOWN/)).toMatchObject({ type: 'WARNING', isRead: false });
  await reacted();
  expect(await list(books.tenant.token)).toHaveLength(1);
  expect(await list(clerk)).toEqual([]);
  clock.pass(HOUR_MS);
  const again = { ...books.tenant, token: await service.signIn(books.tenant.email) };
  await service.postSale(books.partner, saleOf('lost-4', { branchCode: 'NOWHERE' }));
  await service.settled(books.partner, 'lost-4');
  await eventually(async () => (await list(again.token)).length === 2, PATIENCE_MS);
});

test('Operators are notified of dead letters, once per origin and hour, and not of tenant matters', async () => {
  for (const n of [1, 2, 3]) await service.postSale(books.partner, saleOf(`lost-${n}`, { branchCode: 'NOWHERE' }));
  const notice = await told(operator, /origin SALE/);
  expect(notice).toMatchObject({ type: 'ERROR', link: '/console/dead-letters?origin=SALE&status=PARKED' });
  expect(notice.body).toContain('booking cannot process SaleAccepted (BRANCH_UNKNOWN)');
  await reacted();
  expect(await list(operator)).toHaveLength(1);
});

test('Operators are notified of failed jobs, once per job and hour', async () => {
  const toy = addJob(service, new ToyJob());
  for (const run of [0, 1]) {
    await service.post('/api/platform/jobs/trigger', { jobName: 'toy' }, operator);
    const begun = await eventually(() => toy.runs[run], PATIENCE_MS);
    begun.fail(new Error('The disk is full.'));
    await eventually(async () => {
      const { data } = await service.get('/api/platform/jobs', operator);
      const jobs = data as { name: string; isRunning: boolean; lastExecution: { status: string } | null }[];
      return jobs.some(
        ({ name, isRunning, lastExecution }) => name === 'toy' && !isRunning && lastExecution?.status === 'FAILED',
      );
    }, PATIENCE_MS);
  }
  const notice = await told(operator, /toy failed/);
  expect(notice).toMatchObject({ type: 'ERROR', body: 'The disk is full.' });
  // The notification links to the first run. The second run caused no notification.
  const { items } = (await service.get('/api/platform/jobs/logs?pageNumber=1&pageSize=5', operator)).body as Page<{
    id: string;
  }>;
  expect(notice.link).toBe(`/console/jobs/toy?run=${items.at(-1)?.id ?? ''}`);
  await reacted();
  expect(await list(operator)).toHaveLength(1);
});

test('Only the user whose choices created a rule is notified', async () => {
  const { token } = books.tenant;
  const clerk = await service.createUser(books.tenant, 'USER');
  const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Beans' }, token);
  for (const externalId of ['s-1', 's-2', 's-3', 's-4']) {
    await service.sell(books.partner, saleOf(externalId, { customer: { name: 'The Roastery', externalId: 'R' } }));
    const { items } = await service.transactions(token, `search=${externalId}`);
    await service.call('PATCH', `/api/transactions/${items[0]?.id ?? ''}/category`, {
      token: clerk,
      body: { categoryId },
    });
    await reacted();
  }
  expect(await told(clerk, /A rule was learned for The Roastery/)).toMatchObject({ type: 'INFO' });
  expect(await list(clerk)).toHaveLength(1);
  expect(await list(token)).toEqual([]);
});

test('Deleted users have no push subscriptions', async () => {
  const clerk = await service.createUser(books.tenant, 'USER');
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const path = '/api/notifications/push-subscriptions';
  expect((await service.post(path, { endpoint: 'https://push.kontor.test/1', keys }, clerk)).status).toBe(201);
  const { data } = await service.get('/api/auth/me', clerk);
  const send = async () =>
    (
      await service.post(
        '/api/notifications/admin/send',
        { title: 'a', body: 'b', roles: ['USER'] },
        books.tenant.token,
      )
    ).data;
  const reply = await service.call('DELETE', `/api/users/${(data as { user: { id: string } }).user.id}`, {
    token: books.tenant.token,
  });
  expect(reply.status).toBeLessThan(300);
  expect(await send()).toMatchObject({ recipientCount: 0, pushCount: 0 });
  const { events } = service.service.engines;
  await eventually(async () => {
    for await (const batch of events.subscribeToAll({
      after: -1,
      filter: { on: 'type', prefixes: ['PushUnsubscribed'] },
      signal: new AbortController().signal,
    }))
      if (batch.events.length > 0 || batch.caughtUp) return batch.events.length > 0;
    return false;
  }, PATIENCE_MS);
});
