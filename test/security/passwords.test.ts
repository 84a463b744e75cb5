import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hash } from '@node-rs/argon2';
import { passwords, Passwords } from '../../src/security/passwords.js';
import { cpuMs } from '../support/cpu-time.js';

const hashed = (password: string, by = passwords, tenantId = ''): Promise<string> =>
  by.hash(password, { group: tenantId, member: tenantId });

describe('A password', () => {
  test('matches only its own hash', async () => {
    const hash = await hashed('correct horse');
    expect(await passwords.matches(hash, 'correct horse')).toBe(true);
    expect(await passwords.matches(hash, 'correct horse ')).toBe(false);
    expect(await passwords.matches(hash, '')).toBe(false);
  });

  test('is stored as argon2id with the parameters recommended by OWASP, and a unique salt', async () => {
    const [one, other] = await Promise.all([hashed('same'), hashed('same')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('same');
  });

  test('of an unknown account never matches, not even the decoy', async () => {
    expect(await passwords.matches(undefined, 'no account has this password')).toBe(false);
  });

  test('of an unknown account costs as much work as a wrong one', async () => {
    const hash = await hashed('correct horse');
    const costMs = async (given: string | undefined): Promise<number> => {
      const beganMs = cpuMs();
      await passwords.matches(given, 'wrong');
      return cpuMs() - beganMs;
    };
    let [known, unknown] = [Infinity, Infinity];
    // Compares the minimums of alternating runs, because other programs can only increase the CPU time.
    for (let time = 0; time < 8; time += 1) {
      known = Math.min(known, await costMs(hash));
      unknown = Math.min(unknown, await costMs(undefined));
    }
    expect(unknown / known).toBeGreaterThan(0.4);
  });

  test('is hashed with limited concurrency: tenants take turns, and the excess is rejected', async () => {
    const passwords = new Passwords({ atOnce: 1, maxWaiting: 4, maxPerGroup: 3, maxPerMember: 3 });
    const outcomes = await Promise.allSettled('aaaaaaab'.split('').map((tenant) => hashed('same', passwords, tenant)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 4 }, () => 'fulfilled'),
      ...Array.from({ length: 3 }, () => 'rejected'),
      'fulfilled',
    ]);
    const refused = { kind: 'unavailable', code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } };
    for (const outcome of outcomes.slice(4, 7)) expect(outcome).toMatchObject({ reason: refused });
  });

  test('is verified while others are set, and after a failure', async () => {
    const passwords = new Passwords();
    // Uses cheap hashes, so that setting many passwords takes many turns of the queue but little time.
    passwords.cost = { ...passwords.cost, memoryCost: passwords.cost.memoryCost / 4 };
    const setting = Array.from({ length: 50 }, () => hashed('same', passwords));
    let areSet = false;
    const allSet = Promise.all(setting).then(() => (areSet = true));
    await expect(passwords.matches('no hash', 'same')).rejects.toThrow();
    const again = await Promise.all(Array.from({ length: 5 }, () => passwords.matches(undefined, 'same')));
    expect(again).toEqual([false, false, false, false, false]);
    expect(areSet).toBe(false);
    expect(passwords.verified).toBe(6);
    await allSet;
  });

  test('is verified while a tenant repeats many requests that set passwords', async () => {
    const passwords = new Passwords();
    passwords.cost = { ...passwords.cost, memoryCost: passwords.cost.memoryCost / 16 };
    const visitor = { group: 'tenant', member: 'user' };
    const hash = await passwords.hash('same', visitor);
    const repeats = Array.from({ length: 200 }, () => passwords.isSame(hash, 'same', visitor));
    expect(await passwords.matches(hash, 'same')).toBe(true);
    const outcomes = await Promise.allSettled(repeats);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
  });

  test('can be typed on any keyboard: composed and decomposed characters are equal', async () => {
    const [composed, decomposed] = ['Grüße aus Köln'.normalize('NFC'), 'Grüße aus Köln'.normalize('NFD')];
    for (const set of [composed, decomposed]) {
      const hash = await hashed(set);
      expect(await passwords.matches(hash, composed)).toBe(true);
      expect(await passwords.matches(hash, decomposed)).toBe(true);
    }
  });

  test('hashed without normalization by an earlier version still matches its hash', async () => {
    const decomposed = 'Grüße aus Köln'.normalize('NFD');
    expect(await passwords.matches(await hash(decomposed), decomposed)).toBe(true);
    expect(await passwords.matches(await hash(decomposed), 'Grüße aus Bonn'.normalize('NFD'))).toBe(false);
  });

  test('is hashed without blocking the process', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await Promise.all(Array.from({ length: 20 }, () => hashed('same')));
    delay.disable();
    // Checks the median, because a busy machine can delay individual turns of the event loop.
    expect(delay.percentile(50) / 1_000_000).toBeLessThan(50);
  });
});
