import type { NotificationRecord } from '../../src/queries/notification.queries.js';
import type { Periods } from '../../src/queries/period.queries.js';
import type { Page } from '../../src/queries/query.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { calendarDate } from '../../src/eventsourcing/calendar.js';
import { eventually } from '../support/eventually.js';
import { historyOf, lateIn, lateWarnings } from '../support/late-scan.js';
import { LateWriter } from '../support/late-writer.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { messagesIn } from '../support/stored-messages.js';

const PATIENCE_MS = 10_000;
const DAY_MS = 86_400_000;
/** The date of the sales that `saleOf` returns. */
const SALE_DATE = '2026-03-04';

let service: TestService;
let books: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.close());
beforeEach(async () => {
  books = await service.openBooks();
  ({ token } = books.tenant);
});

const close = (through: unknown, more: object = {}, as = token): Promise<Reply> =>
  service.post('/api/periods/close', { through, ...more }, as);
const reopen = (through: unknown, reason: unknown = 'A bill was missing.', as = token): Promise<Reply> =>
  service.post('/api/periods/reopen', { through, reason }, as);
const periods = async (as = token): Promise<Periods> => (await service.get('/api/periods', as)).data as Periods;
const today = (timeZone = 'UTC'): string => calendarDate(service.clock.nowMs(), timeZone);
const dayAfter = (date: string): string => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);

const make = async (path: string, body: object): Promise<string> => {
  const reply = await service.post(path, body, token);
  expect(reply.told).toBe('201');
  return reply.id;
};
const account = (type: string): Promise<string> => make('/api/accounts', { type, name: type });
/** Returns user requests, each of which posts one transaction on a given date. */
async function postings(): Promise<readonly ((date: string) => Promise<Reply>)[]> {
  const customerId = await make('/api/customers', { name: 'Ada Ltd' });
  const [accountId, counterAccountId, expenseItemId] = [
    await account('BANK'),
    await account('SUPPLIER'),
    await account('EXPENSE'),
  ];
  const bodies = [
    { type: 'COLLECTION', customerId, accountId },
    { type: 'PAYMENT', customerId, accountId },
    { type: 'PAYMENT', counterAccountId, accountId },
    { type: 'PAYMENT', expenseItemId, accountId },
    { type: 'TRANSFER', accountId, counterAccountId },
    { type: 'ADJUSTMENT', accountId, direction: 'IN' },
    { type: 'OPENING_BALANCE', accountId, direction: 'IN' },
    { type: 'OPENING_BALANCE', customerId, direction: 'OUT' },
  ];
  return [
    ...bodies.map(
      (body) => (date: string) => service.post('/api/transactions', { ...body, date, amount: '10.00' }, token),
    ),
    (date) =>
      service.post(
        '/api/customers',
        { name: 'New', openingBalance: { amount: '5.00', direction: 'OUT', date } },
        token,
      ),
  ];
}
const transactionsOf = async (externalId: string): Promise<TransactionRecord[]> => {
  await service.quiet();
  const { items } = await service.transactions(token, 'showSystemGenerated=true');
  return items.filter((one) => one.externalId === externalId);
};
const warnings = (as = token): Promise<readonly NotificationRecord[]> => lateWarnings(service, as);

