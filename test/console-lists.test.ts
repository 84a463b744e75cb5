import {
  columnsShown,
  columnsToggled,
  filtersIn,
  pageIn,
  resized,
  sortBy,
  sortedRows,
  withoutFilters,
  withoutPage,
} from '../console/src/parts/list-state.js';

const COLUMNS = [{ key: 'name' }, { key: 'city' }, { key: 'created', isExtra: true }, { key: 'balance' }];
const keys = (chosen?: string): string[] => columnsShown(COLUMNS, chosen).map(({ key }) => key);

describe('The columns of a list', () => {
  test('are the default ones until the viewer chooses', () => {
    expect(keys()).toEqual(['name', 'city', 'balance']);
  });

  test('keep their order and include the first one, whatever the address says', () => {
    expect(keys('balance,created,nothing-like-this')).toEqual(['name', 'created', 'balance']);
    expect(keys('')).toEqual(['name']);
  });

  test('that are hidden on narrow screens appear there if the viewer chooses columns', () => {
    const columns = [{ key: 'name' }, { key: 'city', narrow: 'hidden' }, { key: 'balance', narrow: 'end' }];
    expect(columnsShown(columns, undefined)).toEqual(columns);
    expect(columnsShown(columns, 'city,balance')).toEqual([
      { key: 'name' },
      { key: 'city' },
      { key: 'balance', narrow: 'end' },
    ]);
  });

  test('leave the address again when the viewer returns to the default ones', () => {
    const without = columnsToggled(COLUMNS, undefined, 'city');
    expect(without).toBe('name,balance');
    expect(columnsToggled(COLUMNS, without, 'city')).toBeUndefined();
    expect(columnsToggled(COLUMNS, undefined, 'created')).toBe('name,city,created,balance');
  });
});

describe('The page of a list', () => {
  test('has 25 rows unless the viewer chooses another size', () => {
    expect(pageIn({})).toEqual({ pageNumber: 1, pageSize: 25 });
    expect(pageIn({ page: 3, size: '100' })).toEqual({ pageNumber: 3, pageSize: 100 });
  });

  test.each([
    ['row 51 of small pages', { page: 3 }, '100', { page: undefined, size: '100' }],
    ['row 101 of small pages', { page: 5 }, '100', { page: 2, size: '100' }],
    ['row 101 of large pages', { page: 2, size: '100' }, '25', { page: 5, size: undefined }],
    ['row 51 of medium pages', { page: 2, size: '50' }, '25', { page: 3, size: undefined }],
  ] as const)('still shows %s when its size changes', (_, before, to, after) => {
    expect(resized({ ...before, sort: 'code' }, to)).toEqual({ ...after, sort: 'code', cursor: undefined });
  });
});

describe('The address of a list', () => {
  const search = { page: 4, size: '50', sort: 'code', columns: 'name', cursor: 'c', status: 'PAID' } as const;

  test('separates filters from the choices that every list offers', () => {
    expect(filtersIn(search)).toEqual({ status: 'PAID' });
  });

  test('keeps order, columns and page size when the filters are cleared', () => {
    expect(withoutFilters(search)).toEqual({ size: '50', sort: 'code', columns: 'name' });
  });

  test('is saved in a view without its place in the list', () => {
    expect(JSON.stringify(withoutPage(search))).toBe('{"size":"50","sort":"code","columns":"name","status":"PAID"}');
  });
});

describe('A list is sorted', () => {
  type Row = { readonly name: string; readonly used: string | null; readonly limit: number };
  const rows: readonly Row[] = [
    { name: 'Web 10', used: null, limit: 9 },
    { name: 'Web 9', used: '2026-01-02', limit: 60 },
    { name: 'äther', used: '2026-01-01', limit: 10 },
  ];
  const columns = [
    { key: 'name', sort: ({ name }: Row) => name },
    { key: 'used', sort: ({ used }: Row) => used },
    { key: 'limit', sort: ({ limit }: Row) => limit },
    { key: 'plain' },
  ];
  const names = (order?: string): string[] => sortedRows(rows, columns, order).map(({ name }) => name);

  test('as a reader expects: letters by the alphabet, numbers within text and alone by their size', () => {
    expect(names('name')).toEqual(['äther', 'Web 9', 'Web 10']);
    expect(names('limit')).toEqual(['Web 10', 'äther', 'Web 9']);
  });

  test('with rows without a value at the end, in both directions', () => {
    expect(names('used')).toEqual(['äther', 'Web 9', 'Web 10']);
    expect(names('-used')).toEqual(['Web 9', 'äther', 'Web 10']);
  });

  test('as the service returned it without an order, or with an unknown one', () => {
    for (const order of [undefined, 'plain', 'nothing-like-this', '-'])
      expect(names(order)).toEqual(rows.map(({ name }) => name));
  });

  test('by clicks on a header that alternate between both directions', () => {
    const [column] = columns as [(typeof columns)[0]];
    expect(sortBy(column, undefined)).toEqual([undefined, 'name']);
    expect(sortBy(column, 'name')).toEqual(['ascending', '-name']);
    expect(sortBy(column, '-name')).toEqual(['descending', 'name']);
  });

  test('in the one direction that the service offers for a list of several pages', () => {
    const column = { key: 'created', sort: { order: 'newest', direction: 'descending' } } as const;
    expect(sortBy(column, 'code')).toEqual([undefined, 'newest']);
    expect(sortBy(column, 'newest')).toEqual(['descending', 'newest']);
    expect(sortedRows(rows, [column], 'newest')).toBe(rows);
  });
});
