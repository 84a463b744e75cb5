import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { catalogue } from '../../src/app/catalogue.js';
import { RestorationPolicy, RestorationWatch } from '../../src/policies/restoration.policy.js';
import { DeletedRecords } from '../../src/queries/ledger-use.js';
import type { AccountRecord } from '../../src/queries/account.queries.js';
import { LateWriter } from '../support/late-writer.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let late: LateWriter;
let cash: string;
let sales: string;
const token = (): string => books.tenant.token;

beforeAll(async () => {
  service = await TestService.start({ environment: { RESTORE_FORWARD: 'all' } });
});
beforeEach(async () => {
  books = await service.openBooks();
  late = new LateWriter(service, books.tenant.id);
  const accounts = await accountList();
  cash = accounts.find(({ name }) => name === 'Cash')?.id ?? '';
  sales = accounts.find(({ name }) => name === 'Sales')?.id ?? '';
});
afterAll(async () => {
  await service.close();
  expect(service.complaints).toEqual([]);
});

const accountList = async (): Promise<AccountRecord[]> =>
  ((await service.get('/api/accounts?pageNumber=1&pageSize=100', token())).body as { items: AccountRecord[] }).items;
const newCustomer = async (facts: object = {}): Promise<string> =>
  (await service.post('/api/customers', { name: 'Ada', ...facts }, token())).id;
const newAccount = async (facts: object = {}): Promise<string> =>
  (await service.post('/api/accounts', { type: 'BANK', name: 'Savings', ...facts }, token())).id;
const remove = async (path: string): Promise<void> => {
  expect((await service.call('DELETE', path, { token: token() })).told).toBe('201');
};
const pathOf = (kind: 'customer' | 'account', id: string): string => `/api/${kind}s/${id}`;

/** Resolves with the state that the API returns for a record once the record has been restored. */
async function back(kind: 'customer' | 'account', id: string): Promise<unknown> {
  const endMs = performance.now() + 15_000;
  for (;;) {
    const reply = await service.get(pathOf(kind, id), token());
    if (reply.status === 200) return reply.data;
    if (performance.now() > endMs) throw new Error(`The ${kind} never came back: ${service.complaints.join('; ')}`);
    await delay(5);
  }
}

/** Runs the watch and resolves when no work is pending. */
async function settled(): Promise<void> {
  await service.quiet();
  await service.service.app.get(RestorationWatch).look();
  await service.quiet();
}

async function restorations(kind: 'customer' | 'account', id: string): Promise<readonly unknown[]> {
  const events = await late.eventsOf(kind, id);
  return events.filter(({ type }) => type.endsWith('Restored')).map(({ data }) => data);
}

