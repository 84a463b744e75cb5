import type { EventPage, ListedEvent } from '../../src/queries/event-list.query.js';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const PATIENCE_MS = 20_000;
const EVENTS = '/api/platform/events';

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const ask = (query: object = {}): Promise<Reply> =>
  service.get(`${EVENTS}?${new URLSearchParams(query as Record<string, string>).toString()}`, operator);
const page = async (query: object = {}): Promise<EventPage> => {
  const reply = await ask(query);
  if (reply.status !== 200) throw new Error(reply.told);
  return reply.body as EventPage;
};
const listed = async (query: object = {}): Promise<readonly ListedEvent[]> => (await page(query)).items;
const typesOf = (events: readonly ListedEvent[]): string[] => events.map(({ type }) => type);
/** Returns the events on all pages of a list. */
async function all(query: object, pageSize: number): Promise<ListedEvent[]> {
  const found: ListedEvent[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const part: EventPage = await page({ ...query, pageSize: String(pageSize), ...(cursor !== '' && { cursor }) });
    expect(part.items.length).toBeLessThanOrEqual(pageSize);
    expect([part.hasNextPage, part.totalIsCapped === true]).toEqual([
      part.nextCursor !== null,
      part.nextCursor !== null,
    ]);
    found.push(...part.items);
    cursor = part.nextCursor;
  }
  return found;
}

