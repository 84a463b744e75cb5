import { readFileSync } from 'node:fs';

/** A row of the route table, which is the external specification of the service. */
export type Route = {
  /** Method and path. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path in which parameters are written as `{name}`. */
  readonly path: string;
  readonly success: string;
  readonly body: string;
  readonly who: string;
  readonly permission: string;
};

export const routeTable: readonly Route[] = readFileSync(new URL('routes.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [method = '', path = '', success = '', body = '', who = '', permission = ''] = line.split('\t');
    return { name: `${method} ${path}`, method: method as Route['method'], path, success, body, who, permission };
  });

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Parameter = { readonly name?: string; readonly in?: string; readonly required?: boolean };
type Header = { readonly $ref?: string; readonly required?: boolean };
export type Operation = {
  readonly responses: Readonly<Record<string, { readonly headers: Readonly<Record<string, Header>> }>>;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};

/** A valid value for each string format in the schemas. */
const VALID: Readonly<Record<string, string>> = {
  email: 'least@least.test',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00.000Z',
};

/** The service's OpenAPI document. */
export class ApiDocument {
  private readonly json: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: {
      readonly schemas: Readonly<Record<string, Schema>>;
      readonly headers: Readonly<Record<string, Header>>;
    };
  };

  constructor(text: string) {
    this.json = JSON.parse(text) as never;
  }

  /** Methods and paths of all routes. */
  get names(): string[] {
    return Object.entries(this.json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** Returns the names of a route's query parameters. */
  queryOf({ method, path }: Pick<Route, 'method' | 'path'>, which: 'all' | 'required' = 'all'): string[] {
    const { parameters = [] } = this.json.paths[path]?.[method.toLowerCase()] ?? {};
    const wanted = parameters.filter((one) => one.in === 'query' && (which === 'all' || one.required === true));
    return wanted.map(({ name = '' }) => name);
  }

  /**
   * Returns the lower-case names of the response headers for a route and status: all of them, and those always present.
   */
  headersOf(route: string, status: number): { readonly all: readonly string[]; readonly required: readonly string[] } {
    const [method = '', path = ''] = route.split(' ');
    const { headers = {} } = this.json.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {};
    const isRequired = ({ $ref, required }: Header): boolean =>
      ($ref === undefined ? required : this.json.components.headers[$ref.split('/').at(-1) ?? '']?.required) === true;
    const lower = (names: readonly [string, Header][]) => names.map(([name]) => name.toLowerCase());
    const all = Object.entries(headers);
    return { all: lower(all), required: lower(all.filter(([, header]) => isRequired(header))) };
  }

  /** Returns the minimal body for a route, or undefined if the route takes no body. */
  leastBodyOf({ method, path }: Pick<Route, 'method' | 'path'>): unknown {
    const { content } = this.json.paths[path]?.[method.toLowerCase()]?.requestBody ?? {};
    return content && this.leastOf(content['application/json']?.schema ?? {});
  }

  private resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.resolved(this.json.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  }

  private leastOf(given: Schema): unknown {
    const {
      enum: choices,
      type,
      required = [],
      properties = {},
      minimum = 1,
      minLength = 1,
      format,
    } = this.resolved(given);
    if (choices) return choices[0];
    if (type === 'object')
      return Object.fromEntries(required.map((name) => [name, this.leastOf(properties[name] ?? {})]));
    if (type === 'array') return [];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return minimum;
    return VALID[format ?? ''] ?? 'xy'.repeat(minLength).slice(0, minLength);
  }
}
