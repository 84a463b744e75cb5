import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { Redis } from 'ioredis';
import { RedisCache, type RedisCacheOptions } from '../../src/adapters/redis/cache.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { CacheUnavailable } from '../../src/ports/cache.js';
import { silentLogger, type Logger } from '../../src/ports/log.js';
import { cacheContract } from '../contracts/cache.contract.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ManualClock } from '../support/manual-clock.js';
import { redisRecipe, redisRecipeWith } from '../support/redis-server.js';
import { ServerProcess } from '../support/server-process.js';

// The tests use the server at REDIS_URL, or start one. They use unique key prefixes, and remove all of their keys at
// the end.
const MINUTE_MS = 60_000;
const PATIENCE_MS = 15_000;
const run = `kontor-test-${randomUUID()}`;
const clock = new SystemClock();
let own: ServerProcess | undefined;
let url = process.env['REDIS_URL'] ?? '';
let made = 0;
const freshPrefix = (): string => `${run}:${(made += 1)}:`;

beforeAll(async () => {
  if (url === '') {
    own = await ServerProcess.start(redisRecipe);
    url = own.url;
  }
  const cache = await ready(open({ url }));
  const { version } = await cache.status();
  process.stdout.write(`Redis ${String(version)} (${own ? 'started for the tests' : 'of REDIS_URL'})\n`);
  await cache.close();
});
afterAll(async () => {
  if (own) return own.dispose();
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `${run}*`, count: 1_000 }) as AsyncIterable<string[]>) {
    if (keys.length > 0) await redis.unlink(...keys);
  }
  redis.disconnect();
});

type Given = Partial<RedisCacheOptions> & { readonly url: string };
const opened: (RedisCache | FaultProxy)[] = [];
async function proxyTo({ port }: ServerProcess): Promise<FaultProxy & { readonly url: string }> {
  const proxy = await FaultProxy.start({ port });
  opened.push(proxy);
  return Object.assign(proxy, { url: `redis://127.0.0.1:${proxy.port}` });
}
function open(given: Given): RedisCache {
  const cache = RedisCache.open({ clock, logger: silentLogger, prefix: freshPrefix(), ...given });
  opened.push(cache);
  return cache;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`${what} was not met in time`);
    await clock.sleep(10);
  }
}
async function ready(cache: RedisCache): Promise<RedisCache> {
  await until(() => cache.isReady, 'being connected');
  return cache;
}
const elapsedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
};
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );
const isAnswered = async (cache: RedisCache): Promise<boolean> =>
  !((await refusal(cache.hit('k', MINUTE_MS))) instanceof CacheUnavailable);
