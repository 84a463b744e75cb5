import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import { installKernel } from '../../src/http/kernel.js';
import { createServer } from '../../src/http/server.js';
import { isRoutable } from '../../src/http/request-state.js';
import { endpointsOf } from '../../src/http/routes.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { ID, KiteController, NOW_MS, seen, startToy, TENANT, type Toy } from './kernel.toys.js';

const json = { 'content-type': 'application/json' };
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const withKey = (key: string) => ({ 'x-integration-key': key });

let toy: Toy;
beforeEach(async () => {
  toy = await startToy();
});
afterEach(async () => {
  await toy.app.close();
});

/** Sends a request and returns the parts of the response that the tests examine. */
async function ask(options: InjectOptions) {
  const response = await toy.server.inject(options);
  return { status: response.statusCode, headers: response.headers, text: response.body, json: parse(response.body) };
}
const parse = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};
const get = (url: string, headers: Record<string, string> = as('admin')) => ask({ method: 'GET', url, headers });
const make = (payload: string | object, headers: Record<string, string> = as('admin')) =>
  ask({ method: 'POST', url: '/api/kites', headers: { ...json, ...headers }, payload });
const fly = (payload: string | object, headers: Record<string, string> = withKey('shop')) =>
  ask({ method: 'POST', url: '/api/integrations/v1/flights', headers: { ...json, ...headers }, payload });
const flight = { externalId: 'F-1', legs: [{ meters: 3 }] };

describe('Authorization', () => {
  test.each([
    ['no credential', {}, 401],
    ['an unknown token', as('stranger'), 401],
    ['another scheme', { authorization: 'Basic YWRtaW46' }, 401],
    ['two tokens in one header', as('admin, user'), 401],
    ['a user without the permission', as('none'), 403],
    ['an operator', as('operator'), 403],
    ['an integration key', withKey('shop'), 401],
    ['a user with the permission', as('user'), 200],
    ['a session that cannot be confirmed', as('away'), 503],
  ])('of a tenant route with %s', async (_, headers, status) => {
    const answer = await get(`/api/kites/${ID}`, headers);
    expect(answer.status).toBe(status);
    if (status !== 200)
      expect(answer.json).toMatchObject({ statusCode: status, requestId: answer.headers['x-request-id'] });
  });

  test('names the missing credential', async () => {
    const answer = await get('/api/wind', {});
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json).toEqual({
      statusCode: 401,
      code: 'UNAUTHENTICATED',
      message: 'A valid bearer token is required.',
      requestId: 'made-1',
    });
  });

  test('limits platform routes to operators', async () => {
    expect((await get('/api/platform/winds', as('admin'))).status).toBe(403);
    expect((await get('/api/platform/winds', as('operator'))).status).toBe(200);
    expect((await get('/api/platform/winds', {})).status).toBe(401);
  });

  test('admits users and operators to routes for all signed-in callers', async () => {
    expect((await get('/api/wind', as('none'))).json['data']).toEqual({ kind: 'user' });
    expect((await get('/api/wind', as('operator'))).json['data']).toEqual({ kind: 'operator' });
  });

  test('requires notifications.send for tenant-admin routes', async () => {
    const shout = (token: string) => ask({ method: 'POST', url: '/api/kites/admin', headers: as(token) });
    expect([(await shout('user')).status, (await shout('operator')).status, (await shout('admin')).status]).toEqual([
      403, 403, 201,
    ]);
  });

  test('reveals nothing about unknown addresses under /api without a credential', async () => {
    for (const url of ['/api/unknown', '/api', '/%61pi/unknown', '/api/%zz', 'http://kontor.test/api/unknown']) {
      expect([url, (await get(url, {})).status]).toEqual([url, 401]);
      expect([url, (await get(url)).json['code']]).toEqual([url, 'NOT_FOUND']);
    }
    expect((await get('/elsewhere', {})).status).toBe(404);
    expect((await ask({ method: 'POST', url: '/api/wind', headers: {} })).status).toBe(401);
  });

  test('lists the methods of an address only to authorized callers', async () => {
    const trying = async (
      method: 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS',
      url: string,
      headers: Record<string, string> = as('user'),
    ) => {
      const { status, headers: told, json } = await ask({ method, url, headers });
      return [status, json['code'], told['allow']];
    };
    expect(await trying('DELETE', '/api/kites')).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST']);
    expect(await trying('OPTIONS', '/api/kites')).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST']);
    expect(await trying('POST', `/api/kites/${ID}`)).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD']);
    expect(await trying('POST', '/api/kites/lookup?x=1')).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD']);
    expect(await trying('POST', '/metrics')).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD']);
    expect(await trying('DELETE', '/api/kites', {})).toEqual([401, 'UNAUTHENTICATED', undefined]);
    expect(await trying('DELETE', '/api/kites/')).toEqual([404, 'NOT_FOUND', undefined]);
    expect(await trying('DELETE', '/api/unknown')).toEqual([404, 'NOT_FOUND', undefined]);
  });

  test('checks encoded paths like plain ones', async () => {
    for (const url of [`/%61pi/kites/${ID}`, `/api/%6bites/${ID}`, `/api/kites/%30${ID.slice(1)}`]) {
      expect([url, (await get(url, {})).status]).toEqual([url, 401]);
      expect([url, (await get(url)).status]).toEqual([url, 200]);
    }
    expect((await get('/api/kites%2f' + ID, {})).status).toBe(401);
  });

  test.each(['%ff', '%', '%zz', 'a%2fb%ff', '%c0%af'])('precedes the check of invalid escapes: %s', async (part) => {
    expect((await get(`/api/kites/${part}`, {})).status).toBe(401);
    expect((await get(`/api/kites/${part}`)).status).toBe(404);
    const stranger = await get(`/api/integrations/v1/flights/${part}`, {});
    expect([stranger.status, stranger.headers['x-ratelimit-limit']]).toEqual([401, '60']);
    const partner = await get(`/api/integrations/v1/flights/${part}`, withKey('shop'));
    expect([partner.status, partner.headers['x-ratelimit-remaining']]).toEqual([200, '59']);
  });

  test('limits metrics to loopback, never through a proxy', async () => {
    const from = (remoteAddress: string, headers = {}) =>
      ask({ method: 'GET', url: '/metrics', remoteAddress, headers }).then(({ status }) => status);
    expect(await from('127.0.0.1')).toBe(200);
    expect(await from('::1')).toBe(200);
    expect(await from('10.0.0.9')).toBe(401);
    expect(await from('127.0.0.1', { 'x-forwarded-for': '10.0.0.9' })).toBe(401);
  });

  test('limits metrics to their token once configured', async () => {
    await toy.app.close();
    toy = await startToy({ metricsToken: 'm3trics' });
    expect((await get('/metrics', {})).status).toBe(401);
    expect((await get('/metrics', as('admin'))).status).toBe(401);
    const answer = await get('/metrics', as('m3trics'));
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      'up 1\n',
      'text/plain; version=0.0.4',
    ]);
  });
});

