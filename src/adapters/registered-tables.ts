import type { AnyTable, ReadModel } from '../ports/read-store.js';
import { tableName } from './read-model.declaration.js';

/** The tables that this process has prepared, with their layouts. */
export class RegisteredTables<Shape extends { readonly name: string }> {
  private readonly shapes = new Map<string, Shape>();
  private readonly models = new Map<string, ReadModel>();

  constructor(private readonly shapeOf: (table: AnyTable) => Shape) {}

  register(table: AnyTable): Shape {
    const shape = this.shapeOf(table);
    this.shapes.set(shape.name, shape);
    this.models.set(table.model.name, table.model);
    return shape;
  }

  /** @throws RangeError if this process has not prepared the table, which is a programming error */
  shape(table: AnyTable): Shape {
    const shape = this.shapes.get(tableName(table));
    if (!shape) throw new RangeError(`Read model table ${tableName(table)} was not prepared`);
    return shape;
  }

  /** Returns the version of a model that this process has prepared. */
  protected declared(model: string): ReadModel | undefined {
    return this.models.get(model);
  }

  /** Returns the layout of a table that another process may have created. */
  protected shared(model: ReadModel, generation: number): Shape {
    const table = { model, generation };
    return this.shapes.get(tableName(table)) ?? this.register(table);
  }
}
