import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { POLICY_NAMES } from '../../src/aggregates/policy.aggregate.js';
import { POLICIES } from '../../src/policies/policies.js';
import type { Policy } from '../../src/eventsourcing/policy.js';
import { filledKey } from '../../src/projecting/read-model-readiness.js';
import { projections } from '../../src/projections/projections.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { countInvoices, expectHistoryToWork, sellTo } from '../support/working-history.js';

const SALES = 30;
const WARNING = 'the read models do not belong to the event store';

let begin: (() => Promise<void>) | undefined;
let isHeld = false;
let service: TestService;
let copies: string;
beforeEach(async () => {
  isHeld = false;
  copies = await mkdtemp(join(tmpdir(), 'kontor-copies-'));
  service = await TestService.start({
    environment: { READ_WAIT_MS: '50' },
    between: (engines) => ({
      ...engines,
      startSubscribers: (callbacks) => {
        begin = () => engines.startSubscribers(callbacks);
        return isHeld ? Promise.resolve() : begin();
      },
    }),
  });
});
afterEach(async () => {
  await service.close();
  await rm(copies, { recursive: true, force: true });
});

const filesOf = async (directory: string, name: string): Promise<string[]> =>
  (await readdir(directory)).filter((file) => file.startsWith(name));

/** Ignores files that a connection of the stopped service removes meanwhile, when it is garbage-collected. */
const remove = async (name: string): Promise<void> => {
  for (const file of await filesOf(service.directory, name)) await rm(join(service.directory, file), { force: true });
};

/**
 * Copies the database file before its write-ahead log, so that the copy is consistent even while the service is
 * running. Starts again if a connection of a stopped service is closed meanwhile, because that removes the log.
 */
