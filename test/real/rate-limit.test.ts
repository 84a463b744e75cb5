import { setTimeout as delay } from 'node:timers/promises';
import { redisRecipe } from '../support/redis-server.js';
import type { Reply } from '../support/reply.js';
import { ServerProcess } from '../support/server-process.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

const LIMIT = 60;
const AWAY_MS = 3_000;
const WARNING = /the cache is unavailable: rate limits are not enforced/;
const HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-window',
  'ratelimit',
  'ratelimit-policy',
];

describe('A rate limit that is counted in Redis', () => {
  let server: ServerProcess;
  let service: TestService;
  let books: Books;
  let partner: TestKey;
  beforeAll(async () => {
    server = await ServerProcess.start(redisRecipe);
    process.stderr.write(`redis-server ${server.version}\n`);
    service = await TestService.start({ environment: { REDIS_URL: server.url } });
    books = await service.openBooks();
    partner = await service.createKey(books.tenant, { rateLimit: null });
  });
  afterAll(async () => {
    await service.close();
    await server.dispose();
  });

  let sent = 0;
  const push = (): Promise<Reply> => service.postSale(partner, saleOf(`limited-${(sent += 1)}`));
  const remaining = ({ headers }: Reply): number => Number(headers['x-ratelimit-remaining']);
  const warnings = (): number => service.complaints.filter((one) => WARNING.test(one)).length;

  test('fails open while Redis is unavailable, warns once a second, and counts again afterwards', async () => {
    expect(remaining(await push())).toBe(LIMIT - 1);
    expect(remaining(await push())).toBe(LIMIT - 2);
    await server.kill();
    const beganAtMs = performance.now();
    const replies: Reply[] = [];
    while (performance.now() - beganAtMs < AWAY_MS || replies.length <= LIMIT) replies.push(await push());
    const awaySeconds = (performance.now() - beganAtMs) / 1_000;
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    for (const { headers } of replies)
      for (const name of HEADERS) expect([name, headers[name]]).not.toContain(undefined);
    // Without Redis, the process's own count of remaining requests falls to zero, but the service must not reject any
    // requests.
    expect(replies.slice(0, 3).map(remaining)).toEqual([LIMIT - 1, LIMIT - 2, LIMIT - 3]);
    expect(Math.min(...replies.map(remaining))).toBe(0);
    expect(warnings()).toBeGreaterThanOrEqual(1);
    expect(warnings()).toBeLessThanOrEqual(Math.ceil(awaySeconds) + 1);

    await server.start();
    let reply = await push();
    for (let tries = 0; tries < 500 && reply.status !== 429; tries += 1) {
      await delay(10);
      reply = await push();
    }
    expect(reply.told).toBe('429 RATE_LIMITED');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(remaining(reply)).toBe(0);
  });
});
