import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  PLATFORM,
  tenantScope,
  type AnyTable,
  type DocumentWrite,
  type Listed,
  type ListQuery,
  type ReadModel,
  type ReadStore,
  type Scalar,
  type Scope,
} from '../../src/ports/read-store.js';
import { words } from '../../src/ports/search.js';

/**
 * Each test has a separate store. `another` opens a second instance on the same documents, as another replica would.
 */
export type ReadStoreUnderTest = {
  readonly store: ReadStore;
  readonly another: () => Promise<ReadStore>;
  readonly dispose: () => Promise<void>;
};

type Owner = { readonly name: string; readonly city: string };
type Thing = {
  readonly name: string | null;
  readonly rank: number | null;
  readonly kind: string | null;
  readonly size: number | null;
  readonly price: string | null;
  readonly active: boolean | null;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly note: string | null;
};

const owners: ReadModel<Owner> = {
  name: 'owners',
  version: 1,
  fields: {
    name: { type: 'text', of: (owner) => owner.name },
    city: { type: 'text', of: (owner) => owner.city },
  },
  filters: ['city'],
  order: { fields: ['name'], direction: 'ascending' },
  large: true,
  search: { name: (owner) => owner.name, city: (owner) => owner.city },
};
const things: ReadModel<Thing> = {
  name: 'things',
  version: 1,
  fields: {
    name: { type: 'text', of: (thing) => thing.name },
    rank: { type: 'integer', of: (thing) => thing.rank },
    kind: { type: 'text', of: (thing) => thing.kind },
    size: { type: 'integer', of: (thing) => thing.size },
    price: { type: 'text', of: (thing) => thing.price },
    active: { type: 'boolean', of: (thing) => thing.active },
    tags: { type: 'text', of: (thing) => thing.tags },
    owner: { type: 'text', of: (thing) => thing.owner },
  },
  filters: ['kind', 'active', 'tags', 'owner', 'rank', 'size'],
  compound: [['kind', 'active']],
  counted: ['kind', 'active', 'size'],
  ranged: ['price'],
  order: { fields: ['rank', 'name'], direction: 'descending' },
  orders: { size: { fields: ['active', 'size'], direction: 'ascending' } },
  large: true,
  search: { name: (thing) => thing.name, note: (thing) => thing.note },
  searchJoins: [{ field: 'owner', model: 'owners', texts: ['name'] }],
};
/** A read model without order fields, whose documents are sorted only by id. */
const notes: ReadModel<{ readonly note: string }> = {
  ...{ name: 'notes', version: 1, fields: {}, filters: [] },
  order: { fields: [], direction: 'ascending' },
};
const thing = (given: Partial<Thing> = {}): Thing => ({
  name: null,
  rank: null,
  kind: null,
  size: null,
  price: null,
  active: null,
  tags: [],
  owner: null,
  note: null,
  ...given,
});
const table: AnyTable = { model: things, generation: 1 };
const ownersTable: AnyTable = { model: owners, generation: 1 };
const everything: ListQuery = { offset: 0, limit: 100 };

const create = (scope: Scope, id: string, document: object, position = 1): DocumentWrite => ({
  scope,
  id,
  document,
  position,
  expected: null,
});
const batch = (writes: readonly DocumentWrite[], to: AnyTable = table, checkpoints: Record<string, number> = {}) => ({
  tables: [{ table: to, writes }],
  checkpoints: Object.entries(checkpoints).map(([key, position]) => ({ key, position })),
});

// The naive store: arrays that are filtered and sorted as the port specifies.
type Known = { readonly id: string; readonly document: Thing | null; readonly position: number };
const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const byValue = (a: string | number | null, b: string | number | null): number => {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return typeof a === 'number' && typeof b === 'number' ? a - b : byText(String(a), String(b));
};
function searched({ name, note, owner }: Thing, query: ListQuery, joined: ReadonlyMap<string, Owner>): string[] {
  const { name: ownerName, city } = joined.get(owner ?? '') ?? {};
  const isConsidered = city === (query.joinedWhere?.city ?? city);
  return [name, note, isConsidered ? ownerName : null].flatMap((text) => words(text ?? ''));
}

function matches(document: Thing, query: ListQuery, joined: ReadonlyMap<string, Owner>): boolean {
  const value = (field: string) => document[field as keyof Thing];
  const equal = Object.entries(query.where ?? {}).every(([field, wanted]) =>
    [value(field)].flat().includes(wanted as never),
  );
  const any = Object.entries(query.anyOf ?? {}).every(([field, wanted]) =>
    [value(field)].flat().some((one) => one !== null && wanted.includes(one)),
  );
  if (!any) return false;
  const within = Object.entries(query.between ?? {}).every(([field, { from, to }]) => {
    const found = value(field) as string | number | null;
    if (found === null) return from === undefined && to === undefined;
    return byValue(found, (from ?? found) as never) >= 0 && byValue(found, (to ?? found) as never) <= 0;
  });
  if (query.search === undefined || query.search === '') return equal && within;
  const wanted = words(query.search);
  const has = searched(document, query, joined);
  return equal && within && wanted.length > 0 && wanted.every((word) => has.some((other) => other.startsWith(word)));
}

function naiveList(known: Iterable<Known>, query: ListQuery, joined: ReadonlyMap<string, Owner>) {
  const found = [...known].flatMap(({ id, document }) =>
    document && matches(document, query, joined) ? [{ id, document }] : [],
  );
  const bySize = query.order === 'size';
  found.sort((a, b) => {
    const [one, other] = [a.document, b.document];
    const compared = bySize
      ? byValue(one.active === null ? null : Number(one.active), other.active === null ? null : Number(other.active)) ||
        byValue(one.size, other.size)
      : byValue(one.rank, other.rank) || byValue(one.name, other.name);
    return compared || byText(a.id, b.id);
  });
  if (bySize === (query.reverse ?? false)) found.reverse();
  const page = found.slice(query.offset, query.offset + query.limit);
  return { items: page.map(({ document }) => JSON.stringify(document)), totalCount: found.length };
}

// There are few distinct values, so that documents often have the same value. Databases might treat some of these
// values specially.
const text = fc.constantFrom(
  'İstanbul',
  'ıstanbul depo',
  'ankara',
  'Ank',
  'Ürün-42',
  'a\0b',
  'a',
  "'; DROP",
  '%_$ne',
  '𝕏 ß',
  '',
);
const ids = ['a', 'b', 'B', 'é', '10', '9', '\u{1F600}', '\uFFFD', "x'--", '$gt', 'a\0', 'a\u0001'];
const ownerIds = ['o1', 'o2', 'o3'];
const cities = ['ist', 'ank'];
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 5 });
const price = fc.constantFrom('', '007', '040', '041', '500', 'a\0b');
const whole = fc.constantFrom(-3, 0, 1, 2, 7, Number.MAX_SAFE_INTEGER);
const someThing: fc.Arbitrary<Thing> = fc.record({
  name: nullable(text),
  rank: nullable(whole),
  kind: nullable(fc.constantFrom('x', 'y', 'a\0b', 'a')),
  size: nullable(whole),
  price: nullable(price),
  active: nullable(fc.boolean()),
  tags: fc.array(fc.constantFrom('red', 'green', 'blue', 'a\0b', 'a'), { maxLength: 4 }),
  owner: nullable(fc.constantFrom(...ownerIds)),
  note: nullable(text),
});

