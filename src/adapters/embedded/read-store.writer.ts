import type { AnyTable, DocumentKey, DocumentWrite, TableWrites } from '../../ports/read-store.js';
import type { WriteBatch, WriteResult } from '../../ports/read-store.js';
import { bindable } from '../bindable-text.js';
import { packDocument } from './packed-json.document.js';
import { unpack } from './packed-json.reader.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import type { ReadStoreDatabase, Row as Stored } from './read-store.database.js';
import { rowOf, SPAN, type Row, type TableShape } from './read-store.shape.js';

type PreparedWrite = {
  readonly write: DocumentWrite;
  readonly scope: number;
  readonly id: string;
  readonly json: string | null;
  readonly row: Row;
};
type Refused = DocumentKey & { readonly table: AnyTable };

/** Performs guarded bulk writes in one transaction, with the guarantees of `ReadStore.write`. */
export class ReadStoreWriter {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
  ) {}

  write(batch: WriteBatch): WriteResult {
    // Scopes are added before the transaction begins, because their numbers must survive a rollback.
    for (const { writes } of batch.tables) for (const { scope } of writes) this.catalog.addScope(scope);
    return this.db.writing(() => {
      const conflicts = batch.tables.flatMap((each) => this.writeTable(each));
      if (conflicts.length === 0) this.checkpoints(batch.checkpoints);
      return { keep: conflicts.length === 0, result: { conflicts } };
    });
  }

  purge(table: AnyTable, keys: readonly DocumentKey[]): void {
    const sql = `DELETE FROM ${this.catalog.shape(table).main} WHERE scope = ? AND id = ? AND dead = 1`;
    this.db.writing(() => {
      for (const { scope, id } of keys) this.db.change(sql, this.catalog.scopeNumber(scope) ?? null, bindable(id));
      return { keep: true, result: undefined };
    });
  }

  /**
   * Returns the writes that were rejected. Prepares each document just before it is written. Preparing all documents
   * first would keep all of them in memory during a garbage collection.
   */
  private writeTable({ table, writes }: TableWrites): Refused[] {
    const shape = this.catalog.shape(table);
    const target = new TableWriter(this.db, this.catalog, shape);
    const refused = writes.filter((write) => !target.write(this.prepare(shape, write)));
    target.finish();
    return refused.map(({ scope, id }) => ({ table, scope, id }));
  }

  private prepare(shape: TableShape, write: DocumentWrite): PreparedWrite {
    const json = write.document === null ? null : packDocument(write.document);
    const scope = this.catalog.addScope(write.scope);
    return { write, scope, id: bindable(write.id), json, row: rowOf(shape, scope, write.document) };
  }

  /** Stores all checkpoints with one statement, because every batch contains a checkpoint for each model. */
  private checkpoints(checkpoints: WriteBatch['checkpoints']): void {
    this.db.change(
      `INSERT INTO kontor_checkpoints (key, position) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE TRUE
       ON CONFLICT (key) DO UPDATE SET position = excluded.position WHERE excluded.position > position`,
      JSON.stringify(checkpoints.map(({ key, position }) => [bindable(key), position])),
    );
  }
}

/** Changes that a batch makes to a scope's `State`. */
type Change = { last: number; added: number; changed: number };
/** New full-text content of a document. `terms` or `words` is undefined if it has not changed. */
type Indexed = {
  readonly number: number;
  readonly isNew: boolean;
  readonly terms: string | undefined;
  readonly words: readonly string[] | undefined;
};

