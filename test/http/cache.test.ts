import type { QueueState } from '../../src/observability/queue-board.js';
import type { CacheStatus } from '../../src/ports/cache.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const REDIS = '/api/platform/redis';
const MINUTE_MS = 60_000;

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const cache = () => service.service.engines.cache;
const clear = (pattern: string): Promise<Reply> =>
  service.call('DELETE', `${REDIS}/cache/${encodeURIComponent(pattern)}`, { token: operator });
const fill = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await cache().set(key, 'x', MINUTE_MS);
};
const present = async (...keys: readonly string[]): Promise<string[]> => {
  const found: string[] = [];
  for (const key of keys) if ((await cache().get(key)) !== undefined) found.push(key);
  return found;
};

describe('Clearing the cache', () => {
  test('removes entries that match the pattern and returns their number', async () => {
    // Removes the entries that the sign-in has cached.
    await clear('*');
    await fill('a:1', 'a:2', 'b:1');
    const reply = await clear('a:*');
    expect([reply.status, reply.data]).toEqual([200, { success: true, id: 'a:*', revision: -1, cleared: 2 }]);
    expect(Number(reply.headers['x-event-position'])).toBeGreaterThan(0);
    expect(await present('a:1', 'a:2', 'b:1')).toEqual(['b:1']);
    expect((await clear('a:*')).data).toMatchObject({ cleared: 0 });
    expect((await clear('*')).data).toMatchObject({ cleared: 1 });
  });

  test('supports globs: one character, classes and escapes', async () => {
    await fill('k1', 'k2', 'kx', 'k*', 'list/of/things', '50%');
    expect((await clear('k[0-9]')).data).toMatchObject({ cleared: 2 });
    expect((await clear('k\\*')).data).toMatchObject({ id: 'k\\*', cleared: 1 });
    expect((await clear('k?')).data).toMatchObject({ cleared: 1 });
    expect((await clear('list/*')).data).toMatchObject({ id: 'list/*', cleared: 1 });
    expect((await clear('50%')).data).toMatchObject({ id: '50%', cleared: 1 });
  });

  test('keeps rate limit counters: a partner over its limit stays limited', async () => {
    const partner = await service.createKey(books.tenant, { sourceId: 'eager' });
    await service.setRateLimit(partner.id, 1);
    let reply = await service.postSale(partner, saleOf('eager-1'));
    for (let tries = 0; tries < 200 && reply.status !== 429; tries += 1)
      reply = await service.postSale(partner, saleOf('eager-1'));
    expect(reply.status).toBe(429);
    expect((await clear('*')).status).toBe(200);
    expect((await clear('rate:*')).data).toMatchObject({ cleared: 0 });
    expect((await service.postSale(partner, saleOf('eager-1'))).status).toBe(429);
  });

  test('rejects a pattern one character over the limit', async () => {
    expect((await clear('x'.repeat(257))).told).toBe('400 VALIDATION_FAILED pattern');
    expect((await clear('x'.repeat(256))).data).toMatchObject({ cleared: 0 });
    expect((await service.call('DELETE', `${REDIS}/cache/`, { token: operator })).status).toBeGreaterThanOrEqual(400);
  });

  test('is not slowed down by malicious patterns', async () => {
    for (let n = 0; n < 200; n += 1) await fill(`${'a'.repeat(500)}${n}`);
    let worstMs = 0;
    let lastMs = performance.now();
    const watch = setInterval(() => {
      worstMs = Math.max(worstMs, performance.now() - lastMs);
      lastMs = performance.now();
    }, 1);
    expect((await clear(`${'*a'.repeat(127)}*b`)).data).toMatchObject({ cleared: 0 });
    clearInterval(watch);
    expect(worstMs).toBeLessThan(500);
    expect((await clear('a*')).data).toMatchObject({ cleared: 200 });
  });

  test('takes no body or query, and is available to operators only', async () => {
    const path = `${REDIS}/cache/nothing`;
    const options = { token: operator, body: { pattern: '*' } };
    expect((await service.call('DELETE', path, options)).told).toBe('400 VALIDATION_FAILED pattern');
    expect((await service.call('DELETE', `${path}?all=true`, { token: operator })).told).toBe(
      '400 VALIDATION_FAILED all',
    );
    expect((await service.call('DELETE', path, { token: books.tenant.token })).told).toBe('403 FORBIDDEN');
    expect((await service.call('DELETE', path)).told).toBe('401 UNAUTHENTICATED');
  });
});

