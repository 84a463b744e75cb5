import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const REASON = 'Digits swapped';

let service: TestService;
let books: Books;
let token: string;
let accounts: Readonly<Record<string, string>>;
let customerId: string;
beforeAll(async () => {
  service = await TestService.start();
  // The date in this time zone (UTC+14) is ahead of the UTC date for 14 hours a day.
  books = await service.openBooks({ timeZone: 'Pacific/Kiritimati' });
  token = books.tenant.token;
  const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=100', token);
  accounts = Object.fromEntries((body as { items: TransactionRecord[] }).items.map((one) => [nameOf(one), one.id]));
  customerId = (await service.post('/api/customers', { name: 'Ada Lovelace' }, token)).id;
});
afterAll(() => service.close());

const nameOf = (record: object): string => (record as { name: string }).name;
const today = (): string => new Date(service.clock.nowMs() + 14 * 3_600_000).toISOString().slice(0, 10);

const collection = (facts: object = {}): object => ({
  ...{ type: 'COLLECTION', date: '2026-03-04', amount: '12.50', customerId, accountId: accounts['Cash'] },
  ...facts,
});
const record = async (facts: object = {}): Promise<string> =>
  (await service.post('/api/transactions', collection(facts), token)).id;
const read = async (id: string): Promise<TransactionRecord> =>
  (await service.get(`/api/transactions/${id}`, token)).data as TransactionRecord;
const cancel = (id: string, body: object, headers = {}): Promise<Reply> =>
  service.post(`/api/transactions/${id}/cancel`, { reason: REASON, ...body }, token, headers);
const correct = (id: string, body: object = {}, headers = {}): Promise<Reply> =>
  service.post(
    `/api/transactions/${id}/correct`,
    { reason: REASON, replacement: collection(), ...body },
    token,
    headers,
  );
const found = async (query: string): Promise<readonly string[]> =>
  (await service.transactions(token, query)).items.map(({ id }) => id);
const me = async (): Promise<{ id: string; fullName: string }> =>
  ((await service.get('/api/auth/me', token)).data as { user: { id: string; fullName: string } }).user;
const opened = async (): Promise<{ customer: string; opening: string }> => {
  const openingBalance = { amount: '50.00', direction: 'OUT', date: '2026-01-01' };
  const { id } = await service.post('/api/customers', { name: service.fresh('Opened'), openingBalance }, token);
  const [opening = ''] = await found(`customerId=${id}`);
  return { customer: id, opening };
};

describe('A cancelled transaction', () => {
  test('shows by whom, when and why it was cancelled, and its reversal shows the reason', async () => {
    const id = await record();
    await cancel(id, {});
    const { id: userId, fullName: userName } = await me();
    const original = await read(id);
    const reversal = await read(original.reversedBy?.transactionId ?? '');
    expect(original.reversedBy).toEqual({
      ...{ transactionId: reversal.id, reason: REASON, date: reversal.date, userId, userName },
    });
    expect(original).toMatchObject({ isCancelled: true, reason: null, createdByName: userName, correctedBy: null });
    expect(reversal).toMatchObject({ reversalOf: id, reason: REASON, reversedBy: null, createdByName: userName });
    expect(await found('search=digits swap')).toContain(reversal.id);
  });

  test('keeps the name of a user who is deleted later', async () => {
    const email = 'leaver@kontor.test';
    const person = { fullName: 'Lea Leaver', email, password: 'a long password', role: 'USER' };
    const { id: userId } = await service.post('/api/users', person, token);
    const id = await record();
    const by = await service.signIn(email, person.password);
    await service.post(`/api/transactions/${id}/cancel`, { reason: REASON }, by);
    await service.call('DELETE', `/api/users/${userId}`, { token });
    expect((await read(id)).reversedBy).toMatchObject({ userId, userName: 'Lea Leaver' });
  });

  test('is reversed today in the zone of the tenant, or on a date that is not before its own', async () => {
    const dates = async (id: string) => (await read(id)).reversedBy?.date;
    const [old, dated, sameDay, future] = [
      await record(),
      await record(),
      await record(),
      await record({ date: '2999-01-01' }),
    ];
    const before = today();
    await cancel(old, {});
    expect([before, today()]).toContain(await dates(old));
    expect((await cancel(dated, { date: '2026-03-03' })).told).toBe('400 VALIDATION_FAILED date');
    expect((await cancel(dated, { date: 'soon' })).told).toBe('400 VALIDATION_FAILED date');
    expect((await read(dated)).isCancelled).toBe(false);
    await cancel(dated, { date: '2026-03-05' });
    await cancel(sameDay, { date: '2026-03-04' });
    await cancel(future, {});
    expect([await dates(dated), await dates(sameDay), await dates(future)]).toEqual([
      ...['2026-03-05', '2026-03-04', '2999-01-01'],
    ]);
  });

  test('of a sale shows its reversal without a reason if the partner cancelled the sale', async () => {
    await service.sell(books.partner, saleOf('undone'));
    const undo = { externalId: 'undoing', type: 'CANCELLATION', relatedExternalId: 'undone', currency: 'EUR' };
    await service.sell(books.partner, { ...undo, ...{ occurredAt: '2026-03-05T11:00:00.000Z' } });
    const [id = ''] = await found('search=undone');
    expect((await read(id)).reversedBy).toMatchObject({ reason: null, userId: null, userName: null });
    expect(await read(id)).toMatchObject({ isCancelled: true, createdByName: null });
  });

  test('is cancelled once by retries with an Idempotency-Key, which belongs to the transaction', async () => {
    const [id, other] = [await record(), await record()];
    const headers = { 'idempotency-key': service.fresh('key') };
    const first = await cancel(id, {}, headers);
    const again = await cancel(id, {}, headers);
    expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
    expect((await cancel(other, {}, headers)).told).toBe('409 IDEMPOTENCY_CONFLICT id');
    expect((await cancel(id, {})).told).toBe('409 ALREADY_CANCELLED');
  });
});

