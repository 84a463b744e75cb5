import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { tenantScope } from '../../src/ports/read-store.js';
import type { AnyTable, DocumentWrite, ListQuery, ReadModel, Scope } from '../../src/ports/read-store.js';
import { words } from '../../src/ports/search.js';
import { mulberry32 } from '../support/manual-clock.js';

type Author = { readonly name: string; readonly city: string };
type Note = { readonly day: string; readonly text: string; readonly author: string; readonly kind: string };
const authors: ReadModel<Author> = {
  name: 'authors',
  version: 1,
  fields: {},
  filters: [],
  order: { fields: [], direction: 'ascending' },
  search: { name: ({ name }) => name, city: ({ city }) => city },
};
const notes: ReadModel<Note> = {
  name: 'notes',
  version: 1,
  fields: {
    day: { type: 'text', of: ({ day }) => day },
    author: { type: 'text', of: ({ author }) => author },
    kind: { type: 'text', of: ({ kind }) => kind },
  },
  filters: ['day', 'kind'],
  order: { fields: ['day'], direction: 'descending' },
  search: { text: ({ text }) => text },
  searchJoins: [{ field: 'author', model: 'authors', texts: ['name'] }],
};
const authorsTable: AnyTable = { model: authors, generation: 1 };
const table: AnyTable = { model: notes, generation: 1 };
const scopes = [1, 2].map((n) => tenantScope(`0199c0de-0000-7000-8000-00000000000${n}`));
const authorIds = ['a1', 'a2', 'a3'];

const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
process.stdout.write(`seed ${seed}\n`);

type Kept = { readonly position: number; readonly document: object | null };
type Documents = Map<string, Kept>;

/** The expected contents of a store. Generates the writes that change the store. */
class Expected {
  private readonly notes = new Map<Scope, Documents>(scopes.map((scope) => [scope, new Map()]));
  private readonly authors = new Map<Scope, Documents>(scopes.map((scope) => [scope, new Map()]));
  private readonly random: () => number;
  private position = 0;

  constructor(from = seed) {
    this.random = mulberry32(from);
  }

  /** Generates writes that add, change and delete notes, including notes added in the same batch. */
  noteWrites(count: number): DocumentWrite[] {
    return Array.from({ length: count }, () => {
      const scope = this.pick(scopes);
      const own = this.notes.get(scope) as Documents;
      const isNew = own.size === 0 || this.random() < 0.6;
      const id = `n${isNew ? own.size : this.int(own.size)}`;
      return this.write(own, scope, id, !isNew && this.random() < 0.3 ? null : this.note());
    });
  }

  /** Returns a write that adds, changes or deletes an author. */
  authorWrites(): DocumentWrite[] {
    const scope = this.pick(scopes);
    const author = this.random() < 0.2 ? null : { name: `${this.pick(NAMES)} ${this.int(9)}`, city: this.pick(COMMON) };
    return [this.write(this.authors.get(scope) as Documents, scope, this.pick(authorIds), author)];
  }

  /** Returns the matching notes as JSON, newest first. */
  matching(scope: Scope, { search, where }: Partial<ListQuery>): string[] {
    const prefixes = words(search ?? '');
    const has = ({ text, author }: Note): string[] => {
      const of = this.authors.get(scope)?.get(author)?.document as Author | null | undefined;
      return words(`${text} ${of?.name ?? ''}`);
    };
    return [...(this.notes.get(scope) as Documents).values()]
      .flatMap(({ document }) => (document as Note | null) ?? [])
      .filter((note) => prefixes.every((prefix) => has(note).some((word) => word.startsWith(prefix))))
      .filter(({ kind, day }) => (where?.['kind'] ?? kind) === kind && (where?.['day'] ?? day) === day)
      .map((note) => JSON.stringify(note))
      .sort();
  }

  private write(own: Documents, scope: Scope, id: string, document: object | null): DocumentWrite {
    this.position += 1;
    const expected = own.get(id)?.position ?? null;
    own.set(id, { position: this.position, document });
    return { scope, id, document, position: this.position, expected };
  }