describe('A deleted customer is restored', () => {
  test('when a transaction checked before the deletion is stored', async () => {
    const id = await newCustomer({ code: 'A-1', email: 'ada@kontor.test' });
    await remove(pathOf('customer', id));
    const causedBy = await late.collect(id, cash);
    expect(await back('customer', id)).toMatchObject({
      ...{ id, code: 'A-1', email: 'ada@kontor.test', status: 'ACTIVE', revision: 2 },
      balance: { amount: '-100.00', currency: 'EUR' },
    });
    expect(await restorations('customer', id)).toEqual([{ code: 'A-1', links: [], causedBy }]);
  });

  test('when the deletion is stored after a transaction', async () => {
    const id = await newCustomer({ code: 'A-1' });
    await late.collect(id, cash);
    await late.deleteCustomer(id);
    expect(await back('customer', id)).toMatchObject({ code: 'A-1', balance: { amount: '-100.00' } });
    const deletion = (await late.eventsOf('customer', id)).find(({ type }) => type === 'CustomerDeleted');
    expect(await restorations('customer', id)).toEqual([{ code: 'A-1', links: [], causedBy: deletion?.id }]);
  });

  test('when a sale is booked on it', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    await late.sell(id, sales);
    expect(await back('customer', id)).toMatchObject({ balance: { amount: '100.00' } });
  });

  test('in all lists, in the names of its transactions, and in reports', async () => {
    const id = await newCustomer({ code: 'A-1', name: 'Ada Lovelace' });
    await remove(pathOf('customer', id));
    await late.collect(id, cash);
    await back('customer', id);
    const shown = { id, code: 'A-1', name: 'Ada Lovelace' };
    expect((await service.customers(token(), 'search=lovelace')).items).toMatchObject([shown]);
    expect((await service.get('/api/customers/lookup?search=lovelace', token())).data).toMatchObject([shown]);
    expect((await accountList()).find((account) => account.id === id)).toMatchObject({ ...shown, type: 'CUSTOMER' });
    expect((await service.transactions(token(), `customerId=${id}`)).items).toMatchObject([
      { customerName: 'Ada Lovelace', amount: '100.00' },
    ]);
    const statement = await service.get(
      `/api/accounts/${id}/statement?beginDate=2026-01-01&endDate=2026-12-31`,
      token(),
    );
    expect(statement.data).toMatchObject({ account: shown, closing: '-100.00' });
    const { rows, totalDebit, totalCredit } = await service.trialBalance(token());
    expect(rows).toContainEqual(expect.objectContaining({ accountId: id, credit: '100.00' }));
    expect(totalDebit).toBe(totalCredit);
  });

  test('permanently, because it has transactions', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    await late.collect(id, cash);
    await back('customer', id);
    const again = await service.call('DELETE', pathOf('customer', id), { token: token() });
    expect(again.told).toBe('409 CUSTOMER_HAS_TRANSACTIONS');
  });

  test('again after a second deletion that was checked before the transaction', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    await late.collect(id, cash);
    await back('customer', id);
    await late.deleteCustomer(id);
    expect(await back('customer', id)).toMatchObject({ revision: 4 });
    expect(await restorations('customer', id)).toHaveLength(2);
  });

  test('as passive if it was passive before', async () => {
    const id = await newCustomer({ status: 'PASSIVE' });
    await remove(pathOf('customer', id));
    await late.collect(id, cash);
    expect(await back('customer', id)).toMatchObject({ status: 'PASSIVE' });
  });

  test('and can be changed and used like any other', async () => {
    const id = await newCustomer({ code: 'A-1' });
    await remove(pathOf('customer', id));
    await late.collect(id, cash);
    await back('customer', id);
    const body = { name: 'Ada L.' };
    expect((await service.call('PATCH', pathOf('customer', id), { token: token(), body })).status).toBe(201);
    await service.sell(books.partner, saleOf('next', { customer: { name: 'Whoever', code: 'a-1' } }));
    expect(await service.customer(token(), id)).toMatchObject({ name: 'Ada L.', balance: { amount: '0.00' } });
  });

  test('with the time and causation of the transaction, by the service itself', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    const causedBy = await late.collect(id, cash);
    await back('customer', id);
    const { metadata } = (await late.eventsOf('customer', id)).at(-1) ?? {};
    expect(metadata).toMatchObject({ system: 'restoration', $causationId: causedBy, tenantId: books.tenant.id });
  });
});

