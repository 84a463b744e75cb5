import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { v5 } from 'uuid';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { eventually } from '../support/eventually.js';
import { writeHistory } from '../support/history.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { messagesIn, type StoredMessage } from '../support/stored-messages.js';

const PATIENCE_MS = 20_000;

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
});
afterAll(() => service.close());

type Published = StoredMessage & { readonly event: CloudEvent };

const browse = async (subjectPrefix = ''): Promise<Published[]> => {
  const messages = await Promise.resolve(messagesIn(service.directory));
  const meant = messages.filter(({ subject }) => subject.startsWith(subjectPrefix));
  return meant.map((message) => ({ ...message, event: JSON.parse(message.payload) as CloudEvent }));
};
/** Resolves with the matching messages once at least `count` have been published. */
async function about(isMeant: (message: Published) => boolean, count: number): Promise<Published[]> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 10) {
    const found = (await browse(`kontor.${books.tenant.id}.`)).filter(isMeant);
    if (found.length >= count) return found;
    await delay(10);
  }
  throw new Error(`Fewer than ${count} messages were published.`);
}
const eventsOf = (type: string): Promise<readonly RecordedEvent[]> =>
  service.service.engines.events.readAll({ filter: { on: 'type', prefixes: [type] }, maxCount: 100_000 });
const saleIn = ({ event }: Published): unknown => (event.data as { saleId?: unknown }).saleId;

/** Number of messages per domain event type. Contains only types that are visible to partners. */
const publicTypes: Readonly<
  Record<string, (data: { transactions?: unknown[]; openingTransaction?: unknown }) => number>
> = {
  SaleAccepted: () => 1,
  SaleBooked: ({ transactions = [] }) => 1 + transactions.length,
  SaleRejected: () => 1,
  ReturnBooked: ({ transactions = [] }) => 1 + transactions.length,
  SaleCancelled: ({ transactions = [] }) => 1 + transactions.length,
  CustomerCreated: ({ openingTransaction }) => (openingTransaction === null ? 1 : 2),
  AccountCreated: () => 1,
  BranchCreated: () => 1,
  UserCreated: () => 1,
  TransactionCategorized: () => 1,
  SaleTransactionCategorized: () => 1,
  OpeningBalanceCategorized: () => 1,
  OpeningBalanceCancelled: () => 1,
  OpeningBalanceReplacementRecorded: () => 2,
};
async function expectedCount(): Promise<number> {
  const all = await service.service.engines.events.readAll({ maxCount: 100_000 });
  return all.reduce((sum, { type, data }) => sum + (publicTypes[type]?.(data) ?? 0), 0);
}

describe('A sale published to the broker', () => {
  test('is accepted, then booked, with an event for each of its transactions', async () => {
    const sale = saleOf('published', { customer: { name: 'Ada' }, payments: [{ method: 'CASH', amount: '60.00' }] });
    const { saleId, acceptedAt } = await service.sell(books.partner, sale);
    const messages = await about((message) => message.event.subject === saleId || saleIn(message) === saleId, 4);
    const { id: tenantId } = books.tenant;
    expect(messages.map(({ subject }) => subject)).toEqual([
      `kontor.${tenantId}.sale.accepted`,
      `kontor.${tenantId}.sale.booked`,
      `kontor.${tenantId}.transaction.recorded`,
      `kontor.${tenantId}.transaction.recorded`,
    ]);
    const [acceptedEvent] = (await eventsOf('SaleAccepted')).slice(-1);
    const [bookedEvent] = (await eventsOf('SaleBooked')).slice(-1);
    const { items } = await service.transactions(books.tenant.token, 'search=published');
    const [collection, invoice] = items;
    const [accepted, booked, first, second] = messages.map(({ event }) => event);
    const common = {
      specversion: '1.0',
      source: `/tenants/${tenantId}`,
      datacontenttype: 'application/json',
      tenantid: tenantId,
    };
    expect(accepted).toEqual({
      ...common,
      id: acceptedEvent?.id,
      type: 'kontor.sale.accepted.v1',
      subject: saleId,
      sequence: '0',
      time: (acceptedEvent?.metadata as { timestamp: string }).timestamp,
      data: {
        externalId: 'published',
        sourceId: 'shop',
        type: 'SALE',
        occurredAt: '2026-03-04T10:00:00.000Z',
        currency: 'EUR',
        total: '100.00',
        acceptedAt,
      },
    });
    expect(booked).toMatchObject({
      ...common,
      id: bookedEvent?.id,
      type: 'kontor.sale.booked.v1',
      subject: saleId,
      sequence: String(bookedEvent?.revision),
      data: {
        customerId: invoice?.customerId,
        branchId: null,
        date: '2026-03-04',
        transactionIds: [invoice?.id, collection?.id],
      },
    });
    for (const [event, transaction] of [[first, invoice] as const, [second, collection] as const])
      expect(event).toMatchObject({
        ...common,
        id: v5(transaction?.id ?? '', bookedEvent?.id ?? ''),
        type: 'kontor.transaction.recorded.v1',
        subject: transaction?.id,
        sequence: String(bookedEvent?.revision),
        data: { amount: transaction?.amount, postings: transaction?.postings, saleId },
      });
    for (const { id, event, headers } of messages) {
      expect(id).toBe(event.id);
      expect(headers).toEqual({ 'content-type': 'application/cloudevents+json' });
    }
  });

  test('has an event for each manual choice of a category', async () => {
    const { token } = books.tenant;
    await service.sell(books.partner, saleOf('chosen', { customer: { name: 'Cho Sen' } }));
    const id = (await service.transactions(token, 'search=chosen')).items[0]?.id ?? '';
    const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Chosen' }, token);
    const body = { categoryId };
    await service.call('PATCH', `/api/transactions/${id}/category`, { token, body });
    const [message] = await about(({ event }) => event.type === 'kontor.transaction.categorized.v1', 1);
    const [domainEvent] = (await eventsOf('SaleTransactionCategorized')).slice(-1);
    expect(message?.subject).toBe(`kontor.${books.tenant.id}.transaction.categorized`);
    expect(message?.event).toMatchObject({
      id: domainEvent?.id,
      subject: id,
      data: { transactionId: id, categoryId, customerId: expect.any(String) as string },
    });
  });
  test('that is rejected has an event with the reason', async () => {
    await service.postSale(books.partner, saleOf('refused', { branchCode: 'NOWHERE' }));
    const { saleId } = await service.settled(books.partner, 'refused');
    const [, rejected] = await about(({ event }) => event.subject === saleId, 2);
    expect(rejected?.event).toMatchObject({ type: 'kontor.sale.rejected.v1', data: { code: 'BRANCH_UNKNOWN' } });
  });
});

