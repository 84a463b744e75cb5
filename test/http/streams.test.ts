import type { EventMetadata } from '../../src/eventsourcing/event-catalogue.js';
import type { Page } from '../../src/queries/query.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { StreamEvent, StreamState } from '../../src/queries/stream.queries.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let operator: string;
let customerId: string;
let stream: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
  const { token } = books.tenant;
  const openingBalance = { amount: '5.00', direction: 'OUT', date: '2026-01-01' };
  ({ id: customerId } = await service.post('/api/customers', { name: 'Version 0', openingBalance }, token));
  for (let version = 1; version <= 24; version += 1)
    await service.call('PATCH', `/api/customers/${customerId}`, { token, body: { name: `Version ${version}` } });
  stream = `customer-${books.tenant.id}_${customerId}`;
});
afterAll(() => service.close());

type Address = { readonly entity: string; readonly id: string; readonly tenantId?: string };
const ask = ({ entity, id, tenantId = books.tenant.id }: Address, what: 'events' | 'state', query = '') =>
  service.get(
    `/api/platform/streams/${entity}/${encodeURIComponent(id)}/${what}?tenantId=${tenantId}&${query}`,
    operator,
  );
const ofCustomer = (): Address => ({ entity: 'customer', id: customerId });
const events = async (address: Address, query = ''): Promise<Page<StreamEvent>> =>
  (await ask(address, 'events', query)).body as Page<StreamEvent>;
const state = async (address: Address, query = ''): Promise<StreamState> =>
  (await ask(address, 'state', query)).data as StreamState;
const stored = async (name = stream): Promise<readonly RecordedEvent[]> =>
  (await service.service.engines.events.readStream(name, { maxCount: 1_000 })).events;

describe('The history of a record', () => {
  test('is listed page by page, newest event first', async () => {
    const all = await stored();
    const told: StreamEvent[] = [];
    for (const pageNumber of [1, 2, 3]) {
      const { items, ...page } = await events(ofCustomer(), `pageSize=10&pageNumber=${pageNumber}`);
      expect(page).toEqual({
        pageNumber,
        pageSize: 10,
        totalCount: 25,
        totalPages: 3,
        hasPreviousPage: pageNumber > 1,
        hasNextPage: pageNumber < 3,
      });
      told.push(...items);
    }
    expect(told.map(({ id }) => id)).toEqual(all.map(({ id }) => id).reverse());
    expect(told.at(-2)).toEqual({
      id: all[1]?.id,
      stream,
      type: 'CustomerUpdated',
      kind: 'DOMAIN',
      revision: 1,
      position: all[1]?.position,
      occurredAt: (all[1]?.metadata as EventMetadata).timestamp,
      data: { changes: { name: 'Version 1' } },
      metadata: all[1]?.metadata,
    });
    expect((await events(ofCustomer(), 'pageNumber=4&pageSize=10')).items).toEqual([]);
  });

  test('marks internal events', async () => {
    await service.sell(books.partner, saleOf('with-machinery', { customer: { name: 'Mach Ine', externalId: 'm' } }));
    const { saleId: id } = await service.saleStatus(books.partner, 'with-machinery');
    const { items } = await events({ entity: 'sale', id });
    expect(items.map(({ type, kind }) => `${type} ${kind}`)).toEqual([
      'SaleBooked DOMAIN',
      'SaleCustomerChosen TECHNICAL',
      'SaleAccepted DOMAIN',
    ]);
  });

  test('shows a fence, which changes only the revision', async () => {
    const { token } = books.tenant;
    const { id } = await service.post('/api/branches', { code: 'FENCED', name: 'Fenced' }, token);
    const name = `branch-${books.tenant.id}_${id}`;
    const [made] = await stored(name);
    const metadata = { ...made?.metadata, version: 1 };
    const event = (type: string, data: object) => ({ id: service.service.engines.ids.next(), type, data, metadata });
    await service.service.engines.events.append({
      stream: name,
      expected: 0,
      events: [event('ClaimFenced', { claim: 'c', attemptId: 'a' })],
    });
    const address = { entity: 'branch', id };
    expect((await events(address)).items[0]).toMatchObject({ type: 'ClaimFenced', kind: 'TECHNICAL', revision: 1 });
    const fenced = await state(address);
    expect(fenced).toMatchObject({ revision: 1, state: (await state(address, 'at=0')).state });
    expect(fenced.state).toMatchObject({ status: 'active', code: 'FENCED' });
  });

  test('of a transaction is the history of its stream', async () => {
    const { items: all } = await service.transactions(books.tenant.token);
    const opening = all.find(({ type }) => type === 'OPENING_BALANCE');
    const invoice = all.find(({ documentEffect }) => documentEffect === 'INVOICE');
    expect((await events({ entity: 'transaction', id: opening?.id ?? '' })).items[0]?.stream).toBe(stream);
    const carried = await state({ entity: 'transaction', id: invoice?.id ?? '' });
    expect(carried).toMatchObject({ entity: 'sale', stream: expect.stringMatching(/^sale-/) as string });
    expect((carried.state as { trail: object }).trail).toHaveProperty(invoice?.id ?? '');
  });

  test('of a platform record is requested with the platform as its tenant', async () => {
    const { items } = await events({ entity: 'tenant', id: books.tenant.id, tenantId: 'platform' });
    expect(items.map(({ type }) => type)).toEqual(['TenantCreated']);
    expect(JSON.stringify(items)).not.toMatch(/hash/i);
    expect((await ask({ entity: 'tenant', id: books.tenant.id }, 'events')).told).toBe('404 NOT_FOUND');
  });
});

