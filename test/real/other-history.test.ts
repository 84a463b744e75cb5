import { mkdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import {
  KontorProcess,
  openBooks as openProcessBooks,
  PLAIN,
  postSale,
  statusOf,
  until,
  withDirectory,
} from '../e2e/kontor-process.js';
import { eventually } from '../support/eventually.js';
import { eventStoreRecipe } from '../support/eventstore-server/recipe.js';
import { mongoRecipe } from '../support/mongo-server/recipe.js';
import { ServerProcess, type ServerRecipe } from '../support/server-process.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { countInvoices, expectHistoryToWork, sellTo } from '../support/working-history.js';

const SALES = 60;
const WARNING = 'the read models do not belong to the event store';

/** A server that can be restarted with other data on the same port. */
class ExchangeableServer {
  private constructor(
    private readonly root: string,
    private readonly data: { name: string },
    readonly server: ServerProcess,
  ) {}

  static async start(recipe: ServerRecipe): Promise<ExchangeableServer> {
    const root = await mkdtemp(join(tmpdir(), 'kontor-exchange-'));
    const data = { name: 'first' };
    const args = (port: number) => {
      mkdirSync(join(root, data.name), { recursive: true });
      return recipe.args(port, join(root, data.name));
    };
    return new ExchangeableServer(root, data, await ServerProcess.start({ ...recipe, args }));
  }

  /** Copies the server's current data to a folder with the given name. */
  async copyTo(name: string): Promise<void> {
    await this.server.stop();
    await cp(join(this.root, this.data.name), join(this.root, name), { recursive: true });
    await this.server.start();
  }

  /**
   * Restarts the server with the data in the folder with the given name, or with no data if that folder does not exist.
   */
  async exchange(name: string): Promise<void> {
    await this.server.stop();
    this.data.name = name;
    await this.server.start();
  }

  async dispose(): Promise<void> {
    await this.server.dispose();
    await rm(this.root, { recursive: true, force: true });
  }
}

let store: ExchangeableServer;
let mongo: ExchangeableServer;
beforeAll(async () => {
  mongo = await ExchangeableServer.start(mongoRecipe);
});
afterAll(() => mongo.dispose());

let service: TestService;
let isRunning = false;
beforeEach(async () => {
  isRunning = false;
  store = await ExchangeableServer.start(eventStoreRecipe);
});
afterEach(async () => {
  if (isRunning) await service.close();
  await store.dispose();
});

const startOn = async (environment: Readonly<Record<string, string>>): Promise<void> => {
  service = await TestService.start({ environment: { EVENTSTORE_URL: store.server.url, ...environment } });
  isRunning = true;
};
let databases = 0;
/** Returns settings that select a separate database. */
const withMongo = () => ({ MONGODB_URL: `${mongo.server.url}_${(databases += 1)}` });

async function deleteAll(url: string): Promise<void> {
  const client = new MongoClient(url);
  for (const collection of await client.db().collections()) await collection.deleteMany({});
  await client.close();
}

const sell = (books: Books, prefix: string, count: number): Promise<void> => sellTo(service, books, prefix, count);
const expectToWork = (books: Books): Promise<void> => expectHistoryToWork(service, books, SALES);
const invoicesOf = (books: Books): Promise<number> => countInvoices(service, books);

const isReady = async (): Promise<boolean> => (await service.get('/readyz')).status === 200;
const warnings = (): string[] => service.complaints.filter((line) => line.includes(WARNING));

/** Starts a service with five sales. `reasons` receives the reason why the service must end. */
async function watchedOn(environment: Readonly<Record<string, string>>) {
  await startOn(environment);
  const books = await service.openBooks();
  await sell(books, 'old', 5);
  await service.quiet();
  await eventually(isReady, 20_000);
  const reasons: string[] = [];
  service.service.engines.history.onReplaced((reason) => reasons.push(reason));
  return { books, reasons };
}

test('Read models in MongoDB built from another EventStoreDB are left untouched, and new ones are built', async () => {
  await startOn(withMongo());
  await sell(await service.openBooks(), 'old', 10);
  await service.quiet();
  service.complaints.length = 0;
  await service.restart(() => store.exchange('second'));
  expect(warnings()).toHaveLength(1);
  await eventually(isReady, 20_000);
  service.forgetOperator();
  const books = await service.openBooks();
  expect(await invoicesOf(books)).toBe(0);
  await expectToWork(books);
  // On the next start, the service must recognize the new read models.
  service.complaints.length = 0;
  await service.restart();
  expect(warnings()).toEqual([]);
  expect(await invoicesOf(books)).toBe(SALES);
});

test('Read models in MongoDB from a Kontor without history ids are adopted without a rebuild', async () => {
  const environment = withMongo();
  await startOn(environment);
  const books = await service.openBooks();
  await sell(books, 'old', 5);
  await service.quiet();
  service.complaints.length = 0;
  await service.restart(async () => {
    const client = new MongoClient(environment.MONGODB_URL);
    await client.db().collection('histories_v1_g1').drop();
    await client.close();
  });
  expect(warnings()).toEqual([]);
  expect(service.service.engines.history.space).toBe('');
  expect(await invoicesOf(books)).toBe(5);
  await expectToWork(books);
});

test('Embedded read models ahead of their EventStoreDB are rebuilt from it', async () => {
  await startOn({});
  const books = await service.openBooks();
  await sell(books, 'early', 5);
  await service.quiet();
  await store.copyTo('copy');
  await eventually(isReady, 20_000);
  await sell(books, 'late', 10);
  await service.quiet();
  service.complaints.length = 0;
  await service.restart(() => store.exchange('copy'));
  expect(warnings()).toHaveLength(1);
  await eventually(isReady, 20_000);
  expect(await invoicesOf(books)).toBe(5);
  await expectToWork(books);
});

test('A process whose EventStoreDB is replaced is not ready, serves nothing old, and rebuilds at its next start', async () => {
  const { books, reasons } = await watchedOn(withMongo());
  await store.exchange('second');
  await eventually(() => reasons.length > 0, 20_000);
  expect(reasons).toEqual([expect.stringContaining('The event store was replaced: it contains the history (none)')]);
  expect(await isReady()).toBe(false);
  const { token } = books.tenant;
  const asked = [
    await service.get('/api/transactions?pageNumber=1&pageSize=1', token),
    await service.post('/api/customers', { name: 'Nobody' }, token),
    await service.postSale(books.partner, saleOf('lost')),
  ];
  expect(asked.map(({ status }) => status)).not.toContain(200);
  expect(asked.map(({ status }) => status)).not.toContain(202);
  service.complaints.length = 0;
  await service.restart();
  expect(warnings()).toHaveLength(1);
  await eventually(isReady, 20_000);
  service.forgetOperator();
  await expectToWork(await service.openBooks());
});

test.each([
  ['is emptied', deleteAll],
  ['restarts without its data', () => mongo.exchange('empty')],
])('A process whose MongoDB %s is not ready, and the next start builds new read models', async (_, empty) => {
  const environment = withMongo();
  const { books, reasons } = await watchedOn(environment);
  await empty(environment.MONGODB_URL);
  await eventually(() => reasons.length > 0, 20_000);
  expect(reasons).toEqual(['The read models were removed from the read store']);
  expect(await isReady()).toBe(false);
  service.complaints.length = 0;
  await service.restart();
  expect(warnings()).toEqual([expect.stringContaining('they were removed')]);
  await eventually(isReady, 20_000);
  expect(await invoicesOf(books)).toBe(5);
  await expectToWork(books);
});

test('A process ends with one line that gives the reason when its EventStoreDB is replaced, and the next one rebuilds', async () => {
  await withDirectory(async (directory) => {
    const settings = { ...PLAIN, EVENTSTORE_URL: store.server.url };
    const first = await KontorProcess.ready(directory, settings);
    await openProcessBooks(await first.url());
    await store.exchange('second');
    expect((await first.exit).code).toBe(1);
    const told = first.stderr.split('\n').filter((line) => line.includes('The event store was replaced'));
    expect(told).toEqual([expect.stringContaining('Kontor is exiting. The next start rebuilds the read models.')]);
    const next = await KontorProcess.ready(directory, settings);
    const url = await next.url();
    expect(next.stdout.split('\n').filter((line) => line.includes(WARNING))).toHaveLength(1);
    const books = await openProcessBooks(url);
    expect((await postSale(url, books, 'new')).status).toBe(202);
    await until(
      () => statusOf(url, books, 'new'),
      (status) => status === 'BOOKED',
    );
  });
});