describe('A field of a deleted customer', () => {
  const external = { sourceId: 'shop', externalId: 'ada-1' };

  test('is lost if another customer took its code', async () => {
    const id = await newCustomer({ code: 'A-1' });
    await remove(pathOf('customer', id));
    const other = await newCustomer({ code: 'a-1', name: 'Bob' });
    await late.collect(id, cash);
    expect(await back('customer', id)).toMatchObject({ name: 'Ada', code: null });
    expect(await service.customer(token(), other)).toMatchObject({ name: 'Bob', code: 'a-1' });
    expect((await accountList()).find((account) => account.id === id)).toMatchObject({ code: null });
    const body = { code: 'A-2' };
    expect((await service.call('PATCH', pathOf('customer', id), { token: token(), body })).status).toBe(201);
    expect(await service.customer(token(), id)).toMatchObject({ code: 'A-2' });
  });

  test('is lost if another customer is linked to its external id; others are kept', async () => {
    const id = await newCustomer({ code: 'A-1' });
    await late.linkCustomer(id, external.sourceId, external.externalId);
    await late.linkCustomer(id, external.sourceId, 'ada-2');
    await remove(pathOf('customer', id));
    await service.sell(books.partner, saleOf('s-1', { customer: { name: 'New Ada', externalId: 'ada-1' } }));
    const causedBy = await late.collect(id, cash);
    await back('customer', id);
    const kept = [{ sourceId: 'shop', externalId: 'ada-2' }];
    expect(await restorations('customer', id)).toEqual([{ code: 'A-1', links: kept, causedBy }]);
    await service.sell(books.partner, saleOf('s-2', { customer: { name: 'x', externalId: 'ada-1' } }));
    await service.sell(books.partner, saleOf('s-3', { customer: { name: 'x', externalId: 'ada-2' } }));
    const [other] = (await service.customers(token(), 'search=new')).items;
    expect(other).toMatchObject({ name: 'New Ada', balance: { amount: '200.00' } });
    expect(await service.customer(token(), id)).toMatchObject({ balance: { amount: '0.00' } });
  });

  test('is restored if free: code, link, tax number and e-mail address', async () => {
    const id = await newCustomer({ code: 'A-1', taxNumber: 'DE 123', email: 'ada@kontor.test' });
    await late.linkCustomer(id, external.sourceId, external.externalId);
    await remove(pathOf('customer', id));
    const causedBy = await late.collect(id, cash);
    await back('customer', id);
    expect(await restorations('customer', id)).toEqual([{ code: 'A-1', links: [external], causedBy }]);
    expect((await service.post('/api/customers', { name: 'Bob', code: 'a-1' }, token())).told).toBe(
      '409 CUSTOMER_CODE_TAKEN',
    );
    const keys = [{ externalId: 'ada-1' }, { code: 'A-1' }, { taxNumber: 'DE123' }, { email: 'ADA@kontor.test' }];
    for (const [index, key] of keys.entries())
      await service.sell(books.partner, saleOf(`s-${index}`, { customer: { name: 'Whoever', ...key } }));
    expect(await service.customer(token(), id)).toMatchObject({ balance: { amount: '300.00' } });
  });

  test('is shared if another customer has its e-mail address: partners find the other', async () => {
    const id = await newCustomer({ email: 'ada@kontor.test' });
    await remove(pathOf('customer', id));
    const other = await newCustomer({ name: 'Bob', email: 'ada@kontor.test' });
    await late.collect(id, cash);
    expect(await back('customer', id)).toMatchObject({ email: 'ada@kontor.test' });
    await service.sell(books.partner, saleOf('s', { customer: { name: 'x', email: 'ada@kontor.test' } }));
    expect(await service.customer(token(), other)).toMatchObject({ balance: { amount: '100.00' } });
  });
});

