import { z } from 'zod';
import {
  idParameters,
  isWrite,
  pathParameters,
  readsIdempotencyKey,
  readsIfMatch,
  type Answers,
  type Endpoint,
  type HeaderNote,
  type Shape,
} from './endpoint.js';
import { DocumentExamples, type DocumentedOperation } from './examples/document-examples.js';
import { INTRODUCTION, SERVERS } from './introduction.js';
import {
  BEARER_REFUSALS,
  headerComponents,
  optional,
  parameterComponents,
  RATE_HEADERS,
  SECURITY_SCHEMES,
  UNAVAILABLE,
} from './openapi-parts.js';
import { SchemaCollection, type JsonSchema } from './openapi-schemas.js';
import { CommandResponseDto, cursorPage, ErrorResponseDto, LookupDto, page, PartnerErrorDto } from './shapes.js';
import { bodyLimitsOf } from './json-body.js';
import { TAGS, type Tag } from './tags.js';

// The document is derived from the route declarations instead of being collected by @nestjs/swagger. The document
// therefore describes exactly the checks made at run time, includes plain Fastify routes, and does not depend on
// reflection.

export type DocumentInfo = { readonly title: string; readonly version: string; readonly description?: string };

const ref = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });
const header = (name: string): JsonSchema => ref('headers', name);

/** Converts `/api/customers/:id` to OpenAPI notation. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The operation id of `GET /api/customers/:id` is `getCustomersById`. */
export function operationIdOf({ operationId, method, path }: Endpoint): string {
  if (operationId !== undefined) return operationId;
  const words = path
    .split('/')
    .filter((part) => part !== '' && part !== 'api')
    .map((part) => (part.startsWith(':') ? `By${capitalised(part.slice(1))}` : part));
  const name = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).map(capitalised);
  return method.toLowerCase() + name.join('');
}

const RAW_CONTENT: Partial<Readonly<Record<Shape, JsonSchema>>> = {
  sse: { 'text/event-stream': { schema: { type: 'string' } } },
  file: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  'page-html': { 'text/html': { schema: { type: 'string' } } },
};
const REPLAYED = { 200: 'Replay of the response to the first request with this idempotency key, byte for byte.' };
const SUCCESS: Readonly<Record<number, string>> = { 200: 'Success.', 201: 'The command succeeded.', 202: 'Accepted.' };

class DocumentBuilder {
  private readonly schemas = new SchemaCollection();

  constructor(private readonly info: DocumentInfo) {}

