import fc from 'fast-check';
import type { JsonSchema } from '../../src/http/openapi-schemas.js';

/** A body with a single fault, and the path that the error response must report for it. */
export type Spoiled = { readonly path: string; readonly how: string; readonly body: unknown };

type Change = { readonly path: string; readonly how: string; readonly value: unknown };
const OMITTED = Symbol('omitted');

const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : Array.isArray(type) ? (type as string[]) : [type as string];
const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

/** Generates valid and invalid bodies from the schemas in an OpenAPI document. */
export class SpoiledBodies {
  constructor(private readonly components: Readonly<Record<string, JsonSchema>>) {}

  /**
   * Generates minimal bodies for a schema, each with one fault. `given` provides members whose valid values the schema
   * does not describe.
   */
  of(schema: JsonSchema, given: object = {}): fc.Arbitrary<Spoiled> {
    const least = { ...(this.right(schema) as object), ...given };
    return this.changes(schema, '').map(({ path, how, value }) => ({ path, how, body: changed(least, path, value) }));
  }

  /** Returns the number of fields that can be made invalid. A test should make about this number of attempts. */
  fieldsOf(schema: JsonSchema): number {
    const { properties = {}, items } = this.resolved(schema) as {
      properties?: Record<string, JsonSchema>;
      items?: JsonSchema;
    };
    const inner = [...Object.values(properties), ...(items ? [items] : [])];
    return 1 + inner.reduce((sum, each) => sum + this.fieldsOf(each), 0);
  }

  private resolved(schema: JsonSchema): JsonSchema {
    const { $ref, anyOf } = schema as { $ref?: string; anyOf?: JsonSchema[] };
    if ($ref !== undefined) return this.resolved(this.components[$ref.split('/').at(-1) ?? ''] ?? {});
    const chosen = anyOf?.find(({ type }) => type !== 'null');
    return chosen === undefined ? schema : this.resolved(chosen);
  }

  /** Returns the types that a schema accepts in any of its alternatives. */
  private allowed(schema: JsonSchema): string[] {
    const { anyOf } = schema as { anyOf?: JsonSchema[] };
    if (anyOf) return anyOf.flatMap((each) => this.allowed(each));
    const types = typesOf(this.resolved(schema));
    return types.includes('number') ? [...types, 'integer'] : [...types];
  }

  private right(given: JsonSchema): unknown {
    const schema = this.resolved(given);
    const { properties = {}, required = [] } = schema as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    const choices = (schema['enum'] ?? ('const' in schema ? [schema['const']] : undefined)) as unknown[] | undefined;
    if (choices) return choices[0];
    switch (typesOf(schema)[0]) {
      case 'object':
        return Object.fromEntries(required.map((name) => [name, this.right(properties[name] ?? {})]));
      case 'array':
        return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => this.right(schema['items'] as JsonSchema));
      case 'boolean':
        return true;
      case 'integer':
        return schema['minimum'] ?? 1;
      default:
        return '1'.padEnd(Number(schema['minLength'] ?? 1), '1');
    }
  }

  private changes(given: JsonSchema, path: string): fc.Arbitrary<Change> {
    const schema = this.resolved(given);
    const types = typesOf(schema);
    const here = types.length === 0 ? [] : [this.otherType(given, path), ...this.bounds(schema, path)];
    const {
      properties = {},
      required = [],
      additionalProperties,
      items,
    } = schema as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
      additionalProperties?: unknown;
      items?: JsonSchema;
    };
    const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
    const inner = Object.entries(properties)
      .filter(([, one]) => typesOf(this.resolved(one)).length > 0)
      .map(([name, one]) => this.changes(one, at(name)));
    // Items that the schema does not restrict cannot be made invalid.
    if (items && typesOf(this.resolved(items)).length > 0) inner.push(this.changes(items, `${path}[0]`));
    for (const name of required) here.push(always({ path: at(name), how: 'is missing', value: OMITTED }));
    if (additionalProperties === false)
      here.push(fc.constantFrom('tenantId', 'revision', 'isAdmin').filter((name) => !(name in properties)).map((name) => ({ path: at(name), how: 'is unknown', value: 1 }))); // prettier-ignore
    return fc.oneof(...here, ...inner);
  }

  private otherType(given: JsonSchema, path: string): fc.Arbitrary<Change> {
    const allowed = new Set(this.allowed(given));
    return fc
      .oneof(
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.constant(0.5),
        fc.string({ maxLength: 5 }),
        fc.constant([]),
        fc.constant({}),
      ) // prettier-ignore
      .filter((value) => !allowed.has(typeOf(value)))
      .map((value) => ({ path, how: `is ${JSON.stringify(value)}`, value }));
  }

  private bounds(schema: JsonSchema, path: string): fc.Arbitrary<Change>[] {
    const wrong: [string, unknown][] = [];
    const { maxLength, minLength, pattern, minimum, maximum, minItems, maxItems } = schema as Record<string, number>;
    const format = schema['format'];
    if (maxLength !== undefined) wrong.push(['is too long', 'x'.repeat(maxLength + 1)]);
    if (minLength !== undefined) wrong.push(['is too short', 'x'.repeat(minLength - 1)]);
    if (schema['enum'] !== undefined || pattern !== undefined || format !== undefined || 'const' in schema)
      wrong.push(['has another form', typesOf(schema)[0] === 'boolean' ? false : '~ no form ~']);
    if (minimum !== undefined) wrong.push(['is too small', minimum - 1]);
    if (maximum !== undefined) wrong.push(['is too large', maximum + 1]);
    if (minItems !== undefined) wrong.push(['has too few', []]);
    if (maxItems !== undefined)
      wrong.push([
        'has too many',
        Array.from({ length: maxItems + 1 }, () => this.right(schema['items'] as JsonSchema)),
      ]);
    return wrong.map(([how, value]) => always({ path, how, value }));
  }
}

const always = (change: Change): fc.Arbitrary<Change> => fc.constant(change);

/** Copies a value with a replacement at a path such as `lines[0].quantity`. Creates missing parents. */
function changed(value: unknown, path: string, replacement: unknown): unknown {
  const [, head = '', rest = ''] = /^\[?([^.[\]]+)\]?\.?(.*)$/.exec(path) ?? [];
  if (head === '') return replacement;
  const inner = (one: unknown): unknown => changed(one, rest, replacement);
  if (path.startsWith('[')) return [inner((value as unknown[] | undefined)?.[0])];
  const object = { ...(value as object | undefined) } as Record<string, unknown>;
  const next = inner(object[head]);
  if (next === OMITTED) Reflect.deleteProperty(object, head);
  else object[head] = next;
  return object;
}
