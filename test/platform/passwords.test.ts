import { hashPassword, passwordMatches } from '../../src/platform/passwords.js';

describe('A password', () => {
  test('belongs to its own hash and to no other', async () => {
    const hash = await hashPassword('correct horse');
    expect(await passwordMatches(hash, 'correct horse')).toBe(true);
    expect(await passwordMatches(hash, 'correct horse ')).toBe(false);
    expect(await passwordMatches(hash, '')).toBe(false);
  });

  test('is kept as argon2id with the parameters that OWASP asks for, and a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('same'), hashPassword('same')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('same');
  });

  test('of an account that does not exist never matches, not even the decoy', async () => {
    expect(await passwordMatches(undefined, 'no account has this password')).toBe(false);
  });

  test('of an account that does not exist costs as much work as a wrong one', async () => {
    const hash = await hashPassword('correct horse');
    const cpuMs = async (given: string | undefined): Promise<number> => {
      const before = process.cpuUsage();
      for (let time = 0; time < 5; time += 1) await passwordMatches(given, 'wrong');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    await cpuMs(undefined);
    const [known, unknown] = [await cpuMs(hash), await cpuMs(undefined)];
    expect(unknown / known).toBeGreaterThan(0.4);
  });
});
