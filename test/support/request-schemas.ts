/** What a schema of the OpenAPI document says, as far as requests need it. */
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

/** Where a value stands in a body: names of members, 0 for the items of a list. */
export type Place = readonly (string | 0)[];
/** A place and what may stand there; the body itself stands at no place. */
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

/** `['lines', 0, 'sku']` as the service names it: `lines[0].sku`. */
export const placeText = (place: Place): string =>
  place.reduce<string>((text, part) => (part === 0 ? `${text}[0]` : text === '' ? part : `${text}.${part}`), '');

/** What the OpenAPI document says of requests, and bodies made from it. */
export class RequestSchemas {
  private readonly document: Document;

  constructor(text: string) {
    this.document = JSON.parse(text) as Document;
  }

  /** Query parameters of a route. */
  queryOf(route: Operated): QueryParameter[] {
    return (this.operationOf(route).parameters ?? [])
      .map((one) => this.parameter(one))
      .filter((one) => one.in === 'query')
      .map(({ name = '', required = false, schema = {} }) => ({ name, required, schema: this.resolved(schema) }));
  }

  /** Everything that a route's body may hold, the body first; none where it takes no body. */
  fieldsOf(route: Operated): Field[] {
    const schema = this.bodyOf(route);
    return schema === undefined ? [] : this.within([], schema);
  }

  takesBody(route: Operated): boolean {
    return this.bodyOf(route) !== undefined;
  }

  /** The least body of a route with `value` at a place, and with what must stand around it. */
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

  /** Without references, and without the choice of null. */
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

  /** A value that the schema takes, as far as it says; of objects what they must have. */
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
  // Amounts, quantities and the like.
  if (pattern.includes('\\d')) return '1';
  return 'x'.repeat(minLength);
}
