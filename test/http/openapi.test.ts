import { z } from 'zod';
import { operationIdOf, openApiDocument, openApiPath } from '../../src/http/openapi.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { named } from '../../src/http/shapes.js';
import { TAGS } from '../../src/http/tags.js';
import { startToy, type Toy } from './kernel.toys.js';

type Json = Record<string, unknown>;
type Operation = {
  tags: string[];
  operationId: string;
  security: Json[];
  parameters: Json[];
  requestBody?: { required: boolean; content: Json };
  responses: Record<string, { headers: Json; content?: Record<string, { schema: Json }> }>;
};
type Document = {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json; headers: Json; parameters: Json };
};

let toy: Toy;
let document: Document;
beforeAll(async () => {
  toy = await startToy();
  document = JSON.parse((await toy.server.inject('/openapi.json')).body) as Document;
});
afterAll(() => toy.app.close());

const operation = (method: string, path: string): Operation => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
};
const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]): [string, Operation] => [`${method.toUpperCase()} ${path}`, op]),
  );
const parameterNames = (op: Operation): string[] =>
  op.parameters.map((parameter) => (parameter['name'] ?? parameter['$ref']) as string);

/** Yields all objects in a value, including the value itself. Skips arrays, but not their items. */
function* within(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const inner of Object.values(value)) yield* within(inner);
}

