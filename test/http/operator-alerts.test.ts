import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DeadLetters } from '../../src/integration/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';

const PATIENCE_MS = 10_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let receiver: WebhookReceiver;
let service: TestService;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await TestService.start({
    environment: {
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ALERT_WEBHOOK_URL: receiver.urlOf('/alerts'),
      ALERT_WEBHOOK_SECRET: SECRET,
    },
  });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const park = async (origin: 'POLICY' | 'PUSH', tenantId: string): Promise<void> => {
  const event = { id: 'event', type: 'SaleAccepted', stream: `sale-${tenantId}_sale`, revision: 0, position: 1 };
  const reason = { code: 'FAILED', message: 'A test.' };
  await service.service.app.get(DeadLetters).park({ origin, subscriber: 'booking', event, reason });
};
const titles = (): string[] =>
  receiver
    .eventsAt('/alerts')
    .map(({ data }) => (data as { title: string }).title)
    .sort();

/** Resolves once every alert has been sent and every delivery recorded. */
const alertsHandled = () =>
  eventually(async () => {
    const queue = await service.queue('alerts');
    return queue?.lag === 0 && queue.inFlight === 0;
  }, PATIENCE_MS);

test('The external channel of the operators receives their notifications, signed, but none of any tenant', async () => {
  let attempts = 0;
  receiver.answer = () => ({ status: (attempts += 1) === 1 ? 503 : 204 });
  const tenant = await service.createTenant();
  const notice = { title: 'For the tenant', body: 'Only.', broadcast: true };
  expect((await service.post('/api/notifications/admin/send', notice, tenant.token)).status).toBe(201);
  await park('POLICY', tenant.id);
  await eventually(() => receiver.eventsAt('/alerts').length > 0, PATIENCE_MS);
  expect(receiver.received.map(({ status }) => status)).toEqual([503, 204]);
  for (const one of receiver.received) {
    expect(verified(one, SECRET)).toMatchObject({
      ...{ type: 'kontor.notification.sent.v1', source: '/platform' },
      data: { title: 'Dead letters with origin POLICY', type: 'ERROR' },
    });
  }
});

test('An alert that was delivered is not repeated after a loss of the read models', async () => {
  await alertsHandled();
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
  await service.restart(() => rm(join(service.directory, 'models.sqlite')));
  await park('PUSH', 'tenant');
  // The forwarder waits for an operator, because its checkpoint was lost with the read models.
  const expected = ['Dead letters with origin PUSH', 'The forwarder is waiting for an operator'];
  await eventually(() => expected.every((title) => titles().includes(title)), PATIENCE_MS);
  await alertsHandled();
  expect(titles()).toEqual(expected);
});