  private note(): Note {
    const chosen = [this.pick(COMMON), this.random() < 0.5 ? this.pick(COMMON) : '', SOME[this.int(9)] ?? ''];
    const text = [...chosen, String(this.int(5_000))].join(' ').trim();
    return { day: `2026-01-0${1 + this.int(9)}`, text, author: this.pick(authorIds), kind: this.pick(['x', 'X']) };
  }

  private int(below: number): number {
    return Math.floor(this.random() * below);
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }
}
/** COMMON words occur in most notes, SOME words in only a few. Several words share a prefix. */
const COMMON = ['sale', 'şale', 'salt', 'web', 'Web2'];
const SOME = ['salad', 'öztürk', 'weber', 'w', 'ışık'];
const NAMES = ['Salih', 'Ada', 'Weber'];

const searches = [
  's',
  'sa',
  'sal',
  'sale',
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
  'ada',
  'sali ada',
];
const queries: Partial<ListQuery>[] = [
  ...searches.map((search) => ({ search })),
  { where: { kind: 'x' } },
  { where: { kind: 'X', day: '2026-01-03' } },
  { where: { kind: 'x' }, search: 'sal' },
];

describe('Search and filters in SQLite', () => {
  let directory: string;
  const opened: EmbeddedReadStore[] = [];
  const open = async (few: number): Promise<EmbeddedReadStore> => {
    const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite', few });
    opened.push(store);
    await store.prepare([authorsTable, table]);
    await store.setLiveGeneration('authors', 1, 1);
    return store;
  };
  const expectAll = async (store: EmbeddedReadStore, expected: Expected): Promise<void> => {
    for (const scope of scopes)
      for (const query of queries) {
        const { items, totalCount } = await store.list(table, scope, { offset: 0, limit: 10_000, ...query });
        const all = expected.matching(scope, query);
        expect({ query, totalCount, found: items.toSorted() }).toEqual({ query, totalCount: all.length, found: all });
      }
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-search-'));
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await rm(directory, { recursive: true });
  });

  test.each([0, 20, 1_000])(
    'every list contains its matches after each write, change, deletion and renaming (few: %i)',
    async (few) => {
      const [store, another] = [await open(few), await open(few)];
      const expected = new Expected();
      for (let round = 0; round < 25; round += 1) {
        const writes = expected.noteWrites(1 + (round % 5) * 20);
        const tables = [
          { table, writes },
          ...(round % 2 ? [{ table: authorsTable, writes: expected.authorWrites() }] : []),
        ];
        expect(await store.write({ tables, checkpoints: [] })).toEqual({ conflicts: [] });
        // A store must not return data from its cache that the other store has since changed.
        await expectAll(round % 3 === 0 ? store : another, expected);
      }
      await expectAll(store, expected);
    },
  );

  test('a document without filters that one batch creates and changes is found by its new words only', async () => {
    const store = await open(0);
    const scope = tenantScope('one');
    const named = (name: string) => ({ scope, id: 'a1', document: { name, city: '' } });
    const writes = [
      { ...named('Salih'), position: 1, expected: null },
      { ...named('Weber'), position: 2, expected: 1 },
    ];
    expect(await store.write({ tables: [{ table: authorsTable, writes }], checkpoints: [] })).toEqual({
      conflicts: [],
    });
    const count = async (search: string) =>
      (await store.list(authorsTable, scope, { search, offset: 0, limit: 1 })).totalCount;
    expect([await count('salih'), await count('weber')]).toEqual([0, 1]);
  });

  test('a dropped table leaves no tables or search results behind', async () => {
    const store = await open(0);
    const expected = new Expected();
    await store.write({ tables: [{ table, writes: expected.noteWrites(50) }], checkpoints: [] });
    await expectAll(store, expected);
    await store.drop(table);
    const file = new DatabaseSync(join(directory, 'models.sqlite'));
    expect(file.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE 'notes%'`).all()).toEqual([]);
    file.close();
    await store.prepare([table]);
    const other = new Expected(seed + 1);
    await store.write({ tables: [{ table, writes: other.noteWrites(50) }], checkpoints: [] });
    await expectAll(store, other);
  });
});