describe('the OpenAPI document', () => {
  test('has exactly the routes that the service has', () => {
    const routes = toy.kernel.endpoints.map(({ method, path }) => `${method} ${openApiPath(path)}`).sort();
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual(routes);
    expect(routes).toEqual(
      expect.arrayContaining(['GET /docs', 'GET /openapi.json', 'GET /api/kites/{id}', 'GET /metrics']),
    );
  });

  test('requires a credential on every route that is not public', async () => {
    for (const { method, path } of toy.kernel.endpoints.filter(({ who }) => who !== 'public' && who !== 'token')) {
      const answer = await toy.server.inject({ method, url: path.replace(/:\w+/g, 'x') });
      expect([method, path, answer.statusCode]).toEqual([method, path, 401]);
    }
  });

  test('is version 3.1, with its groups in order', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS));
    expect(document.tags.slice(0, 14).map(({ name }) => name)).toEqual([
      'Partner Intake',
      'System Health',
      'Platform Jobs',
      'Customers',
      'Accounts',
      'Notifications',
      'Transaction Categories',
      'Platform Audit Logs',
      'Platform Error Logs',
      'Platform Cache Management',
      'Users',
      'Roles',
      'Permissions',
      'Branches',
    ]);
  });

  test('contains no unresolved references', () => {
    const missing = [...within(document)]
      .map(({ $ref }) => $ref)
      .filter((reference) => typeof reference === 'string')
      .filter((reference) => {
        const [root, ...path] = reference.split('/');
        const target = path.reduce<unknown>((value, part) => (value as Json | undefined)?.[part], document);
        return root !== '#' || target === undefined;
      });
    expect(missing).toEqual([]);
  });

  test('declares the common errors on every operation, in the format of its routes', () => {
    for (const [name, { responses, tags, security }] of operations()) {
      expect([name, Object.keys(responses)]).toEqual([
        name,
        expect.arrayContaining(['400', '401', '403', '404', '409', '500', '503']),
      ]);
      expect(TAGS).toHaveProperty([tags[0] ?? '']);
      const shape = name.includes('/api/integrations/') ? 'PartnerErrorDto' : 'ErrorResponseDto';
      expect(responses['400']?.content?.['application/json']?.schema).toEqual({
        $ref: `#/components/schemas/${shape}`,
      });
      for (const response of Object.values(responses)) expect(response.headers).toHaveProperty('X-Request-Id');
      expect(Array.isArray(security)).toBe(true);
    }
  });

  test('has a unique name for every operation', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('getKitesById');
    expect(ids.every((id) => /^[a-z][A-Za-z0-9]+$/.test(id))).toBe(true);
  });

  test('has both names of the bearer credential, and the partner key', () => {
    expect(operation('get', '/api/kites').security).toEqual([{ Bearer: [] }, { bearer: [] }]);
    expect(operation('post', '/api/integrations/v1/flights').security).toEqual([{ IntegrationKey: [] }]);
    expect(operation('post', '/api/login').security).toEqual([]);
    expect(Object.keys(document.components.securitySchemes)).toEqual([
      'Bearer',
      'bearer',
      'IntegrationKey',
      'MetricsToken',
    ]);
  });

  test('describes a single record with its envelope and ETag', () => {
    const ok = operation('get', '/api/kites/{id}').responses['200'];
    expect(ok?.headers).toHaveProperty('ETag');
    expect(ok?.content?.['application/json']?.schema).toEqual({
      type: 'object',
      properties: {
        statusCode: { type: 'integer', const: 200 },
        data: { $ref: '#/components/schemas/KiteDto' },
      },
      required: ['statusCode', 'data'],
    });
    expect(document.components.schemas['KiteDto']).toMatchObject({
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
      required: ['id', 'createdAt', 'updatedAt', 'revision', 'name', 'tail'],
    });
  });

  test('describes pages, lookups and results of commands', () => {
    const page = operation('get', '/api/kites').responses['200']?.content?.['application/json']?.schema;
    expect(page).toMatchObject({ properties: { items: { items: { $ref: '#/components/schemas/KiteDto' } } } });
    expect(page?.['required']).toContain('totalCount');
    const lookup = operation('get', '/api/kites/lookup').responses['200']?.content?.['application/json']?.schema;
    expect(lookup).toMatchObject({ properties: { data: { items: { $ref: '#/components/schemas/LookupDto' } } } });
    const { responses } = operation('post', '/api/kites');
    expect(Object.keys(responses['201']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'X-Event-Position',
      'X-Read-Model',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Window',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
    ]);
    const ofReplay = responses['200']?.content?.['application/json']?.schema;
    expect(ofReplay).toMatchObject({ properties: { statusCode: { const: 201 } } });
    expect(responses['201']?.content?.['application/json']?.schema).toMatchObject({
      properties: { statusCode: { const: 201 }, data: { $ref: '#/components/schemas/CommandResponseDto' } },
    });
  });

  test('describes responses other than JSON by their media type', () => {
    const types = (path: string): string[] => Object.keys(operation('get', path).responses['200']?.content ?? {});
    expect(types('/metrics')).toEqual(['text/plain']);
    expect(types('/docs')).toEqual(['text/html']);
    expect(types('/api/platform/winds/stream')).toEqual(['text/event-stream']);
    expect(types('/api/kites/report')).toEqual(['application/json', 'text/csv']);
  });

  test('omits bodies of 401 and 403 where a scope protects', () => {
    const { responses } = operation('get', '/api/platform/winds/stream');
    expect([responses['401']?.content, responses['403']?.content]).toEqual([undefined, undefined]);
    expect(responses['404']?.content).toBeDefined();
  });

  test('describes query parameters by their meaning', () => {
    const [pageNumber, , search, flying] = operation('get', '/api/kites').parameters;
    expect(pageNumber).toEqual({
      name: 'pageNumber',
      in: 'query',
      required: true,
      schema: { type: 'integer', minimum: 1 },
      example: 1,
    });
    expect(search).toMatchObject({ required: false, schema: { type: 'string', maxLength: 200 } });
    expect(flying).toEqual({ name: 'flying', in: 'query', required: false, schema: { type: 'boolean' } });
  });

  test('describes path parameters and request headers', () => {
    expect(operation('patch', '/api/kites/{id}/land').parameters[0]).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
      example: expect.any(String) as string,
    });
    const reference = (name: string): string => `#/components/parameters/${name}`;
    expect(parameterNames(operation('patch', '/api/kites/{id}/land'))).toEqual([
      'id',
      reference('X-Request-Id'),
      reference('If-Match'),
    ]);
    expect(parameterNames(operation('get', '/api/wind'))).toEqual([
      reference('X-Request-Id'),
      reference('X-Min-Position'),
    ]);
    expect(parameterNames(operation('post', '/api/kites'))).toContain(reference('Idempotency-Key'));
  });

  test('describes request bodies, and the errors for oversized and non-JSON bodies', () => {
    const { requestBody, responses } = operation('post', '/api/integrations/v1/flights');
    expect(requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/FlightDto' } } },
    });
    expect(document.components.schemas['FlightDto']).toMatchObject({
      additionalProperties: false,
      required: ['externalId', 'legs'],
      properties: { altitude: { default: 10 } },
    });
    expect(document.components.schemas['CreateKiteDto']).toMatchObject({
      properties: { price: { type: ['string', 'number'], pattern: expect.any(String) as string, minimum: 0.0001 } },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['413', '415', '429']));
    expect(Object.keys(responses['202']?.headers ?? {})).toEqual(
      expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Window', 'RateLimit', 'RateLimit-Policy']),
    );
  });

  test('does not mention implementation terms', () => {
    const { '/openapi.json': _itself, ...paths } = document.paths;
    expect([...within(paths), ...within(document.components)].some((value) => 'openapi' in value)).toBe(false);
    expect([...within(document.components.schemas)].some((value) => '$schema' in value || '$defs' in value)).toBe(
      false,
    );
  });

  test('is identical for any order of the routes', () => {
    const info = { title: 'Kites', version: '1.0.0' };
    const text = JSON.stringify(openApiDocument([...toy.kernel.endpoints].reverse(), info));
    expect(text).toBe(toy.document());
  });

  test('rejects two schemas with one name', () => {
    const endpoint = (path: string, schema: z.ZodType): Endpoint => ({
      method: 'GET',
      path,
      who: 'any',
      tag: 'Service',
      summary: 'x',
      answers: { status: 200, shape: 'envelope', schema },
    });
    const one = named('TwiceDto', z.object({ a: z.string() }));
    const other = named('TwiceDto', z.object({ b: z.string() }));
    const info = { title: 'x', version: '1' };
    expect(() => openApiDocument([endpoint('/a', one), endpoint('/b', other)], info)).toThrow('named TwiceDto');
    expect(operationIdOf(endpoint('/api/a-b/:someId/c', one))).toBe('getABBySomeIdC');
  });
});

describe('the page of the document', () => {
  test('runs only scripts of the service itself', async () => {
    const { body, headers } = await toy.server.inject('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(body).not.toMatch(/https?:|<script>|onload=|<style/);
    const paths = [...body.matchAll(/(?:src|href)=["']?([^"'\s>]+)/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const asset = await toy.server.inject(path);
      expect([path, asset.statusCode, asset.body.length > 50]).toEqual([path, 200, true]);
    }
  });

  test.each([
    ['/docs/assets/package.json'],
    ['/docs/assets/..%2fpackage.json'],
    ['/docs/assets/constructor'],
    ['/docs/x'],
  ])('does not serve %s', async (url) => {
    expect((await toy.server.inject(url)).statusCode).toBe(404);
  });
});
