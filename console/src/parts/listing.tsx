import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, type Column } from './data-table';

/** Rows per page. */
export const PAGE_SIZE = 25;

/** A page of a list, as the service returns it. */
type ListPage<Row> = {
  readonly items: readonly Row[];
  readonly totalPages: number;
  readonly totalCount: number;
  readonly totalIsCapped?: boolean;
};

type Props<Row, Page extends ListPage<Row>, Key extends QueryKey> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly query: UseQueryOptions<Page, Error, Page, Key>;
  readonly empty: ReactNode;
  readonly page: number;
  readonly onPage: (page: number) => void;
};

/** A paginated list of records. */
export function Listing<Row extends { readonly id: string }, Page extends ListPage<Row>, Key extends QueryKey>(
  props: Props<Row, Page, Key>,
): ReactNode {
  const { label, columns, empty, page, onPage } = props;
  const query = useQuery(props.query);
  const { items, totalPages, totalCount, totalIsCapped } = query.data ?? {};
  return (
    <DataTable
      columns={columns}
      empty={empty}
      keyOf={({ id }) => id}
      label={label}
      pages={{ page, totalPages, totalCount, totalIsCapped, onPage }}
      query={query}
      rows={items}
    />
  );
}