describe('Closing and reopening', () => {
  test('are listed newest first, with the person and the reason', async () => {
    expect(await periods()).toEqual({ closedThrough: null, history: [], late: [] });
    const reply = await close('2026-03-31', { note: 'First quarter.' });
    expect(reply.told).toBe('201');
    expect(reply.body).toMatchObject({ data: { success: true, id: books.tenant.id } });
    expect((await close('2026-04-30')).told).toBe('201');
    expect((await reopen('2026-02-28', 'A bill was missing.')).told).toBe('201');
    const userName = `Owner of ${books.tenant.slug}`;
    expect(await periods()).toMatchObject({
      closedThrough: '2026-02-28',
      history: [
        { action: 'REOPENED', through: '2026-02-28', note: 'A bill was missing.', userName },
        { action: 'CLOSED', through: '2026-04-30', note: null, userName },
        { action: 'CLOSED', through: '2026-03-31', note: 'First quarter.', userName },
      ],
      late: [],
    });
    expect((await reopen(null)).told).toBe('201');
    expect((await periods()).closedThrough).toBeNull();
  });

  test('change nothing when repeated', async () => {
    await close('2026-03-31');
    expect((await close('2026-03-31', { note: 'Again.' })).told).toBe('201');
    await reopen('2026-01-31');
    expect((await reopen('2026-01-31')).told).toBe('201');
    await reopen(null);
    expect((await reopen(null)).told).toBe('201');
    expect((await periods()).history).toHaveLength(3);
  });

  test('accept today in the zone of the tenant, and no later date', async () => {
    const { tenant } = await service.openBooks({ timeZone: 'Pacific/Kiritimati' });
    const now = today('Pacific/Kiritimati');
    expect((await close(dayAfter(now), {}, tenant.token)).told).toBe('400 VALIDATION_FAILED through');
    expect((await close(now, {}, tenant.token)).told).toBe('201');
  });

  test('must move the closed day forward and back respectively', async () => {
    expect((await reopen('2026-01-31')).told).toBe('409 PERIOD_NOT_CLOSED');
    await close('2026-03-31');
    const earlier = await close('2026-02-28');
    expect(earlier.told).toBe('409 PERIOD_CLOSED');
    expect(earlier.problem.message).toContain('2026-03-31');
    expect((await reopen('2026-04-01')).told).toBe('409 PERIOD_NOT_CLOSED');
    expect((await periods()).history).toHaveLength(1);
  });

  test.each([
    ['close', {}, 'through'],
    ['close', { through: null }, 'through'],
    ['close', { through: '2026-02-30' }, 'through'],
    ['close', { through: '1899-12-31' }, 'through'],
    ['close', { through: 20260131 }, 'through'],
    ['close', { through: '2026-01-31', note: ' ' }, 'note'],
    ['close', { through: '2026-01-31', reason: 'No such field.' }, 'reason'],
    ['reopen', { reason: 'Without a date.' }, 'through'],
    ['reopen', { through: 'yesterday', reason: 'Wrong.' }, 'through'],
    ['reopen', { through: null }, 'reason'],
    ['reopen', { through: null, reason: '' }, 'reason'],
    ['reopen', { through: null, reason: 'x'.repeat(501) }, 'reason'],
  ])('%s rejects %j', async (action, body, path) => {
    const reply = await service.post(`/api/periods/${action}`, body, token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('are reserved to owners and administrators, while every role sees the closed period', async () => {
    const [admin, clerk] = [
      await service.createUser(books.tenant, 'ADMIN'),
      await service.createUser(books.tenant, 'USER'),
    ];
    expect((await close('2026-01-31', {}, admin)).told).toBe('201');
    expect((await close('2026-02-28', {}, clerk)).told).toBe('403 FORBIDDEN');
    expect((await reopen(null, 'Please.', clerk)).told).toBe('403 FORBIDDEN');
    expect((await periods(clerk)).closedThrough).toBe('2026-01-31');
  });

  test('concern one tenant only, and are published to its partners', async () => {
    const other = await service.openBooks();
    await close('2026-03-31', { note: 'Internal.' });
    await reopen(null, 'Internal, too.');
    expect(await periods(other.tenant.token)).toEqual({ closedThrough: null, history: [], late: [] });
    const { id } = books.tenant;
    const published = () =>
      messagesIn(service.directory)
        .filter(({ subject }) => subject.startsWith(`kontor.${id}.period.`))
        .map(({ subject, payload }) => ({ subject, event: JSON.parse(payload) as object }));
    await eventually(() => Promise.resolve(published().length === 2), PATIENCE_MS);
    const facts = { source: `/tenants/${id}`, tenantid: id, subject: id };
    expect(published()).toMatchObject([
      { subject: `kontor.${id}.period.closed`, event: { ...facts, data: { through: '2026-03-31' } } },
      { subject: `kontor.${id}.period.reopened`, event: { ...facts, data: { through: null } } },
    ]);
    expect(JSON.stringify(published())).not.toContain('Internal');
  });

  test('have audit entries of the tenant', async () => {
    await close('2026-03-31', { note: 'First quarter.' });
    await service.quiet();
    const reply = await service.get(
      `/api/platform/audit-logs?tenantId=${books.tenant.id}&entity=tenant`,
      await service.operator(),
    );
    const [entry] = (reply.body as Page<{ id: string }>).items;
    const detail = await service.get(`/api/platform/audit-logs/${entry?.id ?? ''}`, await service.operator());
    expect(detail.data).toMatchObject({
      action: 'UPDATE',
      summary: 'Period "2026-03-31" closed',
      changes: [
        { path: 'closedThrough', before: null, after: '2026-03-31' },
        { path: 'closingNote', before: null, after: 'First quarter.' },
      ],
    });
  });
});

describe('A closed period', () => {
  test('accepts no transaction of a user, of any type, but the day after it does', async () => {
    const requests = await postings();
    await close('2026-03-31');
    for (const request of requests) {
      for (const date of ['2026-03-31', '1990-01-01']) expect((await request(date)).told).toBe('409 PERIOD_CLOSED');
      expect((await request('2026-04-01')).told).toBe('201');
    }
    expect((await periods()).late).toEqual([]);
  });

  test('accepts no cancellation whose reversal would be dated in it', async () => {
    const [collect] = await postings();
    const openingBalance = { amount: '5.00', direction: 'OUT', date: '2026-01-01' };
    const customerId = await make('/api/customers', { name: 'Opened', openingBalance });
    const opening = (await service.transactions(token, `customerId=${customerId}`)).items[0]?.id ?? '';
    const ids = [(await collect?.('2026-03-01'))?.id ?? '', opening];
    await close(today());
    for (const id of ids) {
      const cancel = () => service.post(`/api/transactions/${id}/cancel`, { reason: 'Typed twice.' }, token);
      expect((await cancel()).told).toBe('409 PERIOD_CLOSED');
    }
    await reopen('2026-10-31');
    for (const id of ids) {
      const reply = await service.post(`/api/transactions/${id}/cancel`, { reason: 'Typed twice.' }, token);
      expect(reply.told).toBe('201');
    }
  });

  test('still accepts the retry of a transaction that was recorded before the closing', async () => {
    const accountId = await account('BANK');
    const body = { type: 'ADJUSTMENT', accountId, direction: 'IN', date: '2026-03-01', amount: '1.00' };
    const first = await service.post('/api/transactions', body, token, { 'idempotency-key': 'once' });
    await close('2026-03-31');
    const again = await service.post('/api/transactions', body, token, { 'idempotency-key': 'once' });
    expect([again.status, again.id]).toEqual([200, first.id]);
  });

  test("is skipped by a partner's documents, which keep their own date in addition to the booking date", async () => {
    await service.sell(books.partner, saleOf('open'));
    await close('2026-03-31');
    const payments = [{ method: 'CASH', amount: '100.00' }];
    await service.sell(books.partner, saleOf('known', { payments }));
    // This sale's customer does not exist yet, so the policy, not the intake, books the sale.
    await service.sell(books.partner, saleOf('new', { customer: { name: 'Nina', externalId: 'nina' } }));
    const back = { type: 'RETURN', relatedExternalId: 'known' };
    await service.sell(books.partner, saleOf('back', { ...back, payments }));
    await service.sell(books.partner, saleOf('undone', { type: 'CANCELLATION', relatedExternalId: 'new', lines: [] }));
    const lateDay = '2026-04-01';
    for (const externalId of ['known', 'new', 'back', 'undone'])
      for (const { date, documentDate } of await transactionsOf(externalId))
        expect([externalId, date, documentDate]).toEqual([externalId, lateDay, SALE_DATE]);
    for (const { date, documentDate } of await transactionsOf('open'))
      expect([date, documentDate]).toEqual([SALE_DATE, SALE_DATE]);
    expect((await periods()).late).toEqual([]);
    expect((await service.trialBalance(token, '2026-03-31')).totalDebit).toBe('100.00');
    expect(service.complaints).toEqual([]);
  });

  test('is reopened without moving the return or cancellation of a sale to a day before that sale', async () => {
    await close('2026-03-31');
    await service.sell(books.partner, saleOf('returned'));
    await service.sell(books.partner, saleOf('cancelled'));
    expect((await reopen('2026-02-28')).told).toBe('201');
    await service.sell(books.partner, saleOf('back', { type: 'RETURN', relatedExternalId: 'returned' }));
    const undo = { type: 'CANCELLATION', relatedExternalId: 'cancelled', lines: [] };
    await service.sell(books.partner, saleOf('undone', undo));
    for (const externalId of ['back', 'undone']) {
      const [booked] = await transactionsOf(externalId);
      expect([externalId, booked?.date, booked?.documentDate]).toEqual([externalId, '2026-04-01', SALE_DATE]);
    }
    expect((await service.trialBalance(token, '2026-03-31')).rows).toEqual([]);
  });

  test('does not copy the document date of a sale to its reversal', async () => {
    await close('2026-03-31');
    await service.sell(books.partner, saleOf('closed'));
    const undo = {
      type: 'CANCELLATION',
      relatedExternalId: 'closed',
      lines: [],
      occurredAt: '2026-05-05T10:00:00.000Z',
    };
    await service.sell(books.partner, saleOf('undone', undo));
    const [reversal] = await transactionsOf('undone');
    expect([reversal?.date, reversal?.documentDate]).toEqual(['2026-05-05', '2026-05-05']);
  });
});

describe('A transaction that is recorded in a period after it was closed', () => {
  test('is listed and notified to the administrators once, until its date is reopened', async () => {
    const [admin, clerk] = [
      await service.createUser(books.tenant, 'ADMIN'),
      await service.createUser(books.tenant, 'USER'),
    ];
    const [bank, cash] = [await account('BANK'), await account('CASH')];
    const writer = new LateWriter(service, books.tenant.id);
    await writer.transfer(bank, cash);
    await close('2026-03-31');
    await writer.transfer(bank, cash);
    await service.quiet();
    const { late } = await periods();
    expect(late).toMatchObject([{ date: SALE_DATE, amount: '100.00', currency: 'EUR', closedThrough: '2026-03-31' }]);
    expect(late.map(({ transactionId }) => transactionId)).toEqual(lateIn(await historyOf(service, books.tenant.id)));
    for (const as of [token, admin]) {
      await eventually(async () => (await warnings(as)).length === 1, PATIENCE_MS);
      const [warning] = await warnings(as);
      expect(warning?.body).toContain(`${SALE_DATE} 100.00 EUR`);
      expect(warning?.link).toBe(`/console/transactions/${late[0]?.transactionId ?? ''}`);
    }
    expect(await warnings(clerk)).toEqual([]);

    await service.restart();
    token = await service.signIn(books.tenant.email);
    await close('2026-04-30');
    await service.quiet();
    expect((await periods()).late).toMatchObject(late);
    await reopen('2026-03-04');
    expect((await periods()).late).toHaveLength(1);
    await reopen('2026-03-03');
    expect((await periods()).late).toEqual([]);
    await close('2026-04-30');
    expect((await periods()).late).toEqual([]);
    await writer.transfer(bank, cash);
    await eventually(async () => (await warnings()).length === 2, PATIENCE_MS);
    expect((await periods()).late).toHaveLength(1);
  });

  test('is no longer listed once it is cancelled', async () => {
    const [bank, cash] = [await account('BANK'), await account('CASH')];
    const writer = new LateWriter(service, books.tenant.id);
    await close('2026-03-31');
    await writer.transfer(bank, cash);
    await writer.transfer(bank, cash);
    await service.quiet();
    const [first, second] = (await periods()).late;
    await make(`/api/transactions/${first?.transactionId ?? ''}/cancel`, { reason: 'Typed twice' });
    expect((await periods()).late).toEqual([second]);
    await make(`/api/transactions/${second?.transactionId ?? ''}/cancel`, { reason: 'Wrong account' });
    expect(await periods()).toMatchObject({ closedThrough: '2026-03-31', late: [] });
  });
});
