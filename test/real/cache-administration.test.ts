import { Redis } from 'ioredis';
import type { QueueState } from '../../src/observability/queue-board.js';
import type { CacheStatus } from '../../src/ports/cache.js';
import { redisRecipe } from '../support/redis-server.js';
import type { Reply } from '../support/reply.js';
import { ServerProcess } from '../support/server-process.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const REDIS = '/api/platform/redis';

describe('The cache in Redis, for operators', () => {
  let server: ServerProcess;
  let service: TestService;
  let redis: Redis;
  let books: Books;
  let operator: string;
  beforeAll(async () => {
    server = await ServerProcess.start(redisRecipe);
    process.stderr.write(`redis-server ${server.version}\n`);
    redis = new Redis(server.url);
    redis.on('error', () => undefined);
    service = await TestService.start({ environment: { REDIS_URL: server.url } });
    books = await service.openBooks();
    operator = await service.operator();
  });
  afterAll(async () => {
    redis.disconnect();
    await service.close();
    await server.dispose();
  });

  const get = (path: string): Promise<Reply> => service.get(`${REDIS}/${path}`, operator);
  const clear = (pattern: string): Promise<Reply> =>
    service.call('DELETE', `${REDIS}/cache/${encodeURIComponent(pattern)}`, { token: operator });
  const queueNames = async (): Promise<string[]> =>
    ((await get('queues')).data as { queues: QueueState[] }).queues.map(({ name }) => name);

  test('is reported with its version and size', async () => {
    const { status, data } = await get('status');
    expect([status, data]).toMatchObject([200, { store: 'redis', connected: true, version: server.version }]);
    expect((data as CacheStatus).usedMemoryBytes).toBeGreaterThan(100_000);
    expect((await get('health')).data).toMatchObject({ status: 'up' });
  });

  test('is cleared by pattern, except counters and keys of other owners', async () => {
    const { cache } = service.service.engines;
    const partner = await service.createKey(books.tenant, { sourceId: 'counted' });
    await service.postSale(partner, saleOf('counted'));
    await redis.set('somebody:else', 'x');
    for (const key of ['mine:1', 'mine:2', 'mine:*']) await cache.set(key, 'x', 60_000);
    const before = await redis.dbsize();
    expect((await clear('mine:\\*')).data).toEqual({ success: true, id: 'mine:\\*', revision: -1, cleared: 1 });
    expect((await clear('mine:?')).data).toMatchObject({ cleared: 2 });
    // The number of cleared keys varies, because every replica rewrites its queue readings every two seconds.
    expect((await clear('*')).data).toMatchObject({ cleared: expect.any(Number) as number });
    expect(await redis.get('somebody:else')).toBe('x');
    expect((await redis.keys('kontor:count:*')).length).toBeGreaterThan(0);
    expect(await redis.dbsize()).toBeLessThan(before);
    expect((await clear('somebody*')).data).toMatchObject({ cleared: 0 });
    expect((await clear('count:*')).data).toMatchObject({ cleared: 0 });
  });

  test('shares the queues with other replicas', async () => {
    const known = await queueNames();
    const shared = async (): Promise<string[]> =>
      (await redis.keys('kontor:entry:queues:*')).map((key) => key.slice('kontor:entry:queues:'.length)).toSorted();
    for (let tries = 0; tries < 1_000 && (await shared()).length < known.length; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await shared()).toEqual(known.toSorted());
    for (const key of await redis.keys('kontor:entry:queues:*'))
      expect(await redis.pttl(key)).toBeLessThanOrEqual(10_000);
  });

  test('is reported as unavailable in bounded time, cannot be cleared meanwhile, and recovers automatically', async () => {
    await server.kill();
    const beganAtMs = performance.now();
    expect((await get('status')).data).toMatchObject({ store: 'redis', connected: false, version: null });
    const health = await get('health');
    expect([health.status, health.data]).toMatchObject([200, { status: 'down' }]);
    const cleared = await clear('*');
    expect([cleared.told, cleared.headers['retry-after']]).toEqual(['503 UNAVAILABLE', '1']);
    expect(cleared.text).not.toContain('127.0.0.1');
    expect(await queueNames()).toContain('booking');
    const ready = await service.get('/api/system/health/ready', operator);
    expect([ready.status, (ready.data as { status: string }).status]).toEqual([200, 'degraded']);
    expect(performance.now() - beganAtMs).toBeLessThan(15_000);
    await server.start();
    for (let tries = 0; tries < 1_000; tries += 1) {
      if ((await clear('*')).status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await get('health')).data).toMatchObject({ status: 'up' });
  });
});
