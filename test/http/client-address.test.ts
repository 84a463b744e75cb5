import { readConfig } from '../../src/config.js';
import { createServer } from '../../src/http/server.js';
import { addressOf } from '../../src/http/request-state.js';
import type { Reply } from '../support/reply.js';
import { TestService } from '../support/service.js';

/** Returns the client address that the service derives from the addresses reported by proxies. */
async function addressSeen(setting: string, forwardedFor: string | undefined, peer = '10.0.0.1'): Promise<string> {
  const { TRUST_PROXY: trustProxy } = readConfig({ TRUST_PROXY: setting });
  const server = createServer({ trustProxy });
  server.get('/', addressOf);
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const { body } = await server.inject({ url: '/', headers, remoteAddress: peer });
  await server.close();
  return body;
}

describe("A client's address", () => {
  test.each<[string, string | undefined, string]>([
    ['false', '192.0.2.7', '10.0.0.1'],
    ['0', '192.0.2.7', '10.0.0.1'],
    ['true', undefined, '10.0.0.1'],
    ['true', '192.0.2.7', '192.0.2.7'],
    ['true', '1.1.1.1, 192.0.2.7', '192.0.2.7'],
    ['1', '1.1.1.1, 2.2.2.2,192.0.2.7', '192.0.2.7'],
    ['2', '1.1.1.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['2', '192.0.2.7', '192.0.2.7'],
    ['10.0.0.0/30', '1.1.1.1, 192.0.2.7', '192.0.2.7'],
    ['10.0.0.1, 10.0.0.2', '1.1.1.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['172.16.0.0/12,fd00::/8', '192.0.2.7', '10.0.0.1'],
    ['true', '192.0.2.7:1000', '192.0.2.7'],
    ['true', '[2001:db8::7]:1000', '2001:db8::7'],
    ['true', '[2001:db8::7]', '2001:db8::7'],
    ['true', '2001:db8::7', '2001:db8::7'],
    ['true', 'unknown', '10.0.0.1'],
    ['true', '192.0.2.7:port', '10.0.0.1'],
    ['true', '192.0.2.700', '10.0.0.1'],
    ['true', '"192.0.2.7"', '10.0.0.1'],
    ['2', '192.0.2.7:1000, 10.0.0.2:2000', '192.0.2.7'],
    ['10.0.0.0/8', '192.0.2.7:1000, 10.0.0.2:2000', '192.0.2.7'],
    ['10.0.0.0/8, fd00::/8', '192.0.2.7, [fd00::2]:2000', '192.0.2.7'],
  ])('with TRUST_PROXY=%s and X-Forwarded-For: %s is %s', async (setting, forwardedFor, address) => {
    expect(await addressSeen(setting, forwardedFor)).toBe(address);
  });

  test('cannot be forged behind a proxy or by its port to avoid counting failed sign-ins', async () => {
    const service = await TestService.start({ environment: { TRUST_PROXY: 'true' } });
    try {
      const { email } = await service.createTenant();
      const guess = (number: number, port: string): Promise<Reply> =>
        service.post('/api/auth/login', { email, password: `guess ${number}` }, undefined, {
          'x-forwarded-for': `198.51.100.${number}, 192.0.2.7${port}`,
        });
      const told: string[] = [];
      for (let number = 0; number < 12; number += 1)
        told.push((await guess(number, number % 2 === 0 ? '' : `:${1_000 + number}`)).told);
      expect(told).toEqual([
        ...Array<string>(10).fill('401 UNAUTHENTICATED'),
        ...Array<string>(2).fill('429 RATE_LIMITED'),
      ]);
    } finally {
      await service.close();
    }
  });
});
