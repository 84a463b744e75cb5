import { SYSTEM_ROLE_PERMISSIONS } from '../../src/security/permissions.js';
import { routeTable as routes, type Route } from '../support/route-table.js';
import { TestService, type Books } from '../support/service.js';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};
type Answer = {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
};
type Operation = {
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, Answer>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

let service: TestService;
let books: Books;
let document: Document;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  document = (await service.get('/openapi.json')).body as Document;
});
afterAll(() => service.close());

const operations = (): Map<string, Operation> =>
  new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );

/** Returns the lowest success status other than that of a replay. */
const successOf = ({ responses }: Operation): string =>
  Object.entries(responses)
    .filter(([status, { description }]) => status < '300' && !description.startsWith('Replay'))
    .map(([status]) => status)
    .toSorted()[0] ?? '';

function resolved(schema: Schema | undefined): Schema {
  if (schema?.$ref === undefined) return schema ?? {};
  return resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
}

/** Returns the shape of a successful response, to the extent that the document specifies it. */
function shapeOf(operation: Operation, success: string): string {
  const content = operation.responses[success]?.content ?? {};
  const json = content['application/json']?.schema;
  if (json === undefined) {
    const shapes = { 'text/html': 'page-html', 'text/event-stream': 'sse', 'application/octet-stream': 'file' };
    const [type = ''] = Object.keys(content);
    return type in shapes ? shapes[type as keyof typeof shapes] : 'plain';
  }
  const { properties = {} } = resolved(json);
  if ('items' in properties && 'totalPages' in properties) return 'page';
  if (properties['statusCode']?.const === undefined) return 'plain';
  const { data } = properties;
  if (data?.items?.$ref?.endsWith('/LookupDto')) return 'lookup';
  return 'success' in (resolved(data).properties ?? {}) ? 'command' : 'envelope';
}

/** Returns the permitted callers and the required permission, to the extent that the document specifies them. */
function accessOf({ security, description = '' }: Operation): string {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.length === 0) return 'public -';
  if (schemes.includes('IntegrationKey')) return 'partner -';
  if (schemes.includes('MetricsToken')) return 'token -';
  expect(schemes).toEqual(['Bearer', 'bearer']);
  const permission = /Requires the `([\w.]+)` permission\./.exec(description)?.[1];
  if (permission !== undefined) return `tenant ${permission}`;
  return description.includes('Requires a platform operator.') ? 'platform -' : 'any -';
}

describe('The route table', () => {
  test('contains exactly the routes of the service', () => {
    expect(routes.map(({ name }) => name).sort()).toEqual([...operations().keys()].sort());
  });

  test('matches the document in success status, format, caller and permission', () => {
    const told = routes.map(({ name, success }) => {
      const operation = operations().get(name);
      if (!operation) throw new Error(name);
      return [name, successOf(operation), shapeOf(operation, success), accessOf(operation)].join(' ');
    });
    const expected = routes.map(({ name, success, body, who, permission }) =>
      [name, success, body, who === 'tenant-admin' ? 'tenant' : who, permission].join(' '),
    );
    expect(told).toEqual(expected);
  });
});

describe('Every route', () => {
  const call = async ({ method, path }: Route, token?: string): Promise<string> => {
    const address = path.replace(/\{\w+\}/g, () => service.service.engines.ids.next());
    const options = { token, headers: { 'x-integration-key': '' }, ...(method !== 'GET' && { body: {} }) };
    return (await service.call(method, address, options)).told;
  };

  test('declares the errors its callers can get', () => {
    for (const [name, { responses }] of operations())
      for (const status of ['400', '401', '403', '404', '409', '500'])
        expect([name, status, status in responses]).toEqual([name, status, true]);
  });

  test('requires a credential, unless it is public', async () => {
    for (const route of routes) {
      const expected = { public: expect.not.stringMatching(/^401 UNAUTH|^403/) as string, token: '200' };
      const refusal = route.who === 'partner' ? '401 INVALID_KEY' : '401 UNAUTHENTICATED';
      const wanted = route.who in expected ? expected[route.who as 'public' | 'token'] : refusal;
      expect([route.name, await call(route)]).toEqual([route.name, wanted]);
    }
  });

  test('is closed to tenants if it is for operators, and vice versa', async () => {
    const operator = await service.operator();
    const tokens = { platform: books.tenant.token, tenant: operator, 'tenant-admin': operator };
    for (const route of routes.filter(({ who }) => who in tokens)) {
      const told = await call(route, tokens[route.who as keyof typeof tokens]);
      expect([route.name, told]).toEqual([route.name, '403 FORBIDDEN']);
    }
  });

  test('is open to its callers', async () => {
    const operator = await service.operator();
    const signedIn = routes.filter(({ who }) => who === 'any' || who === 'platform' || who.startsWith('tenant'));
    // Excludes event streams, which do not end.
    for (const route of signedIn.filter(({ body }) => body !== 'sse')) {
      // Some routes end their caller's session.
      const user = /^\/(?:api\/auth|console)\//.test(route.path)
        ? await service.signIn(books.tenant.email)
        : books.tenant.token;
      const told = await call(route, route.who === 'platform' ? operator : user);
      expect([route.name, told]).toEqual([route.name, expect.not.stringMatching(/^(?:401|403|5\d\d)/)]);
    }
  });

  test('is closed to users without its permission, and open to others', async () => {
    const token = await service.createUser(books.tenant, 'USER');
    for (const route of routes.filter(({ who }) => who.startsWith('tenant'))) {
      const may = [...SYSTEM_ROLE_PERMISSIONS.USER].some((code) => code === route.permission);
      const told = await call(route, token);
      const isRefused = told === '403 FORBIDDEN';
      expect([route.name, told, isRefused]).toEqual([route.name, told, !may]);
    }
  });
});

test('Unknown API addresses reveal nothing without a credential', async () => {
  for (const path of [
    '/api/nothing',
    '/api/customers/a/b/c',
    '/api',
    '/%61pi/nothing',
    '/api/integrations/v1/nothing',
  ]) {
    const told = (await service.get(path)).told;
    expect([path, told.startsWith('401')]).toEqual([path, true]);
    expect([path, (await service.get(path, books.tenant.token)).status]).toEqual([
      path,
      path.includes('integrations') ? 401 : 404,
    ]);
  }
  expect((await service.get('/nothing')).told).toBe('404 NOT_FOUND');
});
