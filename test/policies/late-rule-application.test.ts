import { category as categoryAggregate, presentCategory } from '../../src/aggregates/category.aggregate.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { categorizeSaleTransaction, sale } from '../../src/aggregates/sale.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { RuleApplicationPolicy } from '../../src/policies/rule-application.policy.js';
import { RuleApplicationReader } from '../../src/queries/rule-application.reader.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { elsewhere, replicaOn } from '../support/elsewhere.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const RULES = '/api/transaction-categories/rules';
const PATIENCE_MS = 10_000;

let service: TestService;
let books: Books;
let store: FaultyEventStore;
beforeAll(async () => {
  service = await TestService.start({
    between: (engines) => {
      store = new FaultyEventStore(engines.events);
      return { ...engines, events: store };
    },
  });
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const create = async (path: string, body: object): Promise<string> =>
  (await service.post(path, body, books.tenant.token)).id;
async function ruleFor(category: string): Promise<string> {
  const categoryId = await create('/api/transaction-categories', { name: category });
  return create(RULES, { categoryId, keyword: 'coffee' });
}
async function apply(ruleId: string): Promise<string> {
  const body = { dryRun: false, replace: 'RULE_SET' };
  const { data } = await service.post(`${RULES}/${ruleId}/apply`, body, books.tenant.token);
  return (data as { applicationId: string }).applicationId;
}

/** Completes a rule application on another replica. */
async function completeElsewhere(applicationId: string): Promise<void> {
  const { app, engines } = service.service;
  const { reader, runner } = replicaOn({ ...engines, events: store.inner });
  const policy = new RuleApplicationPolicy(runner, reader, app.get(RuleApplicationReader));
  const stream = streamName('rule-application', books.tenant.id, applicationId);
  for (const event of (await store.inner.readStream(stream)).events)
    await policy.react(catalogue.decode(event) as never);
}

type Shown = Pick<TransactionRecord, 'id' | 'documentEffect' | 'categoryName'>;

test('A replaced leader does not override the category that a later application has assigned', async () => {
  const own = await create('/api/transaction-categories', { name: 'Own' });
  await service.sell(books.partner, saleOf('coffee', { payments: [{ method: 'CASH', amount: '10.00' }] }));
  const [first, second] = [await ruleFor('First'), await ruleFor('Second')];
  await service.quiet();
  const transactions = async (): Promise<readonly Shown[]> => (await service.transactions(books.tenant.token)).items;
  const categories = async () => (await transactions()).map(({ categoryName }) => categoryName).toSorted();
  const collection = (await transactions()).find(({ documentEffect }) => documentEffect === null);

  const tenantId = books.tenant.id;
  const id = saleId(tenantId, books.partner.sourceId, 'coffee');
  const stream = streamName('sale', tenantId, id);
  const pause = store.pauseAppendTo(stream);
  const earlier = await apply(first);
  await pause.reached;
  // The next leader changes the sale at another revision, so its events differ from the first leader's events.
  await elsewhere(
    service.service.engines,
    async ({ runner, reader }) => {
      const category = presentCategory((await reader.read(categoryAggregate, tenantId, own)).state);
      const choice = { transactionId: collection?.id ?? '', categoryId: own, category };
      await runner.execute(sale, { tenantId, id }, choice, categorizeSaleTransaction);
    },
    tenantId,
  );
  await completeElsewhere(earlier);
  await service.quiet();
  expect(await categories()).toEqual(['First', 'Own']);
  await completeElsewhere(await apply(second));
  await service.quiet();
  expect(await categories()).toEqual(['Own', 'Second']);

  const events = async () => (await store.inner.readStream(stream)).events.map(({ type }) => type);
  const before = await events();
  pause.resume();
  const { checkpoints } = service.service.engines;
  const head = await store.inner.head();
  await eventually(async () => (await checkpoints.load('rule-application')) >= head, PATIENCE_MS);
  await service.quiet();
  expect(await events()).toEqual(before);
  expect(await categories()).toEqual(['Own', 'Second']);
});
