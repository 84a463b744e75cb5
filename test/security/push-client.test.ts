import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/adapters/system-time.js';
import { retryAfterMs, type Lookup } from '../../src/security/outbound-client.js';
import { PushClient, type PushClientOptions } from '../../src/security/push-client.js';
import { isPublicAddress } from '../../src/security/addresses.js';
import { VapidKeys } from '../../src/security/vapid-keys.js';
import { asLookup, CountingListener } from '../support/counting-listener.js';
import { eventually } from '../support/eventually.js';
import { PushService, type Browser, type PushReply } from '../support/push-service.js';

const clock = new SystemClock();
const message = { payload: Buffer.from('{}'), ttlSeconds: 60, urgency: 'normal', topic: 'topic' } as const;

let directory: string;
let vapid: VapidKeys;
let pushes: PushService;
let listener: CountingListener;
const clients: PushClient[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-push-'));
  vapid = await VapidKeys.open({ directory, clock, subject: 'mailto:push@kontor.test' });
  pushes = await PushService.start();
  listener = await CountingListener.start();
});
beforeEach(() => {
  listener.connections = 0;
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(async () => {
  listener.close();
  await pushes.close();
  await rm(directory, { recursive: true });
});

function clientWith(options: Partial<PushClientOptions> = {}): PushClient {
  const client = new PushClient({ vapid, clock, allowPrivate: false, ca: pushes.ca, ...options });
  clients.push(client);
  return client;
}
const at = (endpoint: string, { keys }: Browser) => ({ endpoint, keys });

describe('An endpoint is rejected by its name', () => {
  test.each([
    ['http://push.test/x', 'Must be an HTTPS URL.'],
    ['ftp://push.test/x', 'Must be an HTTPS URL.'],
    ['push.test/x', 'Must be an HTTPS URL.'],
    ['https://user:secret@push.test/x', 'Must not contain a user name or a password.'],
    ['https://localhost/x', 'Must be a public address.'],
    ['https://LOCALHOST./x', 'Must be a public address.'],
    ['https://push.localhost/x', 'Must be a public address.'],
    ['https://127.0.0.1/x', 'Must be a public address.'],
    ['https://127.1/x', 'Must be a public address.'],
    ['https://0x7f.0.0.1/x', 'Must be a public address.'],
    ['https://0177.0.0.1/x', 'Must be a public address.'],
    ['https://2130706433/x', 'Must be a public address.'],
    ['https://0x7f000001/x', 'Must be a public address.'],
    ['https://0/x', 'Must be a public address.'],
    ['https://10.1.2.3/x', 'Must be a public address.'],
    ['https://100.64.0.1/x', 'Must be a public address.'],
    ['https://169.254.169.254/latest/meta-data', 'Must be a public address.'],
    ['https://172.31.255.255/x', 'Must be a public address.'],
    ['https://192.168.0.1/x', 'Must be a public address.'],
    ['https://192.0.2.1/x', 'Must be a public address.'],
    ['https://198.51.100.1/x', 'Must be a public address.'],
    ['https://203.0.113.1/x', 'Must be a public address.'],
    ['https://224.0.0.1/x', 'Must be a public address.'],
    ['https://255.255.255.255/x', 'Must be a public address.'],
    ['https://[::1]/x', 'Must be a public address.'],
    ['https://[::]/x', 'Must be a public address.'],
    ['https://[::ffff:10.0.0.1]/x', 'Must be a public address.'],
    ['https://[::ffff:8.8.8.8]/x', 'Must be a public address.'],
    ['https://[::7f00:1]/x', 'Must be a public address.'],
    ['https://[64:ff9b::10.0.0.1]/x', 'Must be a public address.'],
    ['https://[2002:0a00:0001::1]/x', 'Must be a public address.'],
    ['https://[2001:0:53aa:64c::1]/x', 'Must be a public address.'],
    ['https://[2001:db8::1]/x', 'Must be a public address.'],
    ['https://[fe80::1]/x', 'Must be a public address.'],
    ['https://[fc00::1]/x', 'Must be a public address.'],
    ['https://[fd12:3456::1]/x', 'Must be a public address.'],
    ['https://[ff02::1]/x', 'Must be a public address.'],
    ['https://push.test/x', undefined],
    ['https://8.8.8.8/x', undefined],
    ['https://[2606:4700::1111]/x', undefined],
  ])('%s: %s', (endpoint, fault) => {
    expect(clientWith().faultOf(endpoint)).toBe(fault);
  });

  test('but any https endpoint is accepted if private networks are allowed', () => {
    const client = clientWith({ allowPrivate: true });
    expect(client.faultOf('https://localhost:8443/x')).toBeUndefined();
    expect(client.faultOf('http://localhost:8443/x')).toBe('Must be an HTTPS URL.');
  });
});

test('Addresses next to non-public networks are public', () => {
  const open = ['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0'];
  for (const address of [...open, '223.255.255.255', '2001:4860:4860::8888', '2400::1']) {
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
  }
  for (const text of ['', 'push.test', '1.2.3', '::ffff:8.8.8.8', 'fe80::1%eth0'])
    expect(isPublicAddress(text)).toBe(false);
});

describe('The client never connects', () => {
  const refused = { kind: 'refused', code: 'ADDRESS_NOT_PUBLIC' };

  test('to a stored endpoint that is no longer allowed', async () => {
    const endpoint = `https://127.0.0.1:${listener.port}/x`;
    expect(await clientWith().send(at(endpoint, pushes.browser()), message)).toEqual(refused);
    expect(listener.connections).toBe(0);
  });

  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a public and a private address', ['8.8.8.8', '127.0.0.1']],
    ['a private and a public address', ['10.0.0.1', '8.8.8.8']],
  ])('to a name that resolves to %s', async (_, addresses) => {
    const endpoint = `https://rebinding.test:${listener.port}/x`;
    const client = clientWith({ lookup: asLookup(...addresses) });
    expect(await client.send(at(endpoint, pushes.browser()), message)).toEqual(refused);
    expect(listener.connections).toBe(0);
  });

  test('to a redirect', async () => {
    const location = `https://127.0.0.1:${listener.port}/x`;
    for (const status of [301, 302, 307, 308]) {
      const browser = pushes.browser({ status, headers: { location } });
      const client = clientWith({ allowPrivate: true });
      expect(await client.send(browser.subscription, message)).toEqual({ kind: 'refused', code: `HTTP_${status}` });
    }
    expect(listener.connections).toBe(0);
  });
});

