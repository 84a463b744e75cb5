import { z } from 'zod';

type Json = Record<string, unknown>;
type Media = { readonly schema?: Json; readonly example?: unknown; readonly examples?: Readonly<Record<string, Json>> };
type Content = Readonly<Record<string, Media>>;
type Parameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly example?: unknown };
type Operation = {
  readonly security: readonly Json[];
  readonly parameters: readonly (Parameter & { readonly schema: Json })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly examples: Readonly<Record<string, Json>>;
  };
};

/** An example with its schema in the document. `of` names what the example illustrates. */
export type Example = { readonly of: string; readonly value: unknown; readonly schema: Json };

/** Redirects schema references to `$defs`, where zod expects the schemas. */
const asDefinitions = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')) as T;

/** An operation in the API document, with its examples. */
export class DocumentedOperation {
  constructor(
    private readonly document: DocumentedExamples,
    readonly name: string,
    private readonly operation: Operation,
  ) {}

  get method(): string {
    return this.name.split(' ')[0] ?? '';
  }

  /** The path, with example values for its parameters and for the required query parameters. */
  get address(): string {
    const given = (place: string) => this.operation.parameters.filter((one) => one.in === place && one.required);
    const path = given('path').reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
      this.name.split(' ')[1] ?? '',
    );
    const query = new URLSearchParams(
      given('query').map(({ name, example }): [string, string] => [name, String(example)]),
    );
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  }

  get body(): unknown {
    return this.requests()[0]?.value;
  }

  get takesBody(): boolean {
    return this.operation.requestBody !== undefined;
  }

  get isPublic(): boolean {
    return this.operation.security.length === 0;
  }

  get isPartners(): boolean {
    return this.operation.security.some((one) => 'IntegrationKey' in one);
  }

  requests(): Example[] {
    return this.examplesIn(`${this.name} request`, this.operation.requestBody?.content);
  }

  parameters(): Example[] {
    return this.operation.parameters
      .filter(({ required }) => required)
      .map(({ name, schema, example }) => ({ of: `${this.name} ${name}`, value: example, schema }));
  }

  /** Returns the examples for each response status, and the media types that have no example. */
  responses(): { status: number; bare: string[]; examples: Example[] }[] {
    return Object.entries(this.operation.responses).map(([status, { content = {} }]) => ({
      status: Number(status),
      bare: Object.keys(content).filter((type) => this.examplesIn('', { [type]: content[type] ?? {} }).length === 0),
      examples: this.examplesIn(`${this.name} ${status}`, content),
    }));
  }

  /** Returns the documented example of a response. */
  response(status: number, type = 'application/json'): unknown {
    return this.operation.responses[status]?.content?.[type]?.example;
  }

  /** Returns the differences between a JSON response body and its documented schema. */
  faultsOf(status: number, body: unknown): string[] {
    const schema = this.operation.responses[status]?.content?.['application/json']?.schema;
    return schema === undefined ? [] : this.document.faultsOf({ of: this.name, value: body, schema });
  }

  private examplesIn(of: string, content: Content = {}): Example[] {
    return Object.entries(content).flatMap(([type, { schema = {}, example, examples = {} }]) => [
      ...(example === undefined ? [] : [{ of: `${of} ${type}`, value: example, schema }]),
      ...Object.entries(examples).map(([name, one]) => ({
        of: `${of} ${name}`,
        value: this.document.shared(one)['value'],
        schema,
      })),
    ]);
  }
}

/** The examples of an OpenAPI document. */
export class DocumentedExamples {
  private readonly document: Document;
  private readonly validators = new Map<string, z.ZodType>();

  constructor(text: string) {
    this.document = JSON.parse(text) as Document;
  }

  operations(): DocumentedOperation[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => new DocumentedOperation(this, `${method.toUpperCase()} ${path}`, operation),
      ),
    );
  }

  operation(name: string): DocumentedOperation {
    const found = this.operations().find((one) => one.name === name);
    if (!found) throw new Error(`The document has no operation ${name}.`);
    return found;
  }

  shared(example: Json): Json {
    const { $ref } = example;
    return typeof $ref === 'string' ? (this.document.components.examples[$ref.split('/').at(-1) ?? ''] ?? {}) : example;
  }

  /** Returns an example's schema violations, as paths with messages. */
  faultsOf({ value, schema }: Example): string[] {
    const { error } = this.validatorOf(schema).safeParse(value);
    return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  }

  private validatorOf(schema: Json): z.ZodType {
    const key = JSON.stringify(schema);
    const known = this.validators.get(key);
    if (known) return known;
    const $defs = asDefinitions(this.document.components.schemas);
    const made = z.fromJSONSchema({ ...asDefinitions(schema), $defs });
    this.validators.set(key, made);
    return made;
  }
}
