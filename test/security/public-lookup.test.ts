import type { LookupAddress } from 'node:dns';
import { publicLookup } from '../../src/security/public-lookup.js';
import { DnsServer } from '../support/dns-server.js';

let server: DnsServer;
beforeAll(async () => {
  server = await DnsServer.start({
    'both.test': { v4: [93, 184, 216, 34], v6: [0x26, 6, 0x47, 0, ...Array<number>(11).fill(0), 1] },
    'v4.test': { v4: [127, 0, 0, 1] },
    'silent.test': 'silent',
  });
});
afterAll(() => {
  server.close();
});

const lookUp = (host: string): Promise<LookupAddress[] | string | undefined> =>
  new Promise((resolve) => {
    publicLookup([server.server])(host, { all: true }, (error, addresses) => {
      resolve(error ? error.code : addresses);
    });
  });

test('A name resolves to all of its addresses, so that each of them can be checked', async () => {
  expect(await lookUp('both.test')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]);
  expect(await lookUp('v4.test')).toEqual([{ address: '127.0.0.1', family: 4 }]);
});

test('A name without addresses is reported, and neither files nor search domains are used', async () => {
  expect(await lookUp('absent.test')).toBe('ENOTFOUND');
  expect(await lookUp('localhost')).toBe('ENOTFOUND');
  expect(new Set(server.asked.slice(-4))).toEqual(new Set(['absent.test', 'localhost']));
});

test('Names whose servers do not respond do not delay other names', async () => {
  const silent = Array.from({ length: 50 }, () => lookUp('silent.test'));
  const first = await Promise.race([lookUp('v4.test'), ...silent]);
  expect(first).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(new Set(await Promise.all(silent))).toEqual(new Set(['ETIMEOUT']));
});
