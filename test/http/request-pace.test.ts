import { fastify, type FastifyInstance } from 'fastify';
import type { Endpoint } from '../../src/http/endpoint.js';
import { countRequests } from '../../src/http/request-backpressure.js';

let server: FastifyInstance;
let underWay: number;
let most: number;
beforeEach(async () => {
  [underWay, most] = [0, 0];
  server = fastify();
  // Stands in for the admission check, which runs before the request counter.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.headers.authorization === undefined) void reply.code(401).send('no');
    else done();
  });
  countRequests(server, {
    requestBegins: () => (most = Math.max(most, (underWay += 1))),
    requestEnds: () => (underWay -= 1),
  });
  for (const shape of ['envelope', 'sse', 'file'] as const) {
    const endpoint = { answers: { status: 200, shape } } as Endpoint;
    server.get(`/${shape}`, { config: { endpoint } }, (_request, reply) => reply.send('yes'));
  }
  await server.ready();
});
afterEach(() => server.close());

const ask = async (path: string, isSignedIn = true): Promise<number> =>
  (await server.inject({ path, headers: isSignedIn ? { authorization: 'x' } : {} })).statusCode;

describe('Requests in progress', () => {
  test('are counted while they last', async () => {
    expect(await Promise.all([ask('/envelope'), ask('/envelope'), ask('/nothing')])).toEqual([200, 200, 404]);
    expect(most).toBeGreaterThan(0);
    expect(underWay).toBe(0);
  });

  test('are counted correctly when some are rejected', async () => {
    for (let n = 0; n < 5; n += 1) expect(await ask('/envelope', false)).toBe(401);
    expect([underWay, most]).toEqual([0, 0]);
  });

  test('exclude streams and downloads', async () => {
    expect([await ask('/sse'), await ask('/file')]).toEqual([200, 200]);
    expect([underWay, most]).toEqual([0, 0]);
  });
});
