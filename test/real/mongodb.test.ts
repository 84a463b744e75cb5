import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { MongoClient, type Document } from 'mongodb';
import { MongoConnection, type MongoDbOptions } from '../../src/adapters/mongodb/connection.js';
import { openMongoDb, type MongoDb } from '../../src/adapters/mongodb/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger, type Logger } from '../../src/ports/log.js';
import { PLATFORM, ReadStoreUnavailable, SearchTooBroad, tenantScope } from '../../src/ports/read-store.js';
import type { AnyTable, DocumentWrite, ListQuery, ReadModel, ReadStore } from '../../src/ports/read-store.js';
import { HistoryReadStore } from '../../src/projecting/history-read-store.js';
import { leaseStoreContract } from '../contracts/lease-store.contract.js';
import { readStoreContract } from '../contracts/read-store.contract.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { mongoRecipe, mongoRecipeWith } from '../support/mongo-server/recipe.js';
import { ServerProcess } from '../support/server-process.js';

const clock = new SystemClock();
const run = `kontor_test_${process.pid}_${Date.now().toString(36)}`;
const say = (text: string): boolean => process.stderr.write(`${text}\n`);

/** Returns the URL of another database on the same server. */
function urlOf(serverUrl: string, database: string): string {
  const parts = /^(\w+(?:\+srv)?:\/\/[^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(serverUrl);
  const [, server = '', path = '', options = ''] = parts ?? [];
  const source = server.includes('@') && !/authSource=/i.test(options) ? `authSource=${path || 'admin'}` : '';
  return `${server}/${database}?${[options, source].filter((part) => part !== '').join('&')}`;
}

type Counter = {
  readonly count: number;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly label: string;
};
const counters: ReadModel<Counter> = {
  name: 'counters',
  version: 1,
  fields: {
    count: { type: 'integer', of: ({ count }) => count },
    kind: { type: 'text', of: ({ kind }) => kind },
    tags: { type: 'text', of: ({ tags }) => tags },
    owner: { type: 'text', of: ({ owner }) => owner },
  },
  filters: ['kind', 'tags'],
  compound: [['kind', 'tags']],
  order: { fields: ['count'], direction: 'descending' },
  search: { label: ({ label }) => label },
  searchJoins: [{ field: 'owner', model: 'owners', texts: ['name'] }],
};
const owners: ReadModel<{ name: string; team?: string }> = {
  name: 'owners',
  version: 1,
  fields: { team: { type: 'text', of: ({ team }) => team ?? null } },
  filters: ['team'],
  order: { fields: [], direction: 'ascending' },
  search: { name: ({ name }) => name },
};
const table: AnyTable = { model: counters, generation: 1 };
const ownersTable: AnyTable = { model: owners, generation: 1 };
const scope = tenantScope('0199c0de-0000-7000-8000-000000000001');
const page: ListQuery = { offset: 0, limit: 20 };

const counter = (count: number): Counter => ({
  count,
  kind: `k${count % 3}`,
  tags: [`t${count % 2}`, 'all'],
  owner: `o${count % 500}`,
  label: `number ${count}`,
});
const create = (id: string, document: object, position = 1): DocumentWrite => ({
  scope,
  id,
  document,
  position,
  expected: null,
});
const batch = (writes: readonly DocumentWrite[], to = table, checkpoint?: number) => ({
  tables: [{ table: to, writes }],
  checkpoints: checkpoint === undefined ? [] : [{ key: 'counters', position: checkpoint }],
});
const countOf = async (store: ReadStore, id: string): Promise<number> =>
  (JSON.parse((await store.get(table, scope, id)) ?? '{"count":0}') as Counter).count;

const COUNTERS = 7;
/**
 * Folds events in batches, as a projection does. Each event increments one document. Rereads the documents after a
 * conflict.
 */
async function projected(store: ReadStore, events: number, size: number): Promise<void> {
  for (let position = -1; position < events - 1;) {
    try {
      position = await store.checkpoint('counters');
      const some = Array.from({ length: size }, (_, n) => position + 1 + n).filter((event) => event < events);
      const keys = Array.from({ length: COUNTERS }, (_, n) => ({ scope, id: `d${n}` }));
      const stored = await store.load(table, keys);
      const writes = keys.flatMap((key, n): DocumentWrite[] => {
        const before = stored[n];
        const fresh = some.filter((event) => event % COUNTERS === n && event > (before?.position ?? -1));
        if (fresh.length === 0) return [];
        const count = before?.json ? (JSON.parse(before.json) as Counter).count : 0;
        const document = counter(count + fresh.length);
        return [{ ...key, document, position: fresh.at(-1) ?? 0, expected: before?.position ?? null }];
      });
      await store.write(batch(writes, table, some.at(-1) ?? position));
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailable)) throw error;
      await pause(20);
    }
  }
}
const countsOf = (store: ReadStore): Promise<number[]> =>
  Promise.all(Array.from({ length: COUNTERS }, (_, n) => countOf(store, `d${n}`)));
