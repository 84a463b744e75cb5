import { IN_PLACE, useListSearch } from './list-search';
import { pageIn, resized } from './list-state';
import type { PagesProps } from './pages';
import { useIsPrinting } from './printing';

type LoadedPages<Row> = {
  /** Rows of the current page. */
  readonly rows: readonly Row[] | undefined;
  readonly pages: PagesProps;
};

/**
 * Divides a list whose rows are all loaded into pages. The URL contains the page number and size. Without a page number
 * in the URL, the list opens at its first or last page. Printing includes all rows.
 */
export function useLoadedPages<Row>(
  rows: readonly Row[] | undefined,
  opensAt: 'first' | 'last' = 'first',
): LoadedPages<Row> {
  const [search, change] = useListSearch();
  const { pageSize } = pageIn(search);
  const totalPages = Math.max(1, Math.ceil((rows?.length ?? 0) / pageSize));
  const page = Math.min(search.page ?? (opensAt === 'first' ? 1 : totalPages), totalPages);
  return {
    rows: useIsPrinting() ? rows : rows?.slice((page - 1) * pageSize, page * pageSize),
    pages: {
      ...{ page, totalPages, totalCount: rows?.length, size: String(pageSize) },
      onPage: (next) => {
        change((now) => ({ ...now, page: next }), IN_PLACE);
      },
      onSize: (size) => {
        // A list that shows its last page without a page number in the URL continues to do so.
        change((now) => ({ ...resized(now, size), page: now.page && (resized(now, size).page ?? 1) }), IN_PLACE);
      },
    },
  };
}
