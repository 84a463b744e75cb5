import fc from 'fast-check';
import { CreateCustomer, UpdateCustomer } from '../../src/aggregates/customer-fields.js';
import { linkKey, taxNumberKey } from '../../src/aggregates/customer-keys.js';
import {
  createCustomer,
  customer,
  deleteCustomer,
  linkCustomer,
  restoreCustomer,
  updateCustomer,
  type CustomerEvent,
} from '../../src/aggregates/customer.aggregate.js';
import { given } from './given.js';

const id = '0190f3a0-0000-7000-8000-000000000001';
const jane = {
  id,
  input: CreateCustomer.parse({ name: 'Jane', email: 'Jane@Acme.test', taxNumber: 'DE 123.456' }),
  code: 'c-000001',
  tenantCurrency: 'EUR',
  openingBalancesAccountId: 'equity',
};
const [created] = createCustomer(customer.initial, jane) as [CustomerEvent & { type: 'CustomerCreated' }];
const standard: CustomerEvent = { ...created, data: { ...created.data, isDefault: true } };
const passive: CustomerEvent = { type: 'CustomerMadePassive', data: {} };
const deleted: CustomerEvent = { type: 'CustomerDeleted', data: {} };
const link = { sourceId: 'pos', externalId: '9' };
const linked: CustomerEvent = { type: 'CustomerLinked', data: link };
const restoration = { code: null, links: [], causedBy: 'e1' };
const restored: CustomerEvent = { type: 'CustomerRestored', data: restoration };

