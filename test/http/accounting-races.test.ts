import { setTimeout as delay } from 'node:timers/promises';
import { RestorationPolicy, RestorationWatch } from '../../src/policies/restoration.policy.js';
import type { AccountRecord } from '../../src/queries/account.queries.js';
import { LateWriter } from '../support/late-writer.js';
import { mulberry32 } from '../support/manual-clock.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/** Number of runs of each race. In the first two runs, the two requests do not overlap. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 24);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const AT_ONCE = 6;
const MAX_HEAD_START_MS = 12;
const TIMEOUT_MS = 120_000;

let service: TestService;
let books: Books;
let late: LateWriter;
let cash: string;
let bank: string;
const token = (): string => books.tenant.token;

beforeAll(async () => {
  process.stdout.write(`accounting races: SEED=${SEED} ROUNDS=${ROUNDS}\n`);
  service = await TestService.start();
  books = await service.openBooks();
  late = new LateWriter(service, books.tenant.id);
  const accounts = await accountList();
  cash = accounts.find(({ name }) => name === 'Cash')?.id ?? '';
  bank = accounts.find(({ name }) => name === 'Bank')?.id ?? '';
});
afterAll(() => service.close());

const accountList = async (): Promise<AccountRecord[]> =>
  ((await service.get('/api/accounts?pageNumber=1&pageSize=100', token())).body as { items: AccountRecord[] }).items;
const create = async (path: string, body: object): Promise<string> =>
  (await service.post(`/api/${path}`, body, token())).id;
const remove = async (path: string): Promise<string> =>
  (await service.call('DELETE', `/api/${path}`, { token: token() })).told;
const change = async (path: string, body: object): Promise<string> =>
  (await service.call('PATCH', `/api/${path}`, { token: token(), body })).told;
const record = async (body: object): Promise<string> =>
  (await service.post('/api/transactions', { date: '2026-03-04', amount: '100.00', ...body }, token())).told;
const collect = (customerId: string): Promise<string> =>
  record({ type: 'COLLECTION', customerId, accountId: cash, description: 'Race' });
/** Pushes a sale. Resolves with its final status and, for a rejection, the code. */
async function sell(facts: object): Promise<string> {
  const sale = saleOf(service.fresh('race'), facts);
  await service.postSale(books.partner, sale);
  const { status, rejection } = await service.settled(books.partner, sale.externalId);
  return rejection === null ? status : `${status} ${rejection.code}`;
}

type Shown = { status: string; isActive: boolean; balance: { amount: string } };
const shown = async (path: string): Promise<Shown | undefined> => {
  const reply = await service.get(`/api/${path}`, token());
  return reply.status === 404 ? undefined : (reply.data as Shown);
};

type Sides = {
  readonly left: () => Promise<string>;
  readonly right: () => Promise<string>;
  /** Called with both responses once no work is pending. */
  readonly check: (answers: string) => Promise<void>;
};

/**
 * Runs a race ROUNDS times with random head starts. Several races run at once. Returns the distinct pairs of responses.
 */
async function raced(prepare: () => Promise<Sides>): Promise<string[]> {
  const random = mulberry32(SEED);
  const seen = new Set<string>();
  const round = async (index: number): Promise<void> => {
    const { left, right, check } = await prepare();
    const starts = [random() * MAX_HEAD_START_MS, random() * MAX_HEAD_START_MS] as const;
    const answers: string[] = [];
    if (index === 0) answers.push(await left(), await right());
    else if (index === 1) {
      const second = await right();
      answers.push(await left(), second);
    } else answers.push(...(await Promise.all([delay(starts[0]).then(left), delay(starts[1]).then(right)])));
    await restored();
    await check(answers.join(' | '));
    seen.add(answers.join(' | '));
  };
  for (let from = 0; from < ROUNDS; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ROUNDS - from) }, (_, index) => round(from + index)));
  return [...seen].sort();
}

/** Resolves when all consequences of the stored events are stored and readable. */
async function restored(): Promise<void> {
  const { events, checkpoints } = service.service.engines;
  const { name } = service.service.app.get(RestorationPolicy);
  const endMs = performance.now() + 20_000;
  await service.quiet();
  const head = await events.head();
  while ((await checkpoints.load(name)) < head && performance.now() < endMs) await delay(10);
  await service.service.app.get(RestorationWatch).look();
  await service.quiet();
}

const within = (allowed: readonly string[], seen: readonly string[]): void => {
  expect(seen.filter((answers) => !allowed.includes(answers))).toEqual([]);
};

