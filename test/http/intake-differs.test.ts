import { saleOf, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const DAY_MS = 86_400_000;

const clock = new ShiftedClock();
let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start({ clock });
  books = await service.openBooks();
});
afterAll(() => service.close());

const push = (sale: object, key?: string) => service.postSale(books.partner, sale, key);
const differs = async (sale: object, key?: string): Promise<unknown> => {
  const reply = await push(sale, key);
  expect(reply.status).toBe(200);
  return reply.headers['idempotency-differs'];
};

describe('A replay of an external id', () => {
  const sale = (facts: object = {}) =>
    saleOf('pair', { customer: { name: 'Ada' }, payments: [{ method: 'CASH', amount: '5' }], ...facts });

  test('lists the top-level fields that differ from the accepted sale', async () => {
    const first = await push(sale());
    expect([first.status, first.headers['idempotency-differs']]).toEqual([202, undefined]);
    const lines = [{ description: 'Goods', quantity: 2, unitPrice: '100.00' }];
    expect(await differs(sale({ lines }))).toBe('lines');
    expect(await differs(sale({ lines, total: '200.00' }))).toBe('lines,total');
    expect(await differs(sale({ customer: { name: 'Bob' }, branchCode: 'MAIN' }))).toBe('branchCode,customer');
    expect(await differs(sale({ metadata: { till: 4 }, occurredAt: '2026-03-05T10:00:00Z' }))).toBe(
      'metadata,occurredAt',
    );
    expect(await differs(sale({ payments: [] }), 'another-key')).toBe('payments');
    expect((await push(sale({ payments: [] }))).text).toBe(first.text);
  });

  test('lists nothing if only the formatting of the payload differs', async () => {
    const lines = [{ unitPrice: 100, quantity: '1', description: 'Goods', discount: '0', taxRate: 0, sku: null }];
    const payments = [{ amount: '5.00', method: 'CASH' }];
    const occurredAt = '2026-03-04T11:00:00.000+01:00';
    expect(await differs(sale({ lines, payments, occurredAt, type: 'SALE', total: '100' }))).toBeUndefined();
    expect(await differs(sale())).toBeUndefined();
  });

  test('lists differences after a restart, and on replicas that never saw the sale', async () => {
    await service.restart();
    expect(await differs(sale({ customer: null }))).toBe('customer');
  });
});

describe('A sale with very many keys', () => {
  const keys = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  const claims = async (externalId: string): Promise<number> => {
    const history = await service.service.engines.events.readAll({ maxCount: 1_000_000 });
    return history.filter(
      ({ type, data }) =>
        type === 'IdempotencyKeyClaimed' && (data as { externalId: string }).externalId === externalId,
    ).length;
  };

  test.each([
    [
      'one after another',
      async () => {
        for (const key of keys) await push(saleOf('in-turn'), `${key}-in-turn`);
      },
      'in-turn',
    ],
    ['at once', () => Promise.all(keys.map((key) => push(saleOf('at-once'), `${key}-at-once`))), 'at-once'],
  ])('records ten of them, sent %s', async (_, send, externalId) => {
    await send();
    expect(await claims(externalId)).toBe(10);
    const late = await push(saleOf(externalId), `late-${externalId}`);
    expect([late.status, late.headers['idempotent-replayed']]).toEqual([200, 'true']);
    const status = await service.call('GET', `/api/integrations/v1/idempotency-keys/late-${externalId}`, books.partner);
    expect(status.status).toBe(404);
  });

  test('records ten of them, even if requests with recorded keys are rejected in between', async () => {
    for (const key of keys.slice(0, 10)) await push(saleOf('conflicts'), `${key}-conflicts`);
    for (const key of keys.slice(10, 20)) {
      const other = saleOf('conflicts', { branchCode: 'MAIN' });
      expect((await push(other, `${keys[0]}-conflicts`)).status).toBe(409);
      expect((await push(saleOf('conflicts'), `${key}-conflicts`)).status).toBe(200);
    }
    expect(await claims('conflicts')).toBe(10);
  });

  test('records the key that the sale is accepted with, even after ten rejected ones', async () => {
    for (const key of keys.slice(0, 10)) {
      await push(saleOf(`other-${key}`), `${key}-rejected`);
      expect((await push(saleOf('limited'), `${key}-rejected`)).status).toBe(409);
    }
    expect((await push(saleOf('limited'), 'accepted')).status).toBe(202);
    const status = await service.call('GET', '/api/integrations/v1/idempotency-keys/accepted', books.partner);
    expect(status.status).toBe(200);
  });

  test('still rejects another payload for a recorded key', async () => {
    await push(saleOf('bound'), 'bound-0');
    for (const key of keys) await push(saleOf('bound'), `${key}-bound`);
    const other = await push(saleOf('bound', { branchCode: 'MAIN' }), 'bound-0');
    expect(other.told).toBe('409 IDEMPOTENCY_CONFLICT branchCode');
    await service.restart();
    for (const key of keys) await push(saleOf('bound'), `${key}-again`);
    expect((await push(saleOf('bound', { branchCode: 'MAIN' }), 'bound-0')).told).toBe(
      '409 IDEMPOTENCY_CONFLICT branchCode',
    );
  });

  test('records further keys after the first ten have expired', async () => {
    const lookUp = (key: string) => service.call('GET', `/api/integrations/v1/idempotency-keys/${key}`, books.partner);
    for (const key of keys.slice(0, 5)) await push(saleOf('days'), `${key}-days`);
    clock.pass(DAY_MS / 2);
    for (const key of keys.slice(5, 10)) await push(saleOf('days'), `${key}-days`);
    clock.pass(DAY_MS / 2);
    for (const key of keys.slice(10, 16)) expect((await push(saleOf('days'), `${key}-days`)).status).toBe(200);
    expect((await lookUp('many-14-days')).body).toMatchObject({ state: 'ACCEPTED', externalId: 'days' });
    expect((await push(saleOf('days-other'), 'many-14-days')).told).toBe('409 IDEMPOTENCY_CONFLICT externalId');
    // Five keys of the last half day and five of today are valid.
    expect((await lookUp('many-15-days')).status).toBe(404);
    expect((await push(saleOf('days-other'), 'many-15-days')).status).toBe(202);
  });
});