describe('A deleted account is restored', () => {
  test('when a transaction checked before the deletion is stored', async () => {
    const id = await newAccount({ code: '777' });
    await remove(pathOf('account', id));
    const causedBy = await late.transfer(cash, id);
    const shown = { id, code: '777', name: 'Savings', type: 'BANK', isActive: true, balance: { amount: '100.00' } };
    expect(await back('account', id)).toMatchObject(shown);
    expect(await accountList()).toContainEqual(expect.objectContaining({ id, code: '777' }));
    expect(await restorations('account', id)).toEqual([{ code: '777', causedBy }]);
    const again = await service.call('DELETE', pathOf('account', id), { token: token() });
    expect(again.told).toBe('409 ACCOUNT_HAS_TRANSACTIONS');
  });

  test('when the deletion is stored after a transaction', async () => {
    const id = await newAccount();
    await late.transfer(id, cash);
    await late.deleteAccount(id);
    expect(await back('account', id)).toMatchObject({ code: null, balance: { amount: '-100.00' } });
    const deletion = (await late.eventsOf('account', id)).find(({ type }) => type === 'AccountDeleted');
    expect(await restorations('account', id)).toEqual([{ code: null, causedBy: deletion?.id }]);
  });

  test('without its code if another account took it', async () => {
    const id = await newAccount({ code: '777' });
    await remove(pathOf('account', id));
    const other = await newAccount({ code: '777', name: 'Other' });
    await late.transfer(cash, id);
    expect(await back('account', id)).toMatchObject({ name: 'Savings', code: null });
    expect((await service.get(pathOf('account', other), token())).data).toMatchObject({ code: '777' });
  });

  test('together with a customer if one transaction uses both', async () => {
    const [customerId, accountId] = [await newCustomer(), await newAccount({ code: '777' })];
    await remove(pathOf('customer', customerId));
    await remove(pathOf('account', accountId));
    const causedBy = await late.collect(customerId, accountId);
    expect(await back('customer', customerId)).toMatchObject({ balance: { amount: '-100.00' } });
    expect(await back('account', accountId)).toMatchObject({ balance: { amount: '100.00' } });
    expect(await restorations('customer', customerId)).toMatchObject([{ causedBy }]);
    expect(await restorations('account', accountId)).toMatchObject([{ causedBy }]);
  });
});

describe('Nothing is restored', () => {
  test('without postings', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    await late.collect(await newCustomer(), cash);
    await settled();
    expect((await service.get(pathOf('customer', id), token())).status).toBe(404);
    expect(await restorations('customer', id)).toEqual([]);
  });

  test('because of bookings of another tenant', async () => {
    const id = await newCustomer();
    await remove(pathOf('customer', id));
    const other = await service.openBooks();
    await new LateWriter(service, other.tenant.id).collect(id, cash);
    await settled();
    expect((await service.get(pathOf('customer', id), token())).status).toBe(404);
  });

  test('twice, however often its causes are redelivered', async () => {
    const [early, later] = [await newCustomer(), await newCustomer()];
    await late.collect(early, cash);
    await late.deleteCustomer(early);
    await remove(pathOf('customer', later));
    await late.collect(later, cash);
    await Promise.all([back('customer', early), back('customer', later)]);
    const policy = service.service.app.get(RestorationPolicy);
    const watch = service.service.app.get(RestorationWatch);
    for (const id of [early, later]) {
      const deletion = (await late.eventsOf('customer', id)).find(({ type }) => type === 'CustomerDeleted');
      if (!deletion) throw new Error('There is no deletion');
      const event = catalogue.decode(deletion) as Parameters<RestorationPolicy['react']>[0];
      await Promise.all([policy.react(event), policy.react(event), watch.look(), watch.look()]);
      expect(await restorations('customer', id)).toHaveLength(1);
    }
    await service.quiet();
    expect(await service.service.app.get(DeletedRecords).reached()).toEqual([]);
  });
});

describe('After a crash', () => {
  test('a redelivered event restores nothing again', async () => {
    const ids = [await newCustomer({ code: 'A-1' }), await newCustomer(), await newCustomer()] as const;
    await remove(pathOf('customer', ids[0]));
    await late.collect(ids[0], cash);
    await late.collect(ids[1], cash);
    await late.deleteCustomer(ids[1]);
    await remove(pathOf('customer', ids[2]));
    await Promise.all(ids.slice(0, 2).map((id) => back('customer', id)));
    // Removes the read models and checkpoints, so that the whole history is redelivered as if no event had ever been
    // handled.
    await service.restart(async () => {
      for (const end of ['', '-wal', '-shm']) await rm(join(service.directory, `models.sqlite${end}`), { force: true });
    });
    await settled();
    expect(await back('customer', ids[0])).toMatchObject({ code: 'A-1' });
    await back('customer', ids[1]);
    expect((await service.get(pathOf('customer', ids[2]), token())).status).toBe(404);
    expect(await Promise.all(ids.map((id) => restorations('customer', id)))).toMatchObject([[{}], [{}], []]);
  });
});
