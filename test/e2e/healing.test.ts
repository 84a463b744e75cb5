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
      () => this.get<List<Letter>>('platform/dead-letters?status=PARKED', this.books.operator),
      ({ totalCount }) => totalCount === SALES,
    );
  }

  get<T>(path: string, token = this.books.token): Promise<T> {
    return call<T>(`${this.url}/api/${path}${path.includes('?') ? '&' : '?'}pageNumber=1&pageSize=100`, { token });
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

test.each(Object.keys(codes))(
  'Every sale rejected as %s is booked once when its cause disappears, despite kills during the healing',
  async (code) => {
    const { factsOf, before, remove } = codes[code] as Cause;
    await withDirectory(async (directory) => {
      let kontor = await KontorProcess.ready(directory, PLAIN);
      let office = new Office(await kontor.url(), await openBooks(await kontor.url()));
      await before?.(office);
      await office.pushWaiting(factsOf);

      await remove(office);
      for (let kills = 0; kills < KILLS; kills += 1) {
        // Kills the service as soon as it listens, so that most kills occur while sales are being healed.
        await kontor.stop('SIGKILL');
        kontor = await KontorProcess.ready(directory, PLAIN);
      }
      office = new Office(await kontor.url(), await signInAgain(await kontor.url(), office.books));
      const left = await office.waiting();
      await until(
        () => office.waiting(),
        (count) => count === 0,
      );
      await caughtUp(await kontor.url(), office.books);

      const { items } = await office.get<List<Sale>>('sales?status=BOOKED');
      const names = Array.from({ length: SALES }, (_, n) => nameOf(n));
      const healed = items.filter(({ externalId }) => externalId !== 'sold');
      expect(healed.map(({ externalId }) => externalId).toSorted()).toEqual(names.toSorted());
      const documents = await office.get<List<{ externalId: string }>>(
        `transactions?type=${code === 'RELATED_SALE_UNKNOWN' ? 'RETURN' : 'INVOICE'}`,
      );
      const booked = documents.items.map(({ externalId }) => externalId).filter((name) => name !== 'sold');
      expect(booked.toSorted()).toEqual(names.toSorted());
      const letters = await office.get<List<Letter>>('platform/dead-letters?status=REPLAYED', office.books.operator);
      expect(letters.items.map(({ resolvedBy }) => resolvedBy)).toEqual(names.map(() => 'system:healing'));
      process.stdout.write(`${code}: after ${KILLS} kills, ${left} of ${SALES} sales still waited\n`);
      await kontor.stop();
    });
  },
  120_000,
);
