import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Sizes } from '../../src/adapters/embedded/read-store.columns.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { tenantScope } from '../../src/ports/read-store.js';
import type { AnyTable, DocumentWrite, ReadModel, Scope } from '../../src/ports/read-store.js';
import { words } from '../../src/ports/search.js';
import { mulberry32 } from '../support/manual-clock.js';

/** Columns answer every list. A block's bits are two words, the second of them not full. */
const sizes: Sizes = {
  ...{ block: 40, listed: 4, many: 0, few: 0, fewShare: 0, skippedShare: 0, sorted: 20, keptBytes: 1_000_000 },
};

type Note = { readonly day: string; readonly text: string };
const notes: ReadModel<Note> = {
  name: 'notes',
  version: 1,
  fields: { day: { type: 'text', of: ({ day }) => day } },
  filters: ['day'],
  order: { fields: ['day'], direction: 'descending' },
  large: { joined: false },
  search: { text: ({ text }) => text },
};
const table: AnyTable = { model: notes, generation: 1 };
const scopes = [1, 2].map((n) => tenantScope(`0199c0de-0000-7000-8000-00000000000${n}`));

const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
process.stdout.write(`seed ${seed}\n`);

type Kept = { readonly position: number; readonly document: Note | null };
/** What a store must hold, and writes that change it. */
class Notes {
  private readonly random = mulberry32(seed);
  private readonly kept = new Map<Scope, Map<string, Kept>>(scopes.map((scope) => [scope, new Map()]));
  private position = 0;

  /** New notes, and changes and deletions of others, of the same batch too. */
  writes(count: number): DocumentWrite[] {
    return Array.from({ length: count }, () => {
      const scope = scopes[this.int(scopes.length)] as Scope;
      const own = this.kept.get(scope) as Map<string, Kept>;
      const isNew = own.size === 0 || this.random() < 0.6;
      const id = `n${isNew ? own.size : this.int(own.size)}`;
      const document = !isNew && this.random() < 0.3 ? null : { day: `2026-01-0${1 + this.int(9)}`, text: this.text() };
      this.position += 1;
      const expected = own.get(id)?.position ?? null;
      own.set(id, { position: this.position, document });
      return { scope, id, document, position: this.position, expected };
    });
  }

  /** Those that have a word with each of these prefixes, newest first. */
  having(scope: Scope, search: string): string[] {
    const prefixes = words(search);
    return [...(this.kept.get(scope) as Map<string, Kept>).values()]
      .flatMap(({ document }) => document ?? [])
      .filter(({ text }) => prefixes.every((prefix) => words(text).some((word) => word.startsWith(prefix))))
      .map(({ day, text }) => `${day} ${text}`)
      .sort()
      .reverse();
  }

  private int(below: number): number {
    return Math.floor(this.random() * below);
  }

  /** Words that most notes have, that some have, and that hardly any two have; some begin as others do. */
  private text(): string {
    const common = ['sale', 'şale', 'salt', 'web', 'Web2'];
    const some = ['salad', 'öztürk', 'weber', 'w', 'ışık'];
    const chosen = [common[this.int(5)], this.random() < 0.5 ? common[this.int(5)] : '', some[this.int(9)] ?? ''];
    return [...chosen, String(this.int(5_000))].join(' ').trim();
  }
}
const searches = [
  's',
  'sa',
  'sale',
  'sal',
  'salt',
  'w',
  'web',
  'web2',
  'sa we',
  'oz',
  'isik',
  '1',
  '12',
  'zzz',
  'sale 1',
];

describe('Lists of words in SQLite', () => {
  let directory: string;
  const opened: EmbeddedReadStore[] = [];
  const open = async (own = sizes): Promise<EmbeddedReadStore> => {
    const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite', sizes: own });
    opened.push(store);
    return store;
  };
  const expectAll = async (store: EmbeddedReadStore, expected: Notes, of = table): Promise<void> => {
    for (const scope of scopes)
      for (const search of searches) {
        const { items, totalCount } = await store.list(of, scope, { offset: 0, limit: 10_000, search });
        const found = items.map((json) => JSON.parse(json) as Note).map(({ day, text }) => `${day} ${text}`);
        const all = expected.having(scope, search);
        expect({ search, totalCount, found: found.sort().reverse() }).toEqual({
          ...{ search, totalCount: all.length, found: all },
        });
      }
  };
  const lists = (database: DatabaseSyncInstance): number =>
    (database.prepare('SELECT count(*) AS n FROM notes_v1_g1__lists').get() as { n: number }).n;
  const inFile = <T>(work: (database: DatabaseSyncInstance) => T): T => {
    const database = new DatabaseSync(join(directory, 'models.sqlite'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-word-lists-'));
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await rm(directory, { recursive: true });
  });

  test('every search finds what has its words, after whatever was written, changed and deleted', async () => {
    const store = await open();
    await store.prepare([table]);
    const expected = new Notes();
    for (let round = 0; round < 25; round += 1) {
      const writes = expected.writes(1 + (round % 5) * 20);
      expect(await store.write({ tables: [{ table, writes }], checkpoints: [] })).toEqual({ conflicts: [] });
      if (round % 4 === 0) await expectAll(store, expected);
    }
    await expectAll(store, expected);
    expect(inFile(lists)).toBeGreaterThan(20);
  });

  test('a table that is written in bulk gets its lists with its indexes', async () => {
    const store = await open();
    await store.prepare([table], { bulk: true });
    const expected = new Notes();
    await store.write({ tables: [{ table, writes: expected.writes(700) }], checkpoints: [] });
    await store.index(table);
    await expectAll(store, expected);
    expect(inFile(lists)).toBeGreaterThan(20);
    await store.write({ tables: [{ table, writes: expected.writes(200) }], checkpoints: [] });
    await expectAll(store, expected);
  });

  test('a table of a version without lists is searched by its rows, and new blocks get lists', async () => {
    const before = await open();
    await before.prepare([table]);
    const expected = new Notes();
    await before.write({ tables: [{ table, writes: expected.writes(500) }], checkpoints: [] });
    await before.close();
    inFile((database) => {
      database.exec('DROP TABLE notes_v1_g1__lists');
    });
    const store = await open();
    await store.prepare([table]);
    await expectAll(store, expected);
    await store.write({ tables: [{ table, writes: expected.writes(500) }], checkpoints: [] });
    await expectAll(store, expected);
    expect(inFile(lists)).toBeGreaterThan(10);
  });

  test('where a word has a list its rows are not read: that is what lists are for', async () => {
    const store = await open();
    await store.prepare([table]);
    const [scope = tenantScope('')] = scopes;
    const writes = Array.from({ length: 100 }, (_, n) => ({
      ...{ scope, id: `n${n}`, document: { day: '2026-01-01', text: 'sale' }, position: n + 1, expected: null },
    }));
    await store.write({ tables: [{ table, writes }], checkpoints: [] });
    inFile((database) => {
      database.exec(`DELETE FROM notes_v1_g1__words WHERE word = 'sale'`);
    });
    // Two blocks of 40 have lists; of the rest the rows were all there is.
    expect((await store.list(table, scope, { offset: 0, limit: 1, search: 'sa' })).totalCount).toBe(80);
  });

  test('a table that is dropped leaves no lists behind', async () => {
    const store = await open();
    await store.prepare([table]);
    await store.drop(table);
    expect(
      inFile(
        (database) => database.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE 'notes%'`).all() as unknown[],
      ),
    ).toEqual([]);
  });
});
