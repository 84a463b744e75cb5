import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { exchange } from '../support/exchange.js';
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

const SALES = 60;
const AT_ONCE = 20;
const KILLS = 3;

type Sale = { readonly externalId: string; readonly status: string; readonly transactionIds: readonly string[] };
type List<T> = { readonly items: readonly T[]; readonly totalCount: number };
type Letter = { readonly resolvedBy: string | null; readonly attempts: number };

class Office {
  constructor(
    private readonly url: string,
    readonly books: Books,
  ) {}

  async create(path: string, body: object): Promise<string> {
    return (await call<{ data: { id: string } }>(`${this.url}/api/${path}`, { token: this.books.token, body })).data.id;
  }

  async change(path: string, body: object): Promise<void> {
    await call(`${this.url}/api/${path}`, { method: 'PATCH', token: this.books.token, body });
  }

  async push(externalId: string, facts: object = {}): Promise<void> {
    const { status, text } = await exchange(`${this.url}/api/integrations/v1/sales`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-integration-key': this.books.key },
      body: JSON.stringify({
        ...{ externalId, occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR' },
        ...{ lines: [{ description: 'Goods', quantity: 1, unitPrice: '10' }], ...facts },
      }),
    });
    expect([externalId, status === 202 ? '' : text]).toEqual([externalId, '']);
  }

  /** Pushes sales that cannot be booked yet. Resolves when all of them are rejected. */
  async pushWaiting(factsOf: (n: number) => object): Promise<void> {
    for (let made = 0; made < SALES; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => this.push(nameOf(made + n), factsOf(made + n))));
    await until(
      () => this.letters('PARKED'),
      ({ totalCount }) => totalCount === SALES,
    );
  }

  get<T>(path: string, token = this.books.token): Promise<T> {
    return call<T>(`${this.url}/api/${path}${path.includes('?') ? '&' : '?'}pageNumber=1&pageSize=100`, { token });
  }

  letters(status: 'PARKED' | 'REPLAYED'): Promise<List<Letter>> {
    const { tenantId, operator } = this.books;
    return this.get<List<Letter>>(`platform/dead-letters?status=${status}&tenantId=${tenantId}`, operator);
  }

  async waiting(): Promise<number> {
    return (await this.get<List<Sale>>('sales?status=REJECTED')).totalCount;
  }
}

const nameOf = (n: number): string => `waiting-${n}`;

type Cause = {
  readonly factsOf: (n: number) => object;
  readonly before?: (office: Office) => Promise<unknown>;
  readonly remove: (office: Office) => Promise<unknown>;
};
const codes: Readonly<Record<string, Cause>> = {
  BRANCH_UNKNOWN: {
    factsOf: () => ({ branchCode: 'NORTH' }),
    remove: (office) => office.create('branches', { code: 'NORTH', name: 'North' }),
  },
  ACCOUNT_UNKNOWN: {
    factsOf: () => ({ payments: [{ method: 'CARD', amount: '10', accountCode: 'TILL-1' }] }),
    remove: (office) => office.create('accounts', { type: 'POS', name: 'Till', code: 'TILL-1' }),
  },
  CUSTOMER_PASSIVE: {
    factsOf: () => ({ customer: { name: 'Ada', code: 'ADA' } }),
    before: (office) => office.create('customers', { name: 'Ada', code: 'ADA', status: 'PASSIVE' }),
    remove: async (office) => {
      const { items } = await office.get<List<{ id: string }>>('customers?status=PASSIVE');
      await office.change(`customers/${items[0]?.id ?? ''}`, { status: 'ACTIVE' });
    },
  },
  RELATED_SALE_UNKNOWN: {
    factsOf: (n) => ({
      ...{ type: 'RETURN', relatedExternalId: 'sold', occurredAt: '2026-03-05T10:00:00Z' },
      lines: [{ description: `Part ${n}`, quantity: 1, unitPrice: '1' }],
    }),
    remove: (office) => office.push('sold', { lines: [{ description: 'Parts', quantity: SALES, unitPrice: '1' }] }),
  },
};

/** Returns the number of healed sales in the history of a data directory. */
function healedIn(directory: string): number {
  const db = new DatabaseSync(join(directory, 'history.sqlite'), { readOnly: true });
  const query = db.prepare("SELECT count(*) AS healed FROM events WHERE type = 'DeadLetterReplayed'");
  const { healed } = query.get() as { healed: number };
  db.close();
  return healed;
}

/** Expects that healing has booked each of the tenant's waiting sales exactly once. */
async function expectHealed(office: Office, code: string): Promise<void> {
  const names = Array.from({ length: SALES }, (_, n) => nameOf(n)).toSorted();
  const namesIn = ({ items }: List<{ externalId: string }>): string[] =>
    items
      .map(({ externalId }) => externalId)
      .filter((name) => name !== 'sold')
      .toSorted();
  expect([code, namesIn(await office.get<List<Sale>>('sales?status=BOOKED'))]).toEqual([code, names]);
  const type = code === 'RELATED_SALE_UNKNOWN' ? 'RETURN' : 'INVOICE';
  expect([code, namesIn(await office.get(`transactions?type=${type}`))]).toEqual([code, names]);
  const { items } = await office.letters('REPLAYED');
  expect([code, items.map(({ resolvedBy }) => resolvedBy)]).toEqual([code, names.map(() => 'system:healing')]);
}

test('Every rejected sale is booked once when the cause of its rejection disappears, despite kills during the healing', async () => {
  await withDirectory(async (directory) => {
    let kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const tenants: { readonly code: string; readonly cause: Cause; office: Office }[] = [];
    for (const [code, cause] of Object.entries(codes)) {
      const office = new Office(url, await openBooks(url));
      await cause.before?.(office);
      await office.pushWaiting(cause.factsOf);
      tenants.push({ code, cause, office });
    }

    // The service heals the sales of all tenants concurrently.
    await Promise.all(tenants.map(({ cause, office }) => cause.remove(office)));
    const healed: number[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      // Kills the service as soon as it starts listening, so that most kills occur during healing.
      await kontor.stop('SIGKILL');
      healed.push(healedIn(directory));
      kontor = await KontorProcess.ready(directory, PLAIN);
    }
    const at = await kontor.url();
    for (const tenant of tenants) tenant.office = new Office(at, await signInAgain(at, tenant.office.books));
    process.stdout.write(`killed after ${healed.join(', ')} of ${tenants.length * SALES} sales were healed\n`);
    for (const { office } of tenants)
      await until(
        () => office.waiting(),
        (count) => count === 0,
      );
    if (tenants[0]) await caughtUp(at, tenants[0].office.books);
    for (const { code, office } of tenants) await expectHealed(office, code);
    await kontor.stop();
  });
}, 240_000);