/** Creates a logger that keeps its messages. */
function listener(): { logger: Logger; said: string[] } {
  const said: string[] = [];
  const say = (fields: object, message: string): void => {
    said.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { said, logger: { info: say, warn: say, error: say } };
}

cacheContract('Redis', async () => {
  const cache = await ready(open({ url }));
  return { cache, wait: (ms) => clock.sleep(ms), nowMs: () => clock.nowMs(), dispose: () => cache.close() };
});

describe('Caches in one Redis', () => {
  test('share a window: a thousand hits across both count to a thousand, each with a distinct number', async () => {
    const prefix = freshPrefix();
    const caches = await Promise.all([open({ url, prefix }), open({ url, prefix })].map(ready));
    const halves = caches.map((cache) => Array.from({ length: 500 }, () => cache.hit('partner', MINUTE_MS)));
    const windows = await Promise.all(halves.flat());
    expect(windows.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    );
    const ends = windows.map(({ resetAtMs }) => resetAtMs);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(1_000);
  });

  test('are separate from caches with another prefix, even when they are cleared completely', async () => {
    const [one, other] = await Promise.all(
      [open({ url }), open({ url, prefix: `${freshPrefix()}[a-z]*?\\` })].map(ready),
    );
    await one?.set('a', 'one', MINUTE_MS);
    await other?.set('a', 'other', MINUTE_MS);
    await other?.hit('a', MINUTE_MS);
    expect((await other?.status())?.keyCount).toBe(1);
    expect(await other?.clear('*')).toBe(1);
    expect(await one?.get('a')).toBe('one');
    expect((await other?.hit('a', MINUTE_MS))?.count).toBe(2);
  });

  test('clear thousands of entries in steps', async () => {
    const cache = await ready(open({ url }));
    const keys = Array.from({ length: 5_000 }, (_, index) => `key-${index}`);
    await Promise.all(keys.map((key) => cache.set(key, 'x', MINUTE_MS)));
    expect((await cache.status()).keyCount).toBe(5_000);
    expect(await cache.clear('key-*[05]')).toBe(1_000);
    expect((await cache.status()).keyCount).toBe(4_000);
  });

  test('do not return the old value of an entry whose new value is too large to keep', async () => {
    const cache = await ready(open({ url }));
    await cache.set('a', 'old', MINUTE_MS);
    await cache.set('a', 'x'.repeat(2_097_153), MINUTE_MS);
    expect(await cache.get('a')).toBeUndefined();
    await cache.set('k'.repeat(513), 'x', MINUTE_MS);
    expect((await cache.status()).keyCount).toBe(0);
  });

  test('count keys of any length separately', async () => {
    const cache = await ready(open({ url }));
    const long = 'k'.repeat(100_000);
    await cache.hit(`${long}a`, MINUTE_MS);
    expect((await cache.hit(`${long}b`, MINUTE_MS)).count).toBe(1);
    expect((await cache.hit(`${long}a`, MINUTE_MS)).count).toBe(2);
  });

  test('report which server they use', async () => {
    const status = await (await ready(open({ url }))).status();
    expect(status).toMatchObject({ store: 'redis', connected: true });
    expect(status.version).toMatch(/^\d+\.\d+/);
  });
});

describe('A Redis cache with a dedicated server', () => {
  let server: ServerProcess;
  let direct: Redis;
  beforeEach(async () => {
    server = await ServerProcess.start(redisRecipe);
    direct = new Redis(server.url, { retryStrategy: () => 50, disconnectTimeout: 50 });
    direct.on('error', () => undefined);
  });
  afterEach(async () => {
    direct.disconnect();
    await server.dispose();
  });

  test('loads its script again when the server has lost it, and counts the hit once', async () => {
    const cache = await ready(open({ url: server.url }));
    await cache.hit('k', MINUTE_MS);
    await cache.hit('k', MINUTE_MS);
    await direct.script('FLUSH');
    expect((await cache.hit('k', MINUTE_MS)).count).toBe(3);
  });

  test('sets a new expiry on a counter that has none', async () => {
    const cache = await ready(open({ url: server.url, prefix: 'p:' }));
    await cache.hit('k', MINUTE_MS);
    await direct.persist('p:count:k');
    const { count, resetAtMs } = await cache.hit('k', MINUTE_MS);
    expect(count).toBe(2);
    expect(Math.abs(resetAtMs - clock.nowMs() - MINUTE_MS)).toBeLessThan(2_000);
    expect(await direct.pttl('p:count:k')).toBeGreaterThan(0);
  });

  test('that cannot be reached reports it without the address', async () => {
    const cache = open({ url: `redis://127.0.0.1:1` });
    await until(() => /ECONNREFUSED the server/.test(cache.fault()?.reason ?? ''), 'the reason');
    expect(cache.fault()?.reason).not.toMatch(/127\.0\.0\.1/);
  });

  test('reports an error reply without the key or the value', async () => {
    const cache = await ready(open({ url: server.url, prefix: 'p:' }));
    await direct.set('p:count:secret-key', 'secret-value');
    const error = await refusal(cache.hit('secret-key', MINUTE_MS));
    expect(error).toBeInstanceOf(CacheUnavailable);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/secret/);
  });

  test('does not use a server without encryption if the address requires it', async () => {
    const { logger, said } = listener();
    const cache = open({ url: server.url.replace('redis:', 'rediss:'), logger });
    await until(() => said.length > 0, 'saying so');
    expect(cache.isReady).toBe(false);
    expect(await refusal(cache.hit('k', MINUTE_MS))).toBeInstanceOf(CacheUnavailable);
  });

  test('opens without the server, responds at once as unavailable, and works when the server starts', async () => {
    await server.stop();
    const cache = open({ url: server.url });
    const tookMs = await elapsedMs(async () => {
      expect(await cache.get('a')).toBeUndefined();
      await cache.set('a', 'x', MINUTE_MS);
      expect(await refusal(cache.hit('k', MINUTE_MS))).toBeInstanceOf(CacheUnavailable);
      expect(await refusal(cache.clear('*'))).toBeInstanceOf(CacheUnavailable);
      expect(await cache.status()).toMatchObject({ store: 'redis', connected: false, keyCount: 0 });
    });
    expect(tookMs).toBeLessThan(250);
    await server.start();
    await ready(cache);
    expect((await cache.hit('k', MINUTE_MS)).count).toBe(1);
  });

  test.each<['stopped' | 'killed', () => Promise<void>]>([
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
  ])('refuses at once while the server is %s, and works again by itself', async (_how, end) => {
    const cache = await ready(open({ url: server.url }));
    await cache.hit('k', MINUTE_MS);
    await end();
    await until(() => !cache.isReady, 'being away');
    const refusals = await Promise.all(
      Array.from({ length: 1_000 }, () => elapsedMs(() => refusal(cache.hit('k', MINUTE_MS)))),
    );
    expect(refusals.sort((a, b) => a - b)[500]).toBeLessThan(50);
    expect(await refusal(cache.hit('k', MINUTE_MS))).toBeInstanceOf(CacheUnavailable);
    await server.start();
    await ready(cache);
    await cache.set('a', 'x', MINUTE_MS);
    expect(await cache.get('a')).toBe('x');
  });

  test('waits for a hanging server no longer than its timeout, then rejects calls immediately until the server responds', async () => {
    const cache = await ready(open({ url: server.url, commandTimeoutMs: 300 }));
    await server.hang();
    try {
      const firstMs = await elapsedMs(() => refusal(cache.hit('k', MINUTE_MS)));
      expect(firstMs).toBeLessThan(5_000);
      await until(() => !cache.isReady, 'giving it up');
      for (let call = 0; call < 5; call += 1) {
        // Meanwhile, the client keeps trying to reconnect.
        await clock.sleep(150);
        const laterMs = await elapsedMs(async () => {
          expect(await refusal(cache.hit('k', MINUTE_MS))).toBeInstanceOf(CacheUnavailable);
        });
        expect(laterMs).toBeLessThan(150);
      }
    } finally {
      server.resume();
    }
    await ready(cache);
    expect((await cache.hit('other', MINUTE_MS)).count).toBe(1);
  });

  test('fails pending calls at once when the connection breaks', async () => {
    const proxy = await proxyTo(server);
    const cache = await ready(open({ url: proxy.url, commandTimeoutMs: 12_000 }));
    proxy.hang();
    const underWay = Array.from({ length: 100 }, () => refusal(cache.hit('k', MINUTE_MS)));
    const tookMs = await elapsedMs(async () => {
      proxy.reset();
      for (const error of await Promise.all(underWay)) expect(error).toBeInstanceOf(CacheUnavailable);
    });
    expect(tookMs).toBeLessThan(6_000);
  });

  test('never sends a hit twice: answered and unanswered hits together bound the count', async () => {
    const proxy = await proxyTo(server);
    const cache = await ready(open({ url: proxy.url }));
    let answered = 0;
    let tried = 0;
    for (let round = 0; round < 10; round += 1) {
      await until(() => cache.isReady);
      const hits = Array.from({ length: 200 }, () => cache.hit('k', MINUTE_MS));
      tried += hits.length;
      if (round % 2 === 0) proxy.reset();
      else proxy.cutAfter(37 * round + 11);
      const outcomes = await Promise.allSettled(hits);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') answered += 1;
        else expect(outcome.reason).toBeInstanceOf(CacheUnavailable);
      }
    }
    await proxy.pass();
    await until(() => cache.isReady);
    const { count } = await cache.hit('k', MINUTE_MS);
    expect(count).toBeGreaterThan(answered);
    expect(count).toBeLessThanOrEqual(tried + 1);
  });

  test('treats a truncated reply as missing, and never as the reply to another call', async () => {
    const proxy = await proxyTo(server);
    const cache = await ready(open({ url: proxy.url }));
    const value = (index: number): string => `${index}:`.repeat(300);
    for (let index = 0; index < 20; index += 1) await cache.set(`key-${index}`, value(index), MINUTE_MS);
    let missed = 0;
    for (const bytes of [1, 5, 100, 1_500, 4_000]) {
      await until(() => cache.isReady);
      proxy.cutAfter(bytes);
      const found = await Promise.all(Array.from({ length: 20 }, (_, index) => cache.get(`key-${index}`)));
      for (const [index, text] of found.entries()) {
        if (text === undefined) missed += 1;
        else expect(text).toBe(value(index));
      }
    }
    expect(missed).toBeGreaterThan(0);
    await until(() => cache.isReady);
    expect(await cache.get('key-7')).toBe(value(7));
  });

  test('works over a slow connection, and gives up on one slower than its timeout', async () => {
    const proxy = await proxyTo(server);
    const cache = await ready(open({ url: proxy.url, commandTimeoutMs: 1_000 }));
    proxy.slow(20);
    expect(await elapsedMs(() => cache.hit('k', MINUTE_MS))).toBeGreaterThanOrEqual(38);
    proxy.slow(5_000);
    const startMs = performance.now();
    expect(await refusal(cache.hit('k', MINUTE_MS))).toBeInstanceOf(CacheUnavailable);
    expect(performance.now() - startMs).toBeLessThan(4_000);
    await proxy.pass();
    await until(() => isAnswered(cache), 'being answered');
  });

  test('rejects excess calls to keep its memory bounded while replies are missing', async () => {
    const proxy = await proxyTo(server);
    const cache = await ready(open({ url: proxy.url, commandTimeoutMs: 5_000 }));
    proxy.hang();
    const outcomes = { refused: 0 };
    const hits = Array.from({ length: 30_000 }, () =>
      cache.hit('k', MINUTE_MS).catch(() => {
        outcomes.refused += 1;
      }),
    );
    await clock.sleep(50);
    expect(outcomes.refused).toBeGreaterThanOrEqual(20_000);
    const large = 'x'.repeat(2_000_000);
    const before = process.memoryUsage();
    for (let index = 0; index < 500; index += 1) void cache.set(`k-${index}`, large, MINUTE_MS);
    await clock.sleep(50);
    const after = process.memoryUsage();
    expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(300_000_000);
    await proxy.pass();
    await Promise.all(hits);
  });

  test('gives up on connections to an unresponsive port, one after another', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    let accepted = 0;
    silent.on('connection', () => (accepted += 1));
    const { port } = silent.address() as AddressInfo;
    const cache = open({ url: `redis://127.0.0.1:${port}`, commandTimeoutMs: 100 });
    await until(() => accepted >= 4, 'connecting again and again');
    const left = await promisify(silent.getConnections.bind(silent))();
    expect(left).toBeLessThanOrEqual(2);
    expect(cache.isReady).toBe(false);
    await cache.close();
    silent.close();
    await once(silent, 'close');
  });

  test('returns the same end of a window for each of its hits', async () => {
    const cache = await ready(open({ url: server.url }));
    const first = await cache.hit('k', MINUTE_MS);
    await clock.sleep(300);
    const second = await cache.hit('k', MINUTE_MS);
    expect(Math.abs(second.resetAtMs - first.resetAtMs)).toBeLessThanOrEqual(150);
  });

  test('is not connected after closing, even while the server is unavailable', async () => {
    const cache = await ready(open({ url: server.url }));
    await server.kill();
    expect(await elapsedMs(() => cache.close())).toBeLessThan(2_000);
    expect(await cache.status()).toMatchObject({ connected: false });
  });
});

