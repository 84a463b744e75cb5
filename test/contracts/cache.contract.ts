import { type Cache, CacheUnavailable } from '../../src/ports/cache.js';

export type CacheUnderTest = {
  /** The cache under test. It initially contains no entries and no counters. */
  readonly cache: Cache;
  /** Lets time pass for the cache: advances the cache's clock, or waits if it uses a server's clock. */
  readonly wait: (ms: number) => Promise<void>;
  /** Time on the wall clock that determines when the windows of the cache end. */
  readonly nowMs: () => number;
  /** Called after each test, when the cache may already be closed. */
  readonly dispose: () => Promise<void>;
};

const MINUTE_MS = 60_000;

/** Declares tests of the guarantees that every Cache adapter must provide. */
export function cacheContract(name: string, open: () => Promise<CacheUnderTest>): void {
  describe(`${name} as a cache`, () => {
    let under: CacheUnderTest;
    let cache: Cache;
    beforeEach(async () => {
      under = await open();
      cache = under.cache;
    });
    afterEach(() => under.dispose());

    const fill = async (keys: readonly string[]): Promise<void> => {
      for (const key of keys) await cache.set(key, `value of ${key}`, MINUTE_MS);
    };
    const present = async (keys: readonly string[]): Promise<string[]> => {
      const values = await Promise.all(keys.map((key) => cache.get(key)));
      return keys.filter((_key, index) => values[index] !== undefined);
    };

    describe('entries', () => {
      test('are found until they are cleared', async () => {
        expect(await cache.get('a')).toBeUndefined();
        await cache.set('a', '{"name":"Zoë 🧾"}', MINUTE_MS);
        expect(await cache.get('a')).toBe('{"name":"Zoë 🧾"}');
        expect(await cache.clear('a')).toBe(1);
        expect(await cache.get('a')).toBeUndefined();
        expect(await cache.clear('a')).toBe(0);
      });

      test('can hold an empty string', async () => {
        await cache.set('empty', '', MINUTE_MS);
        expect(await cache.get('empty')).toBe('');
      });

      test('disappear when their lifetime is over', async () => {
        await cache.set('short', 'x', 600);
        await cache.set('long', 'x', MINUTE_MS);
        expect(await present(['short', 'long'])).toEqual(['short', 'long']);
        await under.wait(800);
        expect(await present(['short', 'long'])).toEqual(['long']);
      });

      test('get a new value and a new lifetime when they are set again', async () => {
        await cache.set('a', 'old', 600);
        await cache.set('a', 'new', MINUTE_MS);
        await under.wait(800);
        expect(await cache.get('a')).toBe('new');
      });

      test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
        'cannot have a lifetime of %d ms',
        async (ttlMs) => {
          await expect(cache.set('a', 'x', ttlMs)).rejects.toBeInstanceOf(RangeError);
          expect(await cache.get('a')).toBeUndefined();
        },
      );

      test.each(['__proto__', 'constructor', 'hasOwnProperty'])('can have the key %s', async (key) => {
        expect(await cache.get(key)).toBeUndefined();
        await cache.set(key, 'x', MINUTE_MS);
        expect(await cache.get(key)).toBe('x');
        expect((await cache.hit(key, MINUTE_MS)).count).toBe(1);
      });
    });

    describe('clearing', () => {
      const keys = [
        'customers:1',
        'customers:12',
        'customers:x',
        'accounts:1',
        'a*b',
        'a[b',
        'back\\slash',
        'line\nbreak',
      ];

      test.each<[string, readonly string[]]>([
        ['*', keys],
        ['', []],
        ['customers:*', ['customers:1', 'customers:12', 'customers:x']],
        ['*:1', ['customers:1', 'accounts:1']],
        ['customers:?', ['customers:1', 'customers:x']],
        ['customers:??', ['customers:12']],
        ['customers:[0-9]', ['customers:1']],
        ['customers:[9-0]', ['customers:1']],
        ['customers:[^0-9]', ['customers:x']],
        ['customers:[xyz]', ['customers:x']],
        ['*[12]', ['customers:1', 'customers:12', 'accounts:1']],
        ['c**s*:*1*', ['customers:1', 'customers:12']],
        ['a\\*b', ['a*b']],
        ['a\\[b', ['a[b']],
        ['a[*]b', ['a*b']],
        ['a[\\[]b', ['a[b']],
        ['back\\\\slash', ['back\\slash']],
        ['line?break', ['line\nbreak']],
        ['CUSTOMERS:*', []],
        ['customers', []],
        ['.*', []],
      ])('removes what matches %j and nothing else', async (pattern, expected) => {
        await fill(keys);
        expect(await cache.clear(pattern)).toBe(expected.length);
        expect(await present(keys)).toEqual(keys.filter((key) => !expected.includes(key)));
      });

      test('never touches counters', async () => {
        await cache.hit('login:eve', MINUTE_MS);
        await cache.set('login:eve', 'cached', MINUTE_MS);
        expect(await cache.clear('*')).toBe(1);
        expect((await cache.hit('login:eve', MINUTE_MS)).count).toBe(2);
      });

      test('takes the same time for any pattern', async () => {
        await fill(Array.from({ length: 200 }, (_, index) => `${'a'.repeat(200)}${index}`));
        const startMs = performance.now();
        expect(await cache.clear(`${'*a'.repeat(60)}*b`)).toBe(0);
        expect(await cache.clear(`${'a*'.repeat(60)}[b-`)).toBe(0);
        expect(performance.now() - startMs).toBeLessThan(2_000);
      });
    });

    describe('counters', () => {
      test('count every hit of a window that starts with the first one', async () => {
        const first = await cache.hit('k', MINUTE_MS);
        expect(first.count).toBe(1);
        expect(Math.abs(first.resetAtMs - under.nowMs() - MINUTE_MS)).toBeLessThan(2_000);
        await under.wait(30);
        const second = await cache.hit('k', MINUTE_MS);
        expect(second.count).toBe(2);
        expect(Math.abs(second.resetAtMs - first.resetAtMs)).toBeLessThanOrEqual(20);
      });

      test('restart when the window is over, however many hits it had', async () => {
        for (let hit = 1; hit <= 5; hit++) expect((await cache.hit('k', 1_000)).count).toBe(hit);
        await under.wait(600);
        await cache.hit('k', 1_000);
        await under.wait(600);
        expect((await cache.hit('k', 1_000)).count).toBe(1);
      });

      test('are separate from each other and from entries', async () => {
        await cache.hit('a', MINUTE_MS);
        await cache.set('b', 'x', MINUTE_MS);
        await cache.clear('a');
        expect((await cache.hit('a', MINUTE_MS)).count).toBe(2);
        expect((await cache.hit('b', MINUTE_MS)).count).toBe(1);
        expect(await cache.get('a')).toBeUndefined();
        expect(await cache.get('b')).toBe('x');
      });

      test('give each of many concurrent hits a distinct number', async () => {
        const counts = await Promise.all(Array.from({ length: 200 }, () => cache.hit('k', MINUTE_MS)));
        expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 200 }, (_, index) => index + 1),
        );
      });

      test('count several hits at once, and take hits back without changing the end of the window', async () => {
        const first = await cache.hit('k', MINUTE_MS, 5);
        expect(first.count).toBe(5);
        await under.wait(30);
        const second = await cache.hit('k', MINUTE_MS, -2);
        expect(second.count).toBe(3);
        expect(Math.abs(second.resetAtMs - first.resetAtMs)).toBeLessThanOrEqual(20);
        expect((await cache.hit('k', MINUTE_MS)).count).toBe(4);
      });

      test('never fall below 0', async () => {
        await cache.hit('k', MINUTE_MS, 2);
        expect((await cache.hit('k', MINUTE_MS, -5)).count).toBe(0);
        expect((await cache.hit('k', MINUTE_MS, -1)).count).toBe(0);
        expect((await cache.hit('k', MINUTE_MS)).count).toBe(1);
      });

      test('do not start a window when hits are taken back', async () => {
        expect((await cache.hit('k', 1_000, -1)).count).toBe(0);
        await under.wait(600);
        expect((await cache.hit('k', 1_000)).count).toBe(1);
        await under.wait(600);
        expect((await cache.hit('k', 1_000)).count).toBe(2);
        await under.wait(600);
        expect((await cache.hit('k', 1_000, -1)).count).toBe(0);
        expect((await cache.hit('k', 1_000)).count).toBe(1);
      });

      test('lose none of many hits that are counted and taken back concurrently', async () => {
        await Promise.all(Array.from({ length: 200 }, (_, index) => cache.hit('k', MINUTE_MS, index % 2 ? 3 : 1)));
        await Promise.all(Array.from({ length: 100 }, () => cache.hit('k', MINUTE_MS, -3)));
        expect((await cache.hit('k', MINUTE_MS)).count).toBe(101);
      });

      test.each([0, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('cannot be hit %d times', async (by) => {
        await expect(cache.hit('k', MINUTE_MS, by)).rejects.toBeInstanceOf(RangeError);
      });

      test.each([0, -5, 0.5, Number.NaN])('cannot have a window of %d ms', async (windowMs) => {
        await expect(cache.hit('k', windowMs)).rejects.toBeInstanceOf(RangeError);
      });
    });

    describe('status', () => {
      test('reports the number of entries and the hit rate of look-ups', async () => {
        expect(await cache.status()).toMatchObject({ connected: true, keyCount: 0, hitRate: null });
        await fill(['a', 'b']);
        await present(['a', 'b', 'c', 'd']);
        const status = await cache.status();
        expect(status).toMatchObject({ connected: true, keyCount: 2, hitRate: 0.5 });
        expect(status.latencyMs).toBeGreaterThanOrEqual(0);
        expect(status.uptimeSeconds).toBeGreaterThanOrEqual(0);
        expect(status.usedMemoryBytes).toBeGreaterThan(0);
      });

      test('reports its engine until it is closed', async () => {
        const { engine, version } = await cache.facts();
        expect(engine).toBe((await cache.status()).store);
        expect(version).toBe((await cache.status()).version);
        await cache.close();
        await expect(cache.facts()).rejects.toBeInstanceOf(CacheUnavailable);
      });

      test('is not connected after closing, when counting is rejected and nothing is found', async () => {
        await fill(['a']);
        await cache.close();
        await cache.close();
        expect(await cache.status()).toMatchObject({ connected: false });
        await expect(cache.hit('k', MINUTE_MS)).rejects.toBeInstanceOf(CacheUnavailable);
        await cache.set('a', 'x', MINUTE_MS);
        expect(await cache.get('a')).toBeUndefined();
      });
    });
  });
}
