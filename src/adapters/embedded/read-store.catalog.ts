import type { AnyTable, Scope } from '../../ports/read-store.js';
import { bindable } from '../bindable-text.js';
import { RegisteredTables } from '../registered-tables.js';
import { MissingTable, type ReadStoreDatabase } from './read-store.database.js';
import { createAddedIndexes, createIndexes, createTable, fullTextTablesOf, tablesOf } from './read-store.ddl.js';
import { shapeOf, type TableShape } from './read-store.shape.js';

/**
 * State of a scope within a table. `last` is the highest ordinal in use. `changes` gets a new value whenever a change
 * to an existing document may affect which criteria the document matches. The first value is random, so that it differs
 * if a table is recreated under the same name.
 */
export type State = { readonly count: number; readonly last: number; readonly changes: number };

/**
 * Number of segments per level that triggers a merge in FTS5. With the default of 4, writing a row takes about a tenth
 * longer, and a search is only a few microseconds faster.
 */
const SEGMENTS_PER_MERGE = 8;

/** Registered tables, scopes and live generations. */
export class ReadStoreCatalog extends RegisteredTables<TableShape> {
  private readonly scopes = new Map<string, number>();

  constructor(private readonly db: ReadStoreDatabase) {
    super(shapeOf);
  }

  /** Returns a model's live table in the version prepared by this process, or undefined before the first cutover. */
  liveTable(model: string): TableShape | undefined {
    const declared = this.declared(model);
    const generation = declared && this.liveGeneration(model, declared.version);
    return declared && generation !== undefined ? this.shared(declared, generation) : undefined;
  }

  liveGeneration(model: string, version: number): number | undefined {
    const sql = 'SELECT generation FROM kontor_generations WHERE model = ? AND version = ?';
    return this.db.get(sql, model, version)?.[0] as number | undefined;
  }

  /** Returns the number that represents a scope in rows and indexes. Numbers are never reused. */
  scopeNumber(scope: Scope): number | undefined {
    const known = this.scopes.get(scope);
    if (known !== undefined) return known;
    const found = this.db.get('SELECT number FROM kontor_scopes WHERE scope = ?', bindable(scope))?.[0];
    if (typeof found === 'number') this.scopes.set(scope, found);
    return typeof found === 'number' ? found : undefined;
  }

  /**
   * Returns a scope's number, assigning one if necessary. Numbers are assigned outside the writer's transaction, so
   * they survive its rollback.
   */
  addScope(scope: Scope): number {
    const known = this.scopeNumber(scope);
    if (known !== undefined) return known;
    return this.db.guarded(() => {
      this.db.run('INSERT INTO kontor_scopes (scope) VALUES (?) ON CONFLICT DO NOTHING', bindable(scope));
      const number = this.scopeNumber(scope);
      if (number === undefined) throw new Error('A scope was stored but cannot be found');
      return number;
    });
  }

  state(shape: TableShape, scope: number): State {
    const sql = 'SELECT count, last, changes FROM kontor_counts WHERE name = ? AND scope = ?';
    const [count = 0, last = 0, changes = -1] = (this.db.get(sql, shape.name, scope) ?? []) as number[];
    return { count, last, changes };
  }

  /** Whether the table has its indexes. @throws MissingTable */
  isIndexed(shape: TableShape): boolean {
    const row = this.db.get('SELECT indexed FROM kontor_tables WHERE name = ?', shape.name);
    if (!row) throw new MissingTable(`no such table: ${shape.name}`);
    return row[0] === 1;
  }

  /** Whether an index exists. A release that adds indexes creates them in its first start. @param name quoted */
  hasIndex(name: string): boolean {
    const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?";
    return this.db.get(sql, name.slice(1, -1)) !== undefined;
  }

  /** Creates the table without indexes if it does not exist. */
  create(shape: TableShape): void {
    this.db.writing(() => {
      const found = this.db.get('SELECT declaration FROM kontor_tables WHERE name = ?', shape.name);
      if (found && found[0] !== shape.declaration) {
        throw new RangeError(`Read model ${shape.model.name} was changed without a new version`);
      }
      if (!found) {
        this.db.exec(createTable(shape));
        const sql = 'INSERT INTO kontor_tables (name, declaration, indexed) VALUES (?, ?, 0)';
        this.db.run(sql, shape.name, shape.declaration);
      }
      for (const table of fullTextTablesOf(shape)) this.tune(table);
      return { keep: true, result: undefined };
    });
  }

  /** Earlier releases created their tables with FTS5's default settings. */
  private tune(fullText: string): void {
    const config = `${fullText.slice(0, -1)}_config"`;
    const found = this.db.get(`SELECT v FROM ${config} WHERE k = 'automerge'`);
    if (found?.[0] !== SEGMENTS_PER_MERGE)
      this.db.change(`INSERT INTO ${fullText} (${fullText}, rank) VALUES ('automerge', ?)`, SEGMENTS_PER_MERGE);
  }

  /**
   * Builds one index per step, so that the event loop can run between steps. A complete table gets the indexes that
   * this release adds. A step takes one to two seconds for a million documents. Other connections can read meanwhile.
   */
  *buildIndexes(shape: TableShape): Generator<void> {
    const isComplete = this.db.guarded(() => this.isIndexed(shape));
    for (const sql of isComplete ? createAddedIndexes(shape) : createIndexes(shape)) {
      this.db.guarded(() => {
        this.db.exec(sql);
      });
      yield;
    }
    if (isComplete) return;
    this.db.guarded(() => this.db.run('UPDATE kontor_tables SET indexed = 1 WHERE name = ?', shape.name));
  }

  drop(table: AnyTable): void {
    const shape = shapeOf(table);
    this.db.writing(() => {
      if (!this.db.get('SELECT 1 FROM kontor_tables WHERE name = ?', shape.name))
        return { keep: false, result: undefined };
      for (const name of tablesOf(shape)) this.db.exec(`DROP TABLE ${name}`);
      for (const list of ['kontor_tables', 'kontor_counts'])
        this.db.run(`DELETE FROM ${list} WHERE name = ?`, shape.name);
      return { keep: true, result: undefined };
    });
  }
}
