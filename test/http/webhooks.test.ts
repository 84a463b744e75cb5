import { updateWebhook, webhook } from '../../src/aggregates/webhook.aggregate.js';
import { DeadLetters } from '../../src/integration/dead-letters.js';
import { type Delivery, DeliveryLog } from '../../src/observability/delivery-log.js';
import type { EventPage, ListedEvent } from '../../src/queries/event-list.query.js';
import type { Page } from '../../src/queries/query.js';
import type { WebhookView } from '../../src/projections/webhook.projection.js';
import { elsewhere } from '../support/elsewhere.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type TestKey, type TestTenant } from '../support/service.js';
import { type ReceivedEvent, verified, WebhookReceiver } from '../support/webhook-receiver.js';

const PATH = '/api/webhooks';
const PATIENCE_MS = 10_000;
type Issued = { readonly id: string; readonly url: string; readonly types: string[]; readonly secret: string };

let service: TestService;
let receiver: WebhookReceiver;
let tenant: TestTenant;
let partner: TestKey;
let other: TestTenant;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await TestService.start({ environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  tenant = await service.createTenant();
  other = await service.createTenant();
  partner = await service.createKey(tenant);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const create = async (body: object, { token } = tenant): Promise<Issued> =>
  (await service.call('POST', PATH, { token, body })).data as Issued;
const webhookAt = (path: string, types: string[] = ['*']): Promise<Issued> =>
  create({ url: receiver.urlOf(path), types });
const shown = async (id: string): Promise<WebhookView> =>
  (await service.get(`${PATH}/${id}`, tenant.token)).data as WebhookView;
const deliveriesOf = async (id: string, query = ''): Promise<Page<Delivery>> =>
  (await service.get(`${PATH}/${id}/deliveries?${query}`, tenant.token)).body as Page<Delivery>;
const eventsAt = (path: string, count: number): Promise<ReceivedEvent[]> =>
  eventually(
    () => receiver.eventsAt(path).length >= count && receiver.eventsAt(path),
    PATIENCE_MS,
    () => `${JSON.stringify(receiver.received.slice(-3))} ${service.complaints.join('; ')}`,
  );
const deliveredTo = (id: string, count: number): Promise<Delivery[]> =>
  eventually(async () => {
    const { items } = await deliveriesOf(id, 'status=DELIVERED');
    return items.length >= count && [...items];
  }, PATIENCE_MS);

describe('A webhook', () => {
  test('receives the selected events of its tenant, signed, in order for each record', async () => {
    const made = await webhookAt('/wanted', ['kontor.sale.*', 'kontor.customer.created.v1']);
    expect(made).toEqual({ id: made.id, url: receiver.urlOf('/wanted'), types: made.types, secret: made.secret });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await service.sell(partner, saleOf('wanted-1'));
    const events = await eventsAt('/wanted', 2);
    expect(events.map(({ type }) => type)).toEqual(['kontor.sale.accepted.v1', 'kontor.sale.booked.v1']);
    expect(events[0]?.subject).toBe(events[1]?.subject);
    for (const one of receiver.received.filter(({ path }) => path === '/wanted')) {
      expect(one.headers['webhook-id']).toBe(verified(one, made.secret).id);
      expect(one.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    }
    const [booked, accepted] = await deliveredTo(made.id, 2);
    expect(accepted).toMatchObject({
      attempts: 1,
      responseStatus: 204,
      responseBody: '',
      code: null,
      nextAttemptAt: null,
    });
    expect(booked).toMatchObject({ eventType: 'kontor.sale.booked.v1', messageId: events[1]?.id, webhookId: made.id });
  });

  test('of a sale is traced from the intake to its deliveries by one query', async () => {
    const made = await webhookAt('/traced', ['kontor.sale.*']);
    const operator = await service.operator();
    const correlationId = '5a3c1f0e-7b42-4d19-8e6a-90c2d4f7b813';
    const sale = saleOf('traced-1');
    const headers = { 'x-request-id': correlationId };
    await service.call('POST', '/api/integrations/v1/sales', { key: partner.key, headers, body: sale });
    await service.sell(partner, saleOf('untraced'));
    await deliveredTo(made.id, 4);
    const trace = async (): Promise<readonly ListedEvent[]> =>
      ((await service.get(`/api/platform/events?correlationId=${correlationId}`, operator)).body as EventPage).items;
    const events = await eventually(async () => {
      const found = await trace();
      return found.flatMap(({ deliveries }) => deliveries).length >= 2 && found;
    }, PATIENCE_MS);
    const [accepted] = events.filter(({ type }) => type === 'SaleAccepted');
    expect(accepted).toMatchObject({ tenantId: tenant.id, data: { externalId: 'traced-1' } });
    const sent = events.flatMap(({ deliveries }) => deliveries).filter(({ webhookId }) => webhookId === made.id);
    expect(sent.map(({ eventType }) => eventType).toSorted()).toEqual([
      'kontor.sale.accepted.v1',
      'kontor.sale.booked.v1',
    ]);
    for (const one of sent)
      expect(one).toMatchObject({ status: 'DELIVERED', responseStatus: 204, subject: accepted?.recordId });
    const ids = receiver.eventsAt('/traced').map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(sent.map(({ messageId }) => messageId)));
    expect(JSON.stringify(sent)).not.toContain('responseBody');
  });

  test('is shown without its secret, and not to other tenants', async () => {
    const made = await create({
      url: receiver.urlOf('/shown'),
      types: ['kontor.period.closed.v1'],
      description: 'Our shop',
    });
    const reply = await service.get(`${PATH}/${made.id}`, tenant.token);
    const known = {
      id: made.id,
      url: made.url,
      types: ['kontor.period.closed.v1'],
      description: 'Our shop',
      revision: 0,
    };
    expect(reply.data).toMatchObject({ ...known, isEnabled: true, disabledReason: null, disabledAt: null });
    expect(JSON.stringify(reply.body)).not.toContain('secret');
    const listed = (await service.get(PATH, tenant.token)).body as Page<WebhookView>;
    expect(listed.items[0]).toEqual(reply.data);
    expect((await service.get(`${PATH}/${made.id}`, other.token)).told).toBe('404 NOT_FOUND');
    expect((await service.get(`${PATH}/${made.id}/deliveries`, other.token)).told).toBe('404 NOT_FOUND');
    expect(((await service.get(PATH, other.token)).body as Page<WebhookView>).items).toEqual([]);
  });

  test.each([
    ['http://example.com/', ['*'], 'url', true],
    ['https://127.0.0.1/', ['*'], 'url', true],
    ['https://localhost/', ['*'], 'url', true],
    ['https://user:secret@example.com/', ['*'], 'url', false],
    ['ftp://example.com/', ['*'], 'url', false],
    ['not a url', ['*'], 'url', false],
    ['https://example.com/', [], 'types', false],
    ['https://example.com/', ['Has blanks'], 'types[0]', false],
    ['https://example.com/', ['kontor.sale.*', 'kontor.sales.*'], 'types', false],
    ['https://example.com/', ['-5'], 'types', false],
  ])('with the address %s and types %j is rejected at %s', async (url, types, path, isPublicOnly) => {
    const strict = isPublicOnly ? await TestService.start() : service;
    try {
      const { token } = isPublicOnly ? await strict.createTenant() : tenant;
      const reply = await strict.call('POST', PATH, { token, body: { url, types } });
      expect([reply.status, reply.body]).toMatchObject([400, { errors: [{ path }] }]);
    } finally {
      if (isPublicOnly) await strict.close();
    }
  });

  test('cannot be changed to types that do not exist, but keeps unknown types that it has', async () => {
    const { id } = await webhookAt('/types');
    const change = (body: object) => service.call('PATCH', `${PATH}/${id}`, { token: tenant.token, body });
    const refused = await change({ types: ['kontor.sales.*'] });
    const message = 'Every entry must match the type of an integration event.';
    expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ path: 'types', message }] }]);
    expect((await change({ types: ['kontor.s?le.*'] })).status).toBe(200);

    // The rule applies to requests only. Existing webhooks may have unknown types.
    await elsewhere(
      service.service.engines,
      ({ runner }) =>
        runner.execute(webhook, { tenantId: tenant.id, id }, { types: ['kontor.sales.*'] }, updateWebhook),
      tenant.id,
    );
    expect((await change({ description: 'Old' })).status).toBe(200);
    expect(await shown(id)).toMatchObject({ types: ['kontor.sales.*'], description: 'Old' });
    expect((await service.call('DELETE', `${PATH}/${id}`, { token: tenant.token })).status).toBe(200);
  });

  test('shows no time for an attempt that is overdue because its receiver is down', async () => {
    const { id: webhookId } = await webhookAt('/overdue', ['kontor.period.closed.v1']);
    const log = new DeliveryLog(service.service.engines.reads);
    const nowMs = service.clock.nowMs();
    const entry = (number: number, aheadMs: number): [number, Delivery] => [
      number,
      {
        ...{ id: `delivery-${number}`, number, webhookId, messageId: 'm', eventType: 'kontor.period.closed.v1' },
        ...{ subject: 's', source: { eventId: 'e', stream: 's', revision: 0, position: 0 }, status: 'PENDING' },
        ...{ attempts: 1, responseStatus: 503, responseBody: '', code: 'HTTP_503' },
        ...{ createdAt: new Date(nowMs - number).toISOString(), lastAttemptAt: new Date(nowMs).toISOString() },
        nextAttemptAt: new Date(nowMs + aheadMs).toISOString(),
      },
    ];
    await log.record({ tenantId: tenant.id, webhookId, bySlot: new Map([entry(0, -1), entry(1, 3_600_000)]) });
    const { items } = await deliveriesOf(webhookId);
    expect(items.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, new Date(nowMs + 3_600_000).toISOString()]);
  });

  test('signs with both secrets after a rotation', async () => {
    const made = await webhookAt('/rotated', ['kontor.sale.accepted.v1']);
    const rotated = (await service.call('POST', `${PATH}/${made.id}/rotate-secret`, { token: tenant.token }))
      .data as Issued;
    expect(rotated).toEqual({ ...made, secret: rotated.secret });
    expect(rotated.secret).not.toBe(made.secret);
    await service.sell(partner, saleOf('rotated-1'));
    await eventsAt('/rotated', 1);
    for (const one of receiver.received.filter(({ path }) => path === '/rotated')) {
      expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(2);
      expect(verified(one, made.secret)).toEqual(verified(one, rotated.secret));
    }
  });

  test('reports the response to a test message', async () => {
    const made = await webhookAt('/tested', ['kontor.period.closed.v1']);
    receiver.answer = () => ({ status: 418, body: `a teapot${'.'.repeat(2_000)}` });
    const reply = await service.call('POST', `${PATH}/${made.id}/test`, { token: tenant.token });
    receiver.answer = () => ({ status: 204 });
    expect(reply.status).toBe(201);
    expect(reply.data).toEqual({
      ...{ id: made.id, delivered: false, responseStatus: 418, code: 'HTTP_418' },
      responseBody: `a teapot${'.'.repeat(1_016)}`,
    });
    const one = receiver.received.find(({ path }) => path === '/tested');
    expect(one && verified(one, made.secret)).toMatchObject({
      ...{ type: 'kontor.webhook.test.v1', sequence: '0' },
      data: { webhookId: made.id },
    });
  });

  test('gets nothing while it is disabled, and the missed events on request', async () => {
    const made = await webhookAt('/missed', ['kontor.sale.accepted.v1']);
    const since = new Date(service.clock.nowMs()).toISOString();
    await service.sell(partner, saleOf('missed-1'));
    await deliveredTo(made.id, 1);
    const change = (body: object) => service.call('PATCH', `${PATH}/${made.id}`, { token: tenant.token, body });
    expect((await change({ isEnabled: false })).status).toBe(200);
    expect(await shown(made.id)).toMatchObject({ isEnabled: false, disabledReason: 'OWNER', revision: 1 });
    await service.sell(partner, saleOf('missed-2'));
    const recover = (body: object) => service.call('POST', `${PATH}/${made.id}/recover`, { token: tenant.token, body });
    expect((await recover({ since })).told).toBe('409 WEBHOOK_DISABLED');
    expect((await change({ isEnabled: true })).status).toBe(200);
    await service.sell(partner, saleOf('missed-3'));
    await eventsAt('/missed', 2);
    expect((await recover({ since: '2999-01-01T00:00:00.000Z' })).told).toBe('400 VALIDATION_FAILED since');
    expect((await recover({ since })).status).toBe(201);
    const events = await eventsAt('/missed', 3);
    expect(events.map(({ data, replayed }) => [data['externalId'], replayed])).toEqual([
      ['missed-1', undefined],
      ['missed-3', undefined],
      ['missed-2', true],
    ]);
  });

  test('gets a delivery again on request, with the same message id', async () => {
    const made = await webhookAt('/again', ['kontor.sale.accepted.v1']);
    await service.sell(partner, saleOf('again-1'));
    const [first] = await deliveredTo(made.id, 1);
    const resend = (id = first?.id, { token } = tenant) =>
      service.call('POST', `${PATH}/${made.id}/deliveries/${id}/resend`, { token });
    const reply = await resend();
    expect([reply.status, (reply.data as { id: string }).id]).toEqual([201, made.id]);
    const [once, twice] = await eventsAt('/again', 2);
    expect(twice).toEqual({ ...once, replayed: true });
    const logged = await eventually(
      async () => (await deliveriesOf(made.id)).items.find(({ attempts }) => attempts === 2),
      PATIENCE_MS,
    );
    expect(logged).toMatchObject({ id: first?.id, status: 'DELIVERED', createdAt: first?.createdAt });
    expect((await resend(made.id)).told).toBe('404 NOT_FOUND');
    expect((await resend(first?.id, other)).told).toBe('404 NOT_FOUND');
  });

  test('gets a delivery once more if it is requested several times before it is sent', async () => {
    const made = await webhookAt('/often', ['kontor.sale.accepted.v1']);
    await service.sell(partner, saleOf('often-1'));
    const [first] = await deliveredTo(made.id, 1);
    const resend = () =>
      service.call('POST', `${PATH}/${made.id}/deliveries/${first?.id}/resend`, { token: tenant.token });
    const sentAgain = (attempts: number) =>
      eventually(
        async () =>
          (await deliveriesOf(made.id)).items.some((one) => one.id === first?.id && one.attempts === attempts),
        PATIENCE_MS,
      );
    const waiting: (() => void)[] = [];
    receiver.answer = async (path) => {
      if (path === '/often') await new Promise<void>((resolve) => waiting.push(resolve));
      return { status: 204 };
    };
    for (let count = 0; count < 3; count += 1) expect((await resend()).status).toBe(201);
    // The webhook processes this sale after the events of the requests above.
    await service.sell(partner, saleOf('often-2'));
    await eventually(() => waiting.length === 2, PATIENCE_MS);
    receiver.answer = () => ({ status: 204 });
    for (const release of waiting) release();
    await sentAgain(2);
    expect((await resend()).status).toBe(201);
    await sentAgain(3);
    const names = receiver.eventsAt('/often').map(({ data }) => data['externalId']);
    expect(names.filter((name) => name === 'often-1')).toHaveLength(3);
  });

  test('whose receiver returns 410 is disabled, and the administrators are notified', async () => {
    const made = await webhookAt('/gone', ['kontor.sale.accepted.v1']);
    receiver.answer = (path) => ({ status: path === '/gone' ? 410 : 204 });
    await service.sell(partner, saleOf('gone-1'));
    await eventually(async () => !(await shown(made.id)).isEnabled, PATIENCE_MS);
    expect(await shown(made.id)).toMatchObject({ disabledReason: 'GONE' });
    const [delivery] = (await deliveriesOf(made.id)).items;
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 1, responseStatus: 410 });
    const titles = await eventually(async () => {
      const { items } = (await service.get('/api/notifications?pageNumber=1&pageSize=10', tenant.token)).body as Page<{
        title: string;
        link: string | null;
      }>;
      return items.find(({ title }) => title.includes('webhook'));
    }, PATIENCE_MS);
    expect(titles.title).toBe('A webhook was disabled');
  });

  test('that is deleted gets nothing more', async () => {
    const made = await webhookAt('/deleted');
    expect((await service.call('DELETE', `${PATH}/${made.id}`, { token: tenant.token })).status).toBe(200);
    expect((await service.get(`${PATH}/${made.id}`, tenant.token)).told).toBe('404 NOT_FOUND');
    const later = await webhookAt('/later', ['kontor.sale.accepted.v1']);
    await service.sell(partner, saleOf('deleted-1'));
    await deliveredTo(later.id, 1);
    expect(receiver.eventsAt('/deleted')).toEqual([]);
  });

  test('may have an upper-case scheme', async () => {
    const made = await create({ url: receiver.urlOf('/upper').replace('http:', 'HTTP:'), types: ['kontor.sale.*'] });
    await service.sell(partner, saleOf('upper-1'));
    await deliveredTo(made.id, 2);
    expect(receiver.eventsAt('/upper')).toHaveLength(2);
  });

  test('continues after a restart where it was', async () => {
    const made = await webhookAt('/restarted', ['kontor.sale.accepted.v1']);
    await service.sell(partner, saleOf('restarted-1'));
    await deliveredTo(made.id, 1);
    await service.restart();
    await service.sell(partner, saleOf('restarted-2'));
    const ids = (await eventsAt('/restarted', 2)).map(({ data }) => data['externalId']);
    expect(ids).toEqual(['restarted-1', 'restarted-2']);
  });
});

