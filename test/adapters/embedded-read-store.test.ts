import { mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { ReadStoreDatabase } from '../../src/adapters/embedded/read-store.database.js';
import { identityOf, isWhole } from '../../src/adapters/embedded/read-store.damage.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { ReadStoreUnavailable, tenantScope } from '../../src/ports/read-store.js';
import type { AnyTable, DocumentWrite, Listed, ListQuery, ReadModel } from '../../src/ports/read-store.js';
import { eventually } from '../support/eventually.js';
import { readStoreContract } from '../contracts/read-store.contract.js';

const openFor = (few?: number) => async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-read-store-'));
  const open = () => EmbeddedReadStore.open({ directory, mode: 'readwrite', ...(few !== undefined && { few }) });
  const stores = [await open()];
  return {
    store: stores[0] as EmbeddedReadStore,
    another: async () => {
      const other = await open();
      stores.push(other);
      return other;
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(directory, { recursive: true });
    },
  };
};
readStoreContract('SQLite', openFor());
readStoreContract('SQLite, always by kept sets,', openFor(0));

type Entry = {
  readonly date: string;
  readonly sequence: number;
  readonly customerId: string | null;
  readonly type: string;
  readonly open: boolean;
  readonly accounts: readonly string[] | string;
  readonly amount: string | null;
  readonly description: string;
};
const entries: ReadModel<Entry> = {
  name: 'entries',
  version: 1,
  fields: {
    date: { type: 'text', of: (entry) => entry.date },
    sequence: { type: 'integer', of: (entry) => entry.sequence },
    customerId: { type: 'text', of: (entry) => entry.customerId },
    type: { type: 'text', of: (entry) => entry.type },
    open: { type: 'boolean', of: (entry) => entry.open },
    accounts: { type: 'text', of: (entry) => entry.accounts },
    amount: { type: 'text', of: (entry) => entry.amount },
  },
  filters: ['customerId', 'type', 'open', 'accounts'],
  compound: [['type', 'open']],
  counted: ['open'],
  ranged: ['amount'],
  order: { fields: ['date', 'sequence'], direction: 'descending' },
  search: { description: (entry) => entry.description },
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};
const customers: ReadModel<{ name: string }> = {
  name: 'customers',
  version: 1,
  fields: {},
  filters: [],
  order: { fields: [], direction: 'ascending' },
  search: { name: (customer) => customer.name },
};
const table: AnyTable = { model: entries, generation: 1 };
const customersTable: AnyTable = { model: customers, generation: 1 };
const scope = tenantScope('0199c0de-0000-7000-8000-000000000001');
const page = { offset: 0, limit: 20 };

const amount = (n: number): string => String(n).padStart(6, '0');
const nth = (n: number): Entry => ({
  date: new Date(Date.UTC(2025, 0, 1 + (n % 365))).toISOString().slice(0, 10),
  sequence: n,
  customerId: n % 5 === 0 ? null : `c${n % 97}`,
  type: ['SALE', 'RETURN', 'PAYMENT'][n % 3] ?? '',
  open: n % 7 === 0,
  accounts: [`a${n % 4}`, `b${n % 50}`],
  amount: n % 29 === 0 ? null : amount((n * 389) % 1_000),
  description: `${['monthly rent', 'office chairs', 'consulting'][n % 3] ?? ''} number ${n}`,
});
const create = (id: string, document: object | null, position = 1): DocumentWrite => ({
  scope,
  id,
  document,
  position,
  expected: null,
});
const batch = (writes: readonly DocumentWrite[], to = table) => ({ tables: [{ table: to, writes }], checkpoints: [] });
const id = (n: number): string => `id-${String(n).padStart(6, '0')}`;
const some = (count: number, from = 0): DocumentWrite[] =>
  Array.from({ length: count }, (_, n) => create(id(from + n), nth(from + n)));

