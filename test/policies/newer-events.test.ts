import { priceSale, saleId, SalePayload } from '../../src/aggregates/sale-payload.js';
import { acceptSale, sale } from '../../src/aggregates/sale.aggregate.js';
import { DeadLetters, letterOf } from '../../src/integration/dead-letters.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import { elsewhere } from '../support/elsewhere.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

// During a rolling upgrade, a replica of a newer release has written events that this replica cannot read.

const PATIENCE_MS = 15_000;
const until = <T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> =>
  eventually(() => Promise.resolve(look()), PATIENCE_MS);

let service: TestService;
let books: Books;
beforeEach(async () => {
  service = await TestService.start();
  books = await service.openBooks();
});
afterEach(() => service.close());

const bookingQueue = () => service.service.engines.queues.readings().find(({ name }) => name === 'booking');

/** Returns the dead letters, except those of read models, which are not part of these tests. */
async function letters(): Promise<readonly DeadLetterRecord[]> {
  const reply = await service.get('/api/platform/dead-letters?pageSize=100', await service.operator());
  const { items } = reply.body as { items: readonly DeadLetterRecord[] };
  return items.filter(({ origin }) => origin !== 'PROJECTION');
}

/** Appends an event to the end of a stream, as another process does. Returns its position. */
async function append(stream: string, type: string, data: object, version: number): Promise<RecordedEvent> {
  const { events, ids } = service.service.engines;
  const earlier = (await events.readStream(stream)).events;
  const metadata = { ...(await events.readAll({ maxCount: 1 }))[0]?.metadata, version, tenantId: books.tenant.id };
  const event = { id: ids.next(), type, data, metadata };
  await events.append({ stream, expected: earlier.at(-1)?.revision ?? 'no_stream', events: [event] });
  const stored = (await events.readStream(stream)).events.at(-1);
  if (!stored) throw new Error('Nothing was stored');
  return stored;
}

const acceptanceOf = (externalId: string, more: object = {}) => {
  const { sourceId } = books.partner;
  return { sourceId, sale: priceSale(SalePayload.parse(saleOf(externalId, more))) };
};

/** Stores an acceptance in a version that this release does not know. */
function acceptedLater(externalId: string): Promise<RecordedEvent> {
  const id = saleId(books.tenant.id, books.partner.sourceId, externalId);
  const version = (sale.events.SaleAccepted?.version ?? 0) + 1;
  return append(`sale-${books.tenant.id}_${id}`, 'SaleAccepted', { ...acceptanceOf(externalId).sale }, version);
}

/** Waits until the policy has tried the open event repeatedly, which it does not do with a parked event. */
const triedRepeatedly = (position: number) =>
  until(() => {
    const { failures = 0, position: reached = -1 } = bookingQueue() ?? {};
    return failures >= 3 && reached < position && { reached };
  });

test('A policy waits at an event of a newer version and books other sales in the meantime', async () => {
  const { position } = await acceptedLater('from-the-future');
  await triedRepeatedly(position);
  expect((await service.sell(books.partner, saleOf('of-today'))).status).toBe('BOOKED');
  expect(bookingQueue()).toMatchObject({ inFlight: 1, isIdle: false });
  expect(await letters()).toEqual([]);
});

test('A policy waits if it must read a record that a newer release has changed', async () => {
  const { tenant } = books;
  const created = await service.post('/api/customers', { name: 'Traveller', code: 'T1' }, tenant.token);
  await append(`customer-${tenant.id}_${created.id}`, 'CustomerTeleported', {}, 1);
  const target = { tenantId: tenant.id, id: saleId(tenant.id, books.partner.sourceId, 'to-traveller') };
  const acceptance = acceptanceOf('to-traveller', { customer: { code: 'T1', name: 'Traveller' } });
  const { position } = await elsewhere(
    service.service.engines,
    ({ runner }) => runner.execute(sale, target, acceptance, acceptSale),
    tenant.id,
  );
  await triedRepeatedly(position);
  expect(await letters()).toEqual([]);
});

test('A replay of a dead letter whose event a newer release wrote can be repeated after the upgrade', async () => {
  const event = await acceptedLater('parked-before');
  await service.service.app.get(DeadLetters).park(letterOf('PUBLISH', 'integration-events', event, new Error('No.')));
  const { id } = await until(async () => (await letters())[0]);
  const reply = await service.post(`/api/platform/dead-letters/${id}/replay`, undefined, await service.operator());
  expect([reply.status, reply.headers['retry-after'], reply.body]).toEqual([
    503,
    '60',
    expect.objectContaining({ code: 'RECORD_UNREADABLE' }),
  ]);
  expect((await letters())[0]).toMatchObject({ status: 'PARKED', attempts: 1 });
});