async function copy(name: string, to = copies): Promise<void> {
  try {
    for (const file of await filesOf(service.directory, name))
      await copyFile(join(service.directory, file), join(to, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await copy(name, to);
  }
}

async function putBack(name: string): Promise<void> {
  await remove(name);
  for (const file of await filesOf(copies, name)) await copyFile(join(copies, file), join(service.directory, file));
}

const sell = (books: Books, prefix: string, count: number): Promise<void> => sellTo(service, books, prefix, count);
const expectToWork = (books: Books): Promise<void> => expectHistoryToWork(service, books, SALES);
const invoicesOf = (books: Books): Promise<number> => countInvoices(service, books);

/**
 * Restarts the service on the data that `meanwhile` leaves behind. Pauses the rebuild until the test has verified that
 * the service returns no old data.
 */
async function startOn(meanwhile: () => Promise<void>): Promise<void> {
  service.complaints.length = 0;
  await service.restart(async () => {
    await meanwhile();
    isHeld = true;
  });
  expect(service.complaints.filter((line) => line.includes(WARNING))).toHaveLength(1);
}

async function rebuild(): Promise<void> {
  await begin?.();
  await eventually(async () => (await service.get('/readyz')).status === 200, 20_000);
}

/** Copies a history with five sales to `copies`. The service's own history then continues to fifteen sales. */
async function twoHistories(): Promise<Books> {
  const books = await service.openBooks();
  await sell(books, 'early', 5);
  await service.quiet();
  await copy('history.sqlite');
  await sell(books, 'late', 10);
  await service.quiet();
  return books;
}

test('A directory copied while the service writes is rebuilt from its history', async () => {
  const books = await twoHistories();
  await copy('models.sqlite');
  await copy('broker.sqlite');
  await startOn(async () => {
    for (const name of ['history.sqlite', 'models.sqlite', 'broker.sqlite']) await putBack(name);
  });
  expect((await service.get('/readyz')).status).toBe(503);
  const read = await service.get('/api/transactions?pageNumber=1&pageSize=1', await service.signIn(books.tenant.email));
  expect(read.status).toBe(503);
  await rebuild();
  expect(await invoicesOf(books)).toBe(5);
  await expectToWork(books);
  expect(await invoicesOf(books)).toBe(5 + SALES);
});

test('Read models ahead of an older history are rebuilt from it', async () => {
  const books = await twoHistories();
  await startOn(() => putBack('history.sqlite'));
  expect((await service.get('/readyz')).status).toBe(503);
  await rebuild();
  expect(await invoicesOf(books)).toBe(5);
  await expectToWork(books);
});

test('Without its history file the service starts a new history with new read models', async () => {
  await twoHistories();
  await startOn(() => remove('history.sqlite'));
  // The new history is empty, so its rebuild ends immediately.
  await rebuild();
  service.forgetOperator();
  const books = await service.openBooks();
  expect(await invoicesOf(books)).toBe(0);
  await expectToWork(books);
});

test('An older history that has outgrown the read models is recognized by its events', async () => {
  const books = await twoHistories();
  // Simulates another installation, which continues the copied history without these read models. The copied history
  // becomes longer than the history from which the read models were built.
  await service.restart(async () => {
    await copy('models.sqlite');
    await remove('models.sqlite');
    await putBack('history.sqlite');
  });
  await sell(books, 'elsewhere', 30);
  await service.quiet();
  await startOn(() => putBack('models.sqlite'));
  expect(service.complaints.join()).toContain('the history lacks the event');
  await rebuild();
  expect(await invoicesOf(books)).toBe(35);
  await expectToWork(books);
});

test('Policies book sales of the history that lost read models did not contain', async () => {
  const books = await service.openBooks();
  await sell(books, 'early', 3);
  await copy('history.sqlite');
  await sell(books, 'late', 20);
  await service.quiet();
  await startOn(() => putBack('history.sqlite'));
  const accepted = await service.postSale(books.partner, saleOf('during'));
  expect(accepted.status).toBe(202);
  await rebuild();
  expect((await service.settled(books.partner, 'during')).status).toBe('BOOKED');
});

test('A restart on the same history rebuilds nothing', async () => {
  const books = await service.openBooks();
  await sell(books, 'one', 2);
  await service.quiet();
  const { history } = service.service.engines;
  const before = history.known;
  service.complaints.length = 0;
  await service.restart();
  expect(service.service.engines.history.known).toEqual(before);
  expect(before.space).toBe('');
  expect(service.complaints.filter((line) => line.includes(WARNING))).toEqual([]);
  expect(await invoicesOf(books)).toBe(2);
});

test('The checkpoints of all subscribers are compared', () => {
  const names = service.service.app.get<readonly Policy[]>(POLICIES).map(({ name }) => name);
  expect([...names].toSorted()).toEqual([...POLICY_NAMES].toSorted());
});

describe('Data of a Kontor without history ids', () => {
  /** Converts the files to the format of versions without history ids. */
  async function withoutIds(): Promise<void> {
    for (const [file, table] of [
      ['history.sqlite', 'kontor_history'],
      ['models.sqlite', 'histories_v1_g1'],
    ] as const) {
      const db = new DatabaseSync(join(service.directory, file));
      db.exec(file === 'history.sqlite' ? `DROP TABLE ${table}` : `DELETE FROM ${table}`);
      db.close();
    }
    return Promise.resolve();
  }

  test('is adopted without a rebuild if its checkpoints match the history', async () => {
    const books = await service.openBooks();
    await sell(books, 'old', 3);
    await service.quiet();
    // The service records within a second that the read models are complete.
    await eventually(async () => {
      const keys = projections.map(({ model }) => filledKey(model));
      return (await service.service.engines.reads.checkpoints(keys)).every((position) => position >= 0);
    }, 10_000);
    service.complaints.length = 0;
    await service.restart(async () => {
      await withoutIds();
      isHeld = true;
    });
    expect(service.complaints.filter((line) => line.includes(WARNING))).toEqual([]);
    // No component is running that could build new read models.
    expect(await invoicesOf(books)).toBe(3);
    const { reads, history } = service.service.engines;
    expect(history.space).toBe('');
    expect(await reads.checkpoint('subscriber:booking')).toBeGreaterThan(0);
    await begin?.();
    await expectToWork(books);
  });

  test('is rebuilt if its checkpoints are beyond the end of the history', async () => {
    const books = await twoHistories();
    await startOn(async () => {
      await putBack('history.sqlite');
      await withoutIds();
    });
    await rebuild();
    expect(await invoicesOf(books)).toBe(5);
    await expectToWork(books);
  });

  test('is rebuilt if the history has another event at the position of the newest audit log entry', async () => {
    const books = await twoHistories();
    await service.restart(async () => {
      await copy('models.sqlite');
      await remove('models.sqlite');
      await putBack('history.sqlite');
    });
    await sell(books, 'elsewhere', 30);
    await service.quiet();
    await startOn(async () => {
      await putBack('models.sqlite');
      await withoutIds();
    });
    await rebuild();
    expect(await invoicesOf(books)).toBe(35);
  });
});