describe('A Redis server with a password', () => {
  const secret = 'p@ss:word/%';
  let server: ServerProcess;
  beforeAll(async () => {
    server = await ServerProcess.start(redisRecipeWith(['--requirepass', secret]));
  });
  afterAll(() => server.dispose());
  const address = (password: string, database = ''): string =>
    `redis://default:${encodeURIComponent(password)}@127.0.0.1:${server.port}${database}`;

  /** Creates or changes a user whose password is the name. */
  const permit = async (user: string, ...rules: readonly string[]): Promise<void> => {
    const administrator = new Redis(address(secret), { maxRetriesPerRequest: 1 });
    try {
      await administrator.call('ACL', 'SETUSER', user, ...rules, 'on', `>${user}`);
    } finally {
      administrator.disconnect();
    }
  };
  const openAs = (user: string, given: Partial<RedisCacheOptions> = {}) =>
    ready(open({ url: `redis://${user}:${user}@127.0.0.1:${server.port}`, ...given }));

  test('is used with the password and the database in the URL', async () => {
    const [first, second] = await Promise.all(
      [open({ url: address(secret, '/1'), prefix: 'p:' }), open({ url: address(secret, '/2'), prefix: 'p:' })].map(
        ready,
      ),
    );
    await first?.set('a', 'first', MINUTE_MS);
    expect(await second?.get('a')).toBeUndefined();
    expect(await first?.get('a')).toBe('first');
  });

  test('is unavailable without the right password, and messages about it contain no password', async () => {
    const { logger, said } = listener();
    const cache = open({ url: address('wrong-secret'), logger });
    await until(() => said.length > 0, 'saying so');
    const error = await refusal(cache.hit('k', MINUTE_MS));
    expect(error).toBeInstanceOf(CacheUnavailable);
    expect(said.join()).toMatch(/WRONGPASS/);
    expect(cache.fault()).toMatchObject({ setting: 'REDIS_URL', reason: expect.stringMatching(/WRONGPASS/) as string });
    expect(said.join() + JSON.stringify([error, cache.fault()]) + String(error)).not.toMatch(/wrong-secret/);
  });

  test('causes an error that names the setting while the user lacks a required permission', async () => {
    await permit('limited', '~*', '+@all', '-scan');
    const manual = new ManualClock();
    const { logger, said } = listener();
    const cache = await openAs('limited', { logger, clock: manual });
    await expect(cache.clear('*')).rejects.toBeInstanceOf(CacheUnavailable);
    await expect(cache.clear('*')).rejects.toBeInstanceOf(CacheUnavailable);
    expect(cache.fault()).toMatchObject({
      setting: 'REDIS_URL',
      reason: expect.stringMatching(/NOPERM.*scan/i) as string,
    });
    expect(said.filter((line) => line.includes('NOPERM'))).toHaveLength(1);
    await permit('limited', '+scan');
    await manual.advance(60_000);
    expect(await cache.clear('*')).toBe(0);
    expect(cache.fault()).toBeUndefined();
  });

  test.each(['incrby', 'pttl', 'pexpire'])(
    'causes an error that names the setting if the user must not run %s, which only a script runs',
    async (command) => {
      await permit('lacking', 'reset', '~*', '+@all', `-${command}`);
      const cache = await openAs('lacking');
      await expect(cache.hit('k', MINUTE_MS)).rejects.toBeInstanceOf(CacheUnavailable);
      expect(cache.fault()?.setting).toBe('REDIS_URL');
    },
  );

  test('works for a user with exactly the documented permissions', async () => {
    const text = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const commands = /allow the commands `([A-Z ]+)`/.exec(text)?.[1]?.split(' ') ?? [];
    await permit('documented', '~kontor:*', ...commands.map((command) => `+${command.toLowerCase()}`));
    const cache = await openAs('documented', { prefix: 'kontor:' });
    await cache.set('a', 'first', MINUTE_MS);
    expect(await cache.get('a')).toBe('first');
    expect(await cache.hit('b', MINUTE_MS)).toMatchObject({ count: 1 });
    expect(await cache.clear('*')).toBe(1);
    expect(await cache.status()).toMatchObject({ connected: true });
    expect(cache.fault()).toBeUndefined();
  });

  test.each([
    'not an address',
    'http://127.0.0.1',
    'redis://:hidden@',
    'redis://:hidden@host/db',
    'redis://:hid%den@host',
  ])('cannot be at %j, and the error does not repeat it', (wrong) => {
    expect(() => RedisCache.open({ url: wrong, clock, logger: silentLogger })).toThrow(/^The Redis URL/);
    expect(() => RedisCache.open({ url: wrong, clock, logger: silentLogger })).not.toThrow(/hid/);
  });
});
