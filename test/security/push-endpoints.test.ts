import { Browser } from '../support/push-service.js';
import { TestService, type TestTenant } from '../support/service.js';

/*
 * Tests over HTTP, with the default settings, which push services the service may connect to. The service checks the
 * addresses of host names on connection; test/security/push-client.test.ts covers these checks.
 */

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
  tenant = await service.createTenant();
});
afterAll(() => service.close());

test.each([
  'http://push.example/x',
  'https://localhost/x',
  'https://LOCALHOST:8443/x',
  'https://kontor.localhost/x',
  'https://127.0.0.1/x',
  'https://127.1/x',
  'https://0x7f000001/x',
  'https://2130706433/x',
  'https://0177.0.0.1/x',
  'https://0.0.0.0/x',
  'https://10.1.2.3/x',
  'https://172.16.0.1/x',
  'https://192.168.0.1/x',
  'https://100.64.0.1/x',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]/x',
  'https://[::]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[::ffff:a9fe:a9fe]/x',
  'https://[fd00::1]/x',
  'https://[fe80::1]/x',
  'https://[64:ff9b::7f00:1]/x',
  'https://１２７.０.０.１/x',
  'https://127。0。0。1/x',
  'https://user:password@push.example/x',
  'https://push.example@127.0.0.1/x',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'ftp://push.example/x',
  'data:,x',
  'javascript:alert(1)',
  '//127.0.0.1/x',
  'push.example/x',
])('%s is rejected as a push service', async (endpoint) => {
  const { subscription } = new Browser(endpoint);
  const reply = await service.post('/api/notifications/push-subscriptions', subscription, tenant.token);
  expect([endpoint, reply.told]).toEqual([endpoint, '400 VALIDATION_FAILED endpoint']);
});

test('Rejected endpoints are not stored, and a public https URL is accepted', async () => {
  const own = async () =>
    (await service.get('/api/notifications/push-subscriptions/me', tenant.token)).data as unknown[];
  expect(await own()).toEqual([]);
  const { subscription } = new Browser('https://push.example/x');
  expect((await service.post('/api/notifications/push-subscriptions', subscription, tenant.token)).status).toBe(201);
  expect(await own()).toHaveLength(1);
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
