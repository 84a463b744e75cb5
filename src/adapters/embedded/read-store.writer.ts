import type { AnyTable, DocumentKey, DocumentWrite, WriteBatch, WriteResult } from '../../ports/read-store.js';
import { words as wordsOf } from '../../ports/search.js';
import { bindable } from '../bindable-text.js';
import type { ReadStoreDatabase } from './read-store.database.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { createSideTable, fillSideTable, listSingleValues, rowOf, type TableShape } from './read-store.tables.js';
import { TableWriter, type Coding, type PreparedWrite } from './read-store.table-writer.js';

type TableWrites = { readonly table: AnyTable; readonly shape: TableShape; readonly writes: readonly PreparedWrite[] };

/** Guarded bulk writes: what `ReadStore.write` promises, in one transaction. */
export class ReadStoreWriter {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly coding: Coding,
  ) {}

  write(batch: WriteBatch): WriteResult {
    const tables = batch.tables.map(({ table, writes }): TableWrites => {
      const shape = this.catalog.shape(table);
      return { table, shape, writes: writes.map((write) => this.prepare(shape, write)) };
    });
    // Both before the transaction: what they add is true whether or not its writes conflict.
    for (const { shape, writes } of tables) this.separateSeveral(shape, writes);
    const { conflicts } = this.whole(() =>
      this.db.writing(() => {
        const found = tables.flatMap((writes) => this.writeTable(writes));
        if (found.length === 0) this.checkpoints(batch.checkpoints);
        return { keep: found.length === 0, result: { conflicts: found } };
      }),
    );
    if (conflicts.length > 0) this.coding.codes.forget();
    return { conflicts };
  }

  /** Codes that were given in a transaction that is undone are free again, here and where it conflicts. */
  private whole<T>(transaction: () => T): T {
    try {
      return transaction();
    } catch (error) {
      this.coding.codes.forget();
      throw error;
    }
  }

  private prepare(shape: TableShape, write: DocumentWrite): PreparedWrite {
    const json = write.document === null ? null : JSON.stringify(write.document);
    const row = rowOf(shape, write.document, wordsOf);
    return { write, scope: this.catalog.addScope(write.scope), id: bindable(write.id), json, row };
  }

  /** A field gives a list of values for the first time: its values move to a table of their own. */
  private separateSeveral(shape: TableShape, writes: readonly PreparedWrite[]): void {
    const columns = [...shape.columns.values()];
    const listed = columns.filter((_, at) => writes.some(({ row }) => Array.isArray(row.values[at])));
    if (listed.length === 0) return;
    this.db.writing(() => {
      const entry = this.catalog.entry(shape);
      const fresh = listed.filter((column) => !entry.several.has(column.field));
      for (const column of fresh) {
        this.db.exec(createSideTable(shape, column));
        this.db.exec(listSingleValues(shape, column));
        if (entry.indexed) this.db.exec(fillSideTable(shape, column));
      }
      if (fresh.length > 0) {
        this.catalog.setSeveral(shape, [...entry.several, ...fresh.map((column) => column.field)]);
      }
      return { keep: true, result: undefined };
    });
  }

  private writeTable({ table, shape, writes }: TableWrites): (DocumentKey & { table: AnyTable })[] {
    const { indexed, several } = this.catalog.entry(shape);
    const target = new TableWriter(this.db, this.coding, shape, several, indexed);
    const refused = writes.filter((prepared) => !target.write(prepared));
    target.finish();
    return refused.map(({ write }) => ({ table, scope: write.scope, id: write.id }));
  }

  /** In one statement: every batch has as many as there are models. */
  private checkpoints(checkpoints: WriteBatch['checkpoints']): void {
    this.db.run(
      `INSERT INTO kontor_checkpoints (key, position) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE TRUE
       ON CONFLICT (key) DO UPDATE SET position = excluded.position WHERE excluded.position > position`,
      JSON.stringify(checkpoints.map(({ key, position }) => [bindable(key), position])),
    );
  }
}
