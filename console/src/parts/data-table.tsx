import { Skeleton } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import type { Shown } from '../api/queries';
import { NothingListed, Pages, type PagesProps } from './pages';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

export type Column<Row> = {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns digits within columns. */
  readonly numeric?: boolean;
  /** Total of the column, shown below the rows. */
  readonly total?: ReactNode;
};

/** The part of a query that a table needs. */
export type Asked = Pick<Shown<unknown>, 'error' | 'isPlaceholderData' | 'refetch'>;

type Props<Row> = {
  /** Accessible name of the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Query that loads the rows. Omitted if the rows are already available. */
  readonly query?: Asked;
  /** Message for an empty list. */
  readonly empty: ReactNode;
  /** Pagination below the table. */
  readonly pages?: PagesProps | undefined;
};

const SKELETON_ROWS = 5;
const ASKED_ALREADY = { error: null, isPlaceholderData: false, refetch: undefined };

/** A list in all its states. On a phone, every row becomes a card that labels each value with its column. */
export function DataTable<Row>({ label, columns, rows, keyOf, query, empty, pages }: Props<Row>): ReactNode {
  const { error, isPlaceholderData, refetch } = query ?? ASKED_ALREADY;
  if (error !== null && rows === undefined) return <ProblemView error={error} onRetry={refetch} />;
  return (
    <>
      {error !== null && <ProblemView error={error} onRetry={refetch} title={t('This data may be out of date')} />}
      {rows?.length === 0 ? (
        <NothingListed pages={pages}>{empty}</NothingListed>
      ) : (
        <Listed columns={columns} isOld={isPlaceholderData} keyOf={keyOf} label={label} rows={rows} />
      )}
      {pages !== undefined && rows?.length !== 0 && <Pages {...pages} />}
    </>
  );
}

type ListedProps<Row> = Pick<Props<Row>, 'label' | 'columns' | 'rows' | 'keyOf'> & {
  /** Outdated rows are shown until newer rows arrive. */
  readonly isOld: boolean;
};

const Listed = <Row,>({ label, columns, rows, keyOf, isOld }: ListedProps<Row>): ReactNode => (
  <div aria-label={label} className="k-scroll" role="group" tabIndex={0}>
    <table aria-busy={rows === undefined || isOld} className="k-table" role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ key, header, numeric }) => (
            <th className={numeric === true ? 'k-numeric' : undefined} key={key} role="columnheader" scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody onClick={openRow} role="rowgroup">
        {rows === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_, index) => <LoadingRow columns={columns.length} key={index} />)
          : rows.map((row) => <TableRow columns={columns} key={keyOf(row)} row={row} />)}
      </tbody>
      {columns.some(({ total }) => total !== undefined) && <Totals columns={columns} />}
    </table>
  </div>
);

/** A click anywhere in a row follows its first link, unless the user clicks a control or selects text. */
function openRow({ target }: MouseEvent): void {
  if (!(target instanceof Element) || window.getSelection()?.isCollapsed === false) return;
  if (target.closest('a, button, input, label, details, [role=dialog]') !== null) return;
  target.closest('tr')?.querySelector<HTMLElement>('a')?.click();
}

const Totals = <Row,>({ columns }: { columns: readonly Column<Row>[] }): ReactNode => (
  <tfoot role="rowgroup">
    <tr role="row">
      {columns.map(({ key, header, numeric, total }) => (
        <td
          className={numeric === true ? 'k-numeric' : undefined}
          data-label={total === undefined ? undefined : header}
          key={key}
          role="cell"
        >
          <div className="k-cell">{total}</div>
        </td>
      ))}
    </tr>
  </tfoot>
);

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
