import { Skeleton } from '@mantine/core';
import { useState, type MouseEvent, type ReactNode } from 'react';
import type { Shown } from '../api/queries';
import { Icon } from './icons';
import { sortBy, type ServiceOrder, type Sort } from './list-state';
import { NothingListed, Pages, type PagesProps } from './pages';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

export type Column<Row> = {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns the digits within the column. */
  readonly numeric?: boolean;
  /**
   * The column fills the remaining table width, so that each row fits on one line. Hovering over a cell shows its full
   * text.
   */
  readonly isWide?: boolean;
  /** Content that opens below the row, over the full width of the table. The cell becomes the control that opens it. */
  readonly details?: (row: Row) => ReactNode;
  /** Value brought forward from the previous page, shown above the rows. */
  readonly forward?: ReactNode;
  /** Column total, shown below the rows. */
  readonly total?: ReactNode;
  /** The service's sort order for this column. */
  readonly sort?: ServiceOrder;
  /** The column is hidden unless the viewer chooses it. */
  readonly isExtra?: boolean;
  /**
   * Place in a two-line row on a narrow screen. The first line contains the title and the `end` column, and the second
   * line the other columns. Hidden columns appear only if the viewer chooses them, and `tablet` columns also on
   * tablets. By default, the wide column is the title.
   */
  readonly narrow?: 'title' | 'end' | 'tablet' | 'hidden';
};

/** A column of a list whose rows are all loaded. */
export type LoadedColumn<Row> = Omit<Column<Row>, 'sort'> & { readonly sort?: Sort<Row> };

/** The current sort order of a list. `onSort` is called when the viewer chooses another order. */
type Sorting = { readonly current: string | undefined; readonly onSort: (order: string) => void };

/** The parts of a query result that a table needs. */
export type Asked = Pick<Shown<unknown>, 'error' | 'isPlaceholderData' | 'refetch'>;

type Props<Row> = {
  /** Accessible name of the table. */
  readonly label: string;
  readonly columns: readonly LoadedColumn<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Query that loads the rows. Omitted if the rows are already available. */
  readonly query?: Asked;
  /** Message for an empty list. */
  readonly empty: ReactNode;
  /** Pagination below the table. */
  readonly pages?: PagesProps | undefined;
  /** Omitted if the table cannot be sorted. */
  readonly sorting?: Sorting | undefined;
};

const SKELETON_ROWS = 5;
const ASKED_ALREADY = { error: null, isPlaceholderData: false, refetch: undefined };

/**
 * A list, with its loading, empty and error states. On a narrow screen, the rows of a list with a title column have two
 * lines, and all other rows become cards. In both forms, numbers and times are labeled with their column headers.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, query, empty, pages, sorting }: Props<Row>): ReactNode {
  const { error, isPlaceholderData, refetch } = query ?? ASKED_ALREADY;
  if (error !== null && rows === undefined) return <ProblemView error={error} onRetry={refetch} />;
  return (
    <>
      {error !== null && <ProblemView error={error} onRetry={refetch} title={t('This data may be out of date')} />}
      {rows?.length === 0 ? (
        <NothingListed pages={pages}>{empty}</NothingListed>
      ) : (
        <Listed columns={columns} isOld={isPlaceholderData} keyOf={keyOf} label={label} rows={rows} sorting={sorting} />
      )}
      {pages !== undefined && rows?.length !== 0 && <Pages {...pages} />}
    </>
  );
}

type ListedProps<Row> = Pick<Props<Row>, 'label' | 'columns' | 'rows' | 'keyOf' | 'sorting'> & {
  /** Whether the rows are outdated. They are shown until newer rows arrive. */
  readonly isOld: boolean;
};

const Listed = <Row,>({ label, columns, rows, keyOf, isOld, sorting }: ListedProps<Row>): ReactNode => (
  <div aria-label={label} className="k-scroll" role="group" tabIndex={0}>
    <table
      aria-busy={rows === undefined || isOld}
      className={titleOf(columns) === undefined ? 'k-table' : 'k-table k-rows'}
      data-figures={columns.filter(({ numeric }) => numeric === true).length}
      role="table"
    >
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Header column={column} key={column.key} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody onClick={openRow} onMouseOver={showWhole} role="rowgroup">
        {columns.some(({ forward }) => forward !== undefined) && <Sums columns={columns} of="forward" />}
        {rows === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_, index) => <LoadingRow columns={columns.length} key={index} />)
          : rows.map((row) => <TableRow columns={columns} key={keyOf(row)} row={row} title={titleOf(columns)} />)}
      </tbody>
      {columns.some(({ total }) => total !== undefined) && (
        <tfoot role="rowgroup">
          <Sums columns={columns} of="total" />
        </tfoot>
      )}
    </table>
  </div>
);

