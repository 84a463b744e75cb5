import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import type { ProjectionRow } from '../../src/queries/operation.queries.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

// A newer release has written an event to one customer's stream. This release cannot read it.

let service: TestService;
let books: Books;
let operator: string;
let customerId: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
  const created = await service.post('/api/customers', { name: 'Traveller' }, books.tenant.token);
  ({ id: customerId } = created.data as { id: string });
  const { events, ids } = service.service.engines;
  const stream = `customer-${books.tenant.id}_${customerId}`;
  const [first] = (await events.readStream(stream)).events;
  const event = { id: ids.next(), type: 'CustomerTeleported', data: {}, metadata: { ...first?.metadata, version: 1 } };
  await events.append({ stream, expected: 0, events: [event] });
  await until(async () => (await projection('transactions')).status === 'STOPPED');
});
afterAll(() => service.close());

const until = <T>(look: () => Promise<T | undefined | false>): Promise<T> => eventually(look, 15_000);

async function projection(name: string): Promise<ProjectionRow> {
  const rows = (await service.get('/api/platform/projections', operator)).data as ProjectionRow[];
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`There is no ${name}`);
  return row;
}

async function letterOf(projection: string): Promise<DeadLetterRecord> {
  const path = '/api/platform/dead-letters?origin=PROJECTION&pageNumber=1&pageSize=100';
  const { items } = (await service.get(path, operator)).body as { items: DeadLetterRecord[] };
  const letter = items.find(({ subscriber }) => subscriber === projection);
  if (!letter) throw new Error(`There is no letter of ${projection}`);
  return letter;
}

describe('While a read model is stopped', () => {
  test('a partner sees that a sale is booked, both by its number and in the list', async () => {
    expect((await service.sell(books.partner, saleOf('while-stopped'))).status).toBe('BOOKED');
    const list = async () => {
      const path = '/api/integrations/v1/sales?status=BOOKED';
      const { body } = await service.call('GET', path, { key: books.partner.key });
      return (body as { items: { externalId: string }[] }).items.map(({ externalId }) => externalId);
    };
    await until(async () => (await list()).includes('while-stopped'));
    expect((await projection('transactions')).status).toBe('STOPPED');
  });

  test('discarding its dead letter does not make it skip the event', async () => {
    const { id } = await letterOf('balances');
    await service.post(`/api/platform/dead-letters/${id}/discard`, { reason: 'A test.' }, operator);
    await until(async () => (await letterOf('balances')).status === 'DISCARDED');
    await service.sell(books.partner, saleOf('after-discard'));
    await until(async () => (await projection('sales')).lag === 0);
    expect(await projection('balances')).toMatchObject({ status: 'STOPPED' });
  });
});

describe('The record of the event', () => {
  test('cannot be changed, which is reported as a condition that an upgrade removes, not as a defect', async () => {
    const body = { name: 'Renamed' };
    const reply = await service.call('PATCH', `/api/customers/${customerId}`, { token: books.tenant.token, body });
    expect([reply.status, reply.headers['retry-after'], reply.body]).toEqual([
      503,
      '60',
      expect.objectContaining({ code: 'RECORD_UNREADABLE', message: expect.stringMatching(/upgrade/) as string }),
    ]);
  });
});

describe.each(['customers', 'audit_logs'])('A document of %s that lacks the event', (name) => {
  test('is counted, although the read model does not stop', async () => {
    await until(async () => {
      const { status, lag, incompleteDocuments } = await projection(name);
      return status === 'LIVE' && lag === 0 && incompleteDocuments === 1;
    });
    expect(await projection('branches')).toMatchObject({ incompleteDocuments: 0 });
  });

  test('stays counted after its dead letter is discarded, and a rebuild parks the letter again', async () => {
    const { id } = await letterOf(name);
    await service.post(`/api/platform/dead-letters/${id}/discard`, { reason: 'A test.' }, operator);
    await until(async () => (await letterOf(name)).status === 'DISCARDED');
    expect(await projection(name)).toMatchObject({ incompleteDocuments: 1 });
    expect((await service.post(`/api/platform/projections/${name}/rebuild`, undefined, operator)).status).toBe(201);
    await until(async () => (await projection(name)).lastRebuild?.status === 'DONE');
    await until(async () => (await letterOf(name)).status === 'PARKED');
    expect(await projection(name)).toMatchObject({ generation: 2, incompleteDocuments: 1 });
  });
});