describe('The events of the service', () => {
  test('are listed newest first, with their records', async () => {
    const { id } = (await service.post('/api/customers', { name: 'Ada' }, books.tenant.token)).data as { id: string };
    await service.quiet();
    const [event] = await listed({ tenantId: books.tenant.id });
    expect(event).toMatchObject({
      type: 'CustomerCreated',
      kind: 'DOMAIN',
      entity: 'customer',
      tenantId: books.tenant.id,
      recordId: id,
      stream: `customer-${books.tenant.id}_${id}`,
      revision: 0,
      data: { name: 'Ada' },
      metadata: { tenantId: books.tenant.id },
    });
    const positions = (await listed({ pageSize: '100' })).map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => b - a));
    expect(positions.length).toBeGreaterThan(5);
  });

  test('of one request and all its consequences are found by its correlation id', async () => {
    const headers = { 'x-request-id': 'till-7/receipt 0815' };
    const traced = { 'x-request-id': '0b7d3c1e-4f1a-4c55-9d8e-2f5a1c9e7b60' };
    const sale = saleOf('traced', { branchCode: 'NOWHERE' });
    const { key } = books.partner;
    await service.call('POST', '/api/integrations/v1/sales', { key, headers: traced, body: sale });
    await service.sell(books.partner, saleOf('other'));
    const correlationId = traced['x-request-id'];
    const chain = await eventually(async () => {
      const found = await listed({ correlationId });
      return found.some(({ type }) => type === 'DeadLetterParked') ? found : undefined;
    }, PATIENCE_MS);
    expect(typesOf(chain)).toEqual(expect.arrayContaining(['SaleAccepted', 'SaleRejected', 'DeadLetterParked']));
    for (const { metadata } of chain) expect(metadata).toMatchObject({ $correlationId: correlationId });
    expect(chain.filter(({ data }) => (data as { externalId?: string }).externalId === 'other')).toEqual([]);
    expect(await listed({ correlationId: correlationId.slice(0, 20) })).toEqual([]);
    await service.call('POST', '/api/customers', { token: books.tenant.token, body: { name: 'Eve' }, headers });
    await service.quiet();
    const [id = ''] = (await listed({ tenantId: books.tenant.id })).map(
      ({ metadata }) => (metadata as { requestId: string }).requestId,
    );
    expect(typesOf(await listed({ requestId: id }))).toContain('CustomerCreated');
  });

  test('are found by a request id without letters and digits, in a bounded number of reads', async () => {
    const requestId = '-._-';
    const options = { token: books.tenant.token, headers: { 'x-request-id': requestId } };
    await service.call('POST', '/api/customers', { ...options, body: { name: 'Grace' } });
    await service.quiet();
    for (const filter of [{ requestId }, { correlationId: requestId }, { requestId, type: 'CustomerCreated' }])
      expect([filter, typesOf(await listed(filter))]).toEqual([filter, ['CustomerCreated']]);
    const others = await page({ requestId: '.', pageSize: '1' });
    expect(others).toMatchObject({ items: [], hasNextPage: true });
    expect(await all({ requestId: '.' }, 100)).toEqual([]);
  });

  test('are filtered by type, record, tenant and time, together', async () => {
    const other = await service.openBooks();
    for (const { tenant } of [books, other])
      await service.post('/api/branches', { code: 'SOUTH', name: 'South' }, tenant.token);
    await service.quiet();
    const branches = await listed({ type: 'BranchCreated' });
    expect(branches.length).toBeGreaterThan(1);
    expect(new Set(typesOf(branches))).toEqual(new Set(['BranchCreated']));
    const ofOther = await listed({ type: 'BranchCreated', tenantId: other.tenant.id });
    expect(ofOther).toEqual(branches.filter(({ tenantId }) => tenantId === other.tenant.id));
    const ofKind = await listed({ entity: 'branch', tenantId: other.tenant.id, pageSize: '100' });
    expect(ofKind).toEqual(ofOther);
    const [newest] = branches;
    const [from, to] = [newest?.occurredAt ?? '', '2020-01-01'];
    expect(await listed({ type: 'BranchCreated', from })).toEqual(
      branches.filter(({ occurredAt }) => occurredAt >= from),
    );
    for (const query of [{ to }, { entity: 'other' }, { type: 'Other' }, { tenantId: 'other' }, { requestId: 'none' }])
      expect([query, await listed(query)]).toEqual([query, []]);
  });

  test('have the record of their audit entry, which the filters select, and the stream that contains them', async () => {
    const { tenant } = await service.openBooks();
    const [tenantId, { token }] = [tenant.id, tenant];
    await service.post('/api/periods/close', { through: '2020-12-31' }, token);
    const { id: account } = await service.post('/api/accounts', { name: 'Till', type: 'CASH', isDefault: true }, token);
    const { id: customer } = await service.post('/api/customers', { name: 'Grace' }, token);
    await service.get(`/api/platform/streams/customer/${customer}/events?tenantId=${tenantId}`, operator);
    await service.quiet();
    const newest = async (query: object) => (await listed({ ...query, pageSize: '1' }))[0];
    expect(await newest({ tenantId, type: 'PeriodClosed' })).toMatchObject({
      ...{ entity: 'tenant', tenantId, recordId: tenantId, stream: `tenant-platform_${tenantId}` },
    });
    expect(await newest({ tenantId, entity: 'account', type: 'DefaultAccountSet' })).toMatchObject({
      ...{ entity: 'account', tenantId, recordId: account },
      stream: expect.stringMatching(/^defaults-/) as string,
    });
    expect(await newest({ entity: 'customer', type: 'HistoryRead' })).toMatchObject({
      ...{ entity: 'customer', tenantId: 'platform', recordId: customer },
      stream: expect.stringMatching(/^inspection-platform_/) as string,
    });
    for (const query of [{ tenantId }, { tenantId, entity: 'account' }, { entity: 'customer' }])
      for (const event of await listed({ ...query, pageSize: '100' })) expect(event).toMatchObject(query);
  });

  test('are read in parts with a cursor, each once, while events are added', async () => {
    const query = { tenantId: books.tenant.id };
    const before = await all(query, 100);
    expect(before.length).toBeGreaterThan(12);
    const first = await page({ ...query, pageSize: '5' });
    await service.post('/api/branches', { code: 'LATE', name: 'Late' }, books.tenant.token);
    await service.quiet();
    const rest = await all({ ...query, cursor: first.nextCursor }, 5);
    expect([...first.items, ...rest].map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect((await all(query, 3)).map(({ id }) => id).slice(1)).toEqual(before.map(({ id }) => id));
  });

  test('of a technical type are found in the history', async () => {
    const rotated = await all({ type: 'ValueClaimed' }, 2);
    expect(rotated.length).toBeGreaterThan(2);
    expect(new Set(rotated.map(({ kind, type }) => `${kind} ${type}`))).toEqual(new Set(['TECHNICAL ValueClaimed']));
    const { events } = service.service.engines;
    const stored = await events.readAll({ filter: { on: 'type', prefixes: ['ValueClaimed'] } });
    expect(rotated.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).reverse());
    const [of] = rotated.slice(-1);
    const same = { type: 'ValueClaimed', tenantId: of?.tenantId, entity: of?.entity, requestId: undefined };
    const filters = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined));
    expect((await all(filters, 100)).length).toBeGreaterThan(0);
  });

  test('contain no secrets', async () => {
    const keys = await listed({ type: 'IntegrationKeyCreated', tenantId: books.tenant.id });
    expect(keys.length).toBeGreaterThan(0);
    expect(JSON.stringify(await all({}, 100))).not.toContain('argon2id');
    for (const { data } of keys) expect(Object.keys(data ?? {})).not.toContain('secretHash');
  });

  test('leave an audit entry whenever they are read', async () => {
    await listed({ type: 'BranchUpdated', tenantId: books.tenant.id });
    await service.quiet();
    const { body } = await service.get('/api/platform/audit-logs?pageSize=1', operator);
    expect(body).toMatchObject({
      items: [{ eventType: 'EventsRead', action: 'OTHER', entity: 'inspection', tenantId: 'platform' }],
    });
    const [read] = await listed({ type: 'EventsRead' });
    expect(read?.data).toEqual({ filter: { type: 'BranchUpdated', tenantId: books.tenant.id } });
  });

  test.each([
    [{ cursor: 'x' }, 'cursor'],
    [{ cursor: Buffer.from('["a"]').toString('base64url') }, 'cursor'],
    [{ cursor: Buffer.from('["a","b","c"]').toString('base64url') }, undefined],
    [{ cursor: Buffer.from('[1]').toString('base64url'), type: 'ValueClaimed' }, 'cursor'],
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2026-02-01', to: '2026-01-01' }, 'to'],
    [{ pageSize: '101' }, 'pageSize'],
    [{ pageNumber: '1' }, 'pageNumber'],
    [{ color: 'red' }, 'color'],
  ])('cannot be queried with %j', async (query, path) => {
    const { status, body } = await ask(query);
    if (path === undefined) expect([200, 400]).toContain(status);
    else
      expect([status, (body as { errors: { path: string }[] }).errors.map((one) => one.path)]).toEqual([400, [path]]);
  });
});