  build(endpoints: readonly Endpoint[]): object {
    const sorted = [...endpoints].sort((a, b) =>
      a.path === b.path ? order(a.method, b.method) : order(a.path, b.path),
    );
    const paths: Record<string, JsonSchema> = {};
    for (const endpoint of sorted)
      (paths[openApiPath(endpoint.path)] ??= {})[endpoint.method.toLowerCase()] = this.operation(endpoint);
    this.schemas.of(ErrorResponseDto, 'output');
    this.schemas.of(PartnerErrorDto, 'output');
    const examples = new DocumentExamples(this.schemas.components());
    for (const endpoint of sorted) {
      const operation = paths[openApiPath(endpoint.path)]?.[endpoint.method.toLowerCase()];
      examples.addTo(operation as DocumentedOperation, endpoint);
    }
    return {
      openapi: '3.1.0',
      info: { ...this.info, description: this.info.description ?? INTRODUCTION },
      servers: SERVERS,
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        schemas: this.schemas.components(),
        securitySchemes: SECURITY_SCHEMES,
        headers: headerComponents,
        parameters: parameterComponents,
        examples: examples.components(),
      },
    };
  }

  private operation(endpoint: Endpoint): JsonSchema {
    const { tag, summary, body } = endpoint;
    const description = descriptionOf(endpoint);
    return {
      tags: [tag satisfies Tag],
      operationId: operationIdOf(endpoint),
      summary,
      ...(description === '' ? {} : { description }),
      security: securityOf(endpoint),
      parameters: [...pathParametersOf(endpoint), ...this.queryParametersOf(endpoint), ...headerParametersOf(endpoint)],
      ...(body === undefined ? {} : { requestBody: this.requestBody(body) }),
      responses: this.responses(endpoint),
    };
  }

  private requestBody(body: z.ZodType): JsonSchema {
    return {
      required: !body.safeParse(undefined).success,
      content: { 'application/json': { schema: this.schemas.of(body, 'input') } },
    };
  }

  private queryParametersOf({ query }: Endpoint): JsonSchema[] {
    if (query === undefined) return [];
    const { properties = {}, required = [] } = this.schemas.of(query, 'input') as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name) && schema['default'] === undefined,
      schema,
    }));
  }

  private responses(endpoint: Endpoint): JsonSchema {
    const { status } = endpoint.answers;
    const also = { ...(endpoint.creates && REPLAYED), ...endpoint.answers.also };
    const responses: Record<string, JsonSchema> = {
      [status]: this.success(endpoint, status, SUCCESS[status] ?? 'Success.'),
    };
    for (const [code, description] of Object.entries({ ...refusalsOf(endpoint), ...also }))
      responses[code] =
        Number(code) < 400
          ? this.success(endpoint, Number(code), description)
          : this.failure(endpoint, Number(code), description);
    for (const [code, schema] of Object.entries(endpoint.answers.bodies ?? {}))
      responses[code] = { ...(responses[code] as JsonSchema), content: this.told(endpoint, Number(code), schema) };
    return responses;
  }

  private success(endpoint: Endpoint, status: number, description: string): JsonSchema {
    const { etag, headers = {}, media = [] } = endpoint.answers;
    const named: Record<string, JsonSchema> = { 'X-Request-Id': header('X-Request-Id') };
    if (etag === true) named['ETag'] = header('ETag');
    for (const name of positionHeadersOf(endpoint)) named[name] = header(name);
    if (isCounted(endpoint)) for (const name of RATE_HEADERS) named[name] = header(name);
    if (readsIdempotencyKey(endpoint)) named['Idempotent-Replayed'] = header('Idempotent-Replayed');
    for (const [name, note] of Object.entries(headers)) named[name] = noted(note);
    // A replay returns the same body as the first response.
    const told = readsIdempotencyKey(endpoint) ? endpoint.answers.status : status;
    const text = Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }]));
    return { description, headers: named, content: { ...this.content(endpoint, told), ...text } };
  }

  private content(endpoint: Endpoint, status: number): JsonSchema {
    const { shape, schema, media } = endpoint.answers;
    const raw = RAW_CONTENT[shape];
    if (raw !== undefined) return raw;
    switch (shape) {
      case 'page':
        return { 'application/json': { schema: this.data(pageOf(endpoint.answers)) } };
      case 'command':
        return enveloped(status, this.data(schema ?? CommandResponseDto));
      case 'lookup':
        return enveloped(status, this.data(z.array(LookupDto).max(20)));
      case 'envelope':
        return enveloped(status, this.data(schema));
      default:
        // Without a schema, the body is not JSON and its media types are listed.
        return schema === undefined && media !== undefined ? {} : { 'application/json': { schema: this.data(schema) } };
    }
  }

  /** Returns the body for an additional status, in the format of a successful response. */
  private told({ answers }: Endpoint, status: number, schema: z.ZodType): JsonSchema {
    const data = this.data(schema);
    return answers.shape === 'plain' ? { 'application/json': { schema: data } } : enveloped(status, data);
  }

  private data(schema: z.ZodType | undefined): JsonSchema {
    return schema === undefined ? {} : this.schemas.of(schema, 'output');
  }

  private failure(endpoint: Endpoint, status: number, description: string): JsonSchema {
    const partner = endpoint.who === 'partner';
    const named: Record<string, JsonSchema> = { 'X-Request-Id': header('X-Request-Id') };
    for (const name of failureHeadersOf(endpoint, status)) named[name] = header(name);
    if (isCounted(endpoint) && !isAlwaysCounted(endpoint, status))
      for (const name of RATE_HEADERS) named[name] = header(optional(name));
    const bare = status === 416 || (endpoint.answers.bareRefusals === true && (status === 401 || status === 403));
    const schema = ref('schemas', partner ? 'PartnerErrorDto' : 'ErrorResponseDto');
    return { description, headers: named, ...(bare ? {} : { content: { 'application/json': { schema } } }) };
  }
}