test('A connection to a private address is closed before anything is sent, whatever address was checked', async () => {
  const browser = pushes.browser();
  const endpoint = browser.endpoint.replace('127.0.0.1', 'push.test');
  const lookup: Lookup = (_, __, done) => {
    let reads = 0;
    const changing = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? '8.8.8.8' : '127.0.0.1';
      },
    };
    done(null, [changing]);
  };
  const outcome = await clientWith({ lookup }).send({ ...browser.subscription, endpoint }, message);
  expect(outcome).toEqual({ kind: 'refused', code: 'ADDRESS_NOT_PUBLIC' });
  expect(pushes.pushesTo(browser)).toEqual([]);
});

test('A push service with an untrusted certificate gets nothing', async () => {
  const browser = pushes.browser();
  const client = clientWith({ allowPrivate: true, ca: undefined });
  expect(await client.send(browser.subscription, message)).toMatchObject({ kind: 'again' });
  expect(pushes.pushesTo(browser)).toEqual([]);
});

test('A name is resolved for every connection, which uses that address', async () => {
  // Each push needs a separate connection.
  const closing = { status: 201, headers: { connection: 'close' } };
  const browser = pushes.browser(closing, closing);
  const endpoint = browser.endpoint.replace('127.0.0.1', 'push.test');
  let looks = 0;
  const lookup: Lookup = (name, options, done) => {
    looks += 1;
    asLookup('127.0.0.1')(name, options, done);
  };
  const client = clientWith({ allowPrivate: true, lookup });
  for (const count of [1, 2]) {
    expect(await client.send({ ...browser.subscription, endpoint }, message)).toEqual({ kind: 'delivered' });
    expect(looks).toBe(count);
  }
});

test('A name without addresses may get one later', async () => {
  for (const lookup of [undefined, asLookup()]) {
    const client = clientWith({ ...(lookup && { lookup }) });
    const outcome = await client.send(at('https://push.invalid/x', pushes.browser()), message);
    expect(outcome).toMatchObject({ kind: 'again', afterMs: undefined });
  }
});

test('A silent push service times out', async () => {
  const client = clientWith({ allowPrivate: true, timeoutMs: 50 });
  const outcome = await client.send(pushes.browser('hang').subscription, message);
  expect(outcome).toEqual({ kind: 'again', code: 'TIMED_OUT', afterMs: undefined });
});

describe('Endpoints that keep connections open', () => {
  beforeEach(() => eventually(() => pushes.connections === 0, 5_000));
  /** Sends a push to each of the given hosts. */
  const deliver = (client: PushClient, hosts: readonly string[]) =>
    Promise.all(
      hosts.map((host) => {
        const browser = pushes.browser();
        return client.send(at(browser.endpoint.replace('127.0.0.1', `${host}.push.test`), browser), message);
      }),
    );
  const many = Array.from({ length: 100 }, (_, index) => `host-${index}`);
  const delivered = { kind: 'delivered' };

  test('do not delay pushes to other endpoints', async () => {
    const client = clientWith({ allowPrivate: true, lookup: asLookup('127.0.0.1'), timeoutMs: 5_000 });
    expect(await deliver(client, many)).toEqual(many.map(() => delivered));
    await eventually(() => pushes.connections === 64, 5_000);
    expect(await deliver(client, ['other'])).toEqual([delivered]);
  });

  test('are disconnected within seconds, unlike endpoints that are about to respond', async () => {
    const client = clientWith({ allowPrivate: true, timeoutMs: 30_000 });
    let answer: (reply: PushReply) => void = () => undefined;
    const slow = pushes.browser(new Promise((resolve) => (answer = resolve)));
    const sending = client.send(slow.subscription, message);
    expect(await client.send(pushes.browser().subscription, message)).toEqual(delivered);
    expect(pushes.connections).toBe(2);
    await eventually(() => pushes.connections === 1, 20_000);
    answer({ status: 201 });
    expect(await sending).toEqual(delivered);
  });

  test('have received the push even if their response never ends, and occupy the place of the push until then', async () => {
    const browser = pushes.browser({ status: 201, isEndless: true });
    const client = clientWith({ allowPrivate: true, timeoutMs: 500 });
    const beganMs = clock.monotonicMs();
    expect(await client.send(browser.subscription, message)).toEqual(delivered);
    expect(clock.monotonicMs() - beganMs).toBeGreaterThan(450);
    await eventually(() => pushes.connections === 0, 5_000);
  });
});

test('Retry-After is seconds or a date', () => {
  const nowMs = Date.parse('2026-01-31T10:00:00.000Z');
  expect(retryAfterMs('120', nowMs)).toBe(120_000);
  expect(retryAfterMs('Sat, 31 Jan 2026 10:01:00 GMT', nowMs)).toBe(60_000);
  expect(retryAfterMs('Sat, 31 Jan 2026 09:00:00 GMT', nowMs)).toBe(0);
  for (const value of ['soon', '-1', '1.5', '']) expect(retryAfterMs(value, nowMs)).toBeUndefined();
});