/** Returns the column whose value starts the first line of a row on a narrow screen. */
const titleOf = <Row,>(columns: readonly LoadedColumn<Row>[]): LoadedColumn<Row> | undefined =>
  columns.find(({ narrow }) => narrow === 'title') ?? columns.find(({ isWide }) => isWide === true);

const classOf = ({ numeric, isWide }: Pick<Column<never>, 'numeric' | 'isWide'>): string | undefined => {
  if (isWide === true) return 'k-wide';
  return numeric === true ? 'k-numeric' : undefined;
};

function Header<Row>({ column, sorting }: { column: LoadedColumn<Row>; sorting: Sorting | undefined }): ReactNode {
  const { header, sort, narrow } = column;
  const className = classOf(column);
  if (sort === undefined || sorting === undefined)
    return (
      <th className={className} data-narrow={narrow} role="columnheader" scope="col">
        {header}
      </th>
    );
  const [direction, next] = sortBy(column, sorting.current);
  return (
    <th aria-sort={direction ?? 'none'} className={className} data-narrow={narrow} role="columnheader" scope="col">
      <button
        className="k-sort"
        onClick={() => {
          sorting.onSort(next);
        }}
        type="button"
      >
        {header}
        <Icon name={direction ?? 'sortable'} size={14} />
      </button>
    </th>
  );
}

/**
 * A click anywhere in a row follows its first link or toggles its details, unless the user clicks a control or selects
 * text.
 */
function openRow({ target }: MouseEvent): void {
  if (!(target instanceof Element) || window.getSelection()?.isCollapsed === false) return;
  if (target.closest('a, button, input, label, details, [role=dialog]') !== null) return;
  target.closest('tr')?.querySelector<HTMLElement>('a, summary')?.click();
}

/** Shows a cell's full text if the cell is too narrow for it. */
function showWhole({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('.k-cell') : null;
  if (cell !== null) cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : '';
}

type SumsProps<Row> = { readonly columns: readonly LoadedColumn<Row>[]; readonly of: 'forward' | 'total' };

const Sums = <Row,>({ columns, of }: SumsProps<Row>): ReactNode => (
  <tr className="k-sums-row" role="row">
    {columns.map(({ key, header, numeric, narrow, [of]: sum }) => (
      <td className={numeric === true ? 'k-numeric' : undefined} data-narrow={narrow} key={key} role="cell">
        <div className="k-cell" data-label={header}>
          {sum}
        </div>
      </td>
    ))}
  </tr>
);

type RowProps<Row> = {
  readonly columns: readonly LoadedColumn<Row>[];
  readonly row: Row;
  readonly title: LoadedColumn<Row> | undefined;
};

function TableRow<Row>({ columns, row, title }: RowProps<Row>): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const details = columns.find((column) => column.details !== undefined);
  return (
    <>
      <tr role="row">
        {columns.map((column) => (
          <td
            className={classOf(column)}
            data-narrow={column === title ? 'title' : column.narrow}
            key={column.key}
            role="cell"
          >
            <div className="k-cell" data-label={column.header}>
              {column === details ? <Disclosure onToggle={setOpen}>{column.cell(row)}</Disclosure> : column.cell(row)}
            </div>
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr className="k-details" role="row">
          <td colSpan={columns.length} role="cell">
            {details?.details?.(row)}
          </td>
        </tr>
      )}
    </>
  );
}

type DisclosureProps = { readonly onToggle: (isOpen: boolean) => void; readonly children: ReactNode };

const Disclosure = ({ onToggle, children }: DisclosureProps): ReactNode => (
  <details
    className="k-disclosure"
    onToggle={({ currentTarget }) => {
      onToggle(currentTarget.open);
    }}
  >
    <summary>{children}</summary>
  </details>
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