test('The status shows the contents and the hit rate of the cache', async () => {
  await clear('*');
  await fill('a', 'b');
  await present('a', 'none');
  const { status, data } = await service.get(`${REDIS}/status`, operator);
  expect([status, data]).toEqual([
    200,
    {
      store: 'memory',
      connected: true,
      latencyMs: 0,
      version: null,
      uptimeSeconds: expect.any(Number) as number,
      usedMemoryBytes: expect.any(Number) as number,
      keyCount: 2,
      hitRate: expect.any(Number) as number,
    },
  ]);
  expect((data as CacheStatus).hitRate).toBeGreaterThan(0);
  expect((data as CacheStatus).hitRate).toBeLessThan(1);
  expect((await service.get(`${REDIS}/health`, operator)).data).toEqual({
    status: 'up',
    latencyMs: expect.any(Number) as number,
  });
});

describe('The queues', () => {
  const named = async (name: string): Promise<QueueState> => {
    const found = await service.queue(name);
    if (!found) throw new Error(`There is no queue ${name}.`);
    return found;
  };

  test('list all projections, all policies and the forwarder', async () => {
    const told = (await service.queues()).map(({ name, kind }) => `${kind} ${name}`);
    expect(told).toEqual(
      expect.arrayContaining(['projection transactions', 'policy booking', 'policy tenant-seeding']),
    );
    expect(told.filter((one) => one.startsWith('projection')).length).toBe(
      service.service.engines.progress.names.length,
    );
    expect(told.filter((one) => one.startsWith('forwarder'))).toEqual(['forwarder integration-events']);
    expect(new Set(told).size).toBe(told.length);
  });

  test('are at the head without lag when idle, and count their work', async () => {
    const before = await named('booking');
    await service.sell(books.partner, saleOf('counted-1'));
    await service.sell(books.partner, saleOf('counted-2'));
    const head = await service.quiet();
    await eventually(async () => (await service.queues()).every(({ lag }) => lag === 0), 10_000);
    for (const queue of await service.queues()) expect(queue).toMatchObject({ head, lag: 0, inFlight: 0 });
    const after = await named('booking');
    expect(after.perMinute - before.perMinute).toBe(2);
    expect(after.failures).toBe(before.failures);
    expect(Date.parse(after.lastProcessedAt ?? '')).toBeGreaterThan(service.clock.nowMs() - 30_000);
    expect((await named('transactions')).position).toBe(head);
    expect((await named('integration-events')).perMinute).toBeGreaterThanOrEqual(4);
  });

  test('are available to operators only', async () => {
    for (const path of ['status', 'queues', 'health']) {
      expect((await service.get(`${REDIS}/${path}`, books.tenant.token)).told).toBe('403 FORBIDDEN');
      expect((await service.get(`${REDIS}/${path}`)).told).toBe('401 UNAUTHENTICATED');
      expect((await service.get(`${REDIS}/${path}?x=1`, operator)).told).toBe('400 VALIDATION_FAILED x');
    }
  });
});

test('An unavailable cache is reported without failing; only clearing it fails', async () => {
  const other = await TestService.start();
  const token = await other.operator();
  await other.service.engines.cache.close();
  expect((await other.get(`${REDIS}/status`, token)).data).toMatchObject({ connected: false });
  const health = await other.get(`${REDIS}/health`, token);
  expect([health.status, health.data]).toEqual([200, { status: 'down', latencyMs: expect.any(Number) as number }]);
  expect((await other.get(`${REDIS}/queues`, token)).status).toBe(200);
  await other.close();
});
