import type { Column, TableShape } from './read-store.shape.js';

/**
 * Returns the SQL type of a column. Text columns that are used for sorting may contain the numeric placeholder for
 * null.
 */
function sqlType({ ordered }: TableShape, column: Column): string {
  const isOrdered = ordered.has(column);
  const type = column.type !== 'text' ? 'INTEGER' : isOrdered ? 'ANY' : 'TEXT';
  return isOrdered ? `${type} NOT NULL` : type;
}

/**
 * `dead` marks tombstones. The full-text tables need not store any text, because `contentless_delete` removes a row
 * without knowing its words. Words are already folded and separated by spaces, and the `ascii` tokenizer leaves all
 * other characters unchanged.
 */
export function createTable(shape: TableShape): string {
  const { main, stored, terms, texts, words, filters } = shape;
  const columns = stored.map((column) => `${column.sql} ${sqlType(shape, column)}, `).join('');
  const fts = "content='', contentless_delete=1";
  const search = `USING fts5(${texts.map((_, at) => `t${at}`).join(', ')}, ${fts}, prefix='6 7 8', tokenize='ascii',
    detail=${texts.length > 1 ? 'column' : 'none'})`;
  return `CREATE TABLE ${main} (
      number INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL,
      dead INTEGER NOT NULL, ${columns} json TEXT, UNIQUE (scope, id)
    ) STRICT;
    ${filters.length > 0 ? `CREATE VIRTUAL TABLE ${terms} USING fts5(t, ${fts}, detail=none, tokenize="ascii tokenchars '_'");` : ''}
    ${texts.length > 0 ? `CREATE VIRTUAL TABLE ${words} ${search};` : ''}`;
}

export const fullTextTablesOf = ({ terms, words, filters, texts }: TableShape): string[] => [
  ...(filters.length > 0 ? [terms] : []),
  ...(texts.length > 0 ? [words] : []),
];
export const tablesOf = (shape: TableShape): string[] => [shape.main, ...fullTextTablesOf(shape)];

export const joinIndex = (shape: TableShape, { field }: Column): string => `"${shape.name}__by_${field}"`;
export const rangeIndex = (shape: TableShape, { field }: Column): string => `"${shape.name}__range_${field}"`;
export const orderColumns = ({ order }: TableShape): string[] => [...order.map((column) => column.sql), 'id'];

/**
 * Number of documents in a block of a range index (2^BLOCK_BITS consecutive numbers). The index sorts values only within
 * blocks, so that the entries of new documents are close together. In an index that sorted all values, each new entry
 * would change a different page, and writing a document would take a fifth longer. If this number changes, the index
 * needs another name.
 */
const BLOCK_BITS = 8;
export const BLOCK = 2 ** BLOCK_BITS;
/** Returns the SQL expression for the block of a document number. */
export const blockOf = (number: string): string => `(${number} >> ${BLOCK_BITS})`;

/**
 * Whether the sort order has its own index. For sorting by id alone, the table's unique index on scope and id is
 * sufficient.
 */
export const hasOrderIndex = ({ order }: TableShape): boolean => order.length > 0;

const createRangeIndexes = (shape: TableShape): string[] =>
  shape.ranged.map(
    (column) =>
      `CREATE INDEX IF NOT EXISTS ${rangeIndex(shape, column)} ON ${shape.main} (${blockOf('number')}, ${column.sql})
       WHERE dead = 0`,
  );

export const createIndexes = (shape: TableShape): string[] => [
  ...[shape, ...shape.variants.values()].filter(hasOrderIndex).map(
    (each) =>
      `CREATE INDEX IF NOT EXISTS ${each.orderIndex} ON ${shape.main} (scope, ${orderColumns(each).join(', ')})
       WHERE dead = 0`,
  ),
  ...shape.joins.map(
    ({ column }) =>
      `CREATE INDEX IF NOT EXISTS ${joinIndex(shape, column)} ON ${shape.main} (scope, ${column.sql})
       WHERE ${column.sql} IS NOT NULL AND dead = 0`,
  ),
  ...createRangeIndexes(shape),
];

/** Returns the statements that create the indexes by which a release may extend a complete table. */
export const createAddedIndexes = createRangeIndexes;
