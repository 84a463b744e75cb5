import fc from 'fast-check';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { TestService, type Books } from '../support/service.js';

const RULES = '/api/transaction-categories/rules';
const WORDS = ['coffee', 'Rent', 'Ada', 'deposit', 'tea'];
const AMOUNTS = ['1.00', '4.99', '5.00', '5.01', '20.00'];

let service: TestService;
let books: Books;
let token: string;
let categories: string[];
/** Ids of Cash, Bank, an expense item and a supplier, followed by two customers whose names occur in rules. */
let accounts: string[];
const NAMES = ['Ada Tea', 'Rent & Co'];

beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
  const made = async (path: string, body: object) => (await service.post(path, body, token)).id;
  const directions = ['BOTH', 'IN', 'OUT'];
  categories = await Promise.all(
    directions.map((direction) => made('/api/transaction-categories', { name: `Category ${direction}`, direction })),
  );
  const types = ['CASH', 'BANK', 'EXPENSE', 'SUPPLIER'];
  accounts = await Promise.all(types.map((type) => made('/api/accounts', { type, name: `Account ${type}` })));
  for (const name of NAMES) accounts.push(await made('/api/customers', { name }));
});
afterAll(() => service.close());

const word = fc.constantFrom(...WORDS);
const sentence = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
/** Usually generates undefined, because a rule with many conditions would match nothing. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const rules = fc.array(
  fc.record({
    category: fc.nat(2),
    text: fc.oneof(fc.record({ keyword: word }), fc.record({ merchant: word })),
    matchType: rarely(fc.constantFrom('EXACT', 'STARTS_WITH')),
    direction: rarely(fc.constantFrom('IN', 'OUT')),
    amountMin: rarely(fc.constantFrom(...AMOUNTS)),
    amountMax: rarely(fc.constantFrom(...AMOUNTS)),
    account: rarely(fc.nat(5)),
    priority: fc.integer({ min: 99, max: 101 }),
    isEnabled: rarely(fc.constant(false)),
  }),
  { minLength: 3, maxLength: 8 },
);
const entries = fc.array(
  fc.record({
    kind: fc.constantFrom('COLLECTION', 'PAYMENT', 'SUPPLIER', 'EXPENSE', 'TRANSFER', 'ADJUSTMENT', 'JOURNAL'),
    amount: fc.constantFrom(...AMOUNTS),
    description: fc.option(sentence),
    customer: fc.nat(1),
    direction: fc.constantFrom('IN', 'OUT'),
  }),
  { minLength: 1, maxLength: 6 },
);
type Entry = (typeof entries extends fc.Arbitrary<infer All extends readonly unknown[]> ? All : never)[number];

function bodyOf({ kind, amount, description, customer, direction }: Entry): object {
  const [cash, bank, expense, supplier] = accounts;
  const customerId = accounts[4 + customer];
  const facts = { date: '2026-03-01', amount, ...(description !== null && { description }) };
  switch (kind) {
    case 'COLLECTION':
      return { type: 'COLLECTION', accountId: cash, customerId, ...facts };
    case 'PAYMENT':
      return { type: 'PAYMENT', accountId: bank, customerId, ...facts };
    case 'SUPPLIER':
      return { type: 'PAYMENT', accountId: bank, counterAccountId: supplier, ...facts };
    case 'EXPENSE':
      return { type: 'PAYMENT', accountId: cash, expenseItemId: expense, ...facts };
    case 'TRANSFER':
      return { type: 'TRANSFER', accountId: cash, counterAccountId: bank, ...facts };
    case 'JOURNAL': {
      const lines = [
        { accountId: bank, debit: amount },
        { accountId: customerId, credit: amount },
      ];
      return { type: 'JOURNAL', lines, ...facts, amount: undefined };
    }
    default:
      return { type: 'ADJUSTMENT', customerId, direction, ...facts };
  }
}

/** Returns the facts of a recorded transaction as input for the rule test. */
function described(live: TransactionRecord): object {
  const { type, description, direction, amount, customerName, postings } = live;
  const { accountId, counterAccountId, expenseItemId, customerId } = live;
  const chosen = [accountId, counterAccountId, expenseItemId, customerId].filter((id) => id !== null);
  return {
    amount,
    accountIds: type === 'JOURNAL' ? postings.map((posting) => posting.accountId) : chosen,
    ...(description !== null && { description }),
    ...(direction !== null && { direction }),
    ...(customerName !== null && { merchant: customerName }),
  };
}

test('The test of rules finds the rule that categorized a recorded transaction', async () => {
  let matched = 0;
  await fc.assert(
    fc.asyncProperty(rules, entries, async (drafts, recorded) => {
      const made: string[] = [];
      for (const { category, account, text, ...rule } of drafts) {
        const accountId = account === undefined ? {} : { accountId: accounts[account] };
        const reply = await service.post(
          RULES,
          { categoryId: categories[category], ...accountId, ...text, ...rule },
          token,
        );
        // Skips drafts that cannot become rules.
        if (reply.status === 201) made.push(reply.id);
      }
      for (const entry of recorded) {
        const { id } = await service.post('/api/transactions', bodyOf(entry), token);
        const live = (await service.get(`/api/transactions/${id}`, token)).data as TransactionRecord;
        const tried = (await service.post(`${RULES}/test`, described(live), token)).data as {
          readonly matched: boolean;
          readonly rule: { readonly id: string } | null;
          readonly category: { readonly id: string } | null;
        };
        const ruleId = live.categorizedBy?.ruleId ?? null;
        expect([tried.rule?.id ?? null, tried.category?.id ?? null, tried.matched]).toEqual([
          ...[ruleId, live.categoryId],
          ruleId !== null,
        ]);
        matched += Number(ruleId !== null);
      }
      for (const id of made) await service.call('DELETE', `${RULES}/${id}`, { token });
    }),
    { numRuns: 25 },
  );
  expect(matched).toBeGreaterThan(5);
});
