/** The parts of an OpenAPI schema that are needed to generate requests. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
};

/** Path of a value in a body: member names, and 0 for the items of a list. */
export type Place = readonly (string | 0)[];
/** A path and the schema at that path. The body itself has an empty path. */
export type Field = { readonly place: Place; readonly schema: Schema };

type Parameter = {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
};
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
};

export type Operated = { readonly method: string; readonly path: string };
export type QueryParameter = { readonly name: string; readonly required: boolean; readonly schema: Schema };

/** Converts a path such as `['lines', 0, 'sku']` to the service's notation: `lines[0].sku`. */
export const placeText = (place: Place): string =>
  place.reduce<string>((text, part) => (part === 0 ? `${text}[0]` : text === '' ? part : `${text}.${part}`), '');

/** Requests in the OpenAPI document, and bodies generated from it. */
export class RequestSchemas {
  private readonly document: Document;

  constructor(text: string) {
    this.document = JSON.parse(text) as Document;
  }

  queryOf(route: Operated): QueryParameter[] {
    return (this.operationOf(route).parameters ?? [])
      .map((one) => this.parameter(one))
      .filter((one) => one.in === 'query')
      .map(({ name = '', required = false, schema = {} }) => ({ name, required, schema: this.resolved(schema) }));
  }

  /**
   * Returns all fields in a route's body, starting with the body itself. The list is empty if the route accepts no
   * body.
   */
  fieldsOf(route: Operated): Field[] {
    const schema = this.bodyOf(route);
    return schema === undefined ? [] : this.within([], schema);
  }

  takesBody(route: Operated): boolean {
    return this.bodyOf(route) !== undefined;
  }

  /** Returns the minimal body for a route, with `value` at a path and the required fields around it. */
  bodyWith(route: Operated, place: Place, value: unknown): unknown {
    const schema = this.bodyOf(route);
    if (schema === undefined) throw new Error(`${route.method} ${route.path} takes no body.`);
    return this.with(schema, place, value);
  }

  private operationOf({ method, path }: Operated): Operation {
    return this.document.paths[path]?.[method.toLowerCase()] ?? {};
  }

  private bodyOf(route: Operated): Schema | undefined {
    return this.operationOf(route).requestBody?.content['application/json']?.schema;
  }

  private parameter(given: Parameter): Parameter {
    if (given.$ref === undefined) return given;
    return this.document.components.parameters?.[given.$ref.split('/').at(-1) ?? ''] ?? {};
  }

  /** Resolves references and selects the first alternative other than null. */
  private resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined)
      return this.resolved(this.document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    const choices = schema.anyOf?.map((one) => this.resolved(one)).filter(({ type }) => type !== 'null');
    return choices?.[0] ?? schema;
  }

  private within(place: Place, given: Schema): Field[] {
    const schema = this.resolved(given);
    const { properties = {}, items } = schema;
    return [
      { place, schema },
      ...Object.entries(properties).flatMap(([name, member]) => this.within([...place, name], member)),
      ...(items ? this.within([...place, 0], items) : []),
    ];
  }

  private with(given: Schema, [first, ...rest]: Place, value: unknown): unknown {
    if (first === undefined) return value;
    const { items = {}, properties = {} } = this.resolved(given);
    if (first === 0) return [this.with(items, rest, value)];
    const least = this.leastOf(given) as Record<string, unknown>;
    return { ...least, [first]: this.with(properties[first] ?? {}, rest, value) };
  }

  /** Returns a minimal value for the schema. Objects have only required members. */
  leastOf(given: Schema): unknown {
    const schema = this.resolved(given);
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum[0];
    const type = Array.isArray(schema.type) ? (schema.type as readonly string[])[0] : schema.type;
    switch (type) {
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name) => [name, this.leastOf(schema.properties?.[name] ?? {})]),
        );
      case 'array':
        return Array.from({ length: schema.minItems ?? 0 }, () => this.leastOf(schema.items ?? {}));
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      default:
        return textOf(schema);
    }
  }
}

function textOf({ format, pattern = '', minLength = 1 }: Schema): string {
  if (format === 'email') return 'least@least.test';
  if (format === 'date') return '2026-01-01';
  if (format === 'date-time') return '2026-01-01T00:00:00.000Z';
  if (pattern === '^[A-Z]{3}$') return 'EUR';
  // Matches amounts, quantities and similar numbers.
  if (pattern.includes('\\d')) return '1';
  // Alternates two characters, because the service rejects passwords that repeat a single character.
  return 'xy'.repeat(minLength).slice(0, minLength);
}