describe('The state of a record', () => {
  test('is available as of now', async () => {
    const all = await stored();
    expect(await state(ofCustomer())).toEqual({
      entity: 'customer',
      id: customerId,
      tenantId: books.tenant.id,
      stream,
      revision: 24,
      position: all.at(-1)?.position,
      occurredAt: (all.at(-1)?.metadata as EventMetadata).timestamp,
      state: expect.objectContaining({ status: 'present', name: 'Version 24' }) as object,
    });
  });

  test('is available at a revision', async () => {
    for (const revision of [0, 1, 17, 24]) {
      const was = await state(ofCustomer(), `at=${revision}`);
      expect([was.revision, was.state]).toEqual([
        revision,
        expect.objectContaining({ name: `Version ${revision}` }) as object,
      ]);
    }
  });

  test('is available at an instant; a future instant means now', async () => {
    const { token } = books.tenant;
    const { id } = await service.post('/api/branches', { code: 'CLOCK', name: 'Early' }, token);
    const clock = service.clock as unknown as { pass(ms: number): void };
    clock.pass(60_000);
    await service.call('PATCH', `/api/branches/${id}`, { token, body: { name: 'Late' } });
    const [made, changed] = await stored(`branch-${books.tenant.id}_${id}`);
    const address = { entity: 'branch', id };
    const nameAt = async (at: string): Promise<unknown> =>
      ((await state(address, `at=${at}`)).state as { name: string }).name;
    const [first, second] = [made, changed].map((event) => (event?.metadata as EventMetadata).timestamp);
    const after = (instant = '', ms = 0): string => new Date(Date.parse(instant) + ms).toISOString();
    expect(await nameAt(first ?? '')).toBe('Early');
    expect(await nameAt(after(second, -1))).toBe('Early');
    expect(await nameAt(second ?? '')).toBe('Late');
    expect(await nameAt('2100-01-01')).toBe('Late');
    expect((await ask(address, 'state', `at=${after(first, -1)}`)).told).toBe('404 NOT_FOUND');
  });

  test('at an invalid instant is rejected, with the field', async () => {
    for (const at of ['25', '-1', 'yesterday', '1.5', '2026-02-30'])
      expect([at, (await ask(ofCustomer(), 'state', `at=${at}`)).told]).toEqual([at, '400 VALIDATION_FAILED at']);
  });
});

