import { RequestSchemas } from '../support/request-schemas.js';
import { Requester, type Answered } from '../support/requester.js';
import { parsed, talk, type RawAnswer } from '../support/raw-http.js';
import { routeTable, type Route } from '../support/route-table.js';
import { TestService } from '../support/service.js';

/*
 * Tests the headers that every response must have, and those that no response may have. Covers successes and rejections
 * of all routes.
 */

let service: TestService;
let requester: Requester;
let schemas: RequestSchemas;
let url: string;
beforeAll(async () => {
  service = await TestService.start({ environment: { TRUST_PROXY: 'true' } });
  requester = await Requester.of(service);
  schemas = new RequestSchemas(service.service.openApi());
  url = await service.service.app.getUrl();
});
afterAll(() => service.close());

const EVIL = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
/** Responses that are the same for everyone and may be cached. */
const CACHEABLE = new Map([
  ['GET /.well-known/jwks.json', 'public, max-age=60'],
  ['GET /openapi.json', 'no-cache'],
  ['GET /docs', 'no-cache'],
]);
/** Pages have a separate policy, which test/http/console.test.ts and openapi.test.ts cover. */
const isPage = ({ body }: Route): boolean => body === 'page-html';
const NO_SUCH_ROUTE: Route = {
  name: 'GET /api/nothing',
  method: 'GET',
  path: '/api/nothing',
  success: '404',
  body: 'envelope',
  who: 'any',
  permission: '-',
};

/** Returns a route's responses to a permitted request, and to one request for each kind of rejection. */
async function answersOf(route: Route): Promise<[string, Answered][]> {
  const required = schemas.queryOf(route).filter((one) => one.required);
  const query = required.length === 0 ? '' : `?${required.map(({ name }) => `${name}=1`).join('&')}`;
  // Writes are malformed, so that they have no effect.
  const right = route.method === 'GET' ? { query } : { raw: '{"' };
  return [
    [`${route.name} as it wants`, await requester.ask(route, { ...right, headers: EVIL })],
    [`${route.name} with an unknown parameter`, await requester.ask(route, { query: '?x=1', headers: EVIL })],
    [
      `${route.name} without a credential`,
      await requester.ask(route, { ...right, headers: { ...EVIL, authorization: 'x', 'x-integration-key': 'x' } }),
    ],
  ];
}

let headBefore: number;
let answers: readonly [Route, string, Answered][];
beforeAll(async () => {
  headBefore = await service.quiet();
  const all: [Route, string, Answered][] = [];
  for (const route of [...routeTable, NO_SUCH_ROUTE])
    all.push(...(await answersOf(route)).map(([name, answer]): [Route, string, Answered] => [route, name, answer]));
  answers = all;
});

const unlike = (isRight: (answer: Answered, route: Route, name: string) => boolean): string[] =>
  answers
    .filter(([route, name, answer]) => !isRight(answer, route, name))
    .map(([, name, { status, headers }]) => `${name}: ${status} ${JSON.stringify(headers)}`);

