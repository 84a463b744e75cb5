// The viewer's choices for a list, in addition to its filters. All choices are part of the URL, so that users can share
// them.

/** Page sizes, in rows. The first size is the default. */
export const SIZES = ['25', '50', '100'] as const;
const DEFAULT_SIZE = Number(SIZES[0]);
/** A page size in the URL, which omits the default. */
export type Size = Exclude<(typeof SIZES)[number], '25'>;
const isSize = (size: string): size is Size => SIZES.slice(1).some((each) => each === size);

export type ListParams = {
  readonly page?: number | undefined;
  readonly size?: Size | undefined;
  /** Name of the sort order. See `Sort`. */
  readonly sort?: string | undefined;
  /** Keys of the columns that the viewer has chosen. Undefined if the default columns are shown. */
  readonly columns?: string | undefined;
  /** Cursor in a list without page numbers. */
  readonly cursor?: string | undefined;
};

const PARAMS: ReadonlySet<string> = new Set<keyof ListParams>(['page', 'size', 'sort', 'columns', 'cursor']);

/** Returns the filters in the search parameters, which are all parameters except those that every list has. */
export const filtersIn = <S extends ListParams>(search: S): Omit<S, keyof ListParams> =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !PARAMS.has(name))) as Omit<S, keyof ListParams>;

/** A list's filters, as search parameters. */
export type FiltersOf<Validate extends (raw: Record<string, unknown>) => ListParams> = Omit<
  ReturnType<Validate>,
  keyof ListParams
>;

/** Returns the search parameters for the first page without filters. */
export const withoutFilters = ({ size, sort, columns }: ListParams): ListParams => ({ size, sort, columns });

/** Returns the search parameters for the first page. A saved view contains these parameters. */
export const withoutPage = <S extends ListParams>(search: S): S => ({ ...search, page: undefined, cursor: undefined });

export type Page = { readonly pageNumber: number; readonly pageSize: number };

/** Returns the number and size of the page to request. */
export const pageIn = ({ page = 1, size }: ListParams): Page => ({
  pageNumber: page,
  pageSize: size === undefined ? DEFAULT_SIZE : Number(size),
});

/** Changes the page size in the search parameters. Selects the page that contains the first row of the current page. */
export function resized(search: ListParams, to: string): ListParams {
  const { pageNumber: before, pageSize } = pageIn(search);
  const size = isSize(to) ? to : undefined;
  const page = Math.floor(((before - 1) * pageSize) / pageIn({ size }).pageSize) + 1;
  return { ...search, size, page: page === 1 ? undefined : page, cursor: undefined };
}

type Offered = { readonly key: string; readonly isExtra?: boolean; readonly narrow?: string };

const isDefault = (columns: readonly Offered[], keys: readonly string[]): boolean =>
  columns.every(({ key, isExtra = false }) => keys.includes(key) !== isExtra);

/**
 * Returns the columns to show: those that the viewer has chosen, or the default columns. The first column is always
 * shown. Chosen columns are shown even on a narrow screen.
 */
export function columnsShown<C extends Offered>(columns: readonly C[], chosen: string | undefined): readonly C[] {
  const keys = chosen?.split(',');
  const shown = columns.filter(({ key, isExtra = false }, index) => index === 0 || (keys?.includes(key) ?? !isExtra));
  return keys === undefined
    ? shown
    : shown.map((column) => (['hidden', 'tablet'].includes(column.narrow ?? '') ? visible(column) : column));
}

function visible<C extends Offered>({ narrow: _, ...column }: C): C {
  return column as C;
}

/** Returns the chosen columns after one column is shown or hidden, or undefined if these are the default columns. */
export function columnsToggled(
  columns: readonly Offered[],
  chosen: string | undefined,
  key: string,
): string | undefined {
  const shown = columnsShown(columns, chosen).map((column) => column.key);
  const next = columns.map((column) => column.key).filter((each) => shown.includes(each) !== (each === key));
  return isDefault(columns, next) ? undefined : next.join(',');
}

export type Direction = 'ascending' | 'descending';

/**
 * Sort order of a column. The service sorts lists with several pages, in a named order with a fixed direction. The
 * console sorts lists whose rows are all loaded, by a value and in either direction.
 */
export type Sort<Row> = ServiceOrder | ((row: Row) => string | number | null);
export type ServiceOrder = { readonly order: string; readonly direction: Direction };

type Sorted<Row> = { readonly key: string; readonly sort?: Sort<Row> };

/**
 * Returns the direction in which the list is currently sorted by a column, and the sort order that clicking the column
 * header selects.
 */
export function sortBy<Row>({ key, sort }: Sorted<Row>, current: string | undefined): [Direction | undefined, string] {
  if (typeof sort === 'object') return [current === sort.order ? sort.direction : undefined, sort.order];
  if (current === key) return ['ascending', `-${key}`];
  return [current === `-${key}` ? 'descending' : undefined, key];
}

/** Returns all rows of a list in the chosen sort order. Rows without a value are last in both directions. */
export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Sorted<Row>[],
  current: string | undefined,
  locale?: string,
): readonly Row[] {
  const column = columns.find(({ key }) => key === current || `-${key}` === current);
  const value = column?.sort;
  if (typeof value !== 'function') return rows;
  const alphabet = new Intl.Collator(locale, { numeric: true });
  const sign = current === column?.key ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : alphabet.compare(String(a), String(b)));
  });
}
