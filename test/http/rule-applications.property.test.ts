import fc from 'fast-check';
import type { RuleApplicationRecord } from '../../src/queries/rule-application.queries.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['RUNS'] ?? 8);
const PATIENCE_MS = 20_000;
const CATEGORIES = '/api/transaction-categories';
const WORDS = ['alpha', 'beta'] as const;
const DATES = ['2026-01-10', '2026-02-10', '2026-03-10'] as const;

const someDate = fc.constantFrom(...DATES);
const someWords = fc.subarray([...WORDS]);
const act = fc.constantFrom('choose', 'clear', 'cancel');
const books = fc.record({
  /** Words with a rule that exists before the transactions are recorded. */
  ruled: fc.subarray([...WORDS]),
  entries: fc.array(
    fc.record({ kind: fc.constantFrom('manual', 'sale', 'opening'), words: someWords, date: someDate }),
    {
      minLength: 3,
      maxLength: 14,
    },
  ),
  before: fc.array(fc.tuple(fc.nat(), act), { maxLength: 4 }),
  applied: fc.record({
    word: fc.constantFrom(...WORDS),
    replace: fc.constantFrom('NONE', 'RULE_SET'),
    dateFrom: fc.option(someDate, { nil: undefined }),
  }),
  after: fc.array(fc.tuple(fc.nat(), act), { maxLength: 4 }),
  /**
   * Word of another rule, which is applied before the first rule's changes are undone. Undefined if no other rule is
   * applied.
   */
  again: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
});
type Case = typeof books extends fc.Arbitrary<infer T> ? T : never;

const standing = ({ categoryId, categorizedBy }: TransactionRecord): string =>
  `${categoryId ?? '-'} ${categorizedBy?.ruleId ?? '-'}`;
type Snapshot = ReadonlyMap<string, TransactionRecord>;
const standings = (snapshot: Snapshot): Record<string, string> =>
  Object.fromEntries([...snapshot].map(([id, one]) => [id, standing(one)]));

let service: TestService;
beforeAll(async () => {
  process.stdout.write(`applied rules: SEED=${SEED} RUNS=${RUNS}\n`);
  service = await TestService.start();
});
afterAll(() => service.close());

class Bookkeeping {
  readonly chosen = new Set<string>();
  private count = 0;

  constructor(private readonly books: Books) {}

  private get token(): string {
    return this.books.tenant.token;
  }

  async post(path: string, body: object): Promise<string> {
    const { id, status, told } = await service.post(path, body, this.token);
    if (status !== 201) throw new Error(`${path} ${JSON.stringify(body)}: ${told}`);
    return id;
  }

  async rule(word: string, name: string): Promise<{ ruleId: string; categoryId: string }> {
    const categoryId = await this.post(CATEGORIES, { name });
    return { categoryId, ruleId: await this.post(`${CATEGORIES}/rules`, { categoryId, merchant: word, priority: 0 }) };
  }

  /**
   * Records the transactions. Their customers' names contain the words, because every kind of transaction has a
   * customer.
   */
  async write({ entries }: Case): Promise<void> {
    const accounts = await service.get('/api/accounts?pageNumber=1&pageSize=1&type=CASH', this.token);
    const accountId = (accounts.body as { items: { id: string }[] }).items[0]?.id;
    for (const { kind, words, date } of entries) {
      this.count += 1;
      const name = `${words.join(' ')} number ${this.count}`;
      const opening = { openingBalance: { amount: '5.00', direction: 'IN', date } };
      if (kind === 'sale') {
        const customer = { name, externalId: name };
        await service.sell(this.books.partner, saleOf(name, { customer, occurredAt: `${date}T10:00:00Z` }));
        continue;
      }
      const customerId = await this.post('/api/customers', { name, ...(kind === 'opening' && opening) });
      const facts = { type: 'COLLECTION', date, amount: '5.00', customerId, accountId };
      if (kind === 'manual') await this.post('/api/transactions', facts);
    }
  }

  async snapshot(): Promise<Snapshot> {
    await service.quiet();
    const { items, totalCount } = await service.transactions(this.token);
    expect(items).toHaveLength(totalCount);
    return new Map(items.map((one) => [one.id, one]));
  }