describe('A customer deleted concurrently', () => {
  test(
    'with a transaction keeps the transaction, or is deleted',
    async () => {
      const seen = await raced(async () => {
        const id = await create('customers', { name: 'Ada' });
        return {
          left: () => remove(`customers/${id}`),
          right: () => collect(id),
          check: async (answers) => {
            const customer = await shown(`customers/${id}`);
            expect([answers, customer?.balance.amount]).toEqual([
              answers,
              answers.endsWith('| 201') ? '-100.00' : undefined,
            ]);
          },
        };
      });
      within(['201 | 404 NOT_FOUND customerId', '409 CUSTOMER_HAS_TRANSACTIONS | 201', '201 | 201'], seen);
      expect(seen).toEqual(
        expect.arrayContaining(['201 | 404 NOT_FOUND customerId', '409 CUSTOMER_HAS_TRANSACTIONS | 201']),
      );
    },
    TIMEOUT_MS,
  );

  test.each([
    ['by its code', (code: string) => ({ code })],
    ['by its link', (_: string, externalId: string) => ({ externalId })],
    ['by its e-mail address', (_: string, externalId: string) => ({ email: `${externalId}@kontor.test` })],
  ])(
    'with a sale, found %s, keeps the sale, or another customer gets it',
    async (_, found) => {
      const seen = await raced(async () => {
        const [code, externalId] = [service.fresh('code'), service.fresh('shopper')];
        const name = service.fresh('sold');
        const id = await create('customers', { name, code, email: `${externalId}@kontor.test` });
        await late.linkCustomer(id, books.partner.sourceId, externalId);
        return {
          left: () => remove(`customers/${id}`),
          right: () => sell({ customer: { name, ...found(code, externalId) } }),
          check: async (answers) => {
            const { items } = await service.customers(token(), `search=${name}&status=ALL`);
            const isOwn = items.some((customer) => customer.id === id);
            // Regardless of which request created the customer, only one customer has that name, and that customer owes
            // the sale amount.
            expect([answers, items.map(({ balance }) => balance.amount)]).toEqual([answers, ['100.00']]);
            if (answers.startsWith('409')) expect(isOwn).toBe(true);
          },
        };
      });
      within(['201 | BOOKED', '409 CUSTOMER_HAS_TRANSACTIONS | BOOKED'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
});

test(
  'An account becomes the default or is deactivated concurrently, never both',
  async () => {
    const seen = await raced(async () => {
      const id = await create('accounts', { type: 'EMPLOYEE', name: 'Till' });
      return {
        left: () => change(`accounts/${id}`, { isDefault: true }),
        right: () => change(`accounts/${id}`, { isActive: false }),
        check: async (answers) => {
          const found = await shown(`accounts/${id}`);
          expect([answers, found?.isActive]).toEqual([answers, !answers.endsWith('| 201')]);
        },
      };
    });
    within(['201 | 409 DEFAULT_ACCOUNT', '409 ACCOUNT_INACTIVE | 201', '201 | 201'], seen);
    expect(seen).toEqual(expect.arrayContaining(['201 | 409 DEFAULT_ACCOUNT', '409 ACCOUNT_INACTIVE | 201']));
  },
  TIMEOUT_MS,
);

describe('An account deleted concurrently', () => {
  test(
    'with a transaction keeps the transaction, or is deleted',
    async () => {
      const seen = await raced(async () => {
        const id = await create('accounts', { type: 'BANK', name: 'Savings' });
        return {
          left: () => remove(`accounts/${id}`),
          right: () => record({ type: 'TRANSFER', accountId: cash, counterAccountId: id }),
          check: async (answers) => {
            const account = await shown(`accounts/${id}`);
            expect([answers, account?.balance.amount]).toEqual([
              answers,
              answers.endsWith('| 201') ? '100.00' : undefined,
            ]);
          },
        };
      });
      within(['201 | 404 NOT_FOUND counterAccountId', '409 ACCOUNT_HAS_TRANSACTIONS | 201', '201 | 201'], seen);
      expect(seen.length).toBeGreaterThanOrEqual(2);
    },
    TIMEOUT_MS,
  );

  test(
    'with a payment of a sale keeps the payment, or the sale is rejected',
    async () => {
      const seen = await raced(async () => {
        const code = service.fresh('till');
        const id = await create('accounts', { type: 'CASH', name: 'Till', code });
        return {
          left: () => remove(`accounts/${id}`),
          right: () => sell({ payments: [{ method: 'CASH', amount: '100.00', accountCode: code }] }),
          check: async (answers) => {
            const account = await shown(`accounts/${id}`);
            expect([answers, account?.balance.amount]).toEqual([
              answers,
              answers.endsWith('BOOKED') ? '100.00' : undefined,
            ]);
          },
        };
      });
      within(['201 | REJECTED ACCOUNT_UNKNOWN', '409 ACCOUNT_HAS_TRANSACTIONS | BOOKED', '201 | BOOKED'], seen);
      expect(seen.length).toBeGreaterThanOrEqual(2);
    },
    TIMEOUT_MS,
  );
});

describe('A record closed concurrently with a transaction', () => {
  test(
    'a passive customer gets the transaction, or it is rejected',
    async () => {
      const seen = await raced(async () => {
        const id = await create('customers', { name: 'Ada' });
        return {
          left: () => change(`customers/${id}`, { status: 'PASSIVE' }),
          right: () => collect(id),
          check: async (answers) => {
            const amount = answers.endsWith('| 201') ? '-100.00' : '0.00';
            expect(await shown(`customers/${id}`)).toMatchObject({ status: 'PASSIVE', balance: { amount } });
          },
        };
      });
      within(['201 | 409 CUSTOMER_PASSIVE', '201 | 201'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'a passive customer gets the sale, or it is rejected',
    async () => {
      const seen = await raced(async () => {
        const code = service.fresh('code');
        const id = await create('customers', { name: 'Ada', code });
        return {
          left: () => change(`customers/${id}`, { status: 'PASSIVE' }),
          right: () => sell({ customer: { name: 'Ada', code } }),
          check: async (answers) => {
            const amount = answers.endsWith('BOOKED') ? '100.00' : '0.00';
            expect(await shown(`customers/${id}`)).toMatchObject({ status: 'PASSIVE', balance: { amount } });
          },
        };
      });
      within(['201 | REJECTED CUSTOMER_PASSIVE', '201 | BOOKED'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'an inactive account gets the transaction, or it is rejected',
    async () => {
      const seen = await raced(async () => {
        const id = await create('accounts', { type: 'BANK', name: 'Savings' });
        return {
          left: () => change(`accounts/${id}`, { isActive: false }),
          right: () => record({ type: 'TRANSFER', accountId: cash, counterAccountId: id }),
          check: async (answers) => {
            const amount = answers.endsWith('| 201') ? '100.00' : '0.00';
            expect(await shown(`accounts/${id}`)).toMatchObject({ isActive: false, balance: { amount } });
          },
        };
      });
      within(['201 | 409 ACCOUNT_INACTIVE', '201 | 201'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'an archived category is assigned, or rejected',
    async () => {
      const seen = await raced(async () => {
        const id = await create('transaction-categories', { name: service.fresh('category') });
        return {
          left: () => remove(`transaction-categories/${id}`),
          right: () => record({ type: 'TRANSFER', accountId: cash, counterAccountId: bank, categoryId: id }),
          check: async (answers) => {
            const { totalCount } = await service.transactions(token(), `categoryId=${id}`);
            expect([answers, totalCount]).toEqual([answers, answers.endsWith('| 201') ? 1 : 0]);
          },
        };
      });
      within(['200 | 409 CATEGORY_ARCHIVED', '200 | 201'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'an inactive branch gets the transaction, or it is rejected',
    async () => {
      const seen = await raced(async () => {
        const id = await create('branches', { code: service.fresh('b'), name: 'Branch' });
        return {
          left: () => change(`branches/${id}`, { isActive: false }),
          right: () => record({ type: 'TRANSFER', accountId: cash, counterAccountId: bank, branchId: id }),
          check: async (answers) => {
            const { totalCount } = await service.transactions(token(), `branchId=${id}`);
            expect([answers, totalCount]).toEqual([answers, answers.endsWith('| 201') ? 1 : 0]);
          },
        };
      });
      within(['200 | 409 BRANCH_INACTIVE', '200 | 201'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'an inactive branch gets the sale, or it is rejected',
    async () => {
      const seen = await raced(async () => {
        const branchCode = service.fresh('b');
        const id = await create('branches', { code: branchCode, name: 'Branch' });
        return {
          left: () => change(`branches/${id}`, { isActive: false }),
          right: () => sell({ branchCode }),
          check: async (answers) => {
            const { totalCount } = await service.transactions(token(), `branchId=${id}`);
            expect([answers, totalCount]).toEqual([answers, answers.endsWith('BOOKED') ? 1 : 0]);
          },
        };
      });
      within(['200 | REJECTED BRANCH_UNKNOWN', '200 | BOOKED'], seen);
      expect(seen).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
});

describe('After all these races', () => {
  test('debits equal credits, and every record with postings exists', async () => {
    await restored();
    const { rows, totalDebit, totalCredit } = await service.trialBalance(token());
    expect(totalDebit).toBe(totalCredit);
    expect(rows.length).toBeGreaterThan(10);
    for (const { accountId } of rows)
      expect([accountId, (await service.get(`/api/accounts/${accountId}`, token())).status]).toEqual([accountId, 200]);
  });

  test('no warning is logged', () => {
    expect(service.complaints).toEqual([]);
  });
});