/** Applies one batch's writes to one table, within the batch's transaction. */
class TableWriter {
  private readonly changes = new Map<number, Change>();
  private readonly indexed = new Map<number, Indexed>();

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly shape: TableShape,
  ) {}

  /** Returns false if the stored document is not at the expected position. */
  write(prepared: PreparedWrite): boolean {
    if (prepared.write.expected === null) return this.insert(prepared);
    const found = this.db.get(this.shape.statements.find, prepared.scope, prepared.id);
    if (found?.[1] !== prepared.write.expected) return false;
    this.update(prepared, found);
    return true;
  }

  /**
   * Writes the full-text content in order of ascending row number. Otherwise, the index would start a new segment
   * whenever the number decreased.
   */
  finish(): void {
    const rows = [...this.indexed.values()].sort((a, b) => a.number - b.number);
    for (const row of rows) if (row.terms !== undefined) this.replace('terms', row, [row.terms]);
    for (const row of rows) if (row.words !== undefined) this.replace('words', row, row.words);
    for (const [scope, { last, added, changed }] of this.changes)
      this.db.change(
        `INSERT INTO kontor_counts (name, scope, count, last, changes) VALUES (?, ?, ?, ?, abs(random() % 1000000000))
         ON CONFLICT (name, scope) DO UPDATE SET count = count + excluded.count, last = excluded.last, changes = changes + ?`,
        ...[this.shape.name, scope, added, last, changed],
      );
  }

  private insert({ write, scope, id, json, row }: PreparedWrite): boolean {
    const change = this.changeOf(scope);
    const number = scope * SPAN + change.last + 1;
    const values = [number, scope, id, write.position, Number(json === null), ...row.values, json];
    if (!this.db.insert(this.shape.statements.insert, ...values)) return false;
    change.last += 1;
    change.added += Number(json !== null);
    // Empty text is not written, because the model may not have this full-text table.
    const { terms, words } = row;
    this.indexed.set(number, {
      number,
      isNew: true,
      terms: terms || undefined,
      words: words.length > 0 ? words : undefined,
    });
    return true;
  }

  /** Sets only the columns that have changed, so that the indexes on other columns do not need updating. */
  private update({ write, scope, json, row }: PreparedWrite, [number, , before]: Stored): void {
    const { main, stored, matched } = this.shape;
    const old = rowOf(this.shape, scope, typeof before === 'string' ? (JSON.parse(unpack(before)) as object) : null);
    const compared = [
      { name: 'dead', value: Number(json === null), old: Number(before === null) },
      ...stored.map(({ sql }, at) => ({ name: sql, value: row.values[at] ?? null, old: old.values[at] })),
    ];
    const changed = compared.filter((each) => each.value !== each.old);
    const sets = ['position', 'json', ...changed.map(({ name }) => name)].map((name) => `${name} = ?`);
    const values = [write.position, json, ...changed.map(({ value }) => value)];
    this.db.change(`UPDATE ${main} SET ${sets.join(', ')} WHERE number = ?`, ...values, number ?? null);
    const isMatchedAsBefore = this.reindex(number as number, old, row);
    const added = Number(before === null) - Number(json === null);
    if (isMatchedAsBefore && added === 0 && !changed.some(({ name }) => matched.has(name))) return;
    const change = this.changeOf(scope);
    change.added += added;
    change.changed += 1;
  }

  /** Records the changes to the full-text content. Returns true if there are none. */
  private reindex(number: number, old: Row, row: Row): boolean {
    const terms = row.terms === old.terms ? undefined : row.terms;
    const words = row.words.join() === old.words.join() ? undefined : row.words;
    if (terms === undefined && words === undefined) return true;
    const known = this.indexed.get(number);
    this.indexed.set(number, { number, isNew: false, terms: terms ?? known?.terms, words: words ?? known?.words });
    return false;
  }

  /** Replaces a document's row in a full-text table. A document without text has no row. */
  private replace(table: 'terms' | 'words', { number, isNew }: Indexed, texts: readonly string[]): void {
    if (!isNew) this.db.change(`DELETE FROM ${this.shape[table]} WHERE rowid = ?`, number);
    if (texts.some((text) => text !== '')) this.db.change(this.shape.statements[table], number, ...texts);
  }

  private changeOf(scope: number): Change {
    const known = this.changes.get(scope);
    if (known) return known;
    const change = { last: this.catalog.state(this.shape, scope).last, added: 0, changed: 0 };
    this.changes.set(scope, change);
    return change;
  }
}
