import { useState, type ComponentProps, type ReactNode } from 'react';
import { DataTable, type LoadedColumn } from './data-table';
import { sortedRows } from './list-state';
import { locale } from '../messages/language';

type Props<Row> = Omit<ComponentProps<typeof DataTable<Row>>, 'columns' | 'sorting'> & {
  readonly columns: readonly LoadedColumn<Row>[];
};

/** A sortable table whose rows are all loaded. Unlike the order of a list, its order is not part of the URL. */
export function SortedTable<Row>({ columns, rows, ...table }: Props<Row>): ReactNode {
  const [current, onSort] = useState<string>();
  return (
    <DataTable
      {...table}
      columns={columns}
      rows={rows && sortedRows(rows, columns, current, locale)}
      sorting={{ current, onSort }}
    />
  );
}
