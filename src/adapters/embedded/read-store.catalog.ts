import type { AnyTable, ReadModel, Scope } from '../../ports/read-store.js';
import { bindable } from '../bindable-text.js';
import { tableName } from '../read-model.declaration.js';
import { MissingTable, type ReadStoreDatabase, type Value } from './read-store.database.js';
import type { ReadStoreCodes } from './read-store.codes.js';
import { ColumnWriter, type CodedRow, type Sizes } from './read-store.columns.js';
import { createIndexes, createLists, createTable, fills, shapeOf, sideTable } from './read-store.tables.js';
import type { TableShape } from './read-store.tables.js';

/** What the file knows of a table: whether its indexes are built, and which fields have several values. */
export type Entry = { readonly indexed: boolean; readonly several: ReadonlySet<string> };

/** Rows read at once where a whole table is gone through. */
const STEP = 1_000;

/** Which tables, scopes and live generations there are. */
export class ReadStoreCatalog {
  private readonly shapes = new Map<string, TableShape>();
  private readonly models = new Map<string, ReadModel>();
  private readonly scopes = new Map<string, number>();
  private readonly parsedSeveral = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly codes: ReadStoreCodes,
    private readonly sizes: Sizes,
  ) {}

  register(table: AnyTable): TableShape {
    const shape = shapeOf(table);
    this.shapes.set(shape.name, shape);
    this.models.set(table.model.name, table.model);
    return shape;
  }

  /** @throws RangeError for a table that was not prepared here: a defect of the caller */
  shape(table: AnyTable): TableShape {
    const shape = this.shapes.get(tableName(table));
    if (!shape) throw new RangeError(`Read model table ${tableName(table)} was not prepared`);
    return shape;
  }

  /** The live table of a model, in the version prepared in this process; undefined before the first generation is live. */
  liveTable(model: string): TableShape | undefined {
    const declared = this.models.get(model);
    const generation = declared && this.liveGeneration(model, declared.version);
    if (!declared || generation === undefined) return undefined;
    const table = { model: declared, generation };
    return this.shapes.get(tableName(table)) ?? this.register(table);
  }

  liveGeneration(model: string, version: number): number | undefined {
    const sql = 'SELECT generation FROM kontor_generations WHERE model = ? AND version = ?';
    return this.db.get(sql, model, version)?.[0] as number | undefined;
  }

  /** A number stands for the scope in every index: a few bits in place of a UUID's text. Numbers are never reused. */
  scopeNumber(scope: Scope): number | undefined {
    const known = this.scopes.get(scope);
    if (known !== undefined) return known;
    const found = this.db.get('SELECT number FROM kontor_scopes WHERE scope = ?', bindable(scope))?.[0];
    if (typeof found === 'number') this.scopes.set(scope, found);
    return typeof found === 'number' ? found : undefined;
  }

  /** Outside of the writer's transaction: the number stays, also when that one is rolled back. */
  addScope(scope: Scope): number {
    const known = this.scopeNumber(scope);
    if (known !== undefined) return known;
    return this.db.guarded(() => {
      this.db.run('INSERT INTO kontor_scopes (scope) VALUES (?) ON CONFLICT DO NOTHING', bindable(scope));
      const number = this.scopeNumber(scope);
      if (number === undefined) throw new Error('A scope was stored and is not there');
      return number;
    });
  }

  /** @throws MissingTable */
  entry(shape: TableShape): Entry {
    const row = this.db.get('SELECT indexed, several FROM kontor_tables WHERE name = ?', shape.name);
    if (!row) throw new MissingTable(`no such table: ${shape.name}`);
    const [indexed, several] = row as [number, string];
    const parsed = this.parsedSeveral.get(several) ?? new Set(JSON.parse(several) as string[]);
    this.parsedSeveral.set(several, parsed);
    return { indexed: indexed === 1, several: parsed };
  }

  setSeveral(shape: TableShape, fields: readonly string[]): void {
    this.db.run('UPDATE kontor_tables SET several = ? WHERE name = ?', JSON.stringify([...fields].sort()), shape.name);
  }

  /** Makes the table, without indexes, if it is not there. */
  create(shape: TableShape): void {
    this.db.writing(() => {
      const found = this.db.get('SELECT declaration FROM kontor_tables WHERE name = ?', shape.name);
      if (found && found[0] !== shape.declaration) {
        throw new RangeError(`Read model ${shape.model.name} was changed without a new version`);
      }
      if (!found) {
        this.db.exec(createTable(shape));
        const sql = 'INSERT INTO kontor_tables (name, declaration, indexed, several) VALUES (?, ?, 0, ?)';
        this.db.run(sql, shape.name, shape.declaration, '[]');
      } else if (shape.coded.length > 0) this.db.exec(createLists(shape));
      return { keep: true, result: undefined };
    });
  }

  /** One index a step, so that the event loop (and with it the other tables) gets its turn in between. */
  *buildIndexes(shape: TableShape): Generator<void> {
    if (this.db.guarded(() => this.entry(shape)).indexed) return;
    for (const sql of createIndexes(shape)) {
      this.db.guarded(() => {
        this.db.exec(sql);
      });
      yield;
    }
    this.db.writing(() => {
      const { several, indexed } = this.entry(shape);
      if (!indexed) {
        for (const sql of fills(shape, several)) this.db.exec(sql);
        if (shape.coded.length > 0) this.fillColumns(shape);
        this.db.run('UPDATE kontor_tables SET indexed = 1 WHERE name = ?', shape.name);
      }
      return { keep: true, result: undefined };
    });
  }

  private fillColumns(shape: TableShape): void {
    try {
      new ColumnWriter(this.db, this.codes, shape, this.sizes).fill(this.documents(shape));
    } catch (error) {
      // The transaction around it is undone, and the codes that it gave with it.
      this.codes.forget();
      throw error;
    }
  }

  /** All of a table, by their numbers, in what its columns hold of them. */
  private *documents(shape: TableShape): Generator<CodedRow> {
    const columns = [...shape.columns.values()].map((column) => column.sql).join(', ');
    const sql = `SELECT number, scope, id, several, dead, ${columns} FROM ${shape.main} WHERE number > ? ORDER BY number
      LIMIT ${STEP}`;
    let after = 0;
    for (let rows = this.db.all(sql, after); rows.length > 0; rows = this.db.all(sql, after)) {
      for (const [number, scope, id, several, ...values] of rows) {
        after = number as number;
        const lists = typeof several === 'string' ? Object.entries(JSON.parse(several) as Record<string, Value[]>) : [];
        yield { number: after, scope: scope as number, id: id as string, values, several: lists };
      }
    }
  }

  drop(table: AnyTable): void {
    const shape = shapeOf(table);
    this.db.writing(() => {
      if (!this.db.get('SELECT 1 FROM kontor_tables WHERE name = ?', shape.name))
        return { keep: false, result: undefined };
      const sides = [...this.entry(shape).several].map((field) => sideTable(shape, field));
      const columns = shape.coded.length === 0 ? [] : [shape.blocks, shape.tail];
      for (const name of [shape.main, shape.words, ...columns, ...sides]) this.db.exec(`DROP TABLE ${name}`);
      this.db.exec(`DROP TABLE IF EXISTS ${shape.lists}`);
      this.db.run('DELETE FROM kontor_tables WHERE name = ?', shape.name);
      for (const counts of ['kontor_counts', 'kontor_value_counts'])
        this.db.run(`DELETE FROM ${counts} WHERE name = ?`, shape.name);
      return { keep: true, result: undefined };
    });
  }
}