describe('A corrected transaction', () => {
  test('is reversed and replaced at once, and all three are linked', async () => {
    const before = await service.balancesByCode(token);
    const id = await record({ amount: '99.00' });
    const reply = await correct(id, { date: '2026-03-06' });
    expect([reply.status, reply.data]).toEqual([201, { success: true, id: reply.id, revision: 0 }]);
    const [original, replacement] = [await read(id), await read(reply.id)];
    expect(original).toMatchObject({ isCancelled: true, correctedBy: reply.id, revision: 1 });
    expect(original.reversedBy).toMatchObject({ reason: REASON, date: '2026-03-06' });
    expect(replacement).toMatchObject({ correctionOf: id, correctedBy: null, amount: '12.50', date: '2026-03-04' });
    expect(await read(original.reversedBy?.transactionId ?? '')).toMatchObject({ reason: REASON, correctionOf: null });
    await cancel(reply.id, {});
    expect(await service.balancesByCode(token)).toEqual(before);
  });

  test('can be an opening balance, whose replacements can be corrected, cancelled and categorized', async () => {
    const { customer, opening } = await opened();
    const replacement = {
      type: 'OPENING_BALANCE',
      date: '2026-01-01',
      amount: '70.00',
      customerId: customer,
      direction: 'OUT',
    };
    const first = (await correct(opening, { replacement })).id;
    expect((await service.customer(token, customer)).balance.amount).toBe('70.00');
    const second = (await correct(first, { replacement: { ...replacement, amount: '80.00' } })).id;
    expect((await service.customer(token, customer)).balance.amount).toBe('80.00');
    expect([(await read(opening)).correctedBy, (await read(first)).correctedBy]).toEqual([first, second]);
    const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Replaced' }, token);
    const path = `/api/transactions/${second}/category`;
    expect((await service.call('PATCH', path, { token, body: { categoryId } })).told).toBe('200');
    expect((await cancel(second, {})).told).toBe('201');
    expect(await read(second)).toMatchObject({ categoryId, isCancelled: true, revision: 2 });
    expect(await service.customer(token, customer)).toMatchObject({ balance: { amount: '0.00' }, revision: 0 });
    expect((await correct(opening)).told).toBe('409 ALREADY_CANCELLED');
  });

  test('changes nothing if the replacement is invalid or the transaction cannot be cancelled', async () => {
    const id = await record();
    const told = async (body: object) => (await correct(id, body)).told;
    expect(await told({ replacement: collection({ accountId: 'nobody' }) })).toBe(
      '404 NOT_FOUND replacement.accountId',
    );
    expect(await told({ replacement: collection({ accountId: accounts['Sales'] }) })).toBe(
      '400 VALIDATION_FAILED replacement.accountId',
    );
    expect(await told({ replacement: collection({ amount: undefined }) })).toBe(
      '400 VALIDATION_FAILED replacement.amount',
    );
    expect(await told({ replacement: collection({ amount: '0' }) })).toBe('400 VALIDATION_FAILED replacement.amount');
    expect(await told({ replacement: undefined })).toBe('400 VALIDATION_FAILED replacement');
    expect(await told({ reason: ' ' })).toBe('400 VALIDATION_FAILED reason');
    expect(await told({ date: '2026-03-03' })).toBe('400 VALIDATION_FAILED date');
    expect(await read(id)).toMatchObject({ isCancelled: false, revision: 0 });
    await cancel(id, {});
    expect(await told({})).toBe('409 ALREADY_CANCELLED');
    const [reversal = ''] = await found(`search=swapped&customerId=${customerId}`);
    expect((await correct(reversal)).told).toBe('409 IS_REVERSAL');
    await service.sell(books.partner, saleOf('sold'));
    const [sold = ''] = await found('type=INVOICE&search=sold');
    expect((await correct(sold)).told).toBe('409 SYSTEM_GENERATED');
    expect((await correct('0199d3a0-0000-7000-8000-000000000001')).told).toBe('404 NOT_FOUND');
    const { totalCount } = await service.transactions(token, `customerId=${customerId}&amountMin=12.50`);
    expect(await told({})).toBe('409 ALREADY_CANCELLED');
    expect((await service.transactions(token, `customerId=${customerId}&amountMin=12.50`)).totalCount).toBe(totalCount);
  });

  test('is replaced once by retries, by concurrent requests, and only in the revision that was read', async () => {
    const id = await record();
    expect((await correct(id, {}, { 'if-match': '"1"' })).told).toBe('409 REVISION_CONFLICT');
    const headers = { 'idempotency-key': service.fresh('key'), 'if-match': '"0"' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => correct(id, {}, headers)));
    const [first] = replies.filter(({ status }) => status === 201);
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array<number>(7).fill(200), 201]);
    expect(new Set(replies.map(({ text }) => text))).toEqual(new Set([first?.text]));
    expect((await read(id)).correctedBy).toBe(first?.id);
    const { totalCount } = await service.transactions(token, `customerId=${customerId}&isCancelled=false`);
    const other = await record();
    const rivals = await Promise.all(Array.from({ length: 8 }, () => correct(other)));
    expect(rivals.map(({ told }) => told).sort()).toEqual(['201', ...Array<string>(7).fill('409 ALREADY_CANCELLED')]);
    // The two new transactions are the reversal and the replacement.
    expect((await service.transactions(token, `customerId=${customerId}&isCancelled=false`)).totalCount).toBe(
      totalCount + 2,
    );
  });

  test('has one audit entry, and its replacement another, with the reason and the links', async () => {
    const operator = await service.operator();
    for (const id of [await record(), (await opened()).opening]) {
      const replacement = (await correct(id)).id;
      await service.quiet();
      const entries = async (of: string) => {
        const { body } = await service.get(`/api/platform/audit-logs?entityId=${of}`, operator);
        return (body as { items: { id: string; action: string; summary: string }[] }).items;
      };
      const [updated] = await entries(id);
      expect(updated?.action).toBe('UPDATE');
      const { data } = await service.get(`/api/platform/audit-logs/${updated?.id ?? ''}`, operator);
      expect((data as { changes: unknown[] }).changes).toEqual(
        expect.arrayContaining([
          { path: 'reversedBy.reason', before: null, after: REASON },
          { path: 'correctedBy', before: null, after: replacement },
        ]),
      );
      const created = await entries(replacement);
      expect(created.map(({ action }) => action)).toEqual(['CREATE']);
      expect(created[0]?.summary).toMatch(/replacement.* recorded$/);
      expect(created[0]?.summary).toContain('"COLLECTION 12.50 EUR"');
      const detail = await service.get(`/api/platform/audit-logs/${created[0]?.id ?? ''}`, operator);
      expect((detail.data as { changes: unknown[] }).changes).toEqual(
        expect.arrayContaining([{ path: 'correctionOf', before: null, after: id }]),
      );
    }
  });
});