describe('Every response', () => {
  test('is one of many kinds', () => {
    const statuses = new Set(answers.map(([, , { status }]) => status));
    expect([...statuses].toSorted()).toEqual([200, 400, 401, 403, 404]);
    const successes = answers.filter(([{ method }, , { status }]) => method === 'GET' && status === 200);
    expect(successes.length).toBeGreaterThan(50);
  });

  test('is not cached, except content that is the same for all', () => {
    const expected = ({ name }: Route, { status }: Answered): string =>
      (status === 200 ? CACHEABLE.get(name) : undefined) ?? 'no-store';
    expect(unlike((answer, route) => answer.headers['cache-control'] === expected(route, answer))).toEqual([]);
  });

  test('prevents sniffing, framing, embedding and execution, and leaks no referrer', () => {
    const policy = "default-src 'none'; frame-ancestors 'none'";
    expect(
      unlike(
        ({ headers, status }, route) =>
          headers['x-content-type-options'] === 'nosniff' &&
          headers['referrer-policy'] === 'no-referrer' &&
          headers['cross-origin-resource-policy'] === 'same-origin' &&
          (isPage(route) && status === 200
            ? /default-src '(?:none|self)'/.test(headers['content-security-policy'] ?? '')
            : headers['content-security-policy'] === policy),
      ),
    ).toEqual([]);
  });

  test('declares its type, UTF-8 and request id', () => {
    expect(
      unlike(
        ({ headers }) =>
          /^[\w.-]{1,128}$/.test(headers['x-request-id'] ?? '') &&
          /^(?:application\/json; charset=utf-8|text\/(?:html|plain|event-stream)|application\/octet-stream)/.test(
            headers['content-type'] ?? '',
          ),
      ),
    ).toEqual([]);
  });

  test('allows no other origin to read it, names no product, and sets no cookie', () => {
    const forbidden = /^(?:access-control-|server$|x-powered-by$|via$|set-cookie$|x-aspnet|location$)/;
    expect(unlike(({ headers }) => !Object.keys(headers).some((name) => forbidden.test(name)))).toEqual([]);
  });

  test('with an error contains no stack, path or driver', () => {
    const told = /\bat .+:\d+:\d+|node_modules|\/src\/|\/dist\/|SQLITE|Mongo|Zod|ECONN/;
    expect(unlike(({ status, text }) => status < 400 || !told.test(text))).toEqual([]);
  });

  test('over HTTPS requires HTTPS for a year; over plain HTTP it does not', async () => {
    const [route] = routeTable;
    if (!route) throw new Error('There are no routes');
    for (const path of ['/api/auth/me', '/console', '/livez', '/nothing']) {
      const over = async (protocol: string) =>
        (await fetch(`${url}${path}`, { headers: { 'x-forwarded-proto': protocol } })).headers;
      expect([path, (await over('https')).get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
      expect([path, (await over('http')).get('strict-transport-security')]).toEqual([path, null]);
    }
  });
});

describe('Other methods', () => {
  const raw = async (method: string, route: Route, ...more: readonly string[]): Promise<RawAnswer> => {
    const credentials = Object.entries(requester.credentialsFor(route)).map(([name, value]) => `${name}: ${value}`);
    const lines = ['Host: kontor.test', 'Connection: close', 'X-Canary: sing-3x', ...credentials, ...more];
    return parsed(await talk(url, `${method} ${requester.addressOf(route)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
  };
  const declared = new Set(routeTable.map(({ method, path }) => `${method} ${path}`));

  test.each(['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'CONNECT', 'BREW'])(
    '%s is not supported where it is not declared, even for authorized callers',
    async (method) => {
      const undeclared = routeTable.filter(({ path }) => !declared.has(`${method} ${path}`));
      expect(undeclared.length).toBeGreaterThan(40);
      for (const route of undeclared) {
        const { status, headers, text } = await raw(method, route);
        expect([method, route.path, status === 0 || (status >= 400 && status < 500)]).toEqual([
          method,
          route.path,
          true,
        ]);
        // TRACE would reveal a request's credentials to anyone who can make a browser send the request.
        expect([method, route.path, text.includes('sing-3x')]).toEqual([method, route.path, false]);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    },
  );

  test('A preflight of another origin is rejected', async () => {
    for (const route of routeTable) {
      const { status, headers } = await raw(
        'OPTIONS',
        route,
        'Origin: https://evil.example',
        `Access-Control-Request-Method: ${route.method}`,
        'Access-Control-Request-Headers: authorization,content-type',
      );
      expect([route.path, status >= 400]).toEqual([route.path, true]);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

test('No response repeats the host of the request', async () => {
  for (const path of ['/api/auth/me', '/openapi.json', '/docs', '/console', '/livez', '/.well-known/jwks.json']) {
    const lines = ['Host: evil.example', 'X-Forwarded-Host: evil.example', 'Connection: close'];
    const { text } = parsed(await talk(url, `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
    expect([path, text.includes('evil.example')]).toEqual([path, false]);
  }
});

test('These requests append no events, except the audit entries for operators who read events or webhooks', async () => {
  const written = (await service.service.engines.events.readAll({ from: headBefore })).map(({ type }) => type);
  const expected = ['IntegrationKeyUsed', 'ErrorOccurred', 'EventsRead', 'HistoryRead'];
  expect(written.filter((type) => !expected.includes(type))).toEqual([]);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