describe('a customer', () => {
  test('is created as an active company in the tenant’s currency by default', () => {
    given(customer, []).when(createCustomer, jane).then(created);
    expect(created.data).toMatchObject({ type: 'COMPANY', status: 'ACTIVE', currency: 'EUR', code: 'c-000001' });
    expect(created.data).toMatchObject({ isDefault: false, openingTransaction: null, links: [], phone: null });
    given(customer, [created]).when(createCustomer, jane).changesNothing();
  });
  test('owes an opening balance OUT from the start, and is owed an opening balance IN', () => {
    const opened = (direction: 'IN' | 'OUT') => {
      const input = CreateCustomer.parse({
        name: 'Jane',
        openingBalance: { amount: 12.5, direction, date: '2026-01-01' },
      });
      const [event] = given(customer, [])
        .when(createCustomer, { ...jane, input })
        .events();
      return event?.type === 'CustomerCreated' ? event.data.openingTransaction : undefined;
    };
    expect(opened('OUT')).toMatchObject({
      type: 'OPENING_BALANCE',
      direction: 'OUT',
      amount: '12.50',
      date: '2026-01-01',
      customerId: id,
      systemGenerated: true,
      postings: [
        { accountId: id, amount: '12.50' },
        { accountId: 'equity', amount: '-12.50' },
      ],
    });
    expect(opened('IN')?.postings).toContainEqual({ accountId: id, amount: '-12.50' });
    expect(opened('IN')?.id).toBe(opened('OUT')?.id);
  });
  test('is rejected in another currency, or with an opening balance that does not fit it', () => {
    const inYen = { ...jane, input: { name: 'Jane', currency: 'JPY' } };
    given(customer, []).when(createCustomer, inYen).isRefused('invalid CURRENCY_MISMATCH currency');
    given(customer, [created])
      .when(updateCustomer, { currency: 'JPY' })
      .isRefused('invalid CURRENCY_MISMATCH currency');
    given(customer, [created]).when(updateCustomer, { currency: 'EUR' }).changesNothing();
    const openingBalance = { amount: '1.005', direction: 'IN' as const, date: '2026-01-01' };
    given(customer, [])
      .when(createCustomer, { ...jane, input: { name: 'Jane', openingBalance } })
      .isRefused('invalid VALIDATION_FAILED openingBalance.amount');
  });
  test('holds its code, links, tax number and e-mail address, normalized, until it is deleted', () => {
    given(customer, [created, linked]).holds(
      't account-code C-000001 CUSTOMER_CODE_TAKEN',
      't customer-code C-000001 CUSTOMER_CODE_TAKEN',
      't customer-link ["pos","9"] CUSTOMER_LINK_TAKEN',
      't customer-tax-number DE123456 -',
      't customer-email jane@acme.test -',
    );
    given(customer, [created, linked, deleted]).holds();
    given(customer, []).holds();
    const bare = { ...created, data: { ...created.data, email: null, taxNumber: ' - ' } };
    given(customer, [bare]).holds(
      't account-code C-000001 CUSTOMER_CODE_TAKEN',
      't customer-code C-000001 CUSTOMER_CODE_TAKEN',
    );
  });
  test('is updated with the changed fields only, and its status has separate events', () => {
    given(customer, [created])
      .when(updateCustomer, { name: 'Jane', phone: '1', email: null, status: 'PASSIVE' })
      .then({ type: 'CustomerUpdated', data: { changes: { phone: '1', email: null } } }, passive);
    given(customer, [created, passive])
      .when(updateCustomer, { status: 'ACTIVE' })
      .then({ type: 'CustomerMadeActive', data: {} });
    given(customer, [created, passive]).when(updateCustomer, { status: 'PASSIVE', name: 'Jane' }).changesNothing();
    given(customer, [created, deleted]).when(updateCustomer, {}).isRefused('not_found NOT_FOUND');
  });
  test('is linked to each partner’s id once', () => {
    given(customer, [created]).when(linkCustomer, link).then(linked);
    given(customer, [created, linked]).when(linkCustomer, link).changesNothing();
    expect(given(customer, [created, linked, linked]).state).toMatchObject({ links: [link] });
    given(customer, [created, deleted]).when(linkCustomer, link).isRefused('not_found NOT_FOUND');
  });
  test('can be deleted, unless it is the one for sales without a customer', () => {
    given(customer, [created]).when(deleteCustomer, {}).then(deleted);
    given(customer, [created, deleted]).when(deleteCustomer, {}).isRefused('not_found NOT_FOUND');
    given(customer, [standard]).when(deleteCustomer, {}).isRefused('conflict DEFAULT_CUSTOMER');
  });
  test('is restored once for each transaction that reached the deleted record, with the values that are still free', () => {
    given(customer, [created, linked, deleted]).when(restoreCustomer, restoration).then(restored);
    given(customer, [created]).when(restoreCustomer, restoration).changesNothing();
    given(customer, [created, deleted, restored, deleted]).when(restoreCustomer, restoration).changesNothing();
    given(customer, [created, linked, deleted, restored]).holds(
      't customer-tax-number DE123456 -',
      't customer-email jane@acme.test -',
    );
  });
  test('rejects values that the service determines', () => {
    for (const extra of [{ isDefault: true }, { balance: '5' }, { tenantId: 't' }, { links: [] }, { revision: 3 }])
      expect(CreateCustomer.safeParse({ name: 'Jane', ...extra }).success).toBe(false);
    for (const bad of [{ name: null }, { status: 'GONE' }, { openingBalance: null }, { email: 'x' }])
      expect([bad, UpdateCustomer.safeParse(bad).success]).toEqual([bad, false]);
  });
});

test('has link keys that are unique for each pair', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
      const same = a === c && b === d;
      const keys = [linkKey({ sourceId: a, externalId: b }), linkKey({ sourceId: c, externalId: d })];
      expect(keys[0] === keys[1]).toBe(same);
    }),
  );
  expect(linkKey({ sourceId: 'a","b', externalId: 'c' })).not.toBe(linkKey({ sourceId: 'a', externalId: 'b","c' }));
});

test('has the same tax number with and without its spaces, points and dashes', () => {
  expect([taxNumberKey('de 123-456.7'), taxNumberKey('ＤＥ1234567'), taxNumberKey('-')]).toEqual([
    'DE1234567',
    'DE1234567',
    undefined,
  ]);
});
