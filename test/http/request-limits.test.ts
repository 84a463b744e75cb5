import type { InjectOptions } from 'fastify';
import { TestService } from '../support/service.js';
import { ID, NOW_MS, startToy, type Toy } from './kernel.toys.js';

const LIMITS = { address: 100, user: 5, userWrites: 2, tenant: 8 };
const as = (token: string) => ({ authorization: `Bearer ${token}` });

describe('A signed-in caller', () => {
  let toy: Toy;
  beforeEach(async () => {
    toy = await startToy({ limits: LIMITS });
  });
  afterEach(() => toy.app.close());

  const ask = async (options: InjectOptions) => {
    const { statusCode: status, headers, body } = await toy.server.inject(options);
    return { status, headers, code: (JSON.parse(body) as { code?: string }).code };
  };
  const read = (token: string, url = '/api/wind') => ask({ url, headers: as(token) });
  const write = (token: string, payload = '{"name":"Red"}') =>
    ask({
      method: 'POST',
      url: '/api/kites',
      headers: { ...as(token), 'content-type': 'application/json' },
      payload,
    });
  const times = async <T>(count: number, act: () => Promise<T>): Promise<T[]> => {
    const made: T[] = [];
    for (let done = 0; done < count; done += 1) made.push(await act());
    return made;
  };

  test('gets the number of remaining requests with each response', async () => {
    const { status, headers } = await read('user');
    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '4',
        'x-ratelimit-reset': String(Math.ceil((NOW_MS + 29_500) / 1000)),
        'x-ratelimit-window': '60s',
        ratelimit: '"user";r=4;t=30, "tenant";r=7;t=30',
        'ratelimit-policy': '"user";q=5;w=60, "tenant";q=8;w=60',
      }),
    ]);
  });

  test('is rejected over the limit until the window ends, while others are served', async () => {
    expect((await times(5, () => read('user'))).map(({ status }) => status)).toEqual(Array(5).fill(200));
    const { status, code, headers } = await read('user');
    expect([status, code, headers['retry-after'], headers['x-ratelimit-remaining']]).toEqual([
      429,
      'RATE_LIMITED',
      '30',
      '0',
    ]);
    expect((await read('admin')).status).toBe(200);
    expect((await read('operator')).status).toBe(200);
  });

  test('uses up neither the limit of the tenant nor the other own limits while being rejected', async () => {
    await times(20, () => read('user'));
    expect((await times(3, () => read('admin'))).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('can still read after many rejected writes', async () => {
    await times(20, () => write('admin'));
    expect((await times(4, () => read('admin'))).map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });

  test('has a lower limit for writes than for reads', async () => {
    expect((await times(3, () => write('admin'))).map(({ status }) => status)).toEqual([201, 201, 429]);
    expect((await write('admin')).headers['x-ratelimit-limit']).toBe('2');
    expect((await read('admin')).status).toBe(200);
  });

  test('shares the limit of the tenant with its other users, unlike operators', async () => {
    await times(5, () => read('user'));
    expect((await times(4, () => read('admin'))).map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect((await read('none')).headers['x-ratelimit-limit']).toBe('8');
    expect((await times(6, () => read('operator'))).map(({ status }) => status)).toEqual([
      ...Array<number>(5).fill(200),
      429,
    ]);
  });

  test('is counted even if the permission, address or body is rejected', async () => {
    expect((await read('user', '/api/platform/winds')).headers['x-ratelimit-remaining']).toBe('4');
    expect((await read('user', '/api/unknown')).headers['x-ratelimit-remaining']).toBe('3');
    expect((await write('user', '{"name":')).headers['x-ratelimit-remaining']).toBe('1');
  });

  test('gets no rate limit headers without a valid token', async () => {
    expect((await read('stranger', `/api/kites/${ID}`)).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

test('an address is limited in signing in, refreshing sessions and opening the console', async () => {
  const environment = { ADDRESS_REQUESTS_PER_MINUTE: '5', TRUST_PROXY: 'true' };
  const service = await TestService.start({ environment });
  try {
    const post = async (path: string, address = '192.0.2.1') =>
      (await service.post(path, {}, undefined, { 'x-forwarded-for': address })).told;
    const told: string[] = [];
    for (const path of ['/api/auth/login', '/api/auth/refresh', '/console/session'])
      for (let time = 0; time < 2; time += 1) told.push((await post(path)).split(' ').slice(0, 2).join(' '));
    expect(told).toEqual([...Array<string>(5).fill('400 VALIDATION_FAILED'), '429 RATE_LIMITED']);
    expect(await post('/api/auth/login', '192.0.2.2')).toMatch('400');
    expect((await service.get('/livez', undefined, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
  } finally {
    await service.close();
  }
});