describe('The read store in SQLite', () => {
  let directory: string;
  const opened: EmbeddedReadStore[] = [];
  const openStore = async (mode: 'readwrite' | 'readonly', waitMs = 2_000): Promise<EmbeddedReadStore> => {
    const store = await EmbeddedReadStore.open({ directory, mode, waitMs });
    opened.push(store);
    return store;
  };
  const file = (): string => join(directory, 'models.sqlite');
  const opensAnew = async (): Promise<void> => {
    const store = await openStore('readwrite');
    expect(store.recreated).toBe(true);
    await store.prepare([table]);
    expect(await store.list(table, scope, page)).toEqual({ items: [], totalCount: 0 });
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-read-store-'));
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await rm(directory, { recursive: true });
  });

  describe('uses indexes', () => {
    const planOf = async (query: Partial<ListQuery>, few?: number): Promise<string> => {
      const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite', ...(few !== undefined && { few }) });
      opened.push(store);
      await store.prepare([customersTable, table]);
      await store.setLiveGeneration('customers', 1, 1);
      await store.write(batch(some(300)));
      await store.write(batch([create('c3', { name: 'Rental' })], customersTable));
      const statements = await statementsOf(() => store.list(table, scope, { ...page, ...query }));
      const db = new DatabaseSync(file(), { readOnly: true });
      const plans = statements.map((sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]);
      db.close();
      return plans
        .flat()
        .map(({ detail }) => detail)
        .join('\n');
    };
    const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
      const statements = new Set<string>();
      const { prototype } = ReadStoreDatabase;
      const own = Object.getOwnPropertyDescriptor(prototype, 'prepared') as PropertyDescriptor;
      prototype.prepared = function (sql) {
        statements.add(sql);
        return (own.value as typeof this.prepared).call(this, sql);
      };
      try {
        await work();
      } finally {
        Object.defineProperty(prototype, 'prepared', own);
      }
      return [...statements].filter((sql) => /^(SELECT|WITH)/.test(sql));
    };
    const byOrder = 'SEARCH m USING COVERING INDEX entries_v1_g1__order';

    test.each<[string, Partial<ListQuery>]>([
      ['the whole list', {}],
      ['the whole list in reverse', { reverse: true }],
      ['a distant page', { offset: 250 }],
      ['a range of dates', { between: { date: { from: '2025-02-01', to: '2025-03-01' } } }],
      ['many hits of a filter', { where: { type: 'SALE' } }],
      ['many hits of a filter within a range', { where: { type: 'SALE' }, between: { date: { from: '2025-02-01' } } }],
      ['many hits of a search', { search: 'number' }],
      ['a range of amounts', { between: { amount: { from: amount(10), to: amount(500) } } }],
      [
        'a range of amounts and dates',
        { between: { amount: { from: amount(10) }, date: { from: '2025-02-01' } }, where: { type: 'SALE' } },
      ],
    ])('%s: in order, without a scan, a sort or a document outside the page', async (_, query) => {
      const plan = await planOf(query, 0);
      expect(plan).toContain(byOrder);
      expect(plan).not.toMatch(/SCAN (m|o|entries_v1_g1)$|TEMP B-TREE|SEARCH m USING (INDEX|INTEGER)/m);
    });

    test.each<[string, NonNullable<ListQuery['between']>, string]>([
      ['some', { amount: { from: amount(10), to: amount(300) } }, 'f_amount>? AND f_amount<?)'],
      ['one', { amount: { from: amount(10), to: amount(10) } }, 'f_amount=?)'],
      ['most', { amount: { from: amount(10) } }, 'f_amount<?)'],
    ])('%s of the amounts are read from their index, without any records', async (_, between, bounds) => {
      const plan = await planOf({ between }, 0);
      expect(plan).toContain(`SEARCH m USING COVERING INDEX entries_v1_g1__range_amount (<expr>=? AND ${bounds}`);
    });

    test('part of a list is read in order, with one statement and without a scan or a sort', async () => {
      const plan = await planOf({ after: '["2025-02-01",1,"id-000001"]' }, 0);
      expect(plan).toContain('SEARCH m USING INDEX entries_v1_g1__order');
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
      expect(plan.match(/SEARCH m/g)).toHaveLength(1);
    });

    test('part of a filtered list is read without looking for matches beyond the next rows', async () => {
      const plan = await planOf({ where: { type: 'SALE' }, after: '["2025-02-01",1,"id-000001"]', limit: 5 }, 0);
      expect(plan).toContain(byOrder);
      expect(plan.match(/entries_v1_g1__terms VIRTUAL TABLE INDEX .*/g)).toEqual([
        expect.stringMatching(/M\d.*><$/) as string,
      ]);
    });

    test('few hits are sorted without reading any other records', async () => {
      const plan = await planOf({ where: { customerId: 'c3', open: true } });
      expect(plan).toContain('SEARCH m USING INTEGER PRIMARY KEY');
      expect(plan).not.toContain(byOrder);
    });

    test('a search uses an index to read joined records with the word and records of the list', async () => {
      const plan = await planOf({ search: 'rental' });
      expect(plan).toContain('SEARCH o USING INTEGER PRIMARY KEY');
      expect(plan).toContain('SEARCH m USING COVERING INDEX entries_v1_g1__by_customerId (scope=? AND f_customerId=?');
    });
  });

  test('results are equal with and without indexes, for few and many hits', async () => {
    const store = await openStore('readwrite');
    const bare: AnyTable = { model: entries, generation: 2 };
    await store.prepare([table, customersTable]);
    await store.prepare([bare], { bulk: true });
    await store.setLiveGeneration('customers', 1, 1);
    await store.write(
      batch(
        Array.from({ length: 97 }, (_, n) => create(`c${n}`, { name: `Rental ${n}` })),
        customersTable,
      ),
    );
    for (let n = 0; n < 12_000; n += 1_000) {
      await store.write(batch(some(1_000, n)));
      await store.write(batch(some(1_000, n), bare));
    }
    const deletions = some(12_000)
      .filter((_, n) => n % 11 === 0)
      .map((write) => ({ ...write, document: null, expected: 1, position: 2 }));
    await store.write(batch(deletions));
    await store.write(batch(deletions, bare));
    const wheres: ListQuery['where'][] = [
      {},
      { type: 'SALE' },
      { type: 'SALE', open: true },
      { accounts: 'a1', type: 'SALE' },
      { customerId: 'c3', accounts: 'b1' },
    ];
    const between: ListQuery['between'][] = [{}, { date: { to: '2025-11-30' }, sequence: { from: 500 } }];
    const searches = [undefined, 'number', 'rental 1', 'number consul', '77'];
    for (const query of wheres.flatMap((filter) =>
      between.flatMap((range) =>
        searches.map((search) => ({ where: filter, between: range, ...(search && { search }) })),
      ),
    )) {
      for (const place of [page, { offset: 5_000, limit: 3, reverse: true }]) {
        const asked = { ...query, ...place } as ListQuery;
        expect({ asked, ...(await store.list(table, scope, asked)) }).toEqual({
          asked,
          ...(await store.list(bare, scope, asked)),
        });
      }
    }
  });

  describe('reads ranges of a field', () => {
    const wheres: NonNullable<ListQuery['where']>[] = [{}, { type: 'SALE' }, { customerId: 'c3' }];
    const betweens: NonNullable<ListQuery['between']>[] = [
      { amount: { from: amount(100), to: amount(110) } },
      { amount: { from: amount(300), to: amount(700) } },
      { amount: { from: amount(20) } },
      { amount: { to: amount(990) } },
      { amount: { from: amount(389), to: amount(389) } },
      { amount: { from: amount(100), to: amount(900) }, date: { to: '2025-08-30' } },
    ];
    const queries = wheres.flatMap((where) =>
      betweens.flatMap((between) =>
        [undefined, 'number', 'rent'].flatMap((search) =>
          [page, { offset: 700, limit: 7, reverse: true }].map((place): ListQuery => ({
            ...{ where, between, ...place },
            ...(search !== undefined && { search }),
          })),
        ),
      ),
    );
    const isMatch = ({ where, between = {}, search }: ListQuery, entry: Entry): boolean =>
      Object.entries(where ?? {}).every(([field, value]) => entry[field as keyof Entry] === value) &&
      Object.entries(between).every(([field, { from, to }]) => {
        const value = entry[field as keyof Entry];
        return value !== null && value >= (from ?? value) && value <= (to ?? value);
      }) &&
      (search === undefined || entry.description.includes(search));
    const naively = (known: ReadonlyMap<string, Entry>, query: ListQuery): Listed => {
      const found = [...known.values()].filter((entry) => isMatch(query, entry));
      found.sort((a, b) => (a.date === b.date ? b.sequence - a.sequence : a.date < b.date ? 1 : -1));
      if (query.reverse) found.reverse();
      const items = found.slice(query.offset, query.offset + query.limit).map((entry) => JSON.stringify(entry));
      return { items, totalCount: found.length };
    };

    test.each([0, 50, undefined])(
      'in agreement with a naive store, after additions, changes and deletions (few: %s)',
      async (few) => {
        const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite', ...(few !== undefined && { few }) });
        opened.push(store);
        await store.prepare([table, customersTable]);
        const known = new Map<string, Entry>();
        const expectAll = async (): Promise<void> => {
          for (const query of queries) {
            const expected = naively(known, query);
            expect({ query, ...(await store.list(table, scope, query)) }).toEqual({ query, ...expected });
            const all = naively(known, { ...query, offset: 0, limit: Infinity }).items;
            const first = await store.list(table, scope, { ...query, offset: 0, limit: 9, after: '' });
            expect({ query, items: first.items }).toEqual({ query, items: all.slice(0, 9) });
            if (first.next === undefined) continue;
            const second = await store.list(table, scope, { ...query, offset: 0, limit: 9, after: first.next });
            expect({ query, items: second.items }).toEqual({ query, items: all.slice(9, 18) });
          }
        };
        const add = async (count: number, from: number): Promise<void> => {
          for (let n = from; n < from + count; n += 1) known.set(id(n), nth(n));
          await store.write(batch(some(count, from)));
        };
        const change = async (n: number, document: Entry | null): Promise<void> => {
          const { conflicts } = await store.write(batch([{ ...create(id(n), document, 2), expected: 1 }]));
          expect(conflicts).toEqual([]);
          if (document) known.set(id(n), document);
          else known.delete(id(n));
        };
        await add(1_500, 0);
        await expectAll();
        // These documents are added to the sets that the store has cached.
        await add(300, 1_500);
        await expectAll();
        // The amount is neither a filter nor a word, so nothing else about these documents changes.
        for (const n of [3, 400, 1_600]) await change(n, { ...nth(n), amount: amount(n === 400 ? 1 : 500) });
        await expectAll();
        for (const n of [4, 401, 1_601]) await change(n, null);
        await expectAll();
        await add(20, 1_800);
        await expectAll();
      },
    );

    test('in a file of an earlier release, before and after a start adds the index', async () => {
      const { ranged: _, ...earlier } = entries;
      const former = await openStore('readwrite');
      await former.prepare([{ model: earlier, generation: 1 }]);
      await former.write(batch(some(500), { model: earlier, generation: 1 }));
      await former.close();
      const indexes = (): string[] => {
        const db = new DatabaseSync(file(), { readOnly: true });
        const sql = "SELECT name FROM sqlite_schema WHERE name LIKE '%\\_\\_range\\_%' ESCAPE '\\'";
        const found = db.prepare(sql).all() as { name: string }[];
        db.close();
        return found.map(({ name }) => name);
      };
      const known = new Map(some(500).map(({ id: key, document }) => [key, document as Entry]));
      const query = { between: { amount: { from: amount(100), to: amount(300) } }, where: { type: 'SALE' }, ...page };
      const reader = await openStore('readonly');
      await reader.prepare([table]);
      expect([indexes(), await reader.list(table, scope, query)]).toEqual([[], naively(known, query)]);
      const writer = await openStore('readwrite');
      await writer.prepare([table]);
      expect([writer.recreated, indexes()]).toEqual([false, ['entries_v1_g1__range_amount']]);
      for (const store of [reader, writer])
        expect(await store.list(table, scope, query)).toEqual(naively(known, query));
    });

    test('in a rebuild, from an index that is built at the end', async () => {
      const store = await openStore('readwrite');
      await store.prepare([table], { bulk: true });
      await store.write(batch(some(500)));
      const known = new Map(some(500).map(({ id: key, document }) => [key, document as Entry]));
      const query = { between: { amount: { from: amount(100), to: amount(900) } }, ...page };
      expect(await store.list(table, scope, query)).toEqual(naively(known, query));
      await store.index(table);
      expect(await store.list(table, scope, query)).toEqual(naively(known, query));
    });
  });

  test.each([false, true])(
    'parts of a filtered list contain each match once, in order (reverse: %s)',
    async (reverse) => {
      const store = await openStore('readwrite');
      await store.prepare([table]);
      // Matches become rare, stop at 1,000, and resume at 1,800. The dates of the last 100 documents cover the whole
      // range, so these documents are spread over the list.
      const isMatch = (n: number) => (n < 500 ? n % 2 === 0 : n < 1_000 ? n % 20 === 0 : n >= 1_800);
      const made = Array.from({ length: 2_000 }, (_, n): Entry => {
        const day = n < 1_900 ? Math.floor(n / 10) : (n - 1_900) * 2;
        const date = new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
        return { ...nth(n), date, type: isMatch(n) ? 'SALE' : 'RETURN' };
      });
      await store.write(batch(made.map((entry) => create(id(entry.sequence), entry))));
      const gone = made.filter(({ sequence }) => sequence % 7 === 0);
      await store.write(batch(gone.map(({ sequence }) => ({ ...create(id(sequence), null, 2), expected: 1 }))));
      const query = { where: { type: 'SALE' }, reverse };
      const found: number[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const { items, next }: Listed = await store.list(table, scope, { ...query, offset: 0, limit: 10, after });
        found.push(...items.map((json) => (JSON.parse(json) as Entry).sequence));
        after = next;
      }
      const { items } = await store.list(table, scope, { ...query, offset: 0, limit: 2_000 });
      expect(found).toHaveLength(made.filter(({ type, sequence }) => type === 'SALE' && sequence % 7 > 0).length);
      expect(found).toEqual(items.map((json) => (JSON.parse(json) as Entry).sequence));
    },
  );

  test('a page of many hits is complete, even if most hits are much later', async () => {
    const store = await openStore('readwrite');
    await store.prepare([table]);
    const named = (n: number): string => (n < 300 || n >= 2_998 ? 'wanted' : 'other');
    const documents = Array.from({ length: 3_000 }, (_, n) => ({
      ...nth(n),
      date: '2025-01-01',
      description: named(n),
    }));
    await store.write(batch(documents.map((document, n) => create(id(n), document))));
    const { items, totalCount } = await store.list(table, scope, { offset: 0, limit: 5, search: 'want' });
    expect(items.map((json) => (JSON.parse(json) as Entry).sequence)).toEqual([2_999, 2_998, 299, 298, 297]);
    expect(totalCount).toBe(302);
  });

  describe('in read-only mode', () => {
    test('sees each commit immediately, and writes nothing', async () => {
      const writer = await openStore('readwrite');
      await writer.prepare([table]);
      const reader = await openStore('readonly');
      await reader.prepare([table]);
      for (let n = 0; n < 5; n += 1) {
        await writer.write({ ...batch([create(id(n), nth(n))]), checkpoints: [{ key: 'entries', position: n }] });
        expect(await reader.get(table, scope, id(n))).toBe(JSON.stringify(nth(n)));
        expect((await reader.list(table, scope, { ...page, search: `${n}` })).totalCount).toBe(1);
        expect(await reader.checkpoint('entries')).toBe(n);
      }
      await writer.setLiveGeneration('entries', 1, 1);
      expect(await reader.liveGeneration('entries', 1)).toBe(1);
      await expect(reader.write(batch([create('x', nth(1))]))).rejects.toThrow(ReadStoreUnavailable);
      await expect(reader.setLiveGeneration('entries', 1, 2)).rejects.toThrow(ReadStoreUnavailable);
      await expect(reader.drop(table)).rejects.toThrow(ReadStoreUnavailable);
    });

    test('waits for the file and the table to be created by the writer', async () => {
      const reading = openStore('readonly');
      const writer = await openStore('readwrite');
      const reader = await reading;
      await reader.prepare([table]);
      const [listed, document] = [reader.list(table, scope, page), reader.get(table, scope, 'a')];
      await writer.prepare([table]);
      expect(await listed).toEqual({ items: [], totalCount: 0 });
      expect(await document).toBeUndefined();
    });

    test('eventually stops waiting', async () => {
      await expect(openStore('readonly', 30)).rejects.toThrow(ReadStoreUnavailable);
      await openStore('readwrite');
      const reader = await openStore('readonly', 30);
      await reader.prepare([table]);
      await expect(reader.list(table, scope, page)).rejects.toThrow(ReadStoreUnavailable);
      await expect(reader.get(table, scope, 'a')).rejects.toThrow(ReadStoreUnavailable);
    });

    test('follows a field that becomes multi-valued, and a recreated table', async () => {
      const writer = await openStore('readwrite');
      await writer.prepare([table]);
      const reader = await openStore('readonly');
      await reader.prepare([table]);
      const totals = async (): Promise<number[]> =>
        Promise.all(
          ['x', 'y'].map(
            async (accounts) => (await reader.list(table, scope, { ...page, where: { accounts } })).totalCount,
          ),
        );
      await writer.write(batch([create('one', { ...nth(1), accounts: 'x' })]));
      expect(await totals()).toEqual([1, 0]);
      await writer.write(
        batch([create('two', { ...nth(2), accounts: ['x', 'y'] }), create('three', { ...nth(3), accounts: 'y' })]),
      );
      expect(await totals()).toEqual([2, 2]);
      await writer.write(batch([{ ...create('one', { ...nth(1), accounts: 'y' }, 2), expected: 1 }]));
      expect(await totals()).toEqual([1, 3]);
      await writer.drop(table);
      await writer.prepare([table]);
      await writer.write(batch([create('one', { ...nth(1), accounts: 'x' })]));
      expect(await totals()).toEqual([1, 0]);
    });
  });

  test('uses the unpacked documents in a version 3 file, and packs those that change', async () => {
    const old = await openStore('readwrite');
    await old.prepare([table]);
    await old.write(batch(some(3)));
    await old.close();
    const documents = (): string[] => {
      const db = new DatabaseSync(file());
      const select = db.prepare('SELECT json FROM "entries_v1_g1" ORDER BY number', { returnArrays: true });
      const found = (select.all() as unknown as string[][]).map(([json]) => String(json));
      db.close();
      return found;
    };
    const db = new DatabaseSync(file());
    for (const n of [0, 1, 2])
      db.prepare('UPDATE "entries_v1_g1" SET json = ? WHERE id = ?').run(JSON.stringify(nth(n)), id(n));
    db.exec('PRAGMA user_version = 3');
    db.close();
    const store = await openStore('readwrite');
    await store.prepare([table]);
    await store.write(batch([{ ...create(id(1), { ...nth(1), type: 'RETURN', open: true }, 9), expected: 1 }]));
    expect(store.recreated).toBe(false);
    const listed = await store.list(table, scope, { ...page, where: { open: true } });
    expect(listed.items.map((json) => (JSON.parse(json) as Entry).sequence)).toEqual([1, 0]);
    expect(documents().map((json) => json.startsWith('{'))).toEqual([true, false, true]);
  });

  test('merges eight segments of a full-text index at once, even if an earlier release created it', async () => {
    const segments = (change = ''): unknown[] => {
      const db = new DatabaseSync(file());
      const found = ['entries_v1_g1__terms', 'entries_v1_g1__words'].map((name) => {
        if (change) db.exec(`INSERT INTO ${name} (${name}, rank) VALUES ('automerge', ${change})`);
        return db.prepare(`SELECT v FROM ${name}_config WHERE k = 'automerge'`).get() as unknown;
      });
      db.close();
      return found;
    };
    const first = await openStore('readwrite');
    await first.prepare([table]);
    expect(segments()).toEqual([{ v: 8 }, { v: 8 }]);
    await first.write(batch(some(3)));
    await first.close();
    expect(segments('4')).toEqual([{ v: 4 }, { v: 4 }]);
    const second = await openStore('readwrite');
    await second.prepare([table]);
    expect(segments()).toEqual([{ v: 8 }, { v: 8 }]);
    expect((await second.list(table, scope, { ...page, search: 'number' })).totalCount).toBe(3);
  });

  test('reports a damaged document, and starts again with a new file', async () => {
    const store = await openStore('readwrite');
    await store.prepare([table]);
    await store.write(batch(some(3)));
    const db = new DatabaseSync(file());
    db.exec(`UPDATE "entries_v1_g1" SET json = char(31, 22, 127) WHERE id = '${id(1)}'`);
    db.close();
    await expect(store.get(table, scope, id(1))).rejects.toThrow(ReadStoreUnavailable);
    await store.close();
    await opensAnew();
  });

  describe('with an unusable file', () => {
    test('sets aside a file that is not a database', async () => {
      await writeFile(file(), 'this is no database'.repeat(1_000));
      await opensAnew();
      expect(await readdir(directory)).toContain('models.sqlite.damaged-1');
    });

    test('numbers every damaged file', async () => {
      for (const n of [1, 2]) {
        await writeFile(file(), `no database ${n}`.repeat(1_000));
        await (await openStore('readwrite')).close();
      }
      expect(await readdir(directory)).toEqual(
        expect.arrayContaining(['models.sqlite.damaged-1', 'models.sqlite.damaged-2']),
      );
    });

    test('sets aside a file that was created by a newer version', async () => {
      await (await openStore('readwrite')).close();
      const db = new DatabaseSync(file());
      db.exec('PRAGMA user_version = 999');
      db.close();
      await opensAnew();
    });

    test.each([
      ['those of subscribers', { policy: 7, forwarder: 9, 'projection:entries:v1:g1': 9 }, [7, 9, -1]],
      ['none if there are also checkpoints of another history', { policy: 7, h1_policy: 3 }, [-1, -1, -1]],
    ])('rebuilds a file with an older schema and keeps %s of its checkpoints', async (_, stored, expected) => {
      const old = await openStore('readwrite');
      await old.prepare([table]);
      const checkpoints = Object.entries(stored).map(([key, position]) => ({ key, position }));
      await old.write({ ...batch(some(3)), checkpoints });
      await old.setLiveGeneration('entries', 1, 1);
      await old.close();
      const db = new DatabaseSync(file());
      db.exec('DROP TABLE kontor_counts; PRAGMA user_version = 2');
      db.close();
      await expect(openStore('readonly', 20)).rejects.toThrow(ReadStoreUnavailable);
      const keptCheckpoints = ['policy', 'forwarder'];
      const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite', keptCheckpoints });
      opened.push(store);
      expect([store.recreated, await store.liveGeneration('entries', 1)]).toEqual([false, undefined]);
      expect(await store.checkpoints(['policy', 'forwarder', 'projection:entries:v1:g1'])).toEqual(expected);
      await store.prepare([table]);
      expect(await store.list(table, scope, page)).toEqual({ items: [], totalCount: 0 });
      expect((await readdir(directory)).filter((name) => name.includes('damaged'))).toEqual([]);
    });

    test('reports damage found by a read, and starts again with a new file', async () => {
      const store = await openStore('readwrite');
      await store.prepare([table]);
      await store.write(batch(some(2_000)));
      await store.close();
      const handle = await open(file(), 'r+');
      const { size } = await handle.stat();
      // Damages only the second half of the file. It contains documents, whereas the schema is in the first pages.
      await handle.write(Buffer.alloc(size / 2, 0xa5), 0, size / 2, size / 2);
      await handle.close();
      const damaged = await openStore('readwrite');
      await damaged.prepare([table]);
      expect(damaged.recreated).toBe(false);
      const reading = async (): Promise<void> => {
        for (const search of [undefined, 'rent', 'number', 'office']) {
          await damaged.list(table, scope, { offset: 0, limit: 2_000, ...(search && { search }) });
        }
      };
      await expect(reading()).rejects.toThrow(ReadStoreUnavailable);
      await expect(openStore('readonly', 20)).rejects.toThrow(ReadStoreUnavailable);
      await damaged.close();
      await opensAnew();
    });

    test('leaves a file locked by another process unchanged', async () => {
      const other = new DatabaseSync(file());
      other.exec('CREATE TABLE theirs (a); BEGIN EXCLUSIVE');
      for (const mode of ['readwrite', 'readonly'] as const) {
        await expect(openStore(mode, 20)).rejects.toThrow(ReadStoreUnavailable);
      }
      other.exec('COMMIT');
      other.close();
      expect((await openStore('readwrite')).recreated).toBe(false);
      expect(await readdir(directory)).not.toContain('models.sqlite.damaged-1');
    });

    test('rejects a write completely on a full disk, continues to read, and writes again once there is space', async () => {
      const db = await ReadStoreDatabase.open(directory, 'readwrite', 0);
      const add = (): void => {
        db.writing(() => {
          db.run('INSERT INTO kontor_checkpoints VALUES (?, 1)', 'small');
          db.run('INSERT INTO kontor_checkpoints VALUES (?, 1)', 'large'.repeat(20_000));
          return { keep: true, result: undefined };
        });
      };
      db.exec('PRAGMA max_page_count = 20');
      expect(add).toThrow(ReadStoreUnavailable);
      expect(db.all('SELECT key FROM kontor_checkpoints')).toEqual([]);
      db.exec('PRAGMA max_page_count = 2000');
      add();
      expect(db.all('SELECT count(*) FROM kontor_checkpoints')).toEqual([[2]]);
      db.close();
    });
  });

  describe('writes whole batches', () => {
    let store: EmbeddedReadStore;
    beforeEach(async () => {
      store = await openStore('readwrite');
      await store.prepare([table]);
    });

    test('discarding everything on a conflict', async () => {
      await store.write(batch(some(2)));
      const { conflicts } = await store.write(batch([create('new', nth(9)), create(id(1), nth(1))]));
      expect(conflicts).toEqual([{ table, scope, id: id(1) }]);
      expect(await store.get(table, scope, 'new')).toBeUndefined();
      expect((await store.list(table, scope, page)).totalCount).toBe(2);
    });

    test('with several changes to a document, including its words and accounts', async () => {
      const first = { ...nth(1), description: 'first text', accounts: ['x'] };
      const second = { ...nth(2), description: 'second text', accounts: ['y'] };
      await store.write(batch([create('one', first, 1), { ...create('one', second, 2), expected: 1 }]));
      const total = async (query: Partial<ListQuery>): Promise<number> =>
        (await store.list(table, scope, { ...page, ...query })).totalCount;
      expect([await total({ search: 'first' }), await total({ search: 'second text' }), await total({})]).toEqual([
        0, 1, 1,
      ]);
      expect([await total({ where: { accounts: 'x' } }), await total({ where: { accounts: 'y' } })]).toEqual([0, 1]);
    });

    test.each<[string, Partial<Record<keyof Entry, unknown>>]>([
      ['a text instead of a number', { sequence: '7' }],
      ['a fractional number', { sequence: 1.5 }],
      ['a number instead of a text', { customerId: 7 }],
      ['several values for the order', { date: ['2025-01-01'] }],
      ['several values for what is counted', { open: [true] }],
    ])('rejecting %s, with all tables and checkpoints of the batch', async (_, wrong) => {
      await store.prepare([customersTable]);
      const first = { table: customersTable, writes: [create('c1', { name: 'First' })] };
      const writes = [create('a', nth(1)), create('b', { ...nth(2), ...wrong }), create('d', nth(3))];
      const checkpoints = [{ key: 'entries', position: 1 }];
      await expect(store.write({ tables: [first, { table, writes }], checkpoints })).rejects.toThrow(TypeError);
      expect(await store.get(table, scope, 'a')).toBeUndefined();
      expect(await store.checkpoint('entries')).toBe(-1);
      // The rejected batch has left nothing in the indexes, so the engine accepts the corrected batch.
      const right = { table, writes: writes.map((each) => ({ ...each, document: nth(1) })) };
      expect(await store.write({ tables: [first, right], checkpoints })).toEqual({ conflicts: [] });
      const found = [
        await store.list(customersTable, scope, { ...page, search: 'first' }),
        await store.list(table, scope, { ...page, where: { type: nth(1).type } }),
      ];
      expect(found.map(({ totalCount }) => totalCount)).toEqual([1, 3]);
    });

    test('separating tenants, even if the first batch of one of them was rejected', async () => {
      const tenants = [1, 2].map((digit) => tenantScope(`0199c0de-0000-7000-8000-00000000001${digit}`));
      const [first, second] = tenants.map((tenant) => ({ ...create('a', nth(1)), scope: tenant }));
      if (!first || !second) throw new Error('There are two tenants');
      const wrong = { ...first, document: { ...nth(1), sequence: '7' } };
      await expect(store.write(batch([wrong]))).rejects.toThrow(TypeError);
      await store.write(batch([second]));
      expect(await store.get(table, first.scope, 'a')).toBeUndefined();
      expect(await store.write(batch([first, { ...first, id: 'b' }]))).toEqual({ conflicts: [] });
      const totals = tenants.map(async (tenant) => (await store.list(table, tenant, page)).totalCount);
      expect(await Promise.all(totals)).toEqual([2, 1]);
    });

    test('rejecting invalid filter values as a programming error', async () => {
      for (const where of [{ open: 'true' }, { type: 1 }, { open: 1 }]) {
        await expect(store.list(table, scope, { ...page, where })).rejects.toThrow(RangeError);
      }
    });
  });

  describe('validates declarations', () => {
    const prepare = async (model: ReadModel<Entry>): Promise<void> =>
      (await openStore('readwrite')).prepare([{ model, generation: 1 }]);

    test('a model changed without a new version is rejected', async () => {
      await prepare(entries);
      await prepare({ ...entries, filters: [...entries.filters].reverse() });
      await expect(prepare({ ...entries, filters: ['type', 'open'], compound: [] })).rejects.toThrow(
        'without a new version',
      );
    });

    test.each<[string, Partial<ReadModel<Entry>>]>([
      ['SQL in a name', { name: 'x"; DROP TABLE y; --' }],
      ['a name that could be a side table', { name: 'entries_v1_g1__words' }],
      ['an upper-case name', { name: 'Entries' }],
      ['SQL in a field', { fields: { ...entries.fields, 'a" b': { type: 'text', of: () => '' } } }],
      ['fields that differ in case only', { fields: { ...entries.fields, Date: { type: 'text', of: () => '' } } }],
      ['a filter that is not a field', { filters: [...entries.filters, 'color'] }],
      ['a compound of non-filters', { compound: [['type', 'date']] }],
      ['a count of a non-filter', { counted: ['date'] }],
      ['a range index of a filter', { ranged: ['type'] }],
      ['an order that is not a field', { order: { fields: ['color'], direction: 'ascending' } }],
      ['a fractional version', { version: 1.5 }],
    ])('%s is rejected', async (_, wrong) => {
      await expect(prepare({ ...entries, ...wrong })).rejects.toThrow(RangeError);
    });

    test('a table that was not prepared is a programming error', async () => {
      const store = await openStore('readwrite');
      await expect(store.get(table, scope, 'a')).rejects.toThrow(RangeError);
      await expect(store.write(batch([create('a', nth(1))]))).rejects.toThrow(RangeError);
    });
  });
});