  /** Performs the steps and returns the ids of the transactions that changed. */
  async act(steps: Case['before'], categoryId: string): Promise<Set<string>> {
    const changed = new Set<string>();
    for (const [index, what] of steps) {
      const all = [...(await this.snapshot()).values()].filter(({ reversalOf }) => reversalOf === null);
      const { id } = all[index % all.length] as TransactionRecord;
      if (what === 'cancel') {
        const reply = await service.post(`/api/transactions/${id}/cancel`, { reason: 'Mistake' }, this.token);
        if (reply.status === 201) changed.add(id);
        continue;
      }
      const body = { categoryId: what === 'clear' ? null : categoryId };
      const reply = await service.call('PATCH', `/api/transactions/${id}/category`, { token: this.token, body });
      expect(reply.status).toBe(200);
      this.chosen.add(id);
      changed.add(id);
    }
    return changed;
  }

  async apply(ruleId: string, body: object): Promise<RuleApplicationRecord> {
    const path = `${CATEGORIES}/rules/${ruleId}/apply`;
    const { data: preview } = await service.post(path, body, this.token);
    const { data, told } = await service.post(path, { ...body, dryRun: false }, this.token);
    expect(told).toBe('201');
    const { applicationId } = data as { applicationId: string };
    const ended = await eventually(async () => {
      const { body: page } = await service.get(`${CATEGORIES}/rules/applications`, this.token);
      const { items } = page as { items: RuleApplicationRecord[] };
      return items.find(({ id, status }) => id === applicationId && status !== 'RUNNING');
    }, PATIENCE_MS);
    expect(ended).toMatchObject({ status: 'SUCCEEDED', changed: (preview as { wouldChange: number }).wouldChange });
    return ended;
  }

  async undo(id: string): Promise<unknown> {
    return (await service.post(`${CATEGORIES}/rules/applications/${id}/undo`, {}, this.token)).data;
  }
}

const difference = (a: Snapshot, b: Snapshot): string[] =>
  [...a].filter(([id, one]) => standing(one) !== standing(b.get(id) as TransactionRecord)).map(([id]) => id);

async function check(given: Case): Promise<void> {
  const keeping = new Bookkeeping(await service.openBooks());
  for (const word of given.ruled) await keeping.rule(word, `Live ${word}`);
  const own = await keeping.post(CATEGORIES, { name: 'Chosen' });
  await keeping.write(given);
  await keeping.act(given.before, own);

  const { word, ...request } = given.applied;
  const { ruleId, categoryId } = await keeping.rule(word, 'Applied');
  const before = await keeping.snapshot();
  const chosen = new Set(keeping.chosen);
  const application = await keeping.apply(ruleId, request);
  const applied = await keeping.snapshot();

  // The run must change exactly the transactions that meet these conditions.
  const expected = [...before.values()].filter(
    (one) =>
      (one.customerName ?? '').includes(word) &&
      !chosen.has(one.id) &&
      !one.isCancelled &&
      one.reversalOf === null &&
      one.date >= (request.dateFrom ?? '') &&
      (one.categoryId === null || request.replace === 'RULE_SET'),
  );
  const changed = difference(before, applied);
  expect(changed.toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  for (const id of changed)
    expect(applied.get(id)).toMatchObject({ categoryId, revision: (before.get(id)?.revision ?? 0) + 1 });

  const touched = await keeping.act(given.after, own);
  let second: RuleApplicationRecord | undefined;
  if (given.again) {
    const another = await keeping.rule(given.again, 'Applied again');
    const unlike = await keeping.snapshot();
    second = await keeping.apply(another.ruleId, { replace: 'RULE_SET' });
    for (const id of difference(unlike, await keeping.snapshot())) touched.add(id);
  }

  // An undo must restore exactly the transactions that the run changed and that have not changed since.
  const later = await keeping.snapshot();
  const restored = changed.filter((id) => !touched.has(id));
  const result = { restored: restored.length, kept: changed.length - restored.length };
  expect(await keeping.undo(application.id)).toEqual(result);
  const wanted = { ...standings(later) };
  for (const id of restored) wanted[id] = standing(before.get(id) as TransactionRecord);
  expect(standings(await keeping.snapshot())).toEqual(wanted);
  if (second) await keeping.undo(second.id);
  const finally_ = await keeping.snapshot();
  expect(await keeping.undo(application.id)).toEqual(result);
  expect(standings(await keeping.snapshot())).toEqual(standings(finally_));
}

test('A rule changes exactly the transactions that it may change, and undoing restores exactly these', async () => {
  await fc.assert(fc.asyncProperty(books, check), { seed: SEED, numRuns: RUNS, endOnFailure: true });
}, 300_000);
