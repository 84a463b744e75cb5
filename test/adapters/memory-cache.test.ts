import fc from 'fast-check';
import { MemoryCache, type MemoryCacheOptions } from '../../src/adapters/embedded/cache.js';
import { compileGlob, MAX_PATTERN_LENGTH } from '../../src/ports/glob-pattern.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { cacheContract } from '../contracts/cache.contract.js';
import { ManualClock } from '../support/manual-clock.js';

const MINUTE_MS = 60_000;

cacheContract('The cache in memory', () => {
  const clock = new ManualClock();
  const cache = new MemoryCache({ clock });
  return Promise.resolve({
    cache,
    wait: (ms) => clock.advance(ms),
    nowMs: () => clock.nowMs(),
    dispose: () => cache.close(),
  });
});

describe('The in-memory cache', () => {
  const open = (options: Partial<MemoryCacheOptions> = {}): { cache: MemoryCache; clock: ManualClock } => {
    const clock = new ManualClock();
    return { clock, cache: new MemoryCache({ clock, ...options }) };
  };

  test('reports its engine and uptime', async () => {
    const { cache, clock } = open();
    await clock.advance(61_500);
    expect(await cache.status()).toMatchObject({ store: 'memory', version: null, latencyMs: 0, uptimeSeconds: 61 });
  });

  test('evicts the least recently used entry when full', async () => {
    const { cache } = open({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await cache.set(key, key, MINUTE_MS);
    await cache.get('a');
    await cache.set('d', 'd', MINUTE_MS);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)))).toEqual(['a', undefined, 'c', 'd']);
    expect((await cache.status()).keyCount).toBe(3);
  });

  test('stays within its memory limit', async () => {
    const { cache } = open({ maxBytes: 100_000 });
    for (let index = 0; index < 500; index++) await cache.set(`key-${index}`, 'x'.repeat(1_000), MINUTE_MS);
    const { usedMemoryBytes, keyCount } = await cache.status();
    expect(usedMemoryBytes).toBeLessThanOrEqual(100_000);
    expect(keyCount).toBeGreaterThan(40);
    expect(await cache.get('key-499')).toBeDefined();
  });

  test('drops the old value of an entry whose new value is too large', async () => {
    const { cache } = open();
    await cache.set('a', 'old', MINUTE_MS);
    await cache.set('a', 'x'.repeat(3_000_000), MINUTE_MS);
    expect(await cache.get('a')).toBeUndefined();
  });

  test('rejects entries with overlong keys', async () => {
    const { cache } = open();
    await cache.set('k'.repeat(513), 'x', MINUTE_MS);
    expect((await cache.status()).keyCount).toBe(0);
  });

  test('bounds its counters without losing active ones', async () => {
    const { cache } = open({ maxCounters: 100 });
    await cache.hit('attacked', MINUTE_MS);
    for (let index = 0; index < 1_000; index++) {
      await cache.hit(`other-${index}`, MINUTE_MS);
      await cache.hit('attacked', MINUTE_MS);
    }
    expect((await cache.hit('attacked', MINUTE_MS)).count).toBe(1_002);
    expect((await cache.hit('other-0', MINUTE_MS)).count).toBe(1);
    const { usedMemoryBytes } = await cache.status();
    expect(usedMemoryBytes).toBeLessThan(100 * 40);
  });

  test('counts expired entries neither as stored nor as cleared', async () => {
    const { cache, clock } = open();
    await cache.set('a', 'x', 1_000);
    await cache.set('b', 'x', MINUTE_MS);
    await clock.advance(2_000);
    expect(await cache.clear('*')).toBe(1);
    await cache.set('c', 'x', 1_000);
    await clock.advance(2_000);
    expect((await cache.status()).keyCount).toBe(0);
  });

  test('is not affected when the wall clock is set back or forward', async () => {
    const { cache, clock } = open();
    await cache.set('a', 'x', 1_000);
    await cache.hit('k', 1_000);
    clock.jump(3_600_000);
    expect(await cache.get('a')).toBe('x');
    expect(await cache.hit('k', 1_000)).toEqual({ count: 2, resetAtMs: clock.nowMs() + 1_000 });
    clock.jump(-7_200_000);
    expect(await cache.hit('k', 1_000)).toEqual({ count: 3, resetAtMs: clock.nowMs() + 1_000 });
    await clock.advance(1_001);
    expect(await cache.get('a')).toBeUndefined();
    expect((await cache.hit('k', 1_000)).count).toBe(1);
  });

  test('does not block other work while clearing many keys by a malicious pattern', async () => {
    const cache = new MemoryCache({ clock: new SystemClock() });
    for (let index = 0; index < 1_000; index++) await cache.set(`${'a'.repeat(500)}${index}`, 'x', MINUTE_MS);
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 1);
    const startMs = performance.now();
    expect(await cache.clear(`*${'a'.repeat(250)}b`)).toBe(0);
    const elapsedMs = performance.now() - startMs;
    clearInterval(watch);
    // Compares the average duration, because a busy machine may delay any single turn.
    expect(elapsedMs / turns).toBeLessThan(25);
  });
});

describe('A glob', () => {
  /** Matches patterns with Redis's recursive algorithm, without character classes. It is slow but obviously correct. */
  const obvious = (pattern: string, text: string): boolean => {
    if (pattern === '') return text === '';
    const rest = pattern.slice(1);
    if (pattern.startsWith('*')) return obvious(rest, text) || (text !== '' && obvious(pattern, text.slice(1)));
    return text !== '' && (pattern.startsWith('?') || pattern[0] === text[0]) && obvious(rest, text.slice(1));
  };

  test('matches exactly what its definition specifies', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 10 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }),
        (pattern, text) => compileGlob(pattern)(text) === obvious(pattern, text),
      ),
      { numRuns: 3_000 },
    );
  });

  test('matches a text escaped character by character, and no other', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (text, other) => {
        const matches = compileGlob([...Array(text.length).keys()].map((at) => `\\${text.charAt(at)}`).join(''));
        return matches(text) && matches(other) === (text === other);
      }),
    );
  });

  test.each<[string, string, boolean]>([
    ['a[', 'a', false],
    ['a[', 'ab', false],
    ['a[b', 'ab', true],
    ['a[^b', 'ac', true],
    ['a[]', 'a', false],
    ['a[^]', 'ax', true],
    ['a[b-]', 'a-', false],
    ['a[b-', 'ab', true],
    ['a[b-', 'a-', true],
    ['a\\', 'a\\', true],
    ['[\\]]', ']', true],
    ['[a\\-c]', 'b', false],
    ['[a\\-c]', '-', true],
    [']', ']', true],
    ['**', '', true],
    ['?', '', false],
  ])('interprets the unusual pattern %j like Redis: on %j %j', (pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  test('rejects an overlong pattern', () => {
    expect(() => compileGlob('a'.repeat(MAX_PATTERN_LENGTH + 1))).toThrow(RangeError);
    expect(compileGlob('a'.repeat(MAX_PATTERN_LENGTH))('a'.repeat(MAX_PATTERN_LENGTH))).toBe(true);
  });
});