describe('A read store whose file is damaged while open', () => {
  const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
    ['deleted', (file) => rm(file)],
    ['emptied', (file) => truncate(file)],
    ['cut short', async (file) => truncate(file, Math.floor((await stat(file)).size / 2))],
    ['overwritten', async (file) => writeOver(file, (await stat(file)).size)],
  ];
  async function writeOver(file: string, size: number): Promise<void> {
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(size, 0xa5), 0, size, 0);
    await handle.close();
  }

  test.each(damages)(
    '%s: reports it within two seconds, keeps the file, and continues with a new one',
    async (_, damage) => {
      const directory = await mkdtemp(join(tmpdir(), 'kontor-read-store-'));
      const complaints: string[] = [];
      const opened = (mode: 'readwrite' | 'readonly') =>
        EmbeddedReadStore.open({ directory, mode, onDamaged: () => complaints.push(mode) });
      const writer = await opened('readwrite');
      const reader = await opened('readonly');
      try {
        for (const store of [writer, reader]) await store.prepare([table]);
        await writer.write(batch(some(2_000)));
        // Moves the contents of the write-ahead log to the database file.
        const other = new DatabaseSync(join(directory, 'models.sqlite'));
        other.exec('PRAGMA wal_checkpoint(PASSIVE)');
        other.close();
        await damage(join(directory, 'models.sqlite'));
        await eventually(() => complaints.includes('readwrite'), 2_000);
        expect(writer.fault()).toEqual({ setting: 'DATA_DIR', reason: 'models.sqlite is damaged' });
        await writer.reopen();
        expect([writer.recreated, writer.fault()]).toEqual([true, undefined]);
        await writer.prepare([table]);
        await writer.write(batch(some(3)));
        await reader.reopen();
        expect((await reader.list(table, scope, page)).totalCount).toBe(3);
        await writer.write(batch(some(2, 3)));
        expect((await reader.list(table, scope, page)).totalCount).toBe(5);
        expect(complaints.filter((mode) => mode === 'readwrite')).toHaveLength(1);
      } finally {
        await reader.close();
        await writer.close();
        await rm(directory, { recursive: true });
      }
    },
  );

  test('is not reported if a full disk prevented a checkpoint from extending the file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kontor-read-store-'));
    const file = join(directory, 'models.sqlite');
    const writer = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
    try {
      await writer.prepare([table]);
      await writer.write(batch(some(500)));
      const other = new DatabaseSync(file);
      const { page_count: pages } = other.prepare('PRAGMA page_count').get() as { page_count: number };
      // A checkpoint writes the pages in order. The first one, which contains their number, may be the only one written.
      const handle = await open(file, 'r+');
      const header = Buffer.alloc(4);
      header.writeUInt32BE(pages);
      await handle.write(header, 0, header.length, 28);
      await handle.close();
      expect((await stat(file)).size).toBeLessThan(pages * 4_096);
      expect(isWhole(directory, identityOf(directory))).toBe(true);
      await writer.write(batch(some(10, 500)));
      other.exec('PRAGMA wal_checkpoint(PASSIVE)');
      other.close();
      expect((await writer.list(table, scope, page)).totalCount).toBe(510);
      // Now that the log has been copied, the file itself must be complete.
      await truncate(file, Math.floor((await stat(file)).size / 2));
      expect(isWhole(directory, identityOf(directory))).toBe(false);
    } finally {
      await writer.close();
      await rm(directory, { recursive: true });
    }
  });
});
