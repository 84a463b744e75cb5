import { MemoryCache } from '../../src/adapters/embedded/cache.js';
import { LoginThrottle, SECOND_FACTORS, SIGN_INS } from '../../src/commands/login-throttle.js';
import { DomainError } from '../../src/eventsourcing/domain-error.js';
import { Passwords } from '../../src/security/passwords.js';
import type { Logger } from '../../src/ports/log.js';
import { ManualClock } from '../support/manual-clock.js';
import type { Reply } from '../support/reply.js';
import { PASSWORD, TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const MINUTE_MS = 60_000;

describe('Failed sign-ins', () => {
  let clock: ManualClock;
  let cache: MemoryCache;
  let throttle: LoginThrottle;
  let said: string[];
  let attempts: number;
  beforeEach(() => {
    clock = new ManualClock();
    cache = new MemoryCache({ clock });
    said = [];
    attempts = 0;
    const logger: Logger = { info: () => undefined, error: () => undefined, warn: (_, message) => said.push(message) };
    throttle = new LoginThrottle(cache, clock, logger);
  });

  type Outcome = 'right' | 'wrong' | 'unavailable';
  /**
   * Makes an attempt and resolves with its outcome. A rejection includes the number of seconds until the next permitted
   * attempt.
   */
  const attempt = async (
    outcome: Outcome,
    account = 'ada',
    address = '10.0.0.1',
    limit?: typeof SIGN_INS,
  ): Promise<string> => {
    try {
      const make = () => {
        attempts += 1;
        if (outcome === 'unavailable') throw new DomainError('unavailable', 'UNAVAILABLE', 'Later.');
        return Promise.resolve(outcome === 'right' ? 'in' : undefined);
      };
      const result = await throttle.guard(account, address, make, limit);
      return result ?? 'wrong';
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { code, kind, details } = error;
      return kind === 'limited' ? `${code} ${details.retryAfterSeconds ?? ''}` : code;
    }
  };
  const times = async (count: number, ...given: Parameters<typeof attempt>): Promise<string[]> => {
    const outcomes: string[] = [];
    for (let time = 0; time < count; time += 1) outcomes.push(await attempt(...given));
    return [...new Set(outcomes)];
  };

  test.each<[string, () => Promise<string[]>]>([
    ['for the account from the same address', () => times(1, 'right')],
    ['again and again', () => times(20, 'wrong')],
  ])('are limited to ten, then none is tried %s', async (_, more) => {
    expect(await times(10, 'wrong')).toEqual(['wrong']);
    expect(await more()).toEqual(['RATE_LIMITED 900']);
    expect(attempts).toBe(10);
  });

  test('of one account affect neither other accounts nor other addresses', async () => {
    await times(10, 'wrong');
    expect(await attempt('right', 'eve')).toBe('in');
    expect(await attempt('right', 'ada', '10.0.0.2')).toBe('in');
  });

  test('expire 15 minutes after the first, regardless of later rejections', async () => {
    await attempt('wrong');
    await clock.advance(10 * MINUTE_MS);
    expect(await times(9, 'wrong')).toEqual(['wrong']);
    expect(await attempt('right')).toBe('RATE_LIMITED 300');
    await clock.advance(5 * MINUTE_MS - 1);
    expect(await attempt('right')).toBe('RATE_LIMITED 1');
    await clock.advance(1);
    expect(await attempt('right')).toBe('in');
  });

  test('are the only attempts that count, unlike successes, rejections and attempts that could not be made', async () => {
    expect(await times(9, 'wrong')).toEqual(['wrong']);
    expect(await times(50, 'right')).toEqual(['in']);
    expect(await times(50, 'unavailable')).toEqual(['UNAVAILABLE']);
    expect(await attempt('wrong')).toBe('wrong');
    expect(await times(200, 'right')).toEqual(['RATE_LIMITED 900']);
    expect(await attempt('right', 'eve')).toBe('in');
  });

  test('are limited to a hundred per address over all accounts', async () => {
    for (let account = 0; account < 20; account += 1)
      expect(await times(5, 'wrong', `account-${account}`)).toEqual(['wrong']);
    expect(await attempt('right', 'fresh')).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'account-3', '10.0.0.2')).toBe('in');
  });

  test('from an address do not lock out accounts that signed in from it before', async () => {
    expect(await attempt('right', 'ada')).toBe('in');
    for (let account = 0; account < 20; account += 1) await times(5, 'wrong', `account-${account}`);
    expect(await attempt('right', 'eve')).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'ada')).toBe('in');
    expect(await times(10, 'wrong', 'ada')).toEqual(['wrong']);
    expect(await attempt('right', 'ada')).toBe('RATE_LIMITED 900');
  });

  test('from an address are limited for all accounts that did not sign in from it in the same tenant', async () => {
    const at = (tenant?: string) => ({ ...SIGN_INS, tenant });
    expect(await attempt('right', 'ada', '10.0.0.1', at('decoys'))).toBe('in');
    for (let account = 0; account < 20; account += 1) await times(5, 'wrong', `account-${account}`);
    expect(await attempt('right', 'ada', '10.0.0.1', at('decoys'))).toBe('in');
    expect(await attempt('right', 'ada', '10.0.0.1', at('acme'))).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'ada')).toBe('RATE_LIMITED 900');
  });

  test('are limited per IPv6 network like one address, separately from other networks', async () => {
    const from = (host: number): string => `2001:db8:0:7::${host.toString(16)}`;
    for (let host = 0; host < 10; host += 1) expect(await attempt('wrong', 'ada', from(host))).toBe('wrong');
    expect(await attempt('right', 'ada', from(99))).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'ada', '2001:0db8::7:f:f:f:f')).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'ada', '2001:db8:0:8::1')).toBe('in');
    for (let host = 10; host < 100; host += 1)
      expect(await attempt('wrong', `account-${host}`, from(host))).toBe('wrong');
    expect(await attempt('right', 'fresh', from(100))).toBe('RATE_LIMITED 900');
    expect(await times(10, 'wrong', 'eve', '::ffff:10.0.0.9')).toEqual(['wrong']);
    expect(await attempt('right', 'eve', '10.0.0.9')).toBe('RATE_LIMITED 900');
  });

  test('cannot exceed the limit concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => attempt('wrong')));
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(10);
    expect(attempts).toBe(10);
    const others = await Promise.all(Array.from({ length: 150 }, (_, index) => attempt('wrong', `a-${index}`)));
    expect(others.filter((outcome) => outcome === 'wrong')).toHaveLength(90);
  });

  test('do not affect concurrent sign-ins with the right password', async () => {
    await times(9, 'wrong');
    const outcomes = await Promise.all(Array.from({ length: 25 }, () => attempt('right')));
    expect(new Set(outcomes)).toEqual(new Set(['in']));
    const others = await Promise.all(Array.from({ length: 100 }, (_, index) => attempt('right', `a-${index}`)));
    expect(new Set(others)).toEqual(new Set(['in']));
  });

  test('are limited in concurrency; attempts beyond the queue are rejected and not counted', async () => {
    let underWay = 0;
    let most = 0;
    const slow = (index: number): Promise<string | undefined> =>
      throttle.guard(`a-${index}`, `10.1.0.${index}`, async () => {
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return 'in';
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 450 }, (_, index) => slow(index)));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(46);
    expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable', details: { retryAfterSeconds: 1 } } });
    expect(most).toBe(4);
    expect(await slow(0)).toBe('in');
  });

  test('are counted across replicas', async () => {
    const other = new LoginThrottle(cache, clock, {
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    });
    await times(6, 'wrong');
    for (let time = 0; time < 4; time += 1) await other.guard('ada', '10.0.0.1', () => Promise.resolve(undefined));
    expect(await attempt('right')).toBe('RATE_LIMITED 900');
  });

  test('are counted per process while the cache is unavailable, which is logged once a second', async () => {
    await cache.close();
    expect(await times(5, 'right')).toEqual(['in']);
    expect(await times(10, 'wrong')).toEqual(['wrong']);
    expect(await attempt('right')).toBe('RATE_LIMITED 900');
    expect(await attempt('right', 'eve')).toBe('in');
    expect(said).toHaveLength(1);
    await clock.advance(15 * MINUTE_MS);
    expect(await attempt('right')).toBe('in');
    expect(said).toHaveLength(2);
  });

  test('of one account from changing addresses are delayed by seconds after the first ten', async () => {
    let address = 0;
    const strange = (outcome: Outcome): Promise<string> => attempt(outcome, 'ada', `10.5.0.${(address += 1)}`);
    const outcomes: string[] = [];
    for (let guess = 0; guess < 90; guess += 1) outcomes.push(await strange('wrong'));
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(11);
    const pauses: number[] = [];
    for (let guess = 0; guess < 7; guess += 1) {
      const [, seconds] = (await strange('wrong')).split(' ');
      pauses.push(Number(seconds));
      await clock.advance(Number(seconds) * 1_000);
      expect(await strange('wrong')).toBe('wrong');
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 16, 16]);
    expect(await strange('right')).toBe('RATE_LIMITED 16');
    expect(await attempt('right', 'eve', '10.5.0.1')).toBe('in');
    await clock.advance(16_000);
    expect(await strange('right')).toBe('in');
  });

  test('with wrong second factors from changing addresses are limited to thirty a day', async () => {
    let address = 0;
    const strange = (outcome: Outcome, limit?: typeof SECOND_FACTORS): Promise<string> =>
      attempt(outcome, limit ? 'factors of ada' : 'ada', `10.5.0.${(address += 1)}`, limit);
    expect(await attempt('right', 'factors of ada', '10.6.0.1', SECOND_FACTORS)).toBe('in');
    for (let guess = 0; guess < 30; guess += 1) {
      expect([guess, await strange('wrong', SECOND_FACTORS), await strange('wrong')]).toEqual([
        guess,
        'wrong',
        'wrong',
      ]);
      await clock.advance(16_000);
    }
    const secondsLeft = 86_400 - 30 * 16;
    expect(await strange('right', SECOND_FACTORS)).toBe(`RATE_LIMITED ${secondsLeft}`);
    expect(await strange('right')).toBe('in');
    expect(await attempt('right', 'factors of ada', '10.6.0.1', SECOND_FACTORS)).toBe('in');
    await clock.advance(secondsLeft * 1_000);
    expect(await strange('right', SECOND_FACTORS)).toBe('in');
  });

  test('from other addresses do not delay users at an address where they signed in before', async () => {
    expect(await attempt('right', 'ada', '10.6.0.1')).toBe('in');
    for (let address = 0; address < 30; address += 1) await attempt('wrong', 'ada', `10.5.0.${address}`);
    expect(await attempt('right', 'ada', '10.6.0.2')).toBe('RATE_LIMITED 1');
    expect(await times(5, 'right', 'ada', '10.6.0.1')).toEqual(['in']);
    expect(await times(9, 'wrong', 'ada', '10.6.0.1')).toEqual(['wrong']);
    expect(await attempt('right', 'ada', '10.6.0.1')).toBe('in');
  });

  test('store no readable address in the cache', async () => {
    const keys: string[] = [];
    cache.hit = (key) => {
      keys.push(key);
      return Promise.resolve({ count: 1, resetAtMs: clock.nowMs() });
    };
    await attempt('wrong', 'ada@acme.test', '192.0.2.77');
    expect(keys).toHaveLength(3);
    expect(keys.join()).not.toMatch(/ada|acme|192/);
  });
});