test('Unknown kinds, tenants and records, and internal streams, are not found', async () => {
  const other = await service.createTenant();
  const nobody: readonly Address[] = [
    { entity: 'unicorn', id: customerId },
    { entity: 'claim', id: 'x' },
    { entity: 'number-sequence', id: 'customers' },
    { entity: 'customer', id: service.service.engines.ids.next() },
    { entity: 'customer', id: customerId, tenantId: other.id },
    { entity: 'customer', id: customerId, tenantId: 'nobody' },
    { entity: 'customer', id: `x_${customerId}` },
    { entity: 'customer', id: '\0' },
    { entity: 'customer', id: `${customerId}\0x` },
    { entity: 'transaction', id: customerId },
    { entity: '__proto__', id: customerId },
  ];
  for (const address of nobody)
    for (const what of ['events', 'state'] as const)
      expect([address, (await ask(address, what)).told]).toEqual([address, '404 NOT_FOUND']);
  const path = `/api/platform/streams/customer/${customerId}`;
  for (const what of ['events', 'state']) {
    expect((await service.get(`${path}/${what}`, operator)).told).toBe('400 VALIDATION_FAILED tenantId');
    const own = await service.get(`${path}/${what}?tenantId=${books.tenant.id}`, books.tenant.token);
    expect(own.told).toBe('403 FORBIDDEN');
  }
});

test('Events of newer versions are shown without data, and change no state', async () => {
  const behind = await TestService.start();
  try {
    const { id: tenantId, token } = await behind.createTenant();
    const { id } = await behind.post('/api/branches', { code: 'NEW', name: 'New' }, token);
    const { events: log, ids } = behind.service.engines;
    const name = `branch-${tenantId}_${id}`;
    const [made] = (await log.readStream(name)).events;
    const painted = {
      id: ids.next(),
      type: 'BranchPainted',
      data: { secretHash: 'x' },
      metadata: made?.metadata ?? {},
    };
    await log.append({ stream: name, expected: 0, events: [painted] });
    const path = `/api/platform/streams/branch/${id}`;
    const told = async (what: string) =>
      (await behind.get(`${path}/${what}?tenantId=${tenantId}`, await behind.operator())).body;
    expect(((await told('events')) as Page<StreamEvent>).items[0]).toMatchObject({
      type: 'BranchPainted',
      kind: 'UNKNOWN',
      data: null,
      revision: 1,
    });
    expect(await told('state')).toMatchObject({ data: { revision: 1, state: { name: 'New', status: 'active' } } });
  } finally {
    await behind.close();
  }
});

test('A long stream is listed and folded in parts', async () => {
  const id = service.service.engines.ids.next();
  const name = `branch-${books.tenant.id}_${id}`;
  const [made] = await stored();
  const metadata = { ...made?.metadata, tenantId: books.tenant.id, version: 1 };
  const one = (type: string, data: object) => ({ id: service.service.engines.ids.next(), type, data, metadata });
  const details = { description: null, address: null, phone: null, email: null };
  const first = one('BranchCreated', { code: 'LONG', name: 'Name 0', ...details, isActive: true });
  const later = Array.from({ length: 1_300 }, (_, n) => one('BranchUpdated', { changes: { name: `Name ${n + 1}` } }));
  const parts = [[first, ...later.slice(0, 600)], later.slice(600)];
  let revision = -1;
  for (const part of parts) {
    const expected = revision < 0 ? ('no_stream' as const) : revision;
    ({ revision } = await service.service.engines.events.append({ stream: name, expected, events: part }));
  }
  await service.quiet();
  const address = { entity: 'branch', id };
  expect(await events(address, 'pageSize=100&pageNumber=14')).toMatchObject({ totalCount: 1_301, totalPages: 14 });
  expect((await events(address, 'pageSize=100&pageNumber=14')).items).toHaveLength(1);
  expect((await state(address)).state).toMatchObject({ name: 'Name 1300' });
  expect((await state(address, 'at=999')).state).toMatchObject({ name: 'Name 999' });
  const entry = await service.get(`/api/platform/audit-logs/${later[1_099]?.id ?? ''}`, operator);
  expect((entry.data as { changes: unknown }).changes).toEqual([
    { path: 'name', before: 'Name 1099', after: 'Name 1100' },
  ]);
});
