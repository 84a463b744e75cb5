import type { AccountView } from '../../src/projections/account.projection.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
});
afterAll(() => service.close());

const change = (method: 'PATCH' | 'DELETE', path: string, revision: number | string, body?: object) =>
  service.call(method, path, { token, headers: { 'if-match': `"${revision}"` }, ...(body && { body }) });
const etagOf = async (path: string): Promise<string | undefined> => (await service.get(path, token)).headers['etag'];
const revisionOf = (reply: { readonly data: unknown }): number => (reply.data as { revision: number }).revision;

describe("A transaction's revision", () => {
  test('starts at 0 for sales and reversals, and counts changes', async () => {
    await service.sell(books.partner, saleOf('counted', { payments: [{ method: 'CASH', amount: '100.00' }] }));
    const made = (await service.transactions(token, 'search=counted')).items;
    expect(made.map(({ revision }) => revision)).toEqual([0, 0]);
    const path = `/api/transactions/${made[0]?.id ?? ''}`;
    const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Counted' }, token);
    expect(revisionOf(await change('PATCH', `${path}/category`, 0, { categoryId }))).toBe(1);
    expect(revisionOf(await change('PATCH', `${path}/category`, 1, { categoryId }))).toBe(1);
    expect((await change('PATCH', `${path}/category`, 0, { categoryId: null })).told).toBe('409 REVISION_CONFLICT');
    expect((await service.transactions(token, 'search=counted')).items.map(({ revision }) => revision).sort()).toEqual([
      0, 1,
    ]);

    const customer = await service.post('/api/customers', { name: 'Reversed' }, token);
    const entry = { type: 'ADJUSTMENT', date: '2026-03-01', amount: '5.00', customerId: customer.id, direction: 'OUT' };
    const { id } = await service.post('/api/transactions', entry, token);
    expect(revisionOf(await service.post(`/api/transactions/${id}/cancel`, { reason: 'Wrong' }, token))).toBe(1);
    const [reversal] = (await service.transactions(token, `customerId=${customer.id}`)).items.filter(
      ({ reversalOf }) => reversalOf === id,
    );
    expect([reversal?.revision, await etagOf(`/api/transactions/${reversal?.id ?? ''}`)]).toEqual([0, '"0"']);
  });

  test('increases on the original when a partner cancels its sale', async () => {
    await service.sell(books.partner, saleOf('undone'));
    await service.sell(books.partner, {
      ...{ externalId: 'undoing', type: 'CANCELLATION', relatedExternalId: 'undone', currency: 'EUR' },
      ...{ occurredAt: '2026-03-04T11:00:00.000Z' },
    });
    const { items } = await service.transactions(token);
    const of = (externalId: string) => items.find((entry) => entry.externalId === externalId)?.revision;
    expect([of('undone'), of('undoing')]).toEqual([1, 0]);
  });
});

describe("A customer's revision", () => {
  test('does not count changes of its opening balance', async () => {
    const openingBalance = { amount: '10.00', direction: 'OUT', date: '2026-01-01' };
    const { id } = await service.post('/api/customers', { name: 'Opened', openingBalance }, token);
    const path = `/api/customers/${id}`;
    const before = await service.customer(token, id);
    const [opening] = (await service.transactions(token, `customerId=${id}`)).items;
    const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Opening' }, token);
    const chosen = `/api/transactions/${opening?.id ?? ''}/category`;
    expect(revisionOf(await change('PATCH', chosen, 0, { categoryId }))).toBe(1);
    const cancelled = await service.post(`/api/transactions/${opening?.id ?? ''}/cancel`, { reason: 'Wrong' }, token);
    expect(revisionOf(cancelled)).toBe(2);

    expect(await service.customer(token, id)).toMatchObject({ revision: 0, updatedAt: before.updatedAt });
    expect([await etagOf(path), await etagOf(`/api/accounts/${id}`)]).toEqual(['"0"', '"0"']);
    expect(revisionOf(await change('PATCH', path, 0, { name: 'Renamed' }))).toBe(1);
    expect([await etagOf(path), await etagOf(`/api/accounts/${id}`)]).toEqual(['"1"', '"1"']);
    expect((await change('PATCH', path, 0, { name: 'Late' })).told).toBe('409 REVISION_CONFLICT');
    expect(revisionOf(await service.call('PATCH', path, { token, body: {} }))).toBe(1);
  });

  test('admits one of two concurrent changes while its opening balance changes', async () => {
    const openingBalance = { amount: '10.00', direction: 'OUT', date: '2026-01-01' };
    for (let round = 0; round < 10; round += 1) {
      const { id } = await service.post('/api/customers', { name: `Raced ${round}`, openingBalance }, token);
      const [opening] = (await service.transactions(token, `customerId=${id}`)).items;
      const [one, other, cancelled] = await Promise.all([
        change('PATCH', `/api/customers/${id}`, 0, { name: 'One' }),
        change('PATCH', `/api/customers/${id}`, 0, { name: 'Other' }),
        service.post(`/api/transactions/${opening?.id ?? ''}/cancel`, { reason: 'Wrong' }, token),
      ]);
      expect([one.told, other.told].sort()).toEqual(['201', '409 REVISION_CONFLICT']);
      expect(cancelled.told).toBe('201');
      expect((await service.customer(token, id)).revision).toBe(1);
    }
  });
});

describe("An account's revision", () => {
  const account = async (id: string): Promise<AccountView> =>
    (await service.get(`/api/accounts/${id}`, token)).data as AccountView;
  const make = async (facts: object = {}): Promise<string> =>
    (await service.post('/api/accounts', { type: 'CREDIT_CARD', name: service.fresh('Card'), ...facts }, token)).id;

  test('counts the loss of isDefault, so an outdated change is rejected', async () => {
    const old = await make({ isDefault: true });
    const before = await account(old);
    expect([before.isDefault, before.revision]).toEqual([true, 0]);
    const other = await make();
    const made = await change('PATCH', `/api/accounts/${other}`, 0, { isDefault: true });
    expect(revisionOf(made)).toBe(1);
    expect(await account(other)).toMatchObject({ isDefault: true, revision: 1 });
    const after = await account(old);
    expect(after).toMatchObject({ isDefault: false, revision: 1 });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await etagOf(`/api/accounts/${old}`)).toBe('"1"');

    const stale = [
      await change('PATCH', `/api/accounts/${old}`, 0, { name: 'Stale' }),
      await change('PATCH', `/api/accounts/${old}`, 0, {}),
      await change('DELETE', `/api/accounts/${old}`, 0),
    ];
    expect(stale.map(({ told }) => told)).toEqual(Array(3).fill('409 REVISION_CONFLICT'));
    expect(revisionOf(await change('PATCH', `/api/accounts/${old}`, 1, { name: 'Fresh' }))).toBe(2);
    expect(await account(old)).toMatchObject({ name: 'Fresh', revision: 2 });
  });

  test('counts a change of isDefault with other changes once, and ignores a repeated value', async () => {
    const id = await make();
    const both = await change('PATCH', `/api/accounts/${id}`, 0, { name: 'Both', isDefault: true });
    expect([revisionOf(both), (await account(id)).revision]).toEqual([1, 1]);
    const again = await change('PATCH', `/api/accounts/${id}`, 1, { isDefault: true });
    expect([revisionOf(again), (await account(id)).revision]).toEqual([1, 1]);
    const ended = await change('PATCH', `/api/accounts/${id}`, 1, { isDefault: false });
    expect([revisionOf(ended), (await account(id)).revision]).toEqual([2, 2]);
    expect(await account(id)).toMatchObject({ isDefault: false });
  });
});