function positionHeadersOf({ answers: { shape, position } }: Endpoint): readonly string[] {
  if (position === 'told') return ['X-Event-Position'];
  return position === 'awaited' || shape === 'command' ? ['X-Event-Position', 'X-Read-Model'] : [];
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);

const enveloped = (status: number, data: JsonSchema): JsonSchema => ({
  'application/json': {
    schema: {
      type: 'object',
      properties: { statusCode: { type: 'integer', const: status }, data },
      required: ['statusCode', 'data'],
    },
  },
});

const noted = ({ description, required, pattern }: HeaderNote): JsonSchema => ({
  description,
  ...(required === true ? { required } : {}),
  schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
});

/**
 * Partner requests always count toward a rate limit, if necessary by address. Other requests may fail before
 * authentication, in which case they are not counted.
 */
const isAlwaysCounted = ({ who }: Endpoint, status: number): boolean => who === 'partner' || status === 429;

function failureHeadersOf(endpoint: Endpoint, status: number): readonly string[] {
  return [
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(isCounted(endpoint) && isAlwaysCounted(endpoint, status) ? RATE_HEADERS : []),
  ];
}

/** Whether callers of the route are rate limited. */
const isCounted = (endpoint: Endpoint): boolean =>
  endpoint.who === 'public' ? isWrite(endpoint) : endpoint.who !== 'token';

function refusalsOf(endpoint: Endpoint): Record<number, string> {
  const takesBody = isWrite(endpoint);
  const kibibytes = bodyLimitsOf(endpoint).bytes / 1_024;
  const limit = kibibytes < 1_024 ? `${kibibytes} KiB` : `${kibibytes / 1_024} MiB`;
  return {
    ...BEARER_REFUSALS,
    ...(takesBody ? { 413: `The body is larger than ${limit}.`, 415: 'The body is not JSON.' } : {}),
    ...(isCounted(endpoint) ? { 429: 'Too many requests.' } : {}),
    503: UNAVAILABLE,
  };
}

function descriptionOf(endpoint: Endpoint): string {
  const { description = '', permission, who, stepUp } = endpoint;
  const need = permission === undefined ? NEEDS[who] : `Requires the \`${permission}\` permission.`;
  const recent = stepUp && 'Requires a sign-in or step-up within the last 10 minutes (403 STEP_UP_REQUIRED).';
  return [description, need, recent].filter((part) => part !== '' && part !== undefined).join('\n\n');
}
const NEEDS: Partial<Readonly<Record<Endpoint['who'], string>>> = {
  platform: 'Requires a platform operator.',
  token: 'Requires the metrics token. If none is configured, only direct requests from this machine are accepted.',
};

function securityOf({ who }: Endpoint): JsonSchema[] {
  if (who === 'public') return [];
  if (who === 'partner') return [{ IntegrationKey: [] }];
  return who === 'token' ? [{ MetricsToken: [] }] : [{ Bearer: [] }, { bearer: [] }];
}

function pathParametersOf(endpoint: Endpoint): JsonSchema[] {
  const ids = idParameters(endpoint);
  return pathParameters(endpoint.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: ids.includes(name) ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
}

function headerParametersOf(endpoint: Endpoint): JsonSchema[] {
  const names = ['X-Request-Id'];
  if (!isWrite(endpoint)) names.push('X-Min-Position');
  if (readsIfMatch(endpoint)) names.push('If-Match');
  if (readsIdempotencyKey(endpoint)) names.push('Idempotency-Key');
  const own = Object.entries(endpoint.requestHeaders ?? {});
  return [
    ...names.map((name) => ref('parameters', name)),
    ...own.map(([name, note]) => ({ name, in: 'header', required: false, ...noted(note) })),
  ];
}

/** The OpenAPI 3.1 document for the declared routes. @throws Error if two schemas share a name */
export const openApiDocument = (endpoints: readonly Endpoint[], info: DocumentInfo): object =>
  new DocumentBuilder(info).build(endpoints);

const pageOf = ({ schema = z.unknown(), cursor }: Answers) => (cursor === true ? cursorPage(schema) : page(schema));