test('A closed period takes neither the reversal of a correction nor its replacement', async () => {
  const id = await record();
  await service.post('/api/periods/close', { through: '2026-03-31' }, token);
  expect((await correct(id)).told).toBe('409 PERIOD_CLOSED');
  const replacement = collection({ date: '2026-04-01' });
  expect((await correct(id, { date: '2026-03-31', replacement })).told).toBe('409 PERIOD_CLOSED');
  expect((await cancel(id, { date: '2026-03-31' })).told).toBe('409 PERIOD_CLOSED');
  expect((await correct(id, { date: '2026-04-01', replacement })).told).toBe('201');
  await service.post('/api/periods/reopen', { through: null, reason: 'Tested' }, token);
});

describe('Collections and payments', () => {
  test.each(['COLLECTION', 'PAYMENT'])('are rejected on accounts that hold no money: %s', async (type) => {
    for (const [kind, status] of [
      ...['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'OTHER'].map((one) => [one, '201'] as const),
      ...(['SUPPLIER', 'EMPLOYEE', 'EXPENSE', 'INCOME', 'TAX', 'EQUITY'] as const).map(
        (one) => [one, '400 VALIDATION_FAILED accountId'] as const,
      ),
    ]) {
      const { id: accountId } = await service.post('/api/accounts', { type: kind, name: service.fresh(kind) }, token);
      const reply = await service.post('/api/transactions', collection({ type, accountId }), token);
      expect([kind, reply.told]).toEqual([kind, status]);
    }
  });
});

test('The books balance afterwards', async () => {
  const { totalDebit, totalCredit } = await service.trialBalance(token);
  expect(totalDebit).toBe(totalCredit);
  expect(service.complaints).toEqual([]);
});
