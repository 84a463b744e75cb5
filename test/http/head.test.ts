import { request } from 'node:http';
import { Requester } from '../support/requester.js';
import { routeTable } from '../support/route-table.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.close());

type Told = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly bytes: number };
const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asked = request(`${service.url}${path}`, { method, headers, agent: false }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        // The server does not end event streams, so the test does.
        if (answer.headers['content-type']?.startsWith('text/event-stream') === true) answer.destroy();
      });
      answer.on('error', () => undefined);
      answer.on('close', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes });
      });
    });
    asked.on('error', reject).end();
  });

test('HEAD returns the status and headers of GET without a body, on every GET route', async () => {
  const requester = await Requester.of(service);
  const told: unknown[] = [];
  const wanted: unknown[] = [];
  for (const route of routeTable.filter(({ method }) => method === 'GET')) {
    const address = requester.addressOf(route);
    const headers = requester.credentialsFor(route);
    const [got, head] = [await ask('GET', address, headers), await ask('HEAD', address, headers)];
    wanted.push([route.path, got.status, got.headers['content-type'], 0]);
    told.push([route.path, head.status, head.headers['content-type'], head.bytes]);
  }
  expect(wanted.length).toBeGreaterThan(60);
  expect(told).toEqual(wanted);
});

test('HEAD requires the same credential as GET', async () => {
  expect((await ask('HEAD', '/api/customers?pageNumber=1&pageSize=1')).status).toBe(401);
});

test.each(['/livez', '/openapi.json', '/console', '/console/transactions'])('HEAD %s is 200', async (path) => {
  expect(await ask('HEAD', path)).toMatchObject({ status: 200, bytes: 0 });
});

test('HEAD returns the content length of GET', async () => {
  const [got, head] = [await ask('GET', '/openapi.json'), await ask('HEAD', '/openapi.json')];
  expect([head.headers['content-length'], got.bytes]).toEqual([String(got.bytes), got.bytes]);
});

test.each([
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302, '/console'],
  ['curl', '*/*', 404, undefined],
  ['a program', 'application/json', 404, undefined],
])('the root address redirects %s (Accept: %s): %d', async (_, accept, status, location) => {
  const told = await ask('GET', '/', { accept });
  expect([told.status, told.headers.location]).toEqual([status, location]);
});

test('a page beyond the end of a list is empty, however large its number is', async () => {
  const { tenant } = await service.openBooks();
  for (const pageNumber of ['1000000001', '9007199254740991', '9007199254740993', '9'.repeat(100)]) {
    for (const list of ['customers', 'transactions', 'notifications']) {
      const reply = await service.get(`/api/${list}?pageNumber=${pageNumber}&pageSize=100`, tenant.token);
      expect([reply.status, reply.body]).toMatchObject([
        200,
        { items: [], pageNumber: Math.min(Number(pageNumber), Number.MAX_SAFE_INTEGER) },
      ]);
    }
  }
  for (const pageNumber of ['0', '-1', '1.5', '01', '9'.repeat(101)])
    expect((await service.get(`/api/customers?pageNumber=${pageNumber}&pageSize=1`, tenant.token)).told).toBe(
      '400 VALIDATION_FAILED pageNumber',
    );
});