const wantedCounts = (events: number): number[] =>
  Array.from({ length: COUNTERS }, (_, n) => Math.ceil((events - n) / COUNTERS));

/** Waits for an asynchronous result. The time limit is so long that only a defect can exceed it. */
async function until(holds: () => Promise<unknown>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      await holds();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}

describe('MongoDB', () => {
  let server: ServerProcess | undefined;
  let serverUrl = process.env.MONGODB_URL ?? '';
  let admin: MongoClient;
  let databases = 0;

  beforeAll(async () => {
    if (serverUrl === '') {
      server = await ServerProcess.start(mongoRecipe);
      serverUrl = server.url;
    }
    admin = new MongoClient(serverUrl);
    const { version } = (await admin.db('admin').command({ buildInfo: 1 })) as { version: string };
    say(`${server ? mongoRecipe.name : 'the server of MONGODB_URL'}, which says that it is MongoDB ${version}`);
  });
  afterAll(async () => {
    await admin.close();
    await server?.dispose();
  });

  /** Creates a new database, which can be opened any number of times. */
  const freshDatabase = () => {
    databases += 1;
    const name = `${run}_${databases}`;
    const opened: MongoDb[] = [];
    return {
      name,
      open: (options: Pick<MongoDbOptions, 'settleEvery' | 'onCommand'> = {}): MongoDb => {
        // The timeout is long, because a slow response on a busy machine is not a fault in the store.
        const mongo = openMongoDb({
          url: urlOf(serverUrl, name),
          clock,
          logger: silentLogger,
          timeoutMs: 60_000,
          ...options,
        });
        opened.push(mongo);
        return mongo;
      },
      dispose: async () => {
        for (const mongo of opened) await mongo.close();
        await admin.db(name).dropDatabase();
      },
    };
  };

  readStoreContract('MongoDB', () => {
    const { open, dispose } = freshDatabase();
    return Promise.resolve({ store: open().reads, another: () => Promise.resolve(open().reads), dispose });
  });

  readStoreContract('MongoDB whose totals are settled all the time', () => {
    const { open, dispose } = freshDatabase();
    const store = () => open({ settleEvery: 2 }).reads;
    return Promise.resolve({ store: store(), another: () => Promise.resolve(store()), dispose });
  });

  leaseStoreContract('MongoDB', () => {
    const { open, dispose } = freshDatabase();
    return Promise.resolve({ leases: open().leases, another: () => Promise.resolve(open().leases), dispose });
  });

  test('sends the renewals of all leases of a process as one command, and their reads as another', async () => {
    const { open, dispose } = freshDatabase();
    const commands: Document[] = [];
    const { leases } = open({ onCommand: (command) => commands.push(command) });
    const names = ['jobs', 'push', 'webhooks'];
    const lease = (counter: number) => ({ holder: 'a', term: 1, counter });
    for (const name of names) await leases.replace(name, undefined, lease(1));
    commands.length = 0;
    const renewed = await Promise.all(names.map((name) => leases.replace(name, lease(1), lease(2))));
    const found = await Promise.all([leases.read('jobs'), leases.list('pu')]);
    expect(renewed).toEqual([true, true, true]);
    expect(found).toEqual([lease(2), new Map([['push', lease(2)]])]);
    expect(commands.map((command) => Object.keys(command)[0])).toEqual(['update', 'find']);
    await dispose();
  });

  describe('as one of several stores on one database', () => {
    let database: ReturnType<typeof freshDatabase>;
    const openPrepared = async (options?: Pick<MongoDbOptions, 'onCommand'>): Promise<MongoDb['reads']> => {
      const { reads } = database.open(options);
      await reads.prepare([ownersTable, table]);
      return reads;
    };
    beforeEach(() => {
      database = freshDatabase();
    });
    afterEach(() => database.dispose());

    test('of two concurrent writers, only one commits each step of a document, even if both write the same', async () => {
      const stores = [await openPrepared(), await openPrepared()] as const;
      let generation = 10;
      const turn = fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
      const turns = fc.array(turn, { minLength: 5, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(turns, turns, async (mine, theirs) => {
          generation += 1;
          const home: AnyTable = { model: counters, generation };
          for (const store of stores) await store.prepare([home], { bulk: true });
          const steps: string[] = [];
          /**
           * Increments each of the given documents. The two writers may write the same document at the same position.
           */
          const work = async (store: ReadStore, all: readonly (readonly number[])[]): Promise<void> => {
            for (const numbers of all) {
              const keys = numbers.map((n) => ({ scope, id: `d${n}` }));
              const before = await store.load(home, keys);
              const writes = keys.map((key, at): DocumentWrite => {
                const expected = before[at]?.position ?? null;
                return { ...key, document: counter((expected ?? 0) + 1), position: (expected ?? 0) + 1, expected };
              });
              const { conflicts } = await store.write(batch(writes, home));
              const refused = new Set(conflicts.map(({ id }) => id));
              for (const { id, position } of writes) if (!refused.has(id)) steps.push(`${id} ${position}`);
            }
          };
          await Promise.all([work(stores[0], mine), work(stores[1], theirs)]);
          expect(new Set(steps).size).toBe(steps.length);
          // Every acknowledged step must be stored. The position of a document must not exceed the number of attempts
          // to increment it.
          const keys = Array.from({ length: 5 }, (_, n) => ({ scope, id: `d${n}` }));
          for (const [n, document] of (await stores[0].load(home, keys)).entries()) {
            const own = steps.filter((step) => step.startsWith(`d${n} `)).map((step) => Number(step.split(' ')[1]));
            expect(Math.max(0, ...own)).toBeLessThanOrEqual(document?.position ?? 0);
            expect(document?.position ?? 0).toBeLessThanOrEqual(
              [...mine, ...theirs].flat().filter((d) => d === n).length,
            );
          }
          await stores[0].drop(home);
        }),
        { numRuns: 30 },
      );
    });

    test('two concurrent projections of the same events contain each event exactly once in the end', async () => {
      const events = 300;
      const stores = [await openPrepared(), await openPrepared()] as const;
      await Promise.all(stores.map((store, n) => projected(store, events, 4 + n)));
      expect(await countsOf(stores[0])).toEqual(wantedCounts(events));
    });

    test('the indexes are created once; the indexes of a bulk table on request', async () => {
      const store = await openPrepared();
      const next: AnyTable = { model: counters, generation: 2 };
      await store.prepare([next], { bulk: true });
      await store.write(batch([create('a', counter(1))], next));
      const indexesOf = async (name: string): Promise<unknown[]> => {
        const indexes = await admin.db(database.name).collection(name).indexes();
        return indexes.map(({ name: index, key }) => [index, Object.keys(key as object).join()]).sort();
      };
      expect(await indexesOf('counters_v1_g2')).toEqual([['_id_', '_id']]);
      await store.index(next);
      await store.index(next);
      expect(await indexesOf('counters_v1_g2')).toEqual([
        ['_id_', '_id'],
        ['by_kind', 's,f_kind,f_count,_id'],
        ['by_kind_tags', 's,f_kind,f_tags,f_count,_id'],
        ['by_owner', 's,f_owner,f_count,_id'],
        ['by_tags', 's,f_tags,f_count,_id'],
        ['order', 's,f_count,_id'],
        ['words', 's,w'],
      ]);
      expect(await indexesOf('counters_v1_g1')).toEqual(await indexesOf('counters_v1_g2'));
    });

    test('no list reads a whole collection, if the server reports its query plan', async () => {
      let find: Document | undefined;
      const onCommand = (command: Document) => (find = 'find' in command ? command : find);
      const store = await openPrepared({ onCommand });
      /** Returns the stages of the server's query plan for the last `find` command of a list. */
      const explain = async (query: ListQuery): Promise<string[]> => {
        await store.list(table, scope, query);
        const { find: collection, filter, sort, skip, limit } = find ?? {};
        const explained = { find: collection as string, filter: filter as Document, sort: sort as Document };
        const plan = await admin.db(database.name).command({
          explain: { ...explained, skip: Number(skip ?? 0), limit: Number(limit) },
          verbosity: 'queryPlanner',
        });
        return stagesOf((plan.queryPlanner as Document | undefined)?.winningPlan);
      };
      await store.setLiveGeneration('owners', 1, 1);
      await store.write(batch(Array.from({ length: 2_000 }, (_, n) => create(`d${n}`, counter(n)))));
      await store.write(batch([create('o1', { name: 'Ada' })], ownersTable));
      const queries: [Partial<ListQuery>, string][] = [
        [{}, 'order'],
        [{ reverse: true }, 'order'],
        [{ where: { kind: 'k1' } }, 'by_kind'],
        [{ where: { tags: 't1' } }, 'by_tags'],
        [{ where: { tags: 't1', kind: 'k1' } }, 'by_kind_tags'],
        [{ between: { count: { from: 10, to: 20 } } }, 'order'],
        [{ search: 'number 1234' }, 'words'],
        [{ search: 'ada' }, 'by_owner'],
      ];
      try {
        await explain(page);
      } catch {
        expect(server?.url).toEqual(serverUrl);
        say('mongo-java-server has no explain: which indexes are used was not looked at');
        return;
      }
      for (const [query, index] of queries) {
        const plan = await explain({ ...page, ...query });
        expect([query, plan]).toEqual([query, expect.arrayContaining([expect.stringMatching(`IXSCAN ${index}`)])]);
        expect(plan.join()).not.toMatch(/COLLSCAN/);
        if (query.search === undefined) expect(plan.join()).not.toMatch(/\bSORT\b/);
      }
      say('which indexes are used was asked by explain');
    });

    test('pages of a large list, near or far, need no count, and the total is exact', async () => {
      const size = 2_500;
      const commands: Document[] = [];
      const { reads } = database.open({ settleEvery: 100, onCommand: (command) => commands.push(command) });
      const days: ReadModel<{ day: string; kind: string; n: number }> = {
        name: 'entries',
        version: 1,
        fields: {
          day: { type: 'text', of: ({ day }) => day },
          n: { type: 'integer', of: ({ n }) => n },
          kind: { type: 'text', of: ({ kind }) => kind },
        },
        filters: ['kind'],
        counted: ['kind'],
        order: { fields: ['day', 'n'], direction: 'descending' },
        large: true,
      };
      const home: AnyTable = { model: days, generation: 1 };
      await reads.prepare([home]);
      for (let from = 0; from < size; from += 500) {
        const writes = Array.from({ length: 500 }, (_, at) => {
          const n = from + at;
          return create(
            `d${n}`,
            { day: `2026-01-${10 + Math.floor(n / 125)}`, kind: n % 2 === 0 ? 'x' : 'y', n },
            n + 1,
          );
        });
        await reads.write(batch(writes, home, from + 500));
      }
      commands.length = 0;
      for (const [offset, first] of [
        [0, size - 1],
        [1_180, size - 1_181],
        [2_400, 99],
      ] as const) {
        const { items, totalCount, isCapped } = await reads.list(home, scope, { offset, limit: 20, countUpTo: 10_000 });
        expect([totalCount, isCapped]).toEqual([size, undefined]);
        expect(items.map((json) => (JSON.parse(json) as { n: number }).n)).toEqual(
          Array.from({ length: 20 }, (_, at) => first - at),
        );
      }
      const filtered = await reads.list(home, scope, { offset: 1_200, limit: 20, where: { kind: 'x' }, countUpTo: 10 });
      expect([filtered.totalCount, filtered.isCapped]).toEqual([size / 2, undefined]);
      const uncounted = await reads.list(home, scope, {
        offset: 0,
        limit: 20,
        countUpTo: 10,
        between: { n: { from: 1 } },
      });
      expect([uncounted.totalCount, uncounted.isCapped]).toEqual([20, true]);
      // The store must not use counts or aggregations, and no page may skip more documents than one day contains.
      expect([...new Set(commands.map((command) => Object.keys(command)[0]))]).toEqual(['find']);
      expect(Math.max(...commands.map((command) => Number(command.skip ?? 0)))).toBeLessThan(125);
    });

    test('a total stays exact after a restore, even if another process stores documents behind the checkpoint', async () => {
      const entries: AnyTable = {
        model: {
          ...{ name: 'entries', version: 1, filters: [], large: true },
          fields: { day: { type: 'text', of: ({ day }: { day: string }) => day } },
          order: { fields: ['day'], direction: 'descending' },
        } as unknown as ReadModel,
        generation: 1,
      };
      const restored = (): ReadStore => new HistoryReadStore(database.open({ settleEvery: 1 }).reads, { space: 'h1_' });
      const [ahead, behind] = [restored(), restored()];
      for (const store of [ahead, behind]) await store.prepare([entries]);
      const write = (one: ReadStore, id: string, position: number, key: string) =>
        one.write({
          tables: [
            { table: entries, writes: [{ ...create(id, { day: '1' }, position), scope: PLATFORM }], platformUpTo: 5 },
          ],
          checkpoints: [{ key, position }],
        });
      await write(ahead, 'a', 10, 'entries#1');
      await write(behind, 'b', 7, 'entries#2');
      const { totalCount } = await ahead.list(entries, PLATFORM, { offset: 0, limit: 1, countUpTo: 100 });
      expect(totalCount).toBe(2);
    });

    test('a list without a stored total is counted only up to its limit', async () => {
      const commands: Document[] = [];
      const { reads } = database.open({ onCommand: (command) => commands.push(command) });
      await reads.prepare([ownersTable, table]);
      await reads.write(batch(Array.from({ length: 60 }, (_, n) => create(`d${n}`, counter(n)))));
      commands.length = 0;
      const found = await reads.list(table, scope, { ...page, where: { tags: 'all' }, countUpTo: 30 });
      expect([found.items.length, found.totalCount, found.isCapped]).toEqual([20, 30, true]);
      const [count] = commands.filter((command) => 'aggregate' in command);
      expect(count?.pipeline).toEqual([
        { $match: expect.any(Object) as object },
        { $limit: 31 },
        { $group: { _id: 1, n: { $sum: 1 } } },
      ]);
    });

    test('a model that changed without a new version is rejected', async () => {
      await openPrepared();
      const changed: AnyTable = { model: { ...counters, filters: ['kind'], compound: [] }, generation: 1 };
      await expect(database.open().reads.prepare([changed])).rejects.toThrow(RangeError);
    });

    test('a search by the names of more records than a command can list is rejected; by fewer it succeeds', async () => {
      const store = await openPrepared();
      await store.setLiveGeneration('owners', 1, 1);
      const id = (n: number) => `${n}${'o'.repeat(20_000)}`;
      await store.write(
        batch(
          Array.from({ length: 390 }, (_, n) => create(id(n), { name: 'Ada' })),
          ownersTable,
        ),
      );
      await store.write(batch([create('a', { ...counter(1), owner: id(7) })]));
      expect((await store.list(table, scope, { ...page, search: 'ada' })).totalCount).toBe(1);
      await store.write(
        batch(
          Array.from({ length: 20 }, (_, n) => create(id(1_000 + n), { name: 'Ada' })),
          ownersTable,
        ),
      );
      await expect(store.list(table, scope, { ...page, search: 'ada' })).rejects.toThrow(SearchTooBroad);
      expect((await store.list(table, scope, { ...page, search: 'number' })).totalCount).toBe(1);
      // Records that the search does not consider do not count.
      const joinedWhere = { team: 'mine' };
      await store.write(batch([create('mine', { name: 'Ada', team: 'mine' })], ownersTable));
      await store.write(batch([create('b', { ...counter(2), owner: 'mine' })]));
      const found = await store.list(table, scope, { ...page, search: 'ada', joinedWhere });
      expect(found.items.map((json) => (JSON.parse(json) as Counter).count)).toEqual([2]);
    });

    test('a document that is too large for MongoDB is a defect, and nothing of its batch is stored', async () => {
      const store = await openPrepared();
      const large = create('large', { ...counter(1), label: '-'.repeat(15_000_000) });
      await expect(store.write(batch([create('a', counter(1)), large], table, 5))).rejects.toThrow(RangeError);
      expect([await store.get(table, scope, 'a'), await store.checkpoint('counters')]).toEqual([undefined, -1]);
    });
  });
});

/** A server as represented inside the driver. The driver's types and documentation omit these members. */
type Checked = {
  readonly monitor: { readonly connection: { readonly socket: { readonly destroy: () => void } } };
  readonly requestCheck: () => void;
};
const serversOf = (mongo: MongoConnection): Checked[] => {
  const { topology } = Reflect.get(mongo, 'client') as {
    readonly topology: { readonly s: { readonly servers: ReadonlyMap<string, Checked> } };
  };
  return [...topology.s.servers.values()];
};

/** These tests stop their server, so they never use the server at MONGODB_URL. */
describe('When MongoDB fails', () => {
  const timeoutMs = 2_000;
  /** Much longer than the timeout, so that only a hanging call exceeds this limit. */
  const boundedMs = 15_000;
  let server: ServerProcess;
  let logged: string[];
  const opened: MongoDb[] = [];
  const log = (fields: object, message: string): void => void logged.push(message);
  const logger: Logger = { info: log, warn: log, error: log };
  const open = (url = server.url, options: Pick<MongoDbOptions, 'onCommand'> = {}): MongoDb => {
    const mongo = openMongoDb({ url, clock, logger, timeoutMs, ...options });
    opened.push(mongo);
    return mongo;
  };

  beforeEach(async () => {
    logged = [];
    server = await ServerProcess.start(mongoRecipe);
  });
  afterEach(async () => {
    server.resume();
    await Promise.all(opened.splice(0).map((mongo) => mongo.close()));
    await server.dispose();
  });

  const calls = ({ reads, leases }: MongoDb): Promise<unknown>[] => [
    reads.get(table, scope, 'a'),
    reads.getMany(table, scope, ['a']),
    reads.load(table, [{ scope, id: 'a' }]),
    reads.list(table, scope, page),
    reads.write(batch([{ ...create('a', counter(3), 3), expected: 2 }], table, 3)),
    reads.checkpoints(['counters']),
    reads.liveGeneration('owners', 1),
    reads.setLiveGeneration('owners', 1, 1),
    reads.prepare([{ model: counters, generation: 2 }]),
    reads.drop({ model: counters, generation: 3 }),
    reads.scan(table)[Symbol.asyncIterator]().next(),
    leases.read('projections'),
    leases.replace('projections', undefined, { holder: 'a', term: 1, counter: 1 }),
  ];
  const allFail = async (mongo: MongoDb): Promise<void> => {
    const beganMs = performance.now();
    const ended = await Promise.allSettled(calls(mongo));
    expect(performance.now() - beganMs).toBeLessThan(boundedMs);
    const reasons = ended.map((call): unknown => (call.status === 'rejected' ? call.reason : 'it was answered'));
    for (const reason of reasons) expect(reason).toBeInstanceOf(ReadStoreUnavailable);
  };

  test.each([
    [
      'hangs',
      () => server.hang(),
      () => {
        server.resume();
        return Promise.resolve();
      },
    ],
    ['is killed', () => server.kill(), () => server.start()],
  ])(
    'while it %s, every call fails in bounded time; afterwards everything works again automatically',
    async (_, fail, recover) => {
      const mongo = open();
      await mongo.reads.prepare([ownersTable, table]);
      await mongo.reads.write(batch([create('a', counter(1), 1)], table, 1));
      await mongo.reads.write(batch([{ ...create('a', counter(2), 2), expected: 1 }], table, 2));
      await fail();
      await allFail(mongo);
      await allFail(mongo);
      await recover();
      await until(() => mongo.reads.get(table, scope, 'a'));
      expect(await countOf(mongo.reads, 'a')).toBeGreaterThanOrEqual(2);
      expect(await mongo.reads.checkpoint('counters')).toBeGreaterThanOrEqual(2);
      await until(() => mongo.reads.write(batch([create('b', counter(1))], table, 4)));
      expect(await mongo.reads.checkpoint('counters')).toBe(4);
      await until(() => {
        expect(logged).toEqual(['MongoDB is unavailable', 'MongoDB is back']);
        return Promise.resolve();
      });
    },
  );

  test('the first call that cannot reach MongoDB reports it as unavailable, however soon it is back', async () => {
    const mongo = open();
    await mongo.reads.prepare([table]);
    await server.kill();
    await expect(mongo.reads.get(table, scope, 'a')).rejects.toThrow(ReadStoreUnavailable);
    expect(logged).toEqual(['MongoDB is unavailable']);
  });

  test('a call on a connection that the server has just closed reports MongoDB as unavailable', async () => {
    const mongo = new MongoConnection({ url: server.url, clock, logger, timeoutMs });
    try {
      const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
      await expect(mongo.within(() => Promise.reject(ended))).rejects.toThrow(ReadStoreUnavailable);
      expect(logged).toEqual(['MongoDB is unavailable']);
    } finally {
      await mongo.close();
    }
  });

  test('a client whose health check never ends is replaced, so that calls succeed again', async () => {
    // By default, the driver waits for at least 500 ms between two health checks.
    const url = `${server.url}?minHeartbeatFrequencyMS=1`;
    const mongo = new MongoConnection({ url, clock, logger, timeoutMs });
    try {
      await mongo.version();
      let answered = 0;
      let isBusy = true;
      const calls = Array.from({ length: 8 }, async () => {
        while (isBusy)
          await mongo.version().then(
            () => (answered += 1),
            () => undefined,
          );
      });
      const [checked] = serversOf(mongo);
      // Simulates a server that is killed just before the driver checks it: the check waits forever.
      checked?.monitor.connection.socket.destroy();
      checked?.requestCheck();
      const before = answered;
      await until(() => (answered > before + 8 ? Promise.resolve() : Promise.reject(new Error('No replies'))));
      await server.kill();
      isBusy = false;
      await Promise.all(calls);
      await server.start();
      await until(() => mongo.version());
      expect(serversOf(mongo)[0]).not.toBe(checked);
    } finally {
      await mongo.close();
    }
  });

  describe('while it builds indexes that a new release adds to a completed table', () => {
    let proxy: FaultProxy;
    /**
     * Opens a store that prepares the table. Once it sends the command to build them, holds the command back and calls
     * `during`.
     */
    const prepareAgain = async (during: () => Promise<void>): Promise<ReadStore> => {
      proxy = await FaultProxy.start(server);
      const earlier: AnyTable = { model: { ...counters, common: ['kind'] }, generation: 1 };
      const old = open();
      await old.reads.prepare([ownersTable, earlier]);
      await old.reads.write(batch([create('a', counter(1))], earlier));
      await old.close();
      let reached: Promise<void> | undefined;
      const onCommand = ({ createIndexes, indexes }: Document): void => {
        const names = ((indexes ?? []) as Document[]).map(({ name }) => name as string);
        if (reached || createIndexes !== 'counters_v1_g1' || !names.includes('by_kind')) return;
        // A suspended server could still execute the command before all its threads have stopped.
        proxy.hang();
        reached = during();
      };
      const { reads } = open(`mongodb://127.0.0.1:${proxy.port}`, { onCommand });
      await reads.prepare([ownersTable, table]);
      await until(() => reached ?? Promise.reject(new Error('No index is built')));
      return reads;
    };
    afterEach(() => proxy.close());

    const indexNames = async (): Promise<unknown[]> => {
      const client = new MongoClient(server.url);
      try {
        return (await client.db('kontor').collection('counters_v1_g1').indexes()).map(({ name }) => name);
      } finally {
        await client.close();
      }
    };

    test('the start does not wait, and the indexes exist in the end', async () => {
      const reads = await prepareAgain(() => Promise.resolve());
      expect(await indexNames()).not.toContain('by_kind');
      await proxy.pass();
      expect((await reads.list(table, scope, { ...page, where: { kind: 'k1' } })).totalCount).toBe(1);
      await until(async () => {
        expect(await indexNames()).toContain('by_kind');
      });
    });

    test('its failure is logged, and the next start builds them', async () => {
      const message = 'indexes could not be built; lists that need them are slow until the next start';
      await prepareAgain(() => server.kill());
      proxy.reset();
      await until(() => {
        expect(logged).toContain(message);
        return Promise.resolve();
      });
      await server.start();
      expect(await indexNames()).not.toContain('by_kind');
      await open().reads.prepare([ownersTable, table]);
      await until(async () => {
        expect(await indexNames()).toContain('by_kind');
      });
    });
  });

  test('a store can be opened before its server is available', async () => {
    await server.kill();
    const mongo = open();
    await expect(mongo.reads.prepare([table])).rejects.toThrow(ReadStoreUnavailable);
    await server.start();
    await until(() => mongo.reads.prepare([ownersTable, table]));
    await mongo.reads.write(batch([create('a', counter(1))]));
    expect(await countOf(mongo.reads, 'a')).toBe(1);
  });

  test('the database is the path of the URL, or kontor by default', async () => {
    const client = new MongoClient(server.url);
    try {
      for (const [path, database] of [
        ['', 'kontor'],
        ['/', 'kontor'],
        ['/?retryWrites=true', 'kontor'],
        ['/my%2Dbooks?appName=x', 'my-books'],
      ] as const) {
        const { leases } = open(`mongodb://127.0.0.1:${server.port}${path}`);
        await leases.replace(`from ${path}`, undefined, { holder: 'a', term: 1, counter: 1 });
        const stored = await client.db(database).collection('kontor_leases').find().toArray();
        expect(stored.map(({ _id }) => String(_id))).toContain(`from ${path}`);
      }
    } finally {
      await client.close();
    }
  });

  test('closing does not wait for a server that hangs', async () => {
    const mongo = open();
    await mongo.reads.prepare([table]);
    await server.hang();
    const beganMs = performance.now();
    await mongo.close();
    expect(performance.now() - beganMs).toBeLessThan(boundedMs);
    await expect(mongo.leases.read('projections')).rejects.toThrow(ReadStoreUnavailable);
  });

  test('waits for indexes that take longer than the timeout of a call', async () => {
    const slow = await ServerProcess.start(mongoRecipeWith([`-DindexDelayMs=${3 * timeoutMs}`]));
    try {
      const { reads } = open(slow.url);
      await reads.prepare([table], { bulk: true });
      await reads.index(table);
      await reads.write(batch([create('a', counter(1))]));
      expect(await countOf(reads, 'a')).toBe(1);
    } finally {
      await slow.dispose();
    }
  });

  test('killed repeatedly under a projection, it has every event exactly once in the end', async () => {
    const events = 400;
    const { reads } = open();
    await reads.prepare([ownersTable, table]);
    const done = projected(reads, events, 5);
    for (let kill = 0; kill < 3; kill += 1) {
      await pause(150 + 100 * kill);
      await server.kill();
      await server.start();
    }
    await done;
    expect(await countsOf(reads)).toEqual(wantedCounts(events));
  });
});

/**
 * Returns the stages of a query plan, from last to first. Searches all members, because MongoDB nests stages in several
 * ways.
 */
function stagesOf(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const { stage, indexName } = plan as { stage?: unknown; indexName?: unknown };
  const own = typeof stage === 'string' ? [typeof indexName === 'string' ? `${stage} ${indexName}` : stage] : [];
  return [...own, ...Object.values(plan).flatMap(stagesOf)];
}
