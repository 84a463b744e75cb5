import { DAYS, writeHistory } from '../support/history.js';
import { saleOf, TestService, type Books } from '../support/service.js';

type Line = {
  transactionId: string;
  date: string;
  type: string | null;
  documentEffect: string | null;
  description: string | null;
  reference: string | null;
  counterparty: string | null;
  reversalOf: string | null;
  reason: string | null;
  debit: string;
  credit: string;
  balance: string;
};
type Statement = {
  account: { id: string; name: string };
  beginDate: string | null;
  endDate: string | null;
  opening: string;
  lines: Line[];
  closing: string;
  totalPages?: number;
  totalCount?: number;
};
type Account = { id: string; name: string; balance: { amount: string } };

const cents = (amount: string): number => Math.round(Number(amount) * 100);

describe('The statement of an account', () => {
  let service: TestService;
  let books: Books;
  beforeAll(async () => {
    service = await TestService.start();
    books = await service.openBooks();
    await writeHistory(service, books, { seed: 11, sales: 60 });
    await service.quiet();
  });
  afterAll(() => service.close());

  const accounts = async (): Promise<Account[]> =>
    ((await service.get('/api/accounts?pageNumber=1&pageSize=100', books.tenant.token)).body as { items: Account[] })
      .items;
  const ask = (id: string, query = '', headers = {}) =>
    service.get(`/api/accounts/${id}/statement${query}`, books.tenant.token, headers);
  const statement = async (id: string, query = ''): Promise<Statement> => (await ask(id, query)).data as Statement;
  const named = async (name: string): Promise<Account> => {
    const found = (await accounts()).find((account) => account.name === name);
    if (!found) throw new Error(`No account ${name}`);
    return found;
  };

  test('ends with its balance, with consistent running balances, for every account', async () => {
    for (const { id, balance } of await accounts()) {
      const { opening, lines, closing } = await statement(id);
      expect([opening, closing]).toEqual(['0.00', balance.amount]);
      let running = 0;
      for (const line of lines) {
        running += cents(line.debit) - cents(line.credit);
        expect(cents(line.balance)).toBe(running);
      }
      expect(lines.map(({ date }) => date)).toEqual(lines.map(({ date }) => date).toSorted());
    }
  });

  test('of one period closes where the next opens, and the periods add up', async () => {
    for (const { id } of await accounts()) {
      const whole = await statement(id);
      const [first, second, third] = await Promise.all([
        statement(id, `?endDate=${DAYS[1]}`),
        statement(id, `?beginDate=2026-02-01&endDate=2026-02-27`),
        statement(id, '?beginDate=2026-02-28'),
      ]);
      expect([second.opening, third.opening, third.closing]).toEqual([first.closing, second.closing, whole.closing]);
      expect([...first.lines, ...second.lines, ...third.lines]).toEqual(whole.lines);
    }
  });

  test('has pages, the newest last, and each begins where the previous one ends', async () => {
    for (const { id } of await accounts()) {
      for (const period of ['', `&beginDate=2026-02-01&endDate=2026-02-27`]) {
        const whole = await statement(id, `?${period.slice(1)}`);
        const pages: Statement[] = [];
        const pageCount = Math.ceil(whole.lines.length / 7);
        for (let page = 1; page <= pageCount + 1; page += 1)
          pages.push(await statement(id, `?pageNumber=${page}&pageSize=7${period}`));
        expect(pages.flatMap(({ lines }) => lines)).toEqual(whole.lines);
        expect(pages.map(({ opening }) => opening)).toEqual([
          whole.opening,
          ...pages.slice(0, -1).map(({ closing }) => closing),
        ]);
        expect(pages.at(-1)).toMatchObject({ closing: whole.closing, lines: [] });
        const totals = { totalPages: pageCount, totalCount: whole.lines.length };
        for (const page of pages) expect(page).toMatchObject(totals);
      }
    }
  });

  test('describes each posting: kind, document, reference, counterparty, reversal and its reason', async () => {
    const other = await service.openBooks();
    const { token } = other.tenant;
    const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=9&type=CASH&type=BANK&sort=name', token);
    const [bank, cash] = (body as { items: Account[] }).items;
    const { id: ada } = await service.post('/api/customers', { name: 'Ada' }, token);
    const post = async (path: string, facts: object): Promise<string> => (await service.post(path, facts, token)).id;
    const dated = { date: '2026-03-04', amount: '5.00', accountId: cash?.id, reference: 'R-1' };
    const collected = await post('/api/transactions', { ...dated, type: 'COLLECTION', customerId: ada });
    await post('/api/transactions', { ...dated, type: 'TRANSFER', counterAccountId: bank?.id });
    await post(`/api/transactions/${collected}/cancel`, { reason: 'Typed twice' });
    await service.sell(other.partner, saleOf('one', { customer: { name: 'Ada', code: 'A' } }));
    const shown = async (path: string) =>
      ((await service.get(`/api/${path}/statement`, token)).data as Statement).lines.map((line) => [
        line.type ?? line.documentEffect,
        line.counterparty,
        line.reference,
        line.reversalOf === null ? null : line.reversalOf === collected,
        line.reason,
      ]);
    const cashLines = [
      ['COLLECTION', 'Ada', 'R-1', null, null],
      ['TRANSFER', 'Bank', 'R-1', null, null],
      ['COLLECTION', 'Ada', 'R-1', true, 'Typed twice'],
    ];
    expect(await shown(`accounts/${cash?.id ?? ''}`)).toEqual(cashLines);
    const adaLines = [
      ['COLLECTION', 'Cash', 'R-1', null, null],
      ['COLLECTION', 'Cash', 'R-1', true, 'Typed twice'],
    ];
    expect(await shown(`customers/${ada}`)).toEqual(adaLines);
    const [customer] = (await service.customers(token, 'search=A')).items.filter(({ code }) => code === 'A');
    expect(await shown(`customers/${customer?.id ?? ''}`)).toEqual([['INVOICE', 'Sales', null, null, null]]);
    expect((await service.get(`/api/customers/${cash?.id ?? ''}/statement`, token)).told).toBe('404 NOT_FOUND');
  });

  test('shows sales on the sales account, and receivables on the customer', async () => {
    const other = await service.openBooks();
    const { token } = other.tenant;
    const customer = { externalId: 'c', name: 'Ada' };
    await service.sell(other.partner, saleOf('one', { customer, payments: [{ method: 'CASH', amount: '30.00' }] }));
    await service.quiet();
    const { items } = await service.customers(token, 'search=ada');
    const { data } = await service.get(`/api/accounts/${items[0]?.id}/statement`, token);
    expect((data as Statement).lines.map(({ debit, credit, balance }) => [debit, credit, balance])).toEqual([
      ['100.00', '0.00', '100.00'],
      ['0.00', '30.00', '70.00'],
    ]);
  });

  test('is available as CSV', async () => {
    const { id } = await named('Sales');
    const { opening, lines, closing } = await statement(id, '?beginDate=2026-02-01&endDate=2026-02-27');
    const reply = await ask(id, '?beginDate=2026-02-01&endDate=2026-02-27', { accept: 'text/csv' });
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = reply.text.trimEnd().split('\r\n');
    expect(rows[0]).toBe(
      'transactionId,date,type,documentEffect,description,reference,counterparty,reversalOf,reason,debit,credit,balance,lineDescription',
    );
    expect(rows[1]).toBe(`,2026-02-01,,,Opening balance,,,,,,,${opening},`);
    expect(rows.at(-1)).toBe(`,2026-02-27,,,Closing balance,,,,,,,${closing},`);
    expect(rows).toHaveLength(lines.length + 3);
  });

  test('is rejected for invalid dates and unknown accounts', async () => {
    const { id } = await named('Sales');
    const queries = [
      '?beginDate=2026-02-30',
      '?endDate=tomorrow',
      '?until=2026-01-01',
      '?pageNumber=0',
      '?pageSize=101',
    ];
    for (const query of queries) expect([query, (await ask(id, query)).status]).toEqual([query, 400]);
    expect((await ask(id, '?beginDate=2026-03-01&endDate=2026-01-01')).told).toBe('400 VALIDATION_FAILED beginDate');
    expect((await ask('0199d3a0-0000-7000-8000-000000000001')).status).toBe(404);
    const { token } = await service.createTenant();
    expect((await service.get(`/api/accounts/${id}/statement`, token)).status).toBe(404);
  });

  test('of a single transaction matches the list', async () => {
    const { items } = await service.transactions(books.tenant.token);
    for (const item of items.slice(0, 5)) {
      const reply = await service.get(`/api/transactions/${item.id}`, books.tenant.token);
      expect(reply.data).toEqual(item);
      expect(reply.headers['etag']).toBe(`"${item.revision}"`);
    }
    const { token } = await service.createTenant();
    expect((await service.get(`/api/transactions/${items[0]?.id}`, token)).status).toBe(404);
  });
});