describe('Over HTTP', () => {
  const clock = new ShiftedClock();
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ clock, environment: { TRUST_PROXY: 'true' } });
  });
  afterAll(() => service.close());

  const login = (email: string, password: string, address: string): Promise<Reply> =>
    service.post('/api/auth/login', { email, password }, undefined, { 'x-forwarded-for': address });
  const verified = (): number => service.service.app.get(Passwords).verified;

  test('ten guesses per account are answered, however sent, whether the account exists or not', async () => {
    const { email } = await service.createTenant();
    for (const [index, account] of [email, 'nobody@kontor.test'].entries()) {
      const address = `10.2.0.${index}`;
      const before = verified();
      const spelled = (guess: number): string => (guess % 2 ? account.toUpperCase() : ` ${account}`);
      const guesses = Array.from({ length: 25 }, (_, guess) => login(spelled(guess), `guess ${guess}`, address));
      const told = (await Promise.all(guesses)).map((reply) => reply.told);
      expect(told.filter((each) => each === '401 UNAUTHENTICATED')).toHaveLength(10);
      expect(told.filter((each) => each === '429 RATE_LIMITED')).toHaveLength(15);
      expect(verified() - before).toBe(10);
      const refused = await login(account, PASSWORD, address);
      expect(refused.told).toBe('429 RATE_LIMITED');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    expect((await login(email, PASSWORD, '10.2.0.9')).status).toBe(200);
    clock.pass(15 * MINUTE_MS);
    expect((await login(email, PASSWORD, '10.2.0.0')).status).toBe(200);
  });

  test('twenty concurrent sign-ins with the right password succeed', async () => {
    const { email } = await service.createTenant();
    const replies = await Promise.all(Array.from({ length: 20 }, () => login(email, PASSWORD, '10.4.0.1')));
    expect(new Set(replies.map(({ told }) => told))).toEqual(new Set(['200']));
  });

  test('the current password cannot be guessed with a stolen session', async () => {
    const { email, token } = await service.createTenant();
    const change = (currentPassword: string, address = '10.3.0.1'): Promise<Reply> =>
      service.post('/api/auth/change-password', { currentPassword, newPassword: 'quite another' }, token, {
        'x-forwarded-for': address,
      });
    for (let guess = 0; guess < 10; guess += 1)
      expect((await change(`guess ${guess}`)).told).toBe('400 VALIDATION_FAILED currentPassword');
    const refused = await change(PASSWORD);
    expect(refused.told).toBe('429 RATE_LIMITED');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    expect((await login(email, PASSWORD, '10.3.0.1')).status).toBe(200);
    expect((await change(PASSWORD, '10.3.0.2')).status).toBe(200);
  });
});
