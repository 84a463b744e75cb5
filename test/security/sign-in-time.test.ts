import { TestService } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

/*
 * Tests whether the duration of a rejected sign-in reveals whether the account exists. test/http/sessions.test.ts
 * counts hash computations. This test measures time, as an outside observer would.
 */

const ROUNDS = 25;
/** After ten failures, the service delays attempts on an account from unknown addresses. */
const ROUNDS_AT_ONCE = 9;
const WINDOW_MS = 15 * 60_000;

const medianOf = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

test('A wrong password, an unknown address, a suspended and a deleted account are rejected in the same time', async () => {
  const clock = new ShiftedClock();
  const service = await TestService.start({ clock, costlyPasswords: true, environment: { TRUST_PROXY: 'true' } });
  try {
    const { token, email, slug } = await service.createTenant();
    const hired = async (name: string) => {
      const person = { fullName: name, email: `${name}@${slug}.test`, password: 'long enough', role: 'USER' };
      return { id: (await service.post('/api/users', person, token)).id, email: person.email };
    };
    const [suspended, deleted] = [await hired('suspended'), await hired('deleted')];
    await service.call('PATCH', `/api/users/${suspended.id}`, { token, body: { isActive: false } });
    await service.call('DELETE', `/api/users/${deleted.id}`, { token });
    const addresses = [email, 'nobody@kontor.test', suspended.email, deleted.email, 'no address at all'];
    const times = new Map(addresses.map((address): [string, number[]] => [address, []]));
    let from = 0;
    // Alternates between the cases, so that other load on the machine affects all cases equally.
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round % ROUNDS_AT_ONCE === 0) clock.pass(WINDOW_MS);
      for (const address of addresses) {
        from += 1;
        const headers = { 'x-forwarded-for': `10.7.${from >> 8}.${from & 255}` };
        const startMs = performance.now();
        const reply = await service.post('/api/auth/login', { email: address, password: 'wrong' }, undefined, headers);
        times.get(address)?.push(performance.now() - startMs);
        expect(reply.told).toBe('401 UNAUTHENTICATED');
      }
    }
    const medians = [...times.values()].map(medianOf);
    // If the service did not hash the password for an unknown e-mail address, the response would take only a tenth of
    // the time.
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.6);
  } finally {
    await service.close();
  }
});
