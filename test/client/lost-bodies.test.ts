import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { data, KontorClient, whole } from '../../clients/typescript/src/kontor-client.js';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** The responses to the next requests, in order. The last one answers all further requests. */
let responses: Respond[];
let requests: string[];
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const respond = responses.length > 1 ? responses.shift() : responses[0];
    respond?.(response, request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const profile = (response: ServerResponse): void => {
  response.writeHead(200, JSON_HEADERS).end('{"data":{"name":"Ada"}}');
};
/** Sends the headers and the beginning of the body, and calls `then` once they are sent. */
const begun =
  (status: number, then: Respond, headers: object = JSON_HEADERS): Respond =>
  (response, request) => {
    response.writeHead(status, { ...headers });
    response.write('{"data":{"na', () => {
      then(response, request);
    });
  };
const cutOff: Respond = (_, { socket }) => socket.destroy();
const stall: Respond = () => undefined;

const client = (timeoutMs = 60_000): KontorClient =>
  new KontorClient({ url, credentials: { accessToken: () => 'token' }, timeoutMs, maxPauseMs: 1, maxTries: 2 });
const UNREACHABLE = { name: 'KontorError', status: 0, code: 'UNREACHABLE' };

describe('A connection that is lost in the middle of a JSON response', () => {
  test('makes the client repeat a read request', async () => {
    responses = [begun(200, cutOff), profile];
    expect(await data(client().api.GET('/api/auth/me'))).toEqual({ name: 'Ada' });
    expect(requests).toEqual(['GET /api/auth/me', 'GET /api/auth/me']);
  });

  test('is reported as a KontorError after the last attempt', async () => {
    responses = [begun(200, cutOff)];
    await expect(data(client().api.GET('/api/auth/me'))).rejects.toMatchObject(UNREACHABLE);
    expect(requests).toHaveLength(2);
  });

  test('is reported as a KontorError for a write, which is sent once', async () => {
    responses = [begun(201, cutOff)];
    const made = data(client().api.POST('/api/customers', { body: { name: 'Ada' } }));
    await expect(made).rejects.toMatchObject(UNREACHABLE);
    expect(requests).toEqual(['POST /api/customers']);
  });

  test('is reported as a KontorError even if the response is an error page of a proxy', async () => {
    responses = [begun(502, cutOff, { 'content-type': 'text/html' })];
    await expect(data(client().api.GET('/api/auth/me'))).rejects.toMatchObject(UNREACHABLE);
  });

  test('makes the client repeat a sign-in', async () => {
    const tokens: Respond = (response) => {
      response.writeHead(201, JSON_HEADERS).end('{"data":{"accessToken":"a","refreshToken":"r","expiresIn":900}}');
    };
    responses = [begun(201, cutOff), tokens, profile];
    const credentials = { email: 'ada@books.example', password: 'secret' };
    const office = new KontorClient({ url, credentials, maxPauseMs: 1 });
    expect(await data(office.api.GET('/api/auth/me'))).toEqual({ name: 'Ada' });
    expect(requests).toEqual(['POST /api/auth/login', 'POST /api/auth/login', 'GET /api/auth/me']);
  });
});

describe('A JSON response that stops in the middle', () => {
  test('is treated as lost after the timeout', async () => {
    responses = [begun(200, stall), profile];
    expect(await data(client(1_000).api.GET('/api/auth/me'))).toEqual({ name: 'Ada' });
    responses = [begun(200, stall)];
    await expect(data(client(100).api.GET('/api/auth/me'))).rejects.toMatchObject(UNREACHABLE);
  });

  test('is no longer awaited after the request is aborted', async () => {
    const calling = new AbortController();
    responses = [
      begun(200, () => {
        calling.abort();
      }),
    ];
    const read = client().api.GET('/api/auth/me', { signal: calling.signal });
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(1);
  });
});

describe('Other responses', () => {
  test.each(['text/csv; charset=utf-8', 'application/octet-stream', 'text/event-stream; charset=utf-8'])(
    'of type %s remain streams, which may take longer than the timeout',
    async (type) => {
      let begunResponse: ServerResponse | undefined;
      responses = [
        (response) => {
          begunResponse = response;
          response.writeHead(200, { 'content-type': type }).write('first,');
        },
      ];
      const query = { pageNumber: 1, pageSize: 1 };
      const asked = client(2_000).api.GET('/api/customers', { params: { query }, parseAs: 'stream' });
      const body = (await whole(asked)) as unknown as ReadableStream<Uint8Array>;
      // The rest is sent only now. A client that reads the whole body first would reach the timeout.
      begunResponse?.end('second');
      expect(await text(body)).toBe('first,second');
      expect(requests).toHaveLength(1);
    },
  );

  test('without a body are returned as they are', async () => {
    responses = [(response) => response.writeHead(204, JSON_HEADERS).end()];
    const { response } = await client().api.DELETE('/api/customers/{id}', { params: { path: { id: 'x' } } });
    expect([response.status, await response.text()]).toEqual([204, '']);
  });
});