describe('Published messages', () => {
  test('contain every public event once, and nothing of other tenants or the platform', async () => {
    await writeHistory(service, books, { seed: 3, sales: 25 });
    await service.quiet();
    const count = await expectedCount();
    await about(() => true, count);
    const messages = await browse();
    expect(messages).toHaveLength(count);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(count);
    for (const { subject, event } of messages) {
      expect(subject).toBe(`kontor.${event.tenantid}.${event.type.split('.').slice(1, 3).join('.')}`);
      expect(event.tenantid).toBe(books.tenant.id);
      expect(JSON.stringify(event)).not.toMatch(/passwordHash|refreshTokenHash|secretHash|argon2/);
    }
  });

  test('are in order per record', async () => {
    const all = await service.service.engines.events.readAll({ maxCount: 100_000 });
    const places = new Map(all.map(({ id, stream, revision }) => [id, { stream, revision }]));
    const last = new Map<string, number>();
    let compared = 0;
    for (const { event } of await browse()) {
      const place = places.get(event.id);
      if (!place) continue;
      expect(event.sequence).toBe(String(place.revision));
      const before = last.get(place.stream);
      if (before !== undefined) {
        compared += 1;
        expect([place.stream, place.revision]).toEqual([place.stream, Math.max(place.revision, before + 1)]);
      }
      last.set(place.stream, place.revision);
    }
    expect(compared).toBeGreaterThan(20);
  });
});

describe('After a restart', () => {
  const answers = async (): Promise<unknown[]> => {
    const paths = ['customers?status=ALL&', 'transactions?', 'transactions?type=INVOICE&search=new&'];
    const token = await service.signIn(books.tenant.email);
    const pages = paths.map((path) => service.get(`/api/${path}pageNumber=1&pageSize=100`, token));
    const replies = await Promise.all([...pages, service.get('/api/reports/trial-balance?asOf=2026-02-28', token)]);
    return replies.map(({ body }) => body);
  };

  test('nothing changes, and nothing is published or booked again', async () => {
    await service.quiet();
    await about(() => true, await expectedCount());
    const before = [await answers(), (await browse()).length, (await eventsOf('Sale')).length];
    await service.restart();
    await service.quiet();
    expect([await answers(), (await browse()).length, (await eventsOf('Sale')).length]).toEqual(before);
    // The forwarder works in order, so any republished messages would arrive before those of a new sale.
    await service.sell(books.partner, saleOf('after the restart'));
    const messages = await about(() => true, await expectedCount());
    expect(messages).toHaveLength(await expectedCount());
  });

  // Without a checkpoint, the forwarder cannot determine which messages the broker has discarded, so it republishes
  // none automatically.
  test('without its read models the service rebuilds them, and publishes new events once resumed', async () => {
    const before = await answers();
    const published = await browse();
    await service.restart(async () => {
      for (const name of await readdir(service.directory))
        if (name.startsWith('models.sqlite')) await rm(join(service.directory, name));
    });
    await service.quiet();
    expect(await answers()).toEqual(before);
    const operator = await service.operator();
    const resume = (body: object) => service.post('/api/platform/forwarders/integration-events/resume', body, operator);
    await eventually(async () => (await resume({})).status === 409, PATIENCE_MS);
    expect(await browse()).toEqual(published);
    expect((await resume({ from: 'now' })).status).toBe(201);
    await service.sell(books.partner, saleOf('after all'));
    const messages = await about(() => true, await expectedCount());
    expect(messages).toHaveLength(await expectedCount());
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  });
});

test('The tests above log no warnings except that the forwarder waits', () => {
  expect(service.complaints).toEqual([expect.stringContaining('publishes nothing until it is resumed')]);
});
