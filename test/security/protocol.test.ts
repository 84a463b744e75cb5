import { createServer } from '../../src/http/server.js';
import { parsed, talk, type RawAnswer } from '../support/raw-http.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/* Opens sockets to the real service, and sends requests that no ordinary client would send. */

let service: TestService;
let books: Books;
let url: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  url = await service.service.app.getUrl();
});
afterAll(() => service.close());

const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const ask = async (...all: readonly string[]): Promise<RawAnswer> => parsed(await talk(url, lines(...all)));
const bearer = (): string => `Authorization: Bearer ${books.tenant.token}`;
const POST = ['POST /api/branches HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Connection: close'] as const;
const countOf = (text: string): number => text.split('HTTP/1.1 ').length - 1;

describe('A request that a proxy and the service could interpret differently', () => {
  const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const start = (): string[] => ['POST /api/branches HTTP/1.1', 'Host: x', 'Content-Type: application/json', bearer()];
  test.each<[string, readonly string[], string]>([
    ['with a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['with chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
    ['with two lengths', ['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden],
    ['with two lengths in one', [`Content-Length: 0, ${hidden.length}`], hidden],
    ['with a negative length', ['Content-Length: -1'], hidden],
    ['with a length in other digits', ['Content-Length: +2'], `{}${hidden}`],
    ['with another coding after chunks', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`],
    ['with an unknown coding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${hidden}`],
    ['with a space before the colon', ['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`],
    ['with a folded header line', ['X-Folded: a', ' Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['with a chunk of a wrong length', ['Transfer-Encoding: chunked'], `0x1\r\na\r\n0\r\n\r\n${hidden}`],
    ['with a null byte in a header', ['X-Null: a\u0000b'], hidden],
    ['with a carriage return in a header', ['X-Return: a\rX-Injected: b'], hidden],
  ])('%s is rejected, and nothing after it is taken for another request', async (_, headers, rest) => {
    const text = await talk(url, `${[...start(), ...headers].join('\r\n')}\r\n\r\n${rest}`);
    expect([parsed(text).status, countOf(text)]).toEqual([400, 1]);
    expect(parsed(text).headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    expect(JSON.parse(parsed(text).body)).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });

  test('without a host is rejected', async () => {
    expect((await ask('GET /livez HTTP/1.1', 'Connection: close')).status).toBe(400);
  });

  test('with a protocol upgrade is not upgraded', async () => {
    const upgrade = ['Connection: close, Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];
    const { status } = await ask('GET /api/auth/me HTTP/1.1', 'Host: x', ...upgrade);
    expect(status).toBe(401);
    expect(
      (await ask('GET /api/auth/me HTTP/1.1', 'Host: x', 'Connection: close, Upgrade', 'Upgrade: websocket')).status,
    ).toBe(401);
  });
});

describe('A line break in input', () => {
  test.each([
    ['/api/auth/me%0d%0aX-Injected:%20yes', 401],
    ['/api/customers/%0d%0aX-Injected:%20yes', 404],
    ['/api/users/lookup?search=%0d%0aX-Injected:%20yes', 200],
    ['/console/%0d%0aX-Injected:%20yes', 200],
    ['/console/assets/%0d%0aX-Injected:%20yes', 404],
  ])('creates no response header: %s', async (path, status) => {
    const credential = path.startsWith('/api/auth') ? [] : [bearer()];
    const answer = await ask(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...credential);
    expect([answer.status, answer.headers['x-injected'], countOf(answer.text)]).toEqual([status, undefined, 1]);
  });

  test('in a name creates none either', async () => {
    const { key } = books.partner;
    const path = '/api/integrations/v1/sales/%0d%0aX-Injected:%20yes';
    const answer = await ask(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', `X-Integration-Key: ${key}`);
    expect([answer.status, answer.headers['x-injected']]).toEqual([404, undefined]);
  });
});

describe('An address', () => {
  test.each([
    '.',
    '..',
    '...',
    '/',
    '\\',
    '%',
    '%2e',
    '..%2f..',
    'a/../b',
    ';',
    '?',
    '#',
    ' ',
    '__proto__',
    'constructor',
  ])('identifies exactly the sale %s', async (externalId) => {
    const { partner } = books;
    const made = await service.postSale(partner, saleOf(externalId));
    expect(made.status).toBe(202);
    const encoded = [...Buffer.from(externalId)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const answer = await ask(
      `GET /api/integrations/v1/sales/${encoded} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `X-Integration-Key: ${partner.key}`,
    );
    expect([answer.status, (JSON.parse(answer.body) as { externalId: string }).externalId]).toEqual([200, externalId]);
  });

  test.each([
    '/api/integrations/v1/sales/../../../auth/me',
    '/api/integrations/v1/sales/%2e%2e/%2e%2e/%2e%2e/auth/me',
    '/api/integrations/../auth/me',
    '/livez/../api/auth/me',
    '/livez/..;/api/auth/me',
    '/livez%2f..%2fapi%2fauth%2fme',
    '/console/../api/auth/me',
    '/docs/..%2f..%2fapi/auth/me',
    '\\api\\auth\\me',
    '/%2561pi/auth/me',
    '/API/auth/me',
    '//api/auth/me',
    '/api//auth/me',
    '/./api/auth/me',
    '/api/auth/me%00',
    '/api/auth/me\t',
  ])('cannot escape by dots, slashes or escapes: %s', async (path) => {
    const { status, body } = await ask(`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', bearer());
    expect([path, /"permissions"/.test(body)]).toEqual([path, false]);
    // The service returns the console's page for any path below `/console`.
    expect([400, 401, 404, ...(path.startsWith('/console/') ? [200] : [])]).toContain(status);
  });

  test('that is too long is rejected, as are headers that are too many or too long', async () => {
    const long = 'x'.repeat(20_000);
    expect((await ask(`GET /api/auth/me?${long} HTTP/1.1`, 'Host: x', 'Connection: close')).status).toBe(431);
    expect((await ask('GET /livez HTTP/1.1', 'Host: x', `X-Long: ${long}`)).status).toBe(431);
    const many = Array.from({ length: 3_000 }, (_, index) => `X-${index}: 1`);
    expect((await ask('GET /livez HTTP/1.1', 'Host: x', ...many)).status).toBe(431);
  });
});

describe('A slow client', () => {
  test('is limited by these timeouts', () => {
    const { server } = service.service.app.getHttpAdapter().getInstance();
    expect(server.headersTimeout).toBe(15_000);
    expect(server.requestTimeout).toBe(30_000);
    expect(server.keepAliveTimeout).toBe(72_000);
    expect(server.timeout).toBe(120_000);
  });

  test.each<[string, readonly string[]]>([
    [
      'with headers',
      ['GET /slow HTTP/1.1\r\nHost: x\r\n', 'X-A: 1\r\n', 'X-B: 1\r\n', 'X-C: 1\r\n', 'X-D: 1\r\n', 'X-E: 1\r\n'],
    ],
    [
      'with the body',
      [
        'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n',
        '{',
        '"',
        'a',
        '"',
        ':',
      ],
    ],
  ])('%s gets an error, and is disconnected', async (_, parts) => {
    // Uses the same server with shorter limits, which Node.js checks periodically.
    const server = createServer();
    Object.assign(server.server, { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 });
    server.all('/slow', () => 'served');
    try {
      const text = await talk(await server.listen({ port: 0, host: '127.0.0.1' }), parts, 150);
      expect(parsed(text).status).toBe(408);
      expect(JSON.parse(parsed(text).body)).toMatchObject({ code: 'REQUEST_TIMEOUT' });
    } finally {
      await server.close();
    }
  });
});

test('A body whose length differs from its Content-Length is rejected', async () => {
  const short = await talk(url, `${lines(...POST, bearer(), 'Content-Length: 5')}{}\r\n\r\n\r\n`);
  expect(parsed(short).status).toBe(400);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
