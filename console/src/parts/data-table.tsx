import { Pagination, Skeleton, Text } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import type { Shown } from '../api/queries';
import { count } from './figures';
import { ProblemView } from './problem-view';

export type Column<Row> = {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand under each other. */
  readonly numeric?: boolean;
};

type Props<Row> = {
  /** What the table holds, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly query: Pick<Shown<unknown>, 'error' | 'isPending' | 'refetch'>;
  /** What it means that there is nothing. */
  readonly empty: ReactNode;
  /** Under it: the pages, where there are several. */
  readonly pages?: PagesProps | undefined;
};

const SKELETON_ROWS = 5;

/** A list in all its states. At a phone's width every row becomes a card whose values carry their column's name. */
export function DataTable<Row>({ label, columns, rows, keyOf, query, empty, pages }: Props<Row>): ReactNode {
  const id = useId();
  if (query.error !== null && rows === undefined) return <ProblemView error={query.error} onRetry={query.refetch} />;
  if (rows?.length === 0) return <div className="k-empty">{empty}</div>;
  return (
    <>
      {query.error !== null && (
        <ProblemView error={query.error} onRetry={query.refetch} title="This may be out of date" />
      )}
      <div aria-label={label} className="k-scroll" role="region" tabIndex={0}>
        <table aria-busy={query.isPending} className="k-table" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ key, header, numeric }) => (
                <th className={numeric === true ? 'k-numeric' : undefined} key={key} role="columnheader" scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, index) => (
                  <LoadingRow columns={columns.length} key={`${id}${index}`} />
                ))
              : rows.map((row) => <TableRow columns={columns} key={keyOf(row)} row={row} />)}
          </tbody>
        </table>
      </div>
      {pages !== undefined && <Pages {...pages} />}
    </>
  );
}

const TableRow = <Row,>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }): ReactNode => (
  <tr role="row">
    {columns.map(({ key, header, numeric, cell }) => (
      <td className={numeric === true ? 'k-numeric' : undefined} data-label={header} key={key} role="cell">
        <div className="k-cell">{cell(row)}</div>
      </td>
    ))}
  </tr>
);

const LoadingRow = ({ columns }: { columns: number }): ReactNode => (
  <tr role="row">
    {Array.from({ length: columns }, (_, index) => (
      <td key={index} role="cell">
        <Skeleton height={12} my={5} radius="sm" />
      </td>
    ))}
  </tr>
);

type PagesProps = {
  readonly page: number;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
  readonly onPage: (page: number) => void;
};

function Pages({ page, totalPages = 0, totalCount = 0, onPage }: PagesProps): ReactNode {
  return (
    <nav aria-label="Pages" className="k-pages">
      <Text c="dimmed" size="sm">
        {count(totalCount)} in all
      </Text>
      {totalPages > 1 && (
        <Pagination
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `page ${item}` })}
          onChange={onPage}
          size="sm"
          total={totalPages}
          value={page}
        />
      )}
    </nav>
  );
}