const LETTERS = '/api/platform/dead-letters';
/** Parks a dead letter as if the webhook's receiver had failed for three days. */
async function park(webhookId: string, event: Parameters<DeadLetters['park']>[0]['event']): Promise<void> {
  const reason = { code: 'UNDELIVERED', message: 'For three days.' };
  const letters = service.service.app.get(DeadLetters);
  await letters.park({ origin: 'WEBHOOK', subscriber: `webhook:${webhookId}`, event, reason });
  await service.quiet();
}

test('A dead letter of a webhook can be replayed, and shows its messages', async () => {
  const made = await webhookAt('/parked', ['kontor.sale.accepted.v1']);
  await service.sell(partner, saleOf('parked-1'));
  const [delivery] = await deliveredTo(made.id, 1);
  const { source } = (await service.service.app.get(DeliveryLog).find(tenant.id, delivery?.id ?? '')) ?? {};
  if (!source) throw new Error('The delivery is not in the log.');
  const { eventId: id, ...place } = source;
  const event = { id, type: 'SaleAccepted', ...place };
  await park(made.id, event);
  const operator = await service.operator();
  const parked = (await service.get(`${LETTERS}?origin=WEBHOOK`, operator)).body as Page<{
    id: string;
    payload: object[];
  }>;
  expect(parked.items).toMatchObject([{ status: 'PARKED', payload: [{ type: 'kontor.sale.accepted.v1' }] }]);
  const replay = async () =>
    (await service.post(`${LETTERS}/${parked.items[0]?.id ?? ''}/replay`, undefined, operator)).data as object;
  receiver.answer = (path) => ({ status: path === '/parked' ? 500 : 204 });
  expect(await replay()).toMatchObject({ status: 'PARKED' });
  receiver.answer = () => ({ status: 204 });
  const enable = (isEnabled: boolean) =>
    service.call('PATCH', `${PATH}/${made.id}`, { token: tenant.token, body: { isEnabled } });
  await enable(false);
  expect(await replay()).toMatchObject({ status: 'PARKED' });
  expect(receiver.eventsAt('/parked')).toHaveLength(1);
  await enable(true);
  expect(await replay()).toMatchObject({ status: 'REPLAYED' });
  const [first, second] = receiver.eventsAt('/parked');
  expect(second).toEqual({ ...first, replayed: true });
});

test('A dead letter about the tenant itself, such as the closing of a period, can be replayed', async () => {
  const made = await webhookAt('/closed', ['kontor.period.closed.v1']);
  await service.post('/api/periods/close', { through: '2020-01-31' }, tenant.token);
  await deliveredTo(made.id, 1);
  const filter = { on: 'type', prefixes: ['PeriodClosed'] } as const;
  const [closed] = await service.service.engines.events.readAll({ filter, direction: 'backwards', maxCount: 1 });
  if (!closed) throw new Error('The period is not closed.');
  await park(made.id, closed);
  const operator = await service.operator();
  const { items } = (await service.get(`${LETTERS}?origin=WEBHOOK&eventType=PeriodClosed`, operator)).body as Page<{
    id: string;
  }>;
  const replay = await service.post(`${LETTERS}/${items[0]?.id ?? ''}/replay`, undefined, operator);
  expect(replay.data).toMatchObject({ status: 'REPLAYED' });
  expect(receiver.eventsAt('/closed')).toHaveLength(2);
});