// A query has at most two filters and one range. If it had more, hardly any document would match.
const somePage = { offset: fc.oneof(fc.constant(0), fc.nat({ max: 5 })), limit: fc.integer({ min: 1, max: 8 }) };
const someFilter = fc.oneof(
  fc.record({ kind: fc.constantFrom('x', 'y', 'a', 'a\0b') }),
  fc.record({ active: fc.boolean() }),
  fc.record({ tags: fc.constantFrom('red', 'green', 'a', 'a\0b', 'none') }),
  fc.record({ owner: fc.constantFrom(...ownerIds) }),
  fc.record({ rank: whole }),
  fc.record({ size: whole }),
);
const someChoice: fc.Arbitrary<Record<string, Scalar[]>> = fc.oneof(
  fc.record({ kind: fc.uniqueArray(fc.constantFrom('x', 'y', 'a', 'a\0b'), { maxLength: 3 }) }),
  fc.record({ tags: fc.uniqueArray(fc.constantFrom('red', 'green', 'a', 'none'), { maxLength: 3 }) }),
  fc.record({ size: fc.uniqueArray(whole, { maxLength: 3 }), active: fc.uniqueArray(fc.boolean()) }),
);
const bounds = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.record({ from: value, to: value }, { requiredKeys: [] }),
    value.map((one) => ({ from: one, to: one })),
  );
const someRange = fc.oneof(
  fc.record({ rank: bounds(whole) }),
  fc.record({ name: bounds(text) }),
  fc.record({ size: bounds(whole) }),
  fc.record({ price: bounds(price) }),
  fc.record({ price: bounds(price), rank: bounds(whole) }),
  fc.record({ rank: bounds(whole), name: bounds(text) }),
  fc.record({ active: bounds(fc.boolean()), size: bounds(whole) }),
);
const someSearch = fc.oneof(
  text,
  fc.constantFrom('ist', 'i', 'A', '42', 'ank ist', 'ss', '¡!', 'urun 42 urun', 'nobody'),
);
const someQuery: fc.Arbitrary<ListQuery> = fc
  .record({
    ...somePage,
    reverse: fc.boolean(),
    filters: fc.array(someFilter, { maxLength: 2 }),
    between: fc.option(someRange, { nil: undefined }),
    search: fc.option(someSearch, { nil: undefined }),
    joinedWhere: fc.option(fc.record({ city: fc.constantFrom(...cities, 'none') }), { nil: undefined }),
    anyOf: fc.option(someChoice, { nil: undefined, freq: 2 }),
    order: fc.option(fc.constant('size'), { nil: undefined, freq: 2 }),
  })
  .map(({ filters, between, search, joinedWhere, anyOf, order, ...paging }) => ({
    ...paging,
    ...(anyOf && { anyOf }),
    ...(order && { order }),
    where: Object.assign({}, ...filters) as Record<string, Scalar>,
    ...(between && { between: between }),
    ...(search !== undefined && { search }),
    ...(joinedWhere && { joinedWhere }),
  }));
const someChange = fc.record({
  scope: fc.constantFrom(0, 1),
  id: fc.constantFrom(...ids),
  document: fc.option(someThing, { freq: 6 }),
});

