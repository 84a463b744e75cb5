import {
  call,
  caughtUp,
  KontorProcess,
  openBooks,
  PLAIN,
  signInAgain,
  until,
  withDirectory,
} from './kontor-process.js';
import type { Books } from './kontor-process.js';

const TRANSACTIONS = 900;
const AT_ONCE = 30;
const RULES = '/api/transaction-categories/rules';

type Application = { id: string; status: string; changed: number; restored: number; kept: number; progress: number };
type Transaction = { id: string; description: string; categoryName: string | null; revision: number };

class Office {
  constructor(
    private readonly url: string,
    private readonly books: Books,
  ) {}

  post<T = { data: { id: string } }>(path: string, body: object): Promise<T> {
    return call<T>(`${this.url}${path}`, { method: 'POST', token: this.books.token, body });
  }

  get<T>(path: string): Promise<T> {
    return call<T>(`${this.url}${path}`, { token: this.books.token });
  }

  async record(count: number): Promise<void> {
    const { data } = await this.post('/api/customers', { name: 'Ada' });
    const { items } = await this.get<{ items: { id: string }[] }>('/api/accounts?pageNumber=1&pageSize=1&type=CASH');
    const facts = {
      type: 'COLLECTION',
      date: '2026-03-04',
      amount: '1.00',
      customerId: data.id,
      accountId: items[0]?.id,
    };
    for (let made = 0; made < count; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => {
          const description = (made + n) % 3 === 0 ? 'Tea' : 'Coffee';
          return this.post('/api/transactions', { ...facts, description });
        }),
      );
  }

  async application(): Promise<Application> {
    const { items } = await this.get<{ items: Application[] }>(`${RULES}/applications`);
    return items[0] as Application;
  }

  async transactions(): Promise<Transaction[]> {
    const all: Transaction[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const found = await this.get<{ items: Transaction[]; hasNextPage: boolean }>(
        `/api/transactions?pageNumber=${page}&pageSize=100`,
      );
      all.push(...found.items);
      more = found.hasNextPage;
    }
    return all;
  }
}

/** Returns the number of transactions per description, category and revision. */
const tally = (all: readonly Transaction[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { description, categoryName, revision } of all) {
    const key = `${description} ${categoryName ?? '-'} ${revision}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

test('A rule is applied to past transactions, and undone, exactly once despite kills in the middle of both', async () => {
  await withDirectory(async (directory) => {
    let kontor = await KontorProcess.ready(directory, PLAIN);
    let books = await openBooks(await kontor.url());
    let office = new Office(await kontor.url(), books);
    const killAndRestart = async () => {
      await kontor.stop('SIGKILL');
      kontor = await KontorProcess.ready(directory, PLAIN);
      const url = await kontor.url();
      await until(
        async () => (await fetch(`${url}/readyz`)).status,
        (status) => status === 200,
      );
      books = await signInAgain(url, books);
      office = new Office(url, books);
    };
    await office.record(TRANSACTIONS);
    const { data: category } = await office.post('/api/transaction-categories', { name: 'Drinks' });
    const { data: rule } = await office.post(RULES, { categoryId: category.id, keyword: 'coffee' });
    await caughtUp(await kontor.url(), books);
    const coffee = (TRANSACTIONS * 2) / 3;
    const tea = TRANSACTIONS / 3;

    await office.post(`${RULES}/${rule.id}/apply`, { dryRun: false });
    const applying = await until(
      () => office.application(),
      ({ changed }) => changed > 0,
    );
    await killAndRestart();
    expect(applying.status).toBe('RUNNING');
    const applied = await until(
      () => office.application(),
      ({ status }) => status !== 'RUNNING',
    );
    expect(applied).toMatchObject({ status: 'SUCCEEDED', changed: coffee, progress: 100 });
    await caughtUp(await kontor.url(), books);
    expect(tally(await office.transactions())).toEqual({ 'Coffee Drinks 1': coffee, 'Tea - 0': tea });

    const asked = office.post(`${RULES}/applications/${applied.id}/undo`, {}).catch(() => undefined);
    const undoing = await until(
      () => office.application(),
      ({ restored }) => restored > 0,
    );
    await killAndRestart();
    await asked;
    expect(undoing.status).toBe('UNDOING');
    const undo = () => office.post<{ data: object }>(`${RULES}/applications/${applied.id}/undo`, {});
    expect((await undo()).data).toEqual({ restored: coffee, kept: 0 });
    await caughtUp(await kontor.url(), books);
    expect(tally(await office.transactions())).toEqual({ 'Coffee - 2': coffee, 'Tea - 0': tea });
    process.stdout.write(
      `killed after ${applying.changed} of ${coffee} changes, and after ${undoing.restored} restorations\n`,
    );
    await kontor.stop();
  });
});
