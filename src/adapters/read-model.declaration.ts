import type { AnyTable, Field, ListQuery, ReadModel, Scalar } from '../ports/read-store.js';

// Validates declarations and queries for all read stores.

type Typed = { readonly field: string; readonly type: Field<never>['type'] };

// Names must not contain double underscores, which are separators in the names of side tables and indexes.
const modelName = /^[a-z](?:_?[a-z0-9])*$/;
const fieldName = /^[a-zA-Z](?:_?[a-zA-Z0-9])*$/;
const MAX_NAME_LENGTH = 60;

const isName = (pattern: RegExp, name: string): boolean => name.length <= MAX_NAME_LENGTH && pattern.test(name);
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** @throws RangeError */
export function tableName({ model, generation }: AnyTable): string {
  if (!isName(modelName, model.name))
    throw new RangeError(`The read model name is invalid: ${JSON.stringify(model.name)}`);
  if (!isCount(model.version) || !isCount(generation)) {
    throw new RangeError(`Read model ${model.name}: version and generation must be non-negative integers`);
  }
  return `${model.name}_v${model.version}_g${generation}`;
}

/** Returns the declared fields, mapped to the engine's columns. @throws RangeError */
export function columnsOf<C extends Typed>(model: ReadModel, columnOf: (declared: Typed) => C): Map<string, C> {
  const columns = new Map<string, C>();
  const taken = new Set<string>();
  for (const [field, { type }] of Object.entries(model.fields)) {
    // SQLite names are case-insensitive.
    if (!isName(fieldName, field) || taken.has(field.toLowerCase())) {
      throw new RangeError(
        `Read model ${model.name}: the field name is invalid or duplicated: ${JSON.stringify(field)}`,
      );
    }
    taken.add(field.toLowerCase());
    columns.set(field, columnOf({ field, type }));
  }
  return columns;
}

/**
 * Looks up the columns of declared fields.
 * @throws RangeError for an unknown field, if a compound or counted field is not a filter, or if a ranged field is one
 */
export function declared<C>(model: ReadModel, columns: ReadonlyMap<string, C>): (field: string) => C {
  const stray = model.compound?.flat().find((field) => !model.filters.includes(field));
  if (stray !== undefined)
    throw new RangeError(`Read model ${model.name}: ${stray} is in a compound but is not a filter`);
  const uncountable = model.counted?.find((field) => !model.filters.includes(field));
  if (uncountable !== undefined)
    throw new RangeError(`Read model ${model.name}: ${uncountable} is counted but is not a filter`);
  const filter = model.ranged?.find((field) => model.filters.includes(field));
  if (filter !== undefined) throw new RangeError(`Read model ${model.name}: ${filter} is ranged but is also a filter`);
  return (field) => {
    const found = columns.get(field);
    if (!found) throw new RangeError(`Read model ${model.name} declares no field ${JSON.stringify(field)}`);
    return found;
  };
}

/**
 * Returns a string that is identical for all declarations with the same storage layout. `more` contains engine-specific
 * parts of the layout.
 */
export const declarationOf = (model: ReadModel, more: object = {}): string =>
  JSON.stringify({
    fields: Object.entries(model.fields)
      .map(([field, { type }]) => `${field} ${type}`)
      .sort(),
    filters: [...model.filters].sort(),
    compound: (model.compound ?? []).map((fields) => fields.join(' ')).sort(),
    order: model.order,
    ...(model.orders && { orders: model.orders }),
    search: Object.keys(model.search ?? {}).sort(),
    joins: (model.searchJoins ?? []).map((join) => `${join.field} ${join.model} ${join.texts.join(' ')}`).sort(),
    ...more,
  });

type Declared<C> = { readonly model: ReadModel; readonly columns: ReadonlyMap<string, C> };

/** @throws TypeError unless the value has the field's type */
export function requireType({ model }: { readonly model: ReadModel }, { field, type }: Typed, value: Scalar): void {
  if (type === 'integer' ? Number.isSafeInteger(value) : typeof value === (type === 'text' ? 'string' : type)) return;
  throw new TypeError(`Read model ${model.name}: ${String(value)} is not a value of ${type} ${field}`);
}

/** Returns the column of a field in a query. @throws RangeError */
export function columnOf<C>({ model, columns }: Declared<C>, field: string): C {
  const column = columns.get(field);
  if (!column) throw new RangeError(`Read model ${model.name} has no field ${JSON.stringify(field)}`);
  return column;
}

/** Returns the column of a filter in a query. @throws RangeError */
export function filterOf<C>(shape: Declared<C>, field: string): C {
  if (!shape.model.filters.includes(field)) {
    throw new RangeError(`Read model ${shape.model.name} has no filter ${JSON.stringify(field)}`);
  }
  return columnOf(shape, field);
}

/** Returns the layout variant for a query's sort order. @throws RangeError */
export function inOrderOf<S extends { readonly model: ReadModel; readonly variants: ReadonlyMap<string, S> }>(
  shape: S,
  { order }: ListQuery,
): S {
  const variant = order === undefined ? shape : shape.variants.get(order);
  if (!variant) throw new RangeError(`Read model ${shape.model.name} has no order ${JSON.stringify(order)}`);
  return variant;
}

/** Encodes a queried value as it would be stored. @throws RangeError for a value that is invalid for the field */
export function asked<T extends Scalar>({ type }: Typed, value: Scalar, stored: () => T): T | number {
  // A bound may lie between two integers, or beyond the range of safe integers.
  if (type === 'integer' && typeof value === 'number' && !Number.isNaN(value)) return value;
  try {
    return stored();
  } catch (error) {
    throw new RangeError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** @throws RangeError */
export function requirePage({ offset, limit }: ListQuery): void {
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (!isCount(value)) throw new RangeError(`${name} must be a non-negative integer`);
  }
}

/** Rejects multiple values for a field that the declaration requires to be single-valued. @throws TypeError */
export function requireSingle({ name, order, orders = {}, counted = [] }: ReadModel, field: string): void {
  const isOrder = [order, ...Object.values(orders)].some(({ fields }) => fields.includes(field));
  const purpose = isOrder ? 'order' : counted.includes(field) ? 'counted' : undefined;
  if (purpose) throw new TypeError(`Read model ${name}: ${purpose} field ${field} returned several values`);
}

type Ordered = { readonly model: ReadModel; readonly order: readonly unknown[] };

/** Parses a cursor: the values of the sort fields, followed by the tie-breaker. @throws RangeError */
export function placeIn<V>({ model, order }: Ordered, after: string, isValue: (value: unknown) => boolean): V[] {
  try {
    const place: unknown = JSON.parse(after);
    const isPlace = Array.isArray(place) && place.length === order.length + 1;
    if (isPlace && place.every((value) => value === null || isValue(value))) return place as V[];
  } catch {
    // The cursor is not JSON.
  }
  throw new RangeError(`The cursor for a list of ${model.name} is invalid: ${JSON.stringify(after)}`);
}
