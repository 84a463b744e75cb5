// What a viewer chose about a list, beside its filters. All of it is in the address, so that it can be shared.

/** Rows per page. The first is the default. */
export const SIZES = ['25', '50', '100'] as const;
const DEFAULT_SIZE = Number(SIZES[0]);
/** Sizes in the address; the default one is left out. */
export type Size = Exclude<(typeof SIZES)[number], '25'>;
const isSize = (size: string): size is Size => SIZES.slice(1).some((each) => each === size);

export type ListParams = {
  readonly page?: number | undefined;
  readonly size?: Size | undefined;
  /** Name of an order, see `Sort`. */
  readonly sort?: string | undefined;
  /** Keys of the columns, if the viewer chose them. */
  readonly columns?: string | undefined;
  /** Place in a list without page numbers. */
  readonly cursor?: string | undefined;
};

const PARAMS: ReadonlySet<string> = new Set<keyof ListParams>(['page', 'size', 'sort', 'columns', 'cursor']);

/** The filters in a search: everything else than the parameters of lists. */
export const filtersIn = <S extends ListParams>(search: S): Omit<S, keyof ListParams> =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !PARAMS.has(name))) as Omit<S, keyof ListParams>;

/** Filters of a list, as in its address. */
export type FiltersOf<Validate extends (raw: Record<string, unknown>) => ListParams> = Omit<
  ReturnType<Validate>,
  keyof ListParams
>;

/** The search without its filters, on the first page. */
export const withoutFilters = ({ size, sort, columns }: ListParams): ListParams => ({ size, sort, columns });

/** The search on the first page, which is what a saved view contains. */
export const withoutPage = <S extends ListParams>(search: S): S => ({ ...search, page: undefined, cursor: undefined });

export type Page = { readonly pageNumber: number; readonly pageSize: number };

/** The page to request. */
export const pageIn = ({ page = 1, size }: ListParams): Page => ({
  pageNumber: page,
  pageSize: size === undefined ? DEFAULT_SIZE : Number(size),
});

/** The search with another page size, on the page that contains the first row of the current one. */
export function resized(search: ListParams, to: string): ListParams {
  const { pageNumber: before, pageSize } = pageIn(search);
  const size = isSize(to) ? to : undefined;
  const page = Math.floor(((before - 1) * pageSize) / pageIn({ size }).pageSize) + 1;
  return { ...search, size, page: page === 1 ? undefined : page, cursor: undefined };
}

type Offered = { readonly key: string; readonly isExtra?: boolean };

const isDefault = (columns: readonly Offered[], keys: readonly string[]): boolean =>
  columns.every(({ key, isExtra = false }) => keys.includes(key) !== isExtra);

/** The columns to show: those that the viewer chose, or the default ones. The first one is always shown. */
export function columnsShown<C extends Offered>(columns: readonly C[], chosen: string | undefined): readonly C[] {
  const keys = chosen?.split(',');
  return columns.filter(({ key, isExtra = false }, index) => index === 0 || (keys?.includes(key) ?? !isExtra));
}

/** The choice after a column was shown or hidden; undefined for the default columns. */
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
 * How a list is sorted by a column. The service sorts a list of several pages, in one direction, under the name of its
 * order. The console sorts a list of which it has all rows, in both directions, by a value.
 */
export type Sort<Row> = ServiceOrder | ((row: Row) => string | number | null);
export type ServiceOrder = { readonly order: string; readonly direction: Direction };

type Sorted<Row> = { readonly key: string; readonly sort?: Sort<Row> };

/** The direction in which the list is sorted by a column, and the order that a click on its header chooses. */
export function sortBy<Row>({ key, sort }: Sorted<Row>, current: string | undefined): [Direction | undefined, string] {
  if (typeof sort === 'object') return [current === sort.order ? sort.direction : undefined, sort.order];
  if (current === key) return ['ascending', `-${key}`];
  return [current === `-${key}` ? 'descending' : undefined, key];
}

/** All rows of a list in the chosen order. Rows without a value are last in both directions. */
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