export function readStoreContract(name: string, open: () => Promise<ReadStoreUnderTest>): void {
  describe(`${name} as a read store`, () => {
    let under: ReadStoreUnderTest;
    let store: ReadStore;
    const mine = tenantScope(randomUUID());
    const theirs = tenantScope(randomUUID());

    beforeEach(async () => {
      under = await open();
      store = under.store;
      await store.prepare([ownersTable, table]);
      await store.setLiveGeneration('owners', 1, 1);
    });
    afterEach(() => under.dispose());

    const namesOf = async (query: Partial<ListQuery>, scope = mine): Promise<(string | null)[]> => {
      const { items } = await store.list(table, scope, { ...everything, ...query });
      return items.map((json) => (JSON.parse(json) as Thing).name);
    };
    const totalOf = async (query: Partial<ListQuery> = {}): Promise<number> =>
      (await store.list(table, mine, { ...everything, ...query })).totalCount;

    /** Reads a whole list page by page. `meanwhile` runs after each page. */
    async function inParts(
      home: AnyTable,
      query: Omit<ListQuery, 'offset' | 'limit'>,
      limit: number,
      meanwhile: () => Promise<unknown> = () => Promise.resolve(),
    ): Promise<string[]> {
      const all: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const { items, next, totalCount }: Listed = await store.list(home, mine, { ...query, offset: 0, limit, after });
        expect([items.length <= limit, totalCount]).toEqual([true, -1]);
        all.push(...items);
        after = next;
        await meanwhile();
      }
      return all;
    }

    describe('guards its writes', () => {
      test('a new document is stored as its JSON text', async () => {
        expect(await store.write(batch([create(mine, 'one', thing({ name: 'One' }), 7)]))).toEqual({ conflicts: [] });
        expect(await store.get(table, mine, 'one')).toBe(JSON.stringify(thing({ name: 'One' })));
        expect(await store.load(table, [{ scope: mine, id: 'one' }])).toEqual([
          { json: JSON.stringify(thing({ name: 'One' })), position: 7 },
        ]);
      });

      test('an update at the expected position replaces the document', async () => {
        await store.write(batch([create(mine, 'one', thing({ name: 'One' }), 7)]));
        const update = { ...create(mine, 'one', thing({ name: 'Uno' }), 9), expected: 7 };
        expect((await store.write(batch([update]))).conflicts).toEqual([]);
        expect(await namesOf({})).toEqual(['Uno']);
      });

      test.each([
        ['a past position', 5],
        ['a future position', 8],
        ['nothing', null],
      ])('a write that expects %s changes nothing and is reported', async (_, expected) => {
        await store.write(batch([create(mine, 'one', thing({ name: 'One' }), 7)]));
        const { conflicts } = await store.write(
          batch([{ ...create(mine, 'one', thing({ name: 'Uno' }), 9), expected }]),
        );
        expect(conflicts).toEqual([{ table, scope: mine, id: 'one' }]);
        expect(await namesOf({})).toEqual(['One']);
      });

      test('an update to a document that never existed is reported', async () => {
        const { conflicts } = await store.write(batch([{ ...create(mine, 'one', thing(), 9), expected: 7 }]));
        expect(conflicts).toEqual([{ table, scope: mine, id: 'one' }]);
        expect(await store.get(table, mine, 'one')).toBeUndefined();
      });

      test('all conflicts in a batch are reported, including those in other tables', async () => {
        await store.write(batch([create(mine, 'one', thing()), create(mine, 'two', thing())]));
        await store.write(batch([create(mine, 'o1', { name: 'Ada', city: 'Bursa' })], ownersTable));
        const { conflicts } = await store.write({
          tables: [
            { table, writes: [create(mine, 'one', thing()), create(mine, 'two', thing())] },
            { table: ownersTable, writes: [create(mine, 'o1', { name: 'Eve', city: 'Bursa' })] },
          ],
          checkpoints: [],
        });
        expect(conflicts.map(({ id }) => id).sort()).toEqual(['o1', 'one', 'two']);
      });

      test('one of two writers that read the same position wins', async () => {
        const other = await under.another();
        await other.prepare([ownersTable, table]);
        await store.write(batch([create(mine, 'one', thing({ size: 1 }), 1)]));
        const write = (size: number) => batch([{ ...create(mine, 'one', thing({ size }), 2), expected: 1 }]);
        const results = await Promise.all([store.write(write(10)), other.write(write(20))]);
        expect(results.flatMap(({ conflicts }) => conflicts)).toHaveLength(1);
        const winner = results[0].conflicts.length === 0 ? 10 : 20;
        expect(await other.get(table, mine, 'one')).toBe(JSON.stringify(thing({ size: winner })));
      });
    });

    test('values first seen in a rejected batch are distinguished from later ones', async () => {
      await store.write(batch([create(mine, 'one', thing({ name: 'One' }))]));
      const refused = [create(mine, 'two', thing({ kind: 'refused' })), create(mine, 'one', thing())];
      expect((await store.write(batch(refused))).conflicts.map(({ id }) => id)).toContain('one');
      // A store without transactions may have stored the document of the batch that caused no conflict.
      const isKept = (await store.get(table, mine, 'two')) !== undefined;
      for (const [id, kind] of [
        ['three', 'later'],
        ['four', 'refused'],
      ] as const)
        await store.write(batch([create(mine, id, thing({ name: id, kind }))]));
      expect(await namesOf({ where: { kind: 'later' } })).toEqual(['three']);
      expect(await totalOf({ where: { kind: 'refused' } })).toBe(isKept ? 2 : 1);
    });

    describe('returns the stored values', () => {
      test('keys and strings that have a meaning for databases are returned unchanged', async () => {
        const hostile = {
          ...thing({ name: '$where', note: 'a\0b', kind: '{"$gt":""}' }),
          $set: { $ne: null },
          'a.b.$[]': ['$a', '\0', { 'x.y': { $or: [] } }],
          '': '',
          'k\0ey': 1,
          lone: '\uD800',
          constructor: { prototype: null },
        };
        await store.write(batch([create(mine, '$a.b', hostile)]));
        expect(await store.get(table, mine, '$a.b')).toBe(JSON.stringify(hostile));
        expect((await store.list(table, mine, { ...everything, where: { kind: '{"$gt":""}' } })).items).toEqual([
          JSON.stringify(hostile),
        ]);
      });

      test('several writes to one document in one batch are applied in order', async () => {
        const update = (size: number) => ({ ...create(mine, 'one', thing({ size }), size), expected: size - 1 });
        const writes = [create(mine, 'one', thing({ size: 1 }), 1), update(2), update(3)];
        expect(await store.write(batch(writes))).toEqual({ conflicts: [] });
        expect(await store.get(table, mine, 'one')).toBe(JSON.stringify(thing({ size: 3 })));
        const early = { ...create(mine, 'two', thing(), 2), expected: 1 };
        const { conflicts } = await store.write(batch([early, create(mine, 'two', thing())]));
        expect(conflicts).toEqual([{ table, scope: mine, id: 'two' }]);
      });

      test('one-megabyte documents are stored, including more at once than fit into one message', async () => {
        const long = (n: number) => thing({ size: n, kind: `${n}${'x'.repeat(1_000_000)}` });
        const writes = Array.from({ length: 50 }, (_, n) => create(mine, `d${n}`, long(n)));
        expect(await store.write(batch(writes, table, { things: 1 }))).toEqual({ conflicts: [] });
        expect(await store.get(table, mine, 'd49')).toBe(JSON.stringify(long(49)));
        expect((await store.list(table, mine, { ...everything, limit: 1 })).totalCount).toBe(50);
        const documents = await store.getMany(
          table,
          mine,
          writes.map(({ id }) => id),
        );
        expect([documents.size, await store.checkpoint('things')]).toEqual([50, 1]);
      });
    });

    describe('keeps checkpoints', () => {
      test('a subscriber without a checkpoint starts before the first event', async () => {
        expect(await store.checkpoint('things')).toBe(-1);
      });

      test('a checkpoint is stored with the documents, separately for each key', async () => {
        await store.write(batch([create(mine, 'one', thing())], table, { things: 12, others: 3 }));
        expect(await store.checkpoint('things')).toBe(12);
        expect(await store.checkpoint('others')).toBe(3);
        expect(await store.checkpoints(['others', 'nobody', 'things'])).toEqual([3, -1, 12]);
      });

      test('a checkpoint is unchanged when a write conflicts', async () => {
        await store.write(batch([create(mine, 'one', thing())], table, { things: 12 }));
        const { conflicts } = await store.write(batch([create(mine, 'one', thing())], table, { things: 15 }));
        expect(conflicts).toHaveLength(1);
        expect(await store.checkpoint('things')).toBe(12);
      });

      test('a checkpoint never decreases', async () => {
        await store.write(batch([], table, { things: 12 }));
        await store.write(batch([], table, { things: 4 }));
        expect(await store.checkpoint('things')).toBe(12);
      });

      test('if a checkpoint is visible, so are its documents', async () => {
        const other = await under.another();
        await other.prepare([ownersTable, table]);
        for (let position = 0; position < 20; position += 1) {
          await store.write(batch([create(mine, `d${position}`, thing(), position)], table, { things: position }));
          const seen = await other.checkpoint('things');
          expect((await other.list(table, mine, everything)).totalCount).toBeGreaterThan(seen);
        }
      });
    });

    test('purges tombstones, so that their keys are free again, and nothing else', async () => {
      const to: AnyTable = { model: notes, generation: 1 };
      await store.prepare([to]);
      const keyed = (scope: Scope, id: string) => ({ scope, id });
      const written = [keyed(mine, 'a'), keyed(mine, 'b'), keyed(mine, 'c'), keyed(theirs, 'a')];
      await store.write(
        batch(
          written.map(({ scope, id }) => create(scope, id, { note: id })),
          to,
        ),
      );
      const dead = [keyed(mine, 'a'), keyed(mine, 'c'), keyed(theirs, 'a')];
      const buried = dead.map(({ scope, id }) => ({ scope, id, document: null, position: 2, expected: 1 }));
      await store.write(batch(buried, to));
      const purge = () => store.purge(to, [keyed(mine, 'a'), keyed(mine, 'b'), keyed(mine, 'never')]);
      await purge();
      await purge();
      const kept: string[] = [];
      for await (const { scope, id } of store.scan(to)) kept.push(`${scope} ${id}`);
      expect(kept.sort()).toEqual([`${mine} b`, `${mine} c`, `${theirs} a`].sort());
      const { conflicts } = await store.write(batch([create(mine, 'a', { note: 'new' })], to));
      expect(conflicts).toEqual([]);
      expect(await store.list(to, mine, everything)).toMatchObject({ totalCount: 2 });
    });

    describe('leaves tombstones', () => {
      const bury = (position: number, expected: number) =>
        batch([{ ...create(mine, 'one', {}, position), document: null, expected }]);
      beforeEach(() => store.write(batch([create(mine, 'one', thing({ name: 'One', tags: ['red'], kind: 'x' }), 1)])));

      test('a deleted document is in no result, but its position is kept', async () => {
        await store.write(bury(5, 1));
        expect(await store.get(table, mine, 'one')).toBeUndefined();
        expect((await store.getMany(table, mine, ['one'])).size).toBe(0);
        for (const query of [{}, { where: { tags: 'red' } }, { where: { kind: 'x' } }, { search: 'one' }]) {
          expect(await store.list(table, mine, { ...everything, ...query })).toEqual({ items: [], totalCount: 0 });
        }
        expect(await store.load(table, [{ scope: mine, id: 'one' }])).toEqual([{ json: null, position: 5 }]);
      });

      test('a late write to it conflicts, and one at its position restores it', async () => {
        await store.write(bury(5, 1));
        expect((await store.write(batch([create(mine, 'one', thing())]))).conflicts).toHaveLength(1);
        const restored = thing({ name: 'Restored', tags: ['blue'] });
        await store.write(batch([{ ...create(mine, 'one', restored, 6), expected: 5 }]));
        expect(await namesOf({ search: 'rest' })).toEqual(['Restored']);
        expect(await totalOf()).toBe(1);
        expect(await totalOf({ where: { tags: 'red' } })).toBe(0);
      });

      test('deletes a document that it has never stored', async () => {
        await store.write(batch([{ ...create(mine, 'two', {}, 3), document: null }]));
        expect(await store.load(table, [{ scope: mine, id: 'two' }])).toEqual([{ json: null, position: 3 }]);
        expect(await totalOf()).toBe(1);
      });
    });

    describe('reads', () => {
      test('documents are loaded in key order, across all scopes, with gaps for missing ones', async () => {
        await store.write(
          batch([create(mine, 'a', thing({ size: 1 }), 1), create(theirs, 'a', thing({ size: 2 }), 2)]),
        );
        const keys = [
          { scope: theirs, id: 'a' },
          { scope: mine, id: 'none' },
          { scope: mine, id: 'a' },
          { scope: PLATFORM, id: 'a' },
        ];
        const loaded = await store.load(table, keys);
        expect(loaded.map((document) => document?.position)).toEqual([2, undefined, 1, undefined]);
      });

      test('several documents are returned by id, without missing ones', async () => {
        await store.write(batch(['a', 'b', 'c'].map((id) => create(mine, id, thing({ name: id })))));
        const found = await store.getMany(table, mine, ['c', 'x', 'a', 'a']);
        expect(new Map([...found].sort())).toEqual(
          new Map(['a', 'c'].map((id) => [id, JSON.stringify(thing({ name: id }))])),
        );
        expect((await store.getMany(table, mine, [])).size).toBe(0);
      });

      test('the order is total: equal values are ordered by id, and reversed as a whole', async () => {
        await store.write(
          batch(['b', 'a', 'c'].map((id) => create(mine, id, thing({ rank: 1, name: 'same', note: id })))),
        );
        const notes = async (reverse: boolean) =>
          (await store.list(table, mine, { ...everything, reverse })).items.map(
            (json) => (JSON.parse(json) as Thing).note,
          );
        expect(await notes(false)).toEqual(['c', 'b', 'a']);
        expect(await notes(true)).toEqual(['a', 'b', 'c']);
      });

      test.each([false, true])(
        'a list may be ordered by id alone, with and without indexes, including in parts (reverse: %s)',
        async (reverse) => {
          const home: AnyTable = { model: notes, generation: 1 };
          await store.prepare([home], { bulk: true });
          const written = ['b', 'd', 'a', 'e', 'c'].map((note) => create(mine, note, { note }));
          await store.write(batch([...written, create(theirs, 'x', { note: 'x' })], home));
          await store.write(batch([{ ...create(mine, 'd', {}), document: null, position: 2, expected: 1 }], home));
          const expected = ['a', 'b', 'c', 'e'].map((note) => JSON.stringify({ note }));
          if (reverse) expected.reverse();
          for (const isIndexed of [false, true]) {
            if (isIndexed) await store.index(home);
            expect(await inParts(home, { reverse }, 2)).toEqual(expected);
            const page = await store.list(home, mine, { reverse, offset: 1, limit: 2 });
            expect(page).toEqual({ items: expected.slice(1, 3), totalCount: 4 });
          }
        },
      );

      test('results for several values or a search are in the same order, even after a change', async () => {
        const ordered = (rank: number) => thing({ rank, name: 'same', tags: ['red'], note: `n${rank}` });
        await store.write(batch(['b', 'a', 'c'].map((id) => create(mine, id, ordered(1)))));
        await store.write(batch([{ ...create(mine, 'b', ordered(0), 2), expected: 1 }]));
        await store.write(batch([{ ...create(mine, 'a', ordered(3), 2), expected: 1 }]));
        for (const query of [
          {},
          { where: { tags: 'red' } },
          { search: 'same' },
          { where: { tags: 'red' }, search: 'n' },
        ]) {
          const { items } = await store.list(table, mine, { ...everything, ...query });
          expect(items.map((json) => (JSON.parse(json) as Thing).rank)).toEqual([3, 1, 0]);
        }
        await store.write(batch(['z', 'd', 'e'].map((id) => create(mine, id, { ...ordered(1), note: id }))));
        const { items } = await store.list(table, mine, {
          ...everything,
          search: 'same',
          between: { rank: { from: 1, to: 1 } },
        });
        expect(items.map((json) => (JSON.parse(json) as Thing).note)).toEqual(['z', 'e', 'd', 'n1']);
      });

      test('pages partition the list, and a page past the end is empty with the same total', async () => {
        await store.write(
          batch(Array.from({ length: 25 }, (_, n) => create(mine, `d${n}`, thing({ rank: n % 4, name: `n${n}` })))),
        );
        const whole = await namesOf({});
        const pages = await Promise.all([0, 10, 20].map((offset) => namesOf({ offset, limit: 10 })));
        expect(pages.flat()).toEqual(whole);
        expect(await store.list(table, mine, { offset: 30, limit: 10 })).toEqual({ items: [], totalCount: 25 });
        expect(await store.list(table, mine, { offset: 0, limit: 0 })).toEqual({ items: [], totalCount: 25 });
      });

      test.each([false, true])(
        'in a walk in parts, unchanged documents appear exactly once, whatever is written meanwhile (reverse: %s)',
        async (reverse) => {
          const nth = (n: number) =>
            thing({ rank: n % 5 === 0 ? null : n % 4, name: n % 3 === 0 ? null : 'same', note: `${n}`, tags: ['red'] });
          await store.write(batch(Array.from({ length: 40 }, (_, n) => create(mine, `d${n}`, nth(n)))));
          let turn = 0;
          // Each call inserts one document before and one after all others, deletes one document, and moves one.
          const meanwhile = () => {
            turn += 1;
            const moved = { ...create(mine, `d${turn}`, { ...nth(turn), rank: 9 }, 2), expected: 1 };
            const gone = { ...create(mine, `d${20 + turn}`, {}, 2), document: null, expected: 1 };
            const added = [9, null].map((rank) =>
              create(mine, `new${turn}-${String(rank)}`, thing({ rank, tags: ['red'] })),
            );
            return store.write(batch([moved, gone, ...added]));
          };
          const found = await inParts(table, { reverse, where: { tags: 'red' } }, 4, async () => {
            if (turn < 9) await meanwhile();
          });
          const notes = found.flatMap((json) => (JSON.parse(json) as Thing).note ?? []);
          const kept = Array.from({ length: 40 }, (_, n) => n).filter(
            (n) => n === 0 || n === 20 || (n > 9 && n < 20) || n > 29,
          );
          for (const n of kept) expect(notes.filter((note) => note === `${n}`)).toHaveLength(1);
        },
      );

      test.each(['x', '[]', '{"a":1}', '[1,2,3,4,5]', '[{"$gt":""},"a","b"]'])(
        'a place that no list has returned (%s) is a programming error',
        async (after) => {
          await store.write(batch([create(mine, 'a', thing({ rank: 1, name: 'A' }))]));
          await expect(store.list(table, mine, { ...everything, after })).rejects.toThrow(RangeError);
        },
      );

      test('strings are ordered, bounded and found by their code points, whatever they contain', async () => {
        const names = [
          '',
          '\0',
          'a',
          'a\0',
          'a\u0001',
          'ab',
          'z',
          'é',
          'ü',
          '\uD7FE',
          '\uD7FF',
          '\uD7FF\u0100',
          '\uE000',
        ];
        names.push('\uFFFD', '\uFFFF', '\u{10000}', '\u{1F600}', '\u{1F600}a', '\u{10FFFF}');
        expect([...names].sort(byText)).toEqual(names);
        await store.write(batch(names.map((name, n) => create(mine, `d${n}`, thing({ name, kind: name })))));
        expect(await namesOf({ reverse: true })).toEqual(names);
        for (const [n, name] of names.entries()) {
          expect(await namesOf({ reverse: true, between: { name: { from: name } } })).toEqual(names.slice(n));
          expect(await namesOf({ where: { kind: name } })).toEqual([name]);
        }
      });

      test('totals are correct after every insert, update and deletion', async () => {
        await store.write(
          batch([create(mine, 'a', thing({ kind: 'x' }), 1), create(mine, 'b', thing({ kind: 'x' }), 1)]),
        );
        expect([await totalOf(), await totalOf({ where: { kind: 'x' } })]).toEqual([2, 2]);
        await store.write(batch([{ ...create(mine, 'a', thing({ kind: 'y' }), 2), expected: 1 }]));
        expect([await totalOf(), await totalOf({ where: { kind: 'x' } })]).toEqual([2, 1]);
        await store.write(batch([{ ...create(mine, 'b', thing(), 2), document: null, expected: 1 }]));
        expect([await totalOf(), await totalOf({ where: { kind: 'x' } })]).toEqual([1, 0]);
        await store.write(batch([{ ...create(mine, 'b', thing({ kind: 'y' }), 3), expected: 2 }]));
        expect([await totalOf(), await totalOf({ where: { kind: 'y' } })]).toEqual([2, 2]);
        await store.drop(table);
        await store.prepare([table]);
        await store.write(batch([create(mine, 'a', thing({ kind: 'y' }), 4)]));
        expect([await totalOf(), await totalOf({ where: { kind: 'y' } })]).toEqual([1, 1]);
      });

      test('a value that no document has finds nothing, not the documents without a value', async () => {
        await store.write(batch([create(mine, 'a', thing()), create(mine, 'b', thing({ kind: 'x', tags: ['red'] }))]));
        for (const where of [{ kind: 'never' }, { tags: 'never' }, { size: 7 }, { owner: 'never', kind: 'x' }])
          expect(await store.list(table, mine, { ...everything, where })).toEqual({ items: [], totalCount: 0 });
      });

      test('a filter on a field with several values finds a document by each of them, once', async () => {
        await store.write(batch([create(mine, 'a', thing({ name: 'A', tags: ['red', 'blue', 'red'] }))]));
        for (const tags of ['red', 'blue']) expect(await namesOf({ where: { tags } })).toEqual(['A']);
        await store.write(batch([{ ...create(mine, 'a', thing({ name: 'A', tags: ['green'] }), 2), expected: 1 }]));
        expect(await namesOf({ where: { tags: 'red' } })).toEqual([]);
        expect(await namesOf({ where: { tags: 'green' } })).toEqual(['A']);
      });

      test.each<[string, Partial<ListQuery>]>([
        ['an unknown filter', { where: { color: 'red' } }],
        ['a field that is not a filter', { where: { name: 'x' } }],
        ['a name from the prototype', { where: { constructor: 'x' } }],
        ['a range on an unknown field', { between: { color: { from: 1 } } }],
        ['an operator as a value', { where: { kind: { $ne: 'x' } as never } }],
        ['an operator as a bound', { between: { name: { from: { $gt: '' } as never } } }],
        ['a list as a value', { where: { kind: ['x'] as never } }],
        ['a choice for a field that is not a filter', { anyOf: { name: ['x'] } }],
        ['an operator as a choice', { anyOf: { kind: [{ $ne: 'x' } as never] } }],
        ['an unknown order', { order: 'name' }],
        ['a value of another type', { where: { active: 'true' } }],
        ['a negative offset', { offset: -1 }],
        ['a fractional limit', { limit: 1.5 }],
      ])('%s is a programming error', async (_, query) => {
        await expect(store.list(table, mine, { ...everything, ...query })).rejects.toThrow(RangeError);
      });
    });

    describe('searches', () => {
      const spellings = ['ISTANBUL', 'istanbul', 'İstanbul', 'ıstanbul', 'Istanbul', 'İSTANBUL'];
      test.each(spellings)('%s finds every spelling of itself', async (spelling) => {
        await store.write(batch(spellings.map((name, n) => create(mine, `d${n}`, thing({ name, rank: -n })))));
        expect(await namesOf({ search: spelling })).toEqual(spellings);
        expect(await namesOf({ search: spelling.slice(0, 3) })).toEqual(spellings);
      });

      test.each([
        ['çağrı', 'CAGRI'],
        ['Crème brûlée', 'creme BRULEE'],
        ['STRASSE', 'straße'],
        ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
        ['Ｆｕｌｌ ｗｉｄｔｈ', 'full width'],
        ['INV-2024/0042', '0042 inv'],
        ['o\u0308rnek', 'örnek'],
      ])('%s is found by %s', async (name, search) => {
        await store.write(batch([create(mine, 'a', thing({ name }))]));
        expect(await namesOf({ search })).toEqual([name]);
      });

      test('every word must match the beginning of a word in any of the texts', async () => {
        await store.write(
          batch([
            create(mine, 'a', thing({ name: 'Red chair', note: 'from Oslo' })),
            create(mine, 'b', thing({ name: 'Red table' })),
          ]),
        );
        expect(await namesOf({ search: 're os' })).toEqual(['Red chair']);
        expect(await namesOf({ search: 'hair' })).toEqual([]);
        expect(await namesOf({ search: 'red oslo table' })).toEqual([]);
      });

      test('an empty search has no effect, and a search without any word finds nothing', async () => {
        await store.write(batch([create(mine, 'a', thing({ name: 'A' }))]));
        expect(await totalOf({ search: '' })).toBe(1);
        for (const search of [' ', '-', '%', '"', '$', '😀']) expect(await totalOf({ search })).toBe(0);
      });

      test('words removed from a document no longer find it', async () => {
        await store.write(batch([create(mine, 'a', thing({ name: 'old name' }), 1)]));
        await store.write(batch([{ ...create(mine, 'a', thing({ name: 'new name' }), 2), expected: 1 }]));
        expect([await totalOf({ search: 'old' }), await totalOf({ search: 'new name' })]).toEqual([0, 1]);
      });

      test('special characters and very long strings are harmless', async () => {
        const hostile = [
          `"' OR 1=1 --`,
          '(((((a+)+)+)+)+$',
          '.*',
          '\\',
          '{"$ne":null}',
          '\0',
          'a\0b',
          '[a-',
          'NEAR("x"',
          '*',
        ];
        await store.write(batch([create(mine, 'a', thing({ name: hostile.join(' '), note: 'ab '.repeat(5_000) }))]));
        const long = [
          'a'.repeat(10_000),
          'ab '.repeat(3_300),
          'ş'.repeat(10_000),
          Array.from({ length: 3_000 }, (_, n) => n).join(' '),
        ];
        for (const search of [...hostile, ...long]) {
          expect(await totalOf({ search })).toBeLessThanOrEqual(1);
        }
      });

      test('the declared texts of a referenced record are also searched, and no others', async () => {
        await store.write(batch([create(mine, 'o1', { name: 'Ada Lovelace', city: 'Bursa' })], ownersTable));
        await store.write(
          batch([
            create(mine, 'a', thing({ name: 'Chair', owner: 'o1' })),
            create(mine, 'b', thing({ name: 'Adapter' })),
          ]),
        );
        expect((await namesOf({ search: 'ada' })).sort()).toEqual(['Adapter', 'Chair']);
        expect(await namesOf({ search: 'love chair' })).toEqual(['Chair']);
        expect(await namesOf({ search: 'bursa' })).toEqual([]);
      });

      test('the referenced records that are searched can be restricted by their filters', async () => {
        const inCity = (city: string) => ({ search: 'ada', joinedWhere: { city } });
        const write = (id: string, city: string, position: number) =>
          store.write(
            batch(
              [{ ...create(mine, id, { name: 'Ada', city }, position), expected: position === 1 ? null : 1 }],
              ownersTable,
            ),
          );
        await write('o1', 'Bursa', 1);
        await write('o2', 'Oslo', 1);
        await store.write(
          batch([
            create(mine, 'a', thing({ name: 'Chair', owner: 'o1' })),
            create(mine, 'b', thing({ name: 'Table', owner: 'o2' })),
            create(mine, 'c', thing({ name: 'Adapter', owner: 'o2' })),
          ]),
        );
        expect((await namesOf({ search: 'ada' })).sort()).toEqual(['Adapter', 'Chair', 'Table']);
        expect((await namesOf(inCity('Bursa'))).sort()).toEqual(['Adapter', 'Chair']);
        expect((await namesOf(inCity('Oslo'))).sort()).toEqual(['Adapter', 'Table']);
        expect(await namesOf(inCity('Ankara'))).toEqual(['Adapter']);
        expect(await namesOf({ joinedWhere: { city: 'Ankara' } })).toHaveLength(3);
        await write('o1', 'Oslo', 2);
        expect(await namesOf(inCity('Bursa'))).toEqual(['Adapter']);
        expect((await namesOf(inCity('Oslo'))).sort()).toEqual(['Adapter', 'Chair', 'Table']);
        await expect(namesOf({ search: 'ada', joinedWhere: { name: 'Ada' } })).rejects.toThrow(RangeError);
      });

      test('a renamed record is found by its new name immediately', async () => {
        await store.write(batch([create(mine, 'o1', { name: 'Ada', city: '' }, 1)], ownersTable));
        await store.write(batch([create(mine, 'a', thing({ name: 'Chair', owner: 'o1' }))]));
        await store.write(batch([{ ...create(mine, 'o1', { name: 'Grace', city: '' }, 2), expected: 1 }], ownersTable));
        expect([await totalOf({ search: 'ada' }), await totalOf({ search: 'grace' })]).toEqual([0, 1]);
      });

      test("another tenant's record with the same id contributes no name", async () => {
        await store.write(batch([create(theirs, 'o1', { name: 'Ada', city: '' })], ownersTable));
        await store.write(batch([create(mine, 'a', thing({ owner: 'o1' }))]));
        expect(await totalOf({ search: 'ada' })).toBe(0);
      });
    });

    test('no result for one scope ever contains data of another scope', async () => {
      const secret = 'belongs to the other tenant';
      let generation = 100;
      const model = { ...things, version: 2 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(someThing, { maxLength: 8 }),
          fc.array(someThing, { maxLength: 8 }),
          someQuery,
          async (own, foreign, query) => {
            generation += 1;
            const home: AnyTable = { model, generation };
            await store.prepare([home]);
            const writes = [
              ...own.map((document, n) => create(mine, ids[n] ?? '', document)),
              ...foreign.map((document, n) => create(theirs, ids[n] ?? '', { ...document, secret })),
            ];
            await store.write(batch(writes, home));
            const { items, totalCount } = await store.list(home, mine, { ...query, offset: 0, limit: 100 });
            expect(items.join()).not.toContain(secret);
            expect(items).toHaveLength(totalCount);
            expect([...(await store.getMany(home, mine, ids)).values()].join()).not.toContain(secret);
            expect(await store.get(home, mine, ids[own.length] ?? '')).toBeUndefined();
            await store.drop(home);
          },
        ),
        { numRuns: 40 },
      );
    });

    test.each([false, true])(
      'results equal the results of a naive store, whatever happened before (written in bulk: %s)',
      async (bulk) => {
        let generation = 200;
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(someChange, { maxLength: 12 }), { maxLength: 4 }),
            fc.array(fc.constantFrom('İstanbul', 'Ank ara', 'Deniz'), { minLength: 3, maxLength: 3 }),
            fc.array(someQuery, { minLength: 6, maxLength: 6 }),
            async (batches, ownerNames, queries) => {
              generation += 1;
              const home: AnyTable = { model: things, generation };
              const joinedHome: AnyTable = { model: owners, generation };
              await store.prepare([joinedHome, home], { bulk });
              await store.setLiveGeneration('owners', 1, generation);
              const joined = new Map(
                ownerIds.map((id, n): [string, Owner] => [
                  id,
                  { name: ownerNames[n] ?? '', city: cities[n % 2] ?? '' },
                ]),
              );
              await store.write(
                batch(
                  [...joined].map(([id, owner]) => create(mine, id, owner)),
                  joinedHome,
                ),
              );

              const known = [new Map<string, Known>(), new Map<string, Known>()] as const;
              const expectList = async (query: ListQuery): Promise<void> => {
                const expected = naiveList(known[0].values(), query, joined);
                expect({ query, ...(await store.list(home, mine, query)) }).toEqual({ query, ...expected });
              };
              let position = 0;
              for (const changes of batches) {
                const latest = new Map(changes.map((change) => [JSON.stringify([change.scope, change.id]), change]));
                const writes = [...latest.values()].map(({ scope, id, document }): DocumentWrite => {
                  position += 1;
                  const expected = known[scope === 0 ? 0 : 1].get(id)?.position ?? null;
                  known[scope === 0 ? 0 : 1].set(id, { id, document, position });
                  return { scope: scope === 0 ? mine : theirs, id, document, position, expected };
                });
                expect((await store.write(batch(writes, home))).conflicts).toEqual([]);
                // The next changes affect the results of queries that the store has already answered.
                for (const query of queries) await expectList(query);
              }
              if (bulk) for (const built of [joinedHome, home]) await store.index(built);

              for (const query of queries) {
                await expectList(query);
                const whole = { ...query, offset: 0, limit: 100 };
                expect({ query, parts: await inParts(home, query, query.limit) }).toEqual({
                  query,
                  parts: naiveList(known[0].values(), whole, joined).items,
                });
              }
              for (const built of [joinedHome, home]) await store.drop(built);
            },
          ),
          { numRuns: 60 },
        );
      },
    );

    describe('holds generations side by side', () => {
      const next: AnyTable = { model: things, generation: 2 };

      test('a generation is live once it has been switched to, separately for each version', async () => {
        expect(await store.liveGeneration('things', 1)).toBeUndefined();
        await store.setLiveGeneration('things', 1, 1);
        await store.setLiveGeneration('things', 2, 5);
        expect([await store.liveGeneration('things', 1), await store.liveGeneration('things', 2)]).toEqual([1, 5]);
        await store.setLiveGeneration('things', 1, 2);
        expect(await (await under.another()).liveGeneration('things', 1)).toBe(2);
      });

      test('a coordinator that resumes late does not make an earlier generation live again', async () => {
        await store.setLiveGeneration('things', 1, 3);
        await (await under.another()).setLiveGeneration('things', 1, 2);
        expect(await store.liveGeneration('things', 1)).toBe(3);
        await store.setLiveGeneration('things', 1, 10);
        expect(await store.liveGeneration('things', 1)).toBe(10);
      });

      test('writes to one generation do not appear in the other, and dropping one keeps the other', async () => {
        await store.prepare([next], { bulk: true });
        await store.write(batch([create(mine, 'a', thing({ name: 'old' }))]));
        await store.write(batch([create(mine, 'a', thing({ name: 'new', tags: ['red'] }))], next));
        await store.index(next);
        expect(await store.get(table, mine, 'a')).toBe(JSON.stringify(thing({ name: 'old' })));
        expect(await store.get(next, mine, 'a')).toBe(JSON.stringify(thing({ name: 'new', tags: ['red'] })));
        await store.drop(table);
        await store.drop(table);
        expect(
          (await store.list(next, mine, { ...everything, search: 'new', where: { tags: 'red' } })).totalCount,
        ).toBe(1);
      });

      test('a generation that was dropped is empty when it is created again', async () => {
        await store.write(batch([create(mine, 'a', thing({ name: 'old', tags: ['red'] }))]));
        await store.drop(table);
        await store.prepare([table]);
        expect(await store.list(table, mine, everything)).toEqual({ items: [], totalCount: 0 });
        expect(await totalOf({ search: 'old' })).toBe(0);
        expect((await store.write(batch([create(mine, 'a', thing({ tags: ['blue'] }))]))).conflicts).toEqual([]);
        expect([await totalOf(), await totalOf({ where: { tags: 'red' } })]).toEqual([1, 0]);
      });

      test('repeated preparation and indexing changes nothing', async () => {
        await store.write(batch([create(mine, 'a', thing({ name: 'kept' }))]));
        await store.prepare([table]);
        await store.prepare([table], { bulk: true });
        await store.index(table);
        expect(await namesOf({ search: 'kept' })).toEqual(['kept']);
      });

      test('search follows the live generation of the other model', async () => {
        const nextOwners: AnyTable = { model: owners, generation: 2 };
        await store.prepare([nextOwners]);
        await store.write(batch([create(mine, 'o1', { name: 'Ada', city: '' })], ownersTable));
        await store.write(batch([create(mine, 'o1', { name: 'Grace', city: '' })], nextOwners));
        await store.write(batch([create(mine, 'a', thing({ owner: 'o1' }))]));
        expect([await totalOf({ search: 'ada' }), await totalOf({ search: 'grace' })]).toEqual([1, 0]);
        await store.setLiveGeneration('owners', 1, 2);
        expect([await totalOf({ search: 'ada' }), await totalOf({ search: 'grace' })]).toEqual([0, 1]);
      });
    });

    describe('counts', () => {
      const tagged = (n: number) =>
        create(mine, `d${n}`, thing({ rank: n % 3, kind: n % 2 === 0 ? 'x' : 'y', tags: ['red'] }), n + 1);
      const thirty = Array.from({ length: 30 }, (_, n) => tagged(n));

      test('only up to the given limit, and reports that', async () => {
        await store.write(batch(thirty, table, { things: 30 }));
        const list = (countUpTo: number, offset = 0) =>
          store.list(table, mine, { offset, limit: 5, where: { tags: 'red' }, countUpTo });
        const some = await list(10);
        expect(some.items).toHaveLength(5);
        if (some.isCapped) expect(some.totalCount).toBe(10);
        else expect(some.totalCount).toBe(30);
        expect(await list(30)).toEqual({ items: some.items, totalCount: 30 });
        expect((await list(0)).items).toEqual(some.items);
        // The total is at least the number of documents up to the end of the page, because the reader has seen that
        // many.
        const beyond = await list(10, 20);
        expect(beyond.items).toHaveLength(5);
        expect(beyond.totalCount).toBeGreaterThanOrEqual(25);
        const last = await list(10, 28);
        expect([last.items.length, last.totalCount, last.isCapped]).toEqual([2, 30, undefined]);
      });

      test('to the end if totals are kept, whatever the limit', async () => {
        await store.write(batch(thirty, table, { things: 30 }));
        const totals = async (query: Partial<ListQuery>) => {
          const { totalCount, isCapped } = await store.list(table, mine, {
            offset: 0,
            limit: 2,
            countUpTo: 1,
            ...query,
          });
          return [totalCount, isCapped];
        };
        expect(await totals({})).toEqual([30, undefined]);
        expect(await totals({ where: { kind: 'x' } })).toEqual([15, undefined]);
        expect(await totals({ where: { kind: 'y' }, reverse: true })).toEqual([15, undefined]);
        expect(await totals({ where: { kind: 'never' } })).toEqual([0, undefined]);
      });

      test('correctly, whatever batches two stores wrote, rejected, repaired without a checkpoint or repeated', async () => {
        let generation = 300;
        const someBatch = fc.record({
          changes: fc.array(someChange, { minLength: 1, maxLength: 6 }),
          by: fc.boolean(),
          kind: fc.constantFrom('checkpointed', 'checkpointed', 'checkpointed', 'beside', 'refused', 'interrupted'),
        });
        const other = await under.another();
        await fc.assert(
          fc.asyncProperty(fc.array(someBatch, { minLength: 1, maxLength: 8 }), async (batches) => {
            generation += 1;
            const key = `g${generation}`;
            const home: AnyTable = { model: things, generation };
            const stores = [store, other] as const;
            for (const each of stores) await each.prepare([home]);
            const known = [new Map<string, Known>(), new Map<string, Known>()] as const;
            let position = 0;
            for (const { changes, by, kind } of batches) {
              const latest = new Map(changes.map((change) => [JSON.stringify([change.scope, change.id]), change]));
              const writes = [...latest.values()].map(({ scope, id, document }): DocumentWrite => {
                const before = known[scope === 0 ? 0 : 1].get(id)?.position ?? null;
                position += 1;
                known[scope === 0 ? 0 : 1].set(id, { id, document, position });
                return { scope: scope === 0 ? mine : theirs, id, document, position, expected: before };
              });
              const target = stores[by ? 0 : 1];
              if (kind === 'refused') {
                const stale = writes.map((write) => ({
                  ...write,
                  position: write.position + 1_000,
                  expected: 999_999,
                }));
                expect((await target.write(batch(stale, home, { [key]: 1_000_000 }))).conflicts).toHaveLength(
                  stale.length,
                );
              }
              const reached = kind === 'beside' ? {} : { [key]: position };
              if (kind !== 'interrupted')
                expect((await target.write(batch(writes, home, reached))).conflicts).toEqual([]);
              else {
                // A stale write prevents the checkpoint from advancing. The next writer loads the documents, some of
                // which have been stored.
                const stale = { ...create(mine, 'stale', thing(), position), expected: 999_999 };
                await target.write(batch([...writes, stale], home, reached));
                const stored = await stores[by ? 1 : 0].load(home, writes);
                const left = writes.filter((write, n) => stored[n]?.position !== write.position);
                expect((await stores[by ? 1 : 0].write(batch(left, home, reached))).conflicts).toEqual([]);
              }
              for (const where of [{}, { kind: 'x' }, { active: true }, { size: 7 }]) {
                const query = { offset: 0, limit: 1, where, countUpTo: 1 };
                const { totalCount } = await stores[by ? 1 : 0].list(home, mine, query);
                expect({ where, totalCount }).toEqual({
                  where,
                  totalCount: naiveList(known[0].values(), query, new Map()).totalCount,
                });
              }
            }
            await store.drop(home);
          }),
          { numRuns: 25 },
        );
      });
    });

    test.each([false, true])(
      'a distant page equals the same part of a walk through the whole list, including ties and gaps (reverse: %s)',
      async (reverse) => {
        const size = 1_300;
        const nth = (n: number, gaps: boolean) =>
          thing({
            rank: gaps && n % 7 === 0 ? null : n % 4,
            name: n % 3 === 0 ? null : `n${n % 50}`,
            kind: n % 5 === 0 ? 'y' : 'x',
            tags: ['red'],
            note: `${n}`,
          });
        for (const [generation, gaps] of [
          [40, false],
          [41, true],
        ] as const) {
          const home: AnyTable = { model: things, generation };
          await store.prepare([home]);
          const writes = Array.from({ length: size }, (_, n) => create(mine, `d${n}`, nth(n, gaps), n + 1));
          await store.write(batch(writes, home, { [`g${generation}`]: size }));
          const known = writes.map(({ id, document, position }) => ({ id, document: document as Thing, position }));
          for (const where of [{}, { kind: 'x' }, { tags: 'red' }]) {
            for (const offset of [999, 1_000, 1_110, 1_285, 1_299, 1_300, 9_999]) {
              const query = { offset, limit: 20, where, reverse, countUpTo: 3_000 };
              expect({ gaps, query, ...(await store.list(home, mine, query)) }).toEqual({
                gaps,
                query,
                ...naiveList(known, query, new Map()),
              });
            }
          }
        }
      },
    );

    test('a scan returns every document once, including tombstones, by scope and id', async () => {
      const writes = Array.from({ length: 1_200 }, (_, n) =>
        create(n % 3 === 0 ? theirs : mine, `d${n}`, thing({ size: n }), n),
      );
      await store.write(batch(writes));
      await store.write(
        batch([{ ...create(mine, 'd1', {}, 2_000), document: null, expected: 1 }, create(PLATFORM, 'p', thing())]),
      );
      const scanned = [];
      for await (const { scope, id, position } of store.scan(table)) scanned.push([scope, id, position] as const);
      const expected = [
        ...writes.map(({ scope, id, position }) => [scope, id, id === 'd1' ? 2_000 : position] as const),
        [PLATFORM, 'p', 1] as const,
      ];
      expect(scanned).toEqual(expected.sort((a, b) => byText(a[0], b[0]) || byText(a[1], b[1])));
    });

    test('a store reports its engine', async () => {
      const { engine, version } = await store.facts();
      expect(['sqlite', 'mongodb']).toContain(engine);
      expect(version).toMatch(/^\d+\.\d+/);
    });

    test('a closed store rejects calls, and can be closed again', async () => {
      const other = await under.another();
      await other.prepare([table]);
      await other.close();
      await other.close();
      await expect(other.get(table, mine, 'a')).rejects.toThrow();
    });
  });
}
