import type { Endpoint } from '../endpoint.js';
import { componentOf, type JsonSchema } from '../openapi-schemas.js';
import { errorExamples, type ErrorExample } from './error-examples.js';
import { ExampleBuilder } from './example-builder.js';
import { TEXTS } from './sample-files.js';
import { IDS_BY_COLLECTION, NAMES_BY_COLLECTION, PATH_VALUES, RECEIPT_IDS, SAMPLE_IDS } from './sample-ids.js';
import { FURTHER_REQUESTS, SAMPLE_REQUESTS } from './sample-requests.js';
import { PARAMETER_VALUES, SAMPLE_RESPONSES } from './sample-responses.js';

type Content = Record<string, { schema?: JsonSchema; example?: unknown; examples?: JsonSchema }>;
type Parameter = { name?: string; in?: string; required?: boolean; example?: unknown };
export type DocumentedOperation = {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

/**
 * Returns the last segment with a known example id before the given parameter. Without a parameter, searches the whole
 * path.
 */
function collectionOf(path: string, parameter?: string): string {
  const parts = path.split('/');
  const end = parameter === undefined ? parts.length : parts.indexOf(`:${parameter}`);
  return parts.slice(0, end).findLast((part) => part !== '' && IDS_BY_COLLECTION[part] !== undefined) ?? '';
}

function pathValue(path: string, name: string): string {
  const fixed = path.split('/').find((_, at, parts) => parts[at + 1] === `:${name}`) ?? '';
  const own = NAMES_BY_COLLECTION[fixed] ?? PATH_VALUES[name];
  return own ?? IDS_BY_COLLECTION[collectionOf(path, name)] ?? SAMPLE_IDS.customer;
}

/** Adds an example to every request and response of the document. Error examples are shared components. */
export class DocumentExamples {
  private readonly shared = new Map<string, string>();
  private readonly builder: ExampleBuilder;

  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.builder = new ExampleBuilder(schemas);
  }

  addTo(operation: DocumentedOperation, endpoint: Endpoint): void {
    for (const parameter of operation.parameters) addToParameter(parameter, endpoint.path);
    const body = operation.requestBody?.content['application/json'];
    const sample = body && sampleOf(body.schema);
    if (body && sample) body.examples = requestExamples(componentOf(body.schema), sample);
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      this.addToResponse(endpoint, Number(status), content, sample);
  }

  /** The examples to which operations refer. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries(
      [...this.shared]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, text]) => [name, { value: JSON.parse(text) as unknown }]),
    );
  }

  private addToResponse(endpoint: Endpoint, status: number, content: Content, sample: unknown): void {
    for (const [type, media] of Object.entries(content))
      if (status >= 400 && isProblem(media.schema)) media.examples = this.errors(endpoint, status, sample);
      else this.addToSuccess(type, media, endpoint, status);
  }

  private addToSuccess(type: string, media: Content[string], { method, path }: Endpoint, status: number): void {
    const name = `${method} ${path}`;
    if (type !== 'application/json') {
      const text = TEXTS[name]?.[type];
      if (text !== undefined) media.example = text;
      return;
    }
    const given = [`${name} ${status}`, name].map((key) => SAMPLE_RESPONSES[key]).find((one) => one !== undefined);
    const { properties } = (media.schema ?? {}) as { properties?: Record<string, JsonSchema> };
    const statusCode = properties?.['statusCode']?.['const'];
    if (given !== undefined) media.example = statusCode === undefined ? given : { statusCode, data: given };
    else media.example = this.builder.of(media.schema ?? {}, { schemaName: '', field: '', recordId: recordIdOf(path) });
  }

  private errors(endpoint: Endpoint, status: number, sample: unknown): JsonSchema {
    return Object.fromEntries(
      errorExamples(endpoint, status, sample).map((one) => [
        one.code,
        { $ref: `#/components/examples/${this.share(one)}` },
      ]),
    );
  }

  private share({ code, about, body }: ErrorExample): string {
    const name = about === '' ? code : `${code}.${about}`;
    const text = JSON.stringify(body);
    if ((this.shared.get(name) ?? text) !== text) throw new Error(`Two different examples are named ${name}.`);
    this.shared.set(name, text);
    return name;
  }
}

const isProblem = (schema: JsonSchema | undefined): boolean =>
  ['ErrorResponseDto', 'PartnerErrorDto'].includes(componentOf(schema));

/**
 * The id in the response to a command: the id of the record in the path, or the id of a new record in the collection.
 */
function recordIdOf(path: string): string | undefined {
  if (path.includes('/:name')) return pathValue(path, 'name');
  return IDS_BY_COLLECTION[collectionOf(path)] ?? RECEIPT_IDS[path];
}

/** A body with an unnamed schema has no members. */
const sampleOf = (schema: JsonSchema | undefined): object | undefined =>
  componentOf(schema) === '' ? {} : SAMPLE_REQUESTS[componentOf(schema)];

function requestExamples(name: string, sample: unknown): JsonSchema {
  const further = Object.entries(FURTHER_REQUESTS[name] ?? {});
  return {
    example: { value: sample },
    ...Object.fromEntries(further.map(([summary, value], at) => [`example${at + 2}`, { summary, value }])),
  };
}

/**
 * Only required parameters have examples. The documentation page sends examples unchanged, so optional ones would
 * filter the response.
 */
function addToParameter(parameter: Parameter, path: string): void {
  const { name = '', required } = parameter;
  if (parameter.in === 'path') parameter.example = pathValue(path, name);
  else if (required === true) parameter.example = PARAMETER_VALUES[name];
}