describe('The order of checks', () => {
  const broken = '{"name":';

  test('checks credential and permission before the body', async () => {
    expect((await make(broken, {})).status).toBe(401);
    expect((await make(broken, as('none'))).status).toBe(403);
    expect((await make('x'.repeat(1_100_000), {})).status).toBe(401);
    expect((await make(broken, { ...as('none'), 'content-type': 'text/plain' })).status).toBe(403);
    expect((await make(broken)).status).toBe(400);
  });

  test('checks credential and permission before the id', async () => {
    expect((await get('/api/kites/not-an-id', {})).status).toBe(401);
    expect((await get('/api/kites/not-an-id', as('none'))).status).toBe(403);
    expect((await get('/api/kites/not-an-id')).status).toBe(404);
  });

  test('distinguishes errors of a body', async () => {
    expect((await make('{"name":"' + 'x'.repeat(1_048_576) + '"}')).json).toMatchObject({
      statusCode: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(
      (await make('name=x', { ...as('admin'), 'content-type': 'application/x-www-form-urlencoded' })).json,
    ).toMatchObject({
      statusCode: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect((await make('', as('admin'))).json).toMatchObject({ statusCode: 400, message: 'A JSON body is required.' });
    expect((await make('null')).status).toBe(400);
    expect((await make('{"name":"a","name":"b"}')).json).toMatchObject({
      statusCode: 400,
      message: 'A member name is repeated in one object.',
    });
    expect((await make('{"name":"a"}', { ...as('admin'), 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await ask({ method: 'POST', url: '/api/kites', headers: as('admin') })).status).toBe(400);
  });
});

test('A public route accepts at most 4 KiB, so that anonymous clients cannot cause costly work', async () => {
  const login = (bytes: number) =>
    ask({ method: 'POST', url: '/api/login', headers: json, payload: `{${' '.repeat(bytes - 2)}}` });
  expect((await login(4_096)).status).toBe(200);
  expect((await login(4_097)).json).toMatchObject({ statusCode: 413, code: 'PAYLOAD_TOO_LARGE' });
});

describe('Partner routes', () => {
  const rate = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-reset': String(Math.ceil((NOW_MS + 29_500) / 1000)),
    'x-ratelimit-window': '60s',
  };

  test('return the rate limit headers in both forms', async () => {
    const { status, headers, json: body } = await fly(flight);
    expect(status).toBe(202);
    expect(headers).toMatchObject({
      ...rate,
      'x-ratelimit-remaining': '59',
      ratelimit: '"key";r=59;t=30',
      'ratelimit-policy': '"key";q=60;w=60',
    });
    expect(body).toEqual({ body: { ...flight, altitude: 10 }, received: flight, sourceId: 'shop' });
    expect(seen.context).toMatchObject({
      tenantId: TENANT,
      actor: { kind: 'partner', sourceId: 'shop', keyId: 'shop' },
    });
  });

  test.each<[string, string | object, Record<string, string>, number, string]>([
    ['no key', flight, {}, 401, 'INVALID_KEY'],
    ['an unknown key', flight, withKey('stranger'), 401, 'INVALID_KEY'],
    ['a bearer token', flight, as('admin'), 401, 'INVALID_KEY'],
    ['a key that cannot be confirmed', flight, withKey('away'), 503, 'UNAVAILABLE'],
    ['malformed JSON', '{', withKey('shop'), 400, 'VALIDATION_FAILED'],
    ['an invalid body', { externalId: 'F-1', legs: [] }, withKey('shop'), 400, 'VALIDATION_FAILED'],
    ['too large a body', `"${'x'.repeat(1_048_576)}"`, withKey('shop'), 413, 'PAYLOAD_TOO_LARGE'],
    ['another content type', 'x', { ...withKey('shop'), 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a malformed Idempotency-Key', flight, { ...withKey('shop'), 'idempotency-key': 'a b' }, 400, 'VALIDATION_FAILED'],
  ])('reject %s in their own format, with the rate limit headers', async (_, payload, headers, status, code) => {
    const answer = await fly(payload, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(rate);
    expect(answer.headers['ratelimit']).toMatch(/^"(key|address)";r=\d+;t=30$/);
    expect(answer.json).toMatchObject({ error: { code, requestId: answer.headers['x-request-id'] } });
    expect(Object.keys(answer.json)).toEqual(['error']);
  });

  test.each([
    ['while the service is starting', { isOpen: () => false }, 503, 'UNAVAILABLE'],
    ['if the host name is rejected', { allowedHosts: ['books.example'] }, 421, 'MISDIRECTED_REQUEST'],
  ])('report the rate limit %s', async (_, options, status, code) => {
    await toy.app.close();
    toy = await startToy(options);
    for (const url of ['/api/integrations/v1/flights/F-1', '/api/integrations/v1/nothing']) {
      const headers = { ...withKey('shop'), host: 'elsewhere.example' };
      const answer = await get(url, headers);
      expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }]);
      expect(answer.headers).toMatchObject(rate);
    }
    expect((await get('/api/wind', { host: 'elsewhere.example' })).headers['x-ratelimit-limit']).toBeUndefined();
  });

  test('handle unknown addresses below them the same way', async () => {
    const missing = await get('/api/integrations/v1/nothing', withKey('shop'));
    expect([missing.status, missing.headers['x-ratelimit-remaining']]).toEqual([404, '59']);
    expect(missing.json).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await get('/api/integrations/v1/nothing', {})).json).toMatchObject({ error: { code: 'INVALID_KEY' } });
  });

  test('accept any parameter that is not declared as an id', async () => {
    const escaped = await get('/api/integrations/v1/flights/%zz', withKey('shop'));
    expect([escaped.status, escaped.text]).toEqual([200, '{"externalId":"%zz"}']);
    const long = 'ı'.repeat(200);
    const answer = await get(`/api/integrations/v1/flights/${encodeURIComponent(long)}`, withKey('shop'));
    expect(answer.json).toEqual({ externalId: long });
  });

  test('rate limit callers before reading the body', async () => {
    await fly(flight, withKey('busy'));
    await fly('{', withKey('busy'));
    const answer = await fly('{', withKey('busy'));
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({
      'retry-after': '30',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-limit': '2',
    });
    expect(answer.json).toMatchObject({
      error: { code: 'RATE_LIMITED', message: 'Too many requests. Try again in 30 s.' },
    });
  });

  test('count requests without a valid key by address, per IPv6 network', async () => {
    const from = (remoteAddress: string) =>
      ask({ method: 'GET', url: '/api/integrations/v1/flights/F-1', remoteAddress, headers: {} });
    for (let i = 0; i < 60; i += 1) expect((await from(`2001:db8::${i.toString(16)}`)).status).toBe(401);
    expect((await from('2001:db8:0:0:9::1')).status).toBe(429);
    expect((await from('2001:db8:0:1::1')).status).toBe(401);
    expect((await from('::ffff:10.0.0.1')).headers['x-ratelimit-remaining']).toBe('59');
    expect((await from('10.0.0.1')).headers['x-ratelimit-remaining']).toBe('58');
  });
});

describe('A key that cannot be checked', () => {
  test('does not count against its owner', async () => {
    for (let i = 0; i < 70; i += 1) expect((await fly(flight, withKey('away'))).status).toBe(503);
    expect((await fly(flight, withKey('stranger'))).headers['x-ratelimit-remaining']).toBe('59');
  });
});

describe('Request ids', () => {
  test.each([['a'], ['Az0._-'], ['x'.repeat(128)]])('that are well-formed are returned: %s', async (id) => {
    const answer = await get('/api/wind', { ...as('admin'), 'x-request-id': id });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each([[''], ['x'.repeat(129)], ['a b'], ['a"b'], ['ä']])('that are malformed are replaced: %s', async (id) => {
    const answer = await get('/api/wind', { ...as('admin'), 'x-request-id': id });
    expect(answer.headers['x-request-id']).toBe('made-1');
  });

  test('appear in errors, log lines and the context of writes', async () => {
    await make({ name: 'Red' }, { ...as('user'), 'x-request-id': 'req-9', 'user-agent': 'Browser/1' });
    expect(seen.context).toEqual({
      tenantId: TENANT,
      actor: { kind: 'user', userId: 'user-USER', sessionId: 'session-1' },
      branchId: 'branch-1',
      requestId: 'req-9',
      correlationId: 'req-9',
      commandId: 'made-1',
      ip: '127.0.0.1',
      userAgent: 'Browser/1',
    });
    expect(toy.lines).toEqual([
      expect.objectContaining({
        requestId: 'req-9',
        tenantId: TENANT,
        userId: 'user-USER',
        status: 201,
        path: '/api/kites',
      }),
    ]);
  });
});

describe('If-Match', () => {
  const land = (match: string) =>
    ask({ method: 'PATCH', url: `/api/kites/${ID}/land`, headers: { ...as('admin'), 'if-match': match } });

  test('accepts one revision in double quotes', async () => {
    expect((await land('"0"')).status).toBe(200);
    expect(seen.context?.ifMatch).toBe(0);
    await land('"12"');
    expect(seen.context?.ifMatch).toBe(12);
  });

  test.each([
    ['3'],
    ['W/"3"'],
    ['*'],
    ['"3", "4"'],
    ['""'],
    ['"-1"'],
    ['"03"'],
    ['"3'],
    ['"9999999999999999"'],
    ["'3'"],
  ])('is rejected in any other form: %s', async (match) => {
    expect((await land(match)).json).toMatchObject({ statusCode: 400, errors: [{ path: 'If-Match' }] });
  });
});

describe('Input', () => {
  const list = (query: string) => get(`/api/kites?${query}`);

  test('of a query is coerced by its declaration', async () => {
    expect((await list('pageNumber=2&pageSize=100&flying=false&search=%20red%20')).json).toEqual({
      asked: { pageNumber: 2, pageSize: 100, flying: false, search: 'red' },
    });
  });

  test.each([
    ['', 'pageNumber'],
    ['pageNumber=1', 'pageSize'],
    ['pageNumber=0&pageSize=20', 'pageNumber'],
    ['pageNumber=1&pageSize=101', 'pageSize'],
    ['pageNumber=1.5&pageSize=20', 'pageNumber'],
    ['pageNumber=+1&pageSize=20', 'pageNumber'],
    ['pageNumber=1e1&pageSize=20', 'pageNumber'],
    ['pageNumber=1&pageSize=20&flying=1', 'flying'],
    ['pageNumber=1&pageSize=20&flying=TRUE', 'flying'],
    ['pageNumber=1&pageSize=20&color=red', 'color'],
    ['pageNumber=1&pageNumber=2&pageSize=20', 'pageNumber'],
    ['pageNumber=1&pageSize=20&search=a%00b', 'search'],
    ['pageNumber=1&pageSize=20&__proto__=x', '__proto__'],
    ['pageNumber=1&pageSize=20&constructor=x', 'constructor'],
    ['pageNumber=1&pageSize=20&search[$ne]=x', 'search[$ne]'],
    [`pageNumber=1&pageSize=20&search=${'x'.repeat(201)}`, 'search'],
  ])('of a query is rejected: %s', async (query, path) => {
    const answer = await list(query);
    expect(answer.status).toBe(400);
    expect((answer.json['errors'] as { path: string }[]).map((fault) => fault.path)).toContain(path);
  });

  test('given twice in a query is rejected', async () => {
    expect((await list('pageNumber=1&pageNumber=2&pageSize=20')).json).toMatchObject({
      errors: [{ path: 'pageNumber', message: 'Must not be specified more than once.' }],
    });
  });

  test('is rejected if no query is declared', async () => {
    expect((await get('/api/wind?x=1')).json).toMatchObject({ statusCode: 400, errors: [{ path: 'x' }] });
  });

  test('of a body is validated, trimmed and named by its path', async () => {
    await make({ name: '  Red  ', price: 12.5 });
    expect(seen.body).toEqual({ name: 'Red', price: '12.5' });
    const bad = await fly({ externalId: '', legs: [{ meters: 1 }, { meters: 'x', feet: 2 }], extra: 1 });
    expect(bad.json).toMatchObject({
      error: {
        message: expect.stringMatching(/^externalId: /) as unknown,
        errors: [
          { path: 'externalId' },
          { path: 'legs[1].meters' },
          { path: 'legs[1].feet', message: 'Unknown field.' },
          { path: 'extra', message: 'Unknown field.' },
        ],
      },
    });
  });

  test.each([
    ['tenantId', { name: 'Red', tenantId: 'another' }],
    ['constructor', { name: 'Red', constructor: 1 }],
    ['name', { name: { $gt: '' } }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 'a\nX-Injected: 1' }],
    ['name', { name: '\ud800' }],
    ['name', { name: 'x'.repeat(51) }],
    ['price', { name: 'Red', price: 0 }],
  ])('of a body rejects %s', async (path, body) => {
    expect((await make(body)).json).toMatchObject({ statusCode: 400, errors: [{ path }] });
  });

  test('can be empty or an empty object if no body is declared', async () => {
    const land = (payload?: string) =>
      ask({
        method: 'PATCH',
        url: `/api/kites/${ID}/land`,
        headers: { ...as('admin'), ...json },
        ...(payload === undefined ? {} : { payload }),
      });
    expect((await land()).status).toBe(200);
    expect((await land('{}')).status).toBe(200);
    expect((await land('{"name":"x"}')).status).toBe(400);
    expect((await land('[]')).status).toBe(400);
  });

  test('can contain an id in upper case', async () => {
    const answer = await ask({ method: 'PATCH', url: `/api/kites/${ID.toUpperCase()}/land`, headers: as('admin') });
    expect(answer.json['data']).toMatchObject({ id: ID });
  });
});

describe('Responses', () => {
  test('embed stored JSON text unchanged', async () => {
    const answer = await get(`/api/kites/${ID}`);
    expect(answer.text).toMatch(/^\{"statusCode":200,"data":\{"id":"0199.*"tail":null\}\}$/);
    expect(answer.headers).toMatchObject({
      etag: '"7"',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });

  test('wrap results of commands and lookups, but not pages', async () => {
    const made = await make({ name: 'Red' });
    expect([made.status, made.json]).toEqual([201, { statusCode: 201, data: { success: true, id: ID, revision: 0 } }]);
    expect(made.headers['x-event-position']).toBe('41');
    expect((await get('/api/kites/lookup')).json).toEqual({
      statusCode: 200,
      data: [{ id: ID, name: 'Red', code: null }],
    });
    expect((await get('/api/kites?pageNumber=1&pageSize=1')).json).not.toHaveProperty('statusCode');
  });

  test('can be marked as replayed, with the same bytes', async () => {
    const answer = await make({ name: 'Red' }, { ...as('admin'), 'idempotency-key': 'key-1' });
    expect([answer.status, answer.json['statusCode']]).toEqual([200, 201]);
    expect(answer.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-read-model': 'behind' });
  });

  test('can be text if the client prefers it', async () => {
    const csv = await get('/api/kites/report', { ...as('admin'), accept: 'text/csv' });
    expect([csv.text, csv.headers['content-type']]).toEqual(['name\r\nRed\r\n', 'text/csv; charset=utf-8']);
    for (const accept of ['*/*', 'application/json, text/csv;q=0.5', 'text/csv;q=0'])
      expect((await get('/api/kites/report', { ...as('admin'), accept })).json).toEqual({
        statusCode: 200,
        data: { rows: ['Red'] },
      });
  });

  test('can be an event stream', async () => {
    const answer = await get('/api/platform/winds/stream', as('operator'));
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(answer.text).toBe('event: wind\ndata: {}\n\n');
  });
});

describe('Errors', () => {
  test.each([
    ['conflict', 409, 'KITE_TAKEN'],
    ['events', 503, 'UNAVAILABLE'],
    ['reads', 503, 'UNAVAILABLE'],
    ['unknown', 503, 'UNAVAILABLE'],
    ['defect', 500, 'INTERNAL'],
    ['driver', 500, 'INTERNAL'],
    ['nothing', 500, 'INTERNAL'],
  ])('of a handler (%s) become %i and leak nothing', async (how, status, code) => {
    const answer = await get(`/api/kites/failing/${how}`);
    expect(answer.json).toMatchObject({ statusCode: status, code });
    expect(answer.text).not.toMatch(/secret-host|hunter2|stack|BigInt/);
    expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    expect(toy.outcomes[0]).toMatchObject({ status, code, route: '/api/kites/failing/:how' });
  });

  test('that are unexpected are logged once with their stack', async () => {
    await get('/api/kites/failing/defect?');
    expect(toy.lines).toHaveLength(1);
    const [{ err }] = toy.lines as [{ err: Error }];
    expect(err.stack).toContain('hunter2');
  });

  test('and successes are logged in one line without query or credential', async () => {
    await get('/api/kites?pageNumber=1&pageSize=1&search=s3cret', { ...as('admin'), cookie: 's3cret' });
    expect(toy.lines).toHaveLength(1);
    expect(toy.lines[0]).toEqual({
      requestId: 'made-1',
      method: 'GET',
      path: '/api/kites',
      status: 200,
      ms: expect.any(Number) as unknown,
      tenantId: TENANT,
      userId: 'user-ADMIN',
    });
  });
});

describe('X-Min-Position', () => {
  const asked: number[] = [];
  beforeEach(async () => {
    await toy.app.close();
    asked.length = 0;
    toy = await startToy({
      waitForPosition: async (position) => {
        await Promise.resolve();
        asked.push(position);
        if (position > 100)
          throw new DomainError('unavailable', 'READ_MODEL_BEHIND', 'Not yet.', { retryAfterSeconds: 2 });
      },
    });
  });

  test('delays reads', async () => {
    expect((await get('/api/wind', { ...as('admin'), 'x-min-position': '42' })).status).toBe(200);
    expect((await get('/api/wind')).status).toBe(200);
    expect(asked).toEqual([42]);
  });

  test('that is not reached in time is reported with a retry delay', async () => {
    const answer = await get('/api/wind', { ...as('admin'), 'x-min-position': '101' });
    expect(answer.json).toMatchObject({ statusCode: 503, code: 'READ_MODEL_BEHIND' });
    expect(answer.headers['retry-after']).toBe('2');
  });

  test.each([['-1'], ['1.5'], ['x'], ['9007199254740992'], ['1, 2'], ['']])(
    'must be a position: %s',
    async (position) => {
      const answer = await get('/api/wind', { ...as('admin'), 'x-min-position': position });
      expect(answer.json).toMatchObject({ statusCode: 400, errors: [{ path: 'X-Min-Position' }] });
    },
  );
});

describe('At startup', () => {
  test('a route under /api without a declaration is rejected', () => {
    const server = createServer();
    installKernel(server, {} as never);
    expect(() => server.get('/api/forgotten', () => ({}))).toThrow('GET /api/forgotten has no declaration');
    expect(() => server.get('/assets/logo', () => ({}))).not.toThrow();
  });

  test('a declaration that does not match its route is rejected', () => {
    const server = createServer();
    installKernel(server, {} as never);
    const [endpoint] = endpointsOf([KiteController]);
    const route = { method: 'GET', url: '/elsewhere/api/kites', config: { endpoint }, handler: () => ({}) } as const;
    expect(() => server.route(route as never)).toThrow(`GET /elsewhere/api/kites is declared as`);
  });

  test('asset routes never replace routes of the API', async () => {
    await toy.app.close();
    const server = createServer();
    installKernel(server, {
      authenticator: { bearer: () => Promise.reject(new DomainError('unauthenticated', 'UNAUTHENTICATED', 'No.')) },
      ids: { next: () => 'made' },
    } as never);
    server.get('/*', () => 'asset');
    expect((await server.inject('/logo')).body).toBe('asset');
    expect((await server.inject('/api/unknown')).statusCode).toBe(401);
    expect((await server.inject('/%61pi/unknown')).statusCode).toBe(401);
    await server.close();
  });
});

describe('Over a socket', () => {
  async function talk(bytes: string): Promise<string> {
    if (!toy.server.server.listening) await toy.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = toy.server.server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('utf8');
      socket.on('data', (chunk: string) => (received += chunk));
      socket.on('close', () => {
        resolve(received);
      });
      socket.on('error', reject);
    });
  }
  const close = 'Host: x\r\nConnection: close\r\n';

  test('invalid HTTP gets an error in the usual format', async () => {
    expect(await talk('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request[^]*"code":"VALIDATION_FAILED"/);
  });

  test('headers beyond the limit are rejected', async () => {
    const answer = await talk(`GET /api/wind HTTP/1.1\r\n${close}X-Big: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 [^]*"code":"HEADERS_TOO_LARGE"/);
  });

  test('a body with a large Content-Length is rejected before it arrives', async () => {
    const head = `POST /api/kites HTTP/1.1\r\n${close}Authorization: Bearer admin\r\nContent-Type: application/json\r\n`;
    expect(await talk(`${head}Content-Length: 2000000\r\n\r\n{`)).toMatch(/^HTTP\/1.1 413 /);
    expect(await talk(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  });

  test.each([
    ['/api/wind', true],
    ['/?next=http://x', true],
    ['http://x', true],
    ['HTTPS://x/api/wind', true],
    ['http://x?a=b', true],
    ['http://x?/api/wind', false],
    ['http:///api/wind', false],
    ['http://[x/api/wind', false],
    ['ftp://x/api/wind', false],
    ['*api/wind', false],
    ['', false],
  ])('whether the target %j is routed: %s', (target, isRouted) => {
    expect(isRoutable(target)).toBe(isRouted);
  });

  test('targets without a path are not routed', async () => {
    const answer = await talk(`GET *api/wind HTTP/1.1\r\n${close}Authorization: Bearer admin\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 404 [^]*"code":"NOT_FOUND"/);
    expect(toy.outcomes).toMatchObject([{ status: 404, userId: undefined, route: undefined }]);
  });

  test('targets that are URLs are routed by their path', async () => {
    expect(await talk(`GET http://x/api/wind HTTP/1.1\r\n${close}\r\n`)).toMatch(/^HTTP\/1.1 401 /);
    expect(await talk(`GET http://x/api/wind HTTP/1.1\r\n${close}Authorization: Bearer admin\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 200 /,
    );
  });

  test('writes keep their contexts separate while their bodies arrive in pieces', async () => {
    const request = (token: string) =>
      `POST /api/kites HTTP/1.1\r\n${close}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"name":"Red"}`;
    const answers = await Promise.all(['admin', 'user', 'admin', 'user'].map((token) => talk(request(token))));
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 201'))).toBe(true);
    expect(new Set(toy.outcomes.map(({ requestId }) => requestId)).size).toBe(4);
  });
});
