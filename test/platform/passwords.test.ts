import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hashPassword, passwords, Passwords } from '../../src/platform/passwords.js';

describe('A password', () => {
  test('belongs to its own hash and to no other', async () => {
    const hash = await hashPassword('correct horse');
    expect(await passwords.matches(hash, 'correct horse')).toBe(true);
    expect(await passwords.matches(hash, 'correct horse ')).toBe(false);
    expect(await passwords.matches(hash, '')).toBe(false);
  });

  test('is kept as argon2id with the parameters that OWASP asks for, and a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('same'), hashPassword('same')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('same');
  });

  test('of an account that does not exist never matches, not even the decoy', async () => {
    expect(await passwords.matches(undefined, 'no account has this password')).toBe(false);
  });

  test('of an account that does not exist costs as much work as a wrong one', async () => {
    const hash = await hashPassword('correct horse');
    const cpuMs = async (given: string | undefined): Promise<number> => {
      const before = process.cpuUsage();
      await passwords.matches(given, 'wrong');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    let [known, unknown] = [Infinity, Infinity];
    // The least of each, in turns: other work of the process and of the machine only adds to them.
    for (let time = 0; time < 8; time += 1) {
      known = Math.min(known, await cpuMs(hash));
      unknown = Math.min(unknown, await cpuMs(undefined));
    }
    expect(unknown / known).toBeGreaterThan(0.4);
  });

  test('is one of few that are worked on at once: the others wait, and those that are too many are refused', async () => {
    const passwords = new Passwords({ atOnce: 2, maxWaiting: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => passwords.hash('same')));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'fulfilled'),
      ...Array.from({ length: 3 }, () => 'rejected'),
    ]);
    const refused = { kind: 'unavailable', code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } };
    for (const outcome of outcomes.slice(5)) expect(outcome).toMatchObject({ reason: refused });
    // Whoever ended, well or not, left the place free.
    await expect(passwords.matches('no hash', 'same')).rejects.toThrow();
    const again = await Promise.all(Array.from({ length: 5 }, () => passwords.matches(undefined, 'same')));
    expect(again).toEqual([false, false, false, false, false]);
    expect(passwords.verified).toBe(6);
  });

  test('is hashed without holding up what else the process does', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await Promise.all(Array.from({ length: 20 }, () => hashPassword('same')));
    delay.disable();
    // A median, since a busy machine may hold up any single turn.
    expect(delay.percentile(50) / 1_000_000).toBeLessThan(50);
  });
});
