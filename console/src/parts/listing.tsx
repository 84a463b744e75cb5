import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useVisitedList } from './back-link';
import { DataTable, type Asked, type Column, type LoadedColumn } from './data-table';
import { columnsShown, pageIn, resized, sortedRows, type Page } from './list-state';
import { IN_PLACE, useListSearch } from './list-search';
import { ListTools } from './list-tools';
import type { PagesProps } from './pages';
import { Panel } from './panel';
import { locale } from '../messages/language';

type CommonProps = {
  /** Heading of the panel. */
  readonly title: string;
  /** Accessible name of the table. */
  readonly label: string;
  readonly empty: ReactNode;
  /** Buttons for actions on the whole list. */
  readonly aside?: ReactNode;
  /** The list's `FilterBar`. */
  readonly filters?: ReactNode;
  /** Default sort order of the list. */
  readonly order?: string;
};

type ListProps<Row> = CommonProps & {
  readonly columns: readonly LoadedColumn<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly query: Asked;
  readonly pages?: PagesProps;
  /** Content shown below the table. */
  readonly footer?: ReactNode;
};

/**
 * A list of records with its filters, sort order, columns and saved views. The URL contains the filters, the sort order
 * and the columns.
 */
export function ListPanel<Row>(props: ListProps<Row>): ReactNode {
  const { title, columns, aside, filters, footer, rows, order, ...table } = props;
  const [search, change] = useListSearch();
  const { sort = order, columns: chosen } = search;
  useVisitedList(search);
  return (
    <Panel
      aside={
        <div className="k-list-tools">
          {aside}
          <ListTools columns={columns} />
        </div>
      }
      title={title}
    >
      {filters}
      <DataTable
        {...table}
        columns={columnsShown(columns, chosen)}
        rows={rows && sortedRows(rows, columns, sort, locale)}
        sorting={{
          current: sort,
          onSort: (next) => {
            // The column of the default order may be hidden, so a second click on a header restores that order.
            change((now) => ({ ...now, sort: next === sort ? undefined : next, page: undefined }), IN_PLACE);
          },
        }}
      />
      {footer}
    </Panel>
  );
}

/** A page of a list, as the service returns it. */
type ListPage<Row> = {
  readonly items: readonly Row[];
  readonly totalPages: number;
  readonly totalCount: number;
  readonly totalIsCapped?: boolean;
};

type Props<Row, Content extends ListPage<Row>, Key extends QueryKey> = Omit<CommonProps, 'aside'> & {
  /** Buttons for actions on the whole list, which may be empty. */
  readonly aside?: ReactNode | ((isEmpty: boolean) => ReactNode);
  readonly columns: readonly Column<Row>[];
  readonly query: (page: Page) => UseQueryOptions<Content, Error, Content, Key>;
};

/** A list of records that the service returns page by page. */
export function Listing<Row extends { readonly id: string }, Content extends ListPage<Row>, Key extends QueryKey>({
  query: queryOf,
  aside,
  ...props
}: Props<Row, Content, Key>): ReactNode {
  const [search, change] = useListSearch();
  const { pageNumber, pageSize } = pageIn(search);
  const query = useQuery(queryOf({ pageNumber, pageSize }));
  const { items, totalPages, totalCount, totalIsCapped } = query.data ?? {};
  return (
    <ListPanel
      {...props}
      aside={typeof aside === 'function' ? aside(totalCount === 0) : aside}
      keyOf={({ id }) => id}
      pages={{
        ...{ page: pageNumber, totalPages, totalCount, totalIsCapped, size: String(pageSize) },
        onPage: (page) => {
          change((now) => ({ ...now, page }));
        },
        onSize: (size) => {
          change((now) => resized(now, size), IN_PLACE);
        },
      }}
      query={query}
      rows={items}
    />
  );
}
