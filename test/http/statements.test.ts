import { DAYS, writeHistory } from '../support/history.js';
import { saleOf, TestService, type Books } from '../support/service.js';

type Line = {
  transactionId: string;
  date: string;
  description: string | null;
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
    const { lines } = await statement(id);
    const reply = await ask(id, '', { accept: 'text/csv' });
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = reply.text.trimEnd().split('\r\n');
    expect(rows[0]).toBe('transactionId,date,description,debit,credit,balance');
    expect(rows).toHaveLength(lines.length + 1);
  });

  test('is rejected for invalid dates and unknown accounts', async () => {
    const { id } = await named('Sales');
    for (const query of ['?beginDate=2026-02-30', '?endDate=tomorrow', '?until=2026-01-01'])
      expect((await ask(id, query)).status).toBe(400);
    expect((await ask('0199d3a0-0000-7000-8000-000000000001')).status).toBe(404);
    const { token } = await service.createTenant();
    expect((await service.get(`/api/accounts/${id}/statement`, token)).status).toBe(404);
    const backwards = await statement(id, '?beginDate=2026-03-01&endDate=2026-01-01');
    expect(backwards.lines).toEqual([]);
    expect(backwards.closing).toBe(backwards.opening);
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
