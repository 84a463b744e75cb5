import type { TenantWebhook } from '../../src/queries/webhook.queries.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestTenant } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const PATIENCE_MS = 10_000;
const types = ['kontor.customer.*'];

let service: TestService;
let receiver: WebhookReceiver;
let tenant: TestTenant;
let operator: string;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  receiver.answer = (path) => ({ status: path === '/failing' ? 500 : path === '/gone' ? 410 : 204 });
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  tenant = await service.createTenant();
  operator = await service.operator();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const create = async (path: string): Promise<string> => {
  const body = { url: receiver.urlOf(path), types, description: 'Our warehouse' };
  return ((await service.post('/api/webhooks', body, tenant.token)).data as { id: string }).id;
};
const list = async (): Promise<readonly TenantWebhook[]> =>
  (await service.get(`/api/platform/tenants/${tenant.id}/webhooks`, operator)).data as readonly TenantWebhook[];

test("Operators see the state and the failures of a tenant's webhooks, but not their paths and secrets", async () => {
  await service
    .createTenant()
    .then(({ token }) => service.post('/api/webhooks', { url: receiver.urlOf('/elsewhere'), types }, token));
  const working = await create('/working?token=hush');
  const failing = await create('/failing');
  const gone = await create('/gone');
  const off = await create('/off');
  await service.call('PATCH', `/api/webhooks/${off}`, { token: tenant.token, body: { isEnabled: false } });
  await service.post('/api/customers', { name: 'Ada' }, tenant.token);
  await eventually(() => receiver.received.some(({ path }) => path === '/working?token=hush'), PATIENCE_MS);
  const seen = await eventually(async () => {
    const found = new Map((await list()).map((one) => [one.id, one]));
    const isOver = found.get(failing)?.lastFailure != null && found.get(gone)?.disabledReason === 'GONE';
    return isOver && found;
  }, PATIENCE_MS);
  expect([...seen.keys()]).toEqual([off, gone, failing, working]);
  const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const { host } = new URL(receiver.urlOf('/'));
  const { createdAt, updatedAt } = seen.get(working) ?? {};
  expect(seen.get(working)).toEqual({
    ...{ id: working, createdAt, updatedAt, revision: 0, host, types },
    ...{ isEnabled: true, disabledReason: null, disabledAt: null, pendingDeliveries: 0, lastFailure: null },
  });
  expect(seen.get(failing)).toMatchObject({
    ...{ isEnabled: true, pendingDeliveries: 1, lastFailure: { code: 'HTTP_500', at: instant } },
  });
  expect(seen.get(gone)).toMatchObject({
    ...{ isEnabled: false, disabledReason: 'GONE', disabledAt: instant },
    ...{ pendingDeliveries: 0, lastFailure: { code: 'HTTP_410', at: instant } },
  });
  expect(seen.get(off)).toMatchObject({ isEnabled: false, disabledReason: 'OWNER', lastFailure: null });
});
