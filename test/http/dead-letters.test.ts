import { setTimeout as delay } from 'node:timers/promises';
import { bookSale } from '../../src/aggregates/sale-booking.js';
import { sale } from '../../src/aggregates/sale.aggregate.js';
import { catalogue } from '../../src/app/catalogue.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import { DeadLetters, letterOf } from '../../src/integration/dead-letters.js';
import { messagesOf } from '../../src/integration/event-messages.js';
import { BookingPolicy } from '../../src/policies/booking.policy.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import { elsewhere } from '../support/elsewhere.js';
import { eventually } from '../support/eventually.js';
import { choosy } from '../support/choosy-broker.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { messagesIn, type StoredMessage } from '../support/stored-messages.js';

type Letter = DeadLetterRecord;
type Published = StoredMessage & { readonly event: CloudEvent };

const PATIENCE_MS = 5_000;

let service: TestService;
let books: Books;
let operator: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  operator = await service.operator();
});
afterAll(() => service.close());

const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const list = async (query = ''): Promise<{ items: Letter[]; totalCount: number }> =>
  (await service.get(`/api/platform/dead-letters?${query}`, operator)).body as {
    items: Letter[];
    totalCount: number;
  };
const letter = async (id: string): Promise<Letter> =>
  (await service.get(`/api/platform/dead-letters/${id}`, operator)).data as Letter;
const replay = (id: string, token = operator): Promise<Reply> =>
  service.post(`/api/platform/dead-letters/${id}/replay`, undefined, token);
const discard = (id: string, body: object = { reason: 'A test.' }): Promise<Reply> =>
  service.post(`/api/platform/dead-letters/${id}/discard`, body, operator);

const until = <T>(look: () => Promise<T | undefined>): Promise<T> => eventually(look, PATIENCE_MS);
/** Resolves with a sale's dead letter once it exists. */
const letterAbout = (subject: string): Promise<Letter> =>
  until(async () => (await list(`search=${subject}`)).items.find((one) => one.subject === subject));
const published = async (): Promise<Published[]> => {
  const messages = await Promise.resolve(messagesIn(service.directory));
  return messages.map((message) => ({ ...message, event: JSON.parse(message.payload) as CloudEvent }));
};
async function rejected(externalId: string, more: object): Promise<Letter> {
  const reply = await service.postSale(books.partner, saleOf(externalId, more));
  const { saleId } = reply.body as { saleId: string };
  return letterAbout(saleId);
}

describe('An unbookable sale', () => {
  test('becomes a dead letter with the reason and the sale', async () => {
    const found = await rejected('to-nowhere', { branchCode: 'NOWHERE' });
    expect(await letter(found.id)).toEqual({
      id: found.id,
      tenantId: books.tenant.id,
      origin: 'SALE',
      subscriber: 'booking',
      eventId: expect.any(String) as string,
      eventType: 'SaleAccepted',
      stream: `sale-${books.tenant.id}_${found.subject}`,
      eventRevision: 0,
      subject: found.subject,
      saleId: found.subject,
      externalId: 'to-nowhere',
      payload: expect.objectContaining({ externalId: 'to-nowhere', branchCode: 'NOWHERE' }) as object,
      reason: { code: 'BRANCH_UNKNOWN', message: expect.any(String) as string },
      attempts: 1,
      status: 'PARKED',
      firstFailedAt: found.firstFailedAt,
      lastFailedAt: found.firstFailedAt,
      resolvedAt: null,
      resolvedBy: null,
      discardReason: null,
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: expect.stringMatching(/Z$/) as string,
      revision: 0,
    });
    expect((await service.saleStatus(books.partner, 'to-nowhere')).status).toBe('REJECTED');
  });

  test('is shown with exactly the documented members', async () => {
    const { id } = await letterAbout((await rejected('to-nobody', { branchCode: 'NOWHERE' })).subject);
    const { components } = JSON.parse(service.service.openApi()) as {
      components: { schemas: { IntegrationDeadLetter: { properties: object } } };
    };
    const documented = Object.keys(components.schemas.IntegrationDeadLetter.properties).sort();
    expect(Object.keys(await letter(id)).sort()).toEqual(documented);
  });

  test('stays parked with one more attempt while the cause remains, and is then booked', async () => {
    const found = await rejected('to-north', { branchCode: 'NORTH' });
    const refused = await replay(found.id);
    expect([refused.status, refused.data]).toEqual([
      201,
      { success: true, id: found.id, revision: 1, status: 'PARKED' },
    ]);
    expect(await letter(found.id)).toMatchObject({ status: 'PARKED', attempts: 2, resolvedAt: null });
    await service.post('/api/branches', { code: 'NORTH', name: 'North' }, books.tenant.token);
    const resolved = await until(async () => {
      const now = await letter(found.id);
      return now.status === 'REPLAYED' ? now : undefined;
    });
    expect(resolved).toMatchObject({ attempts: 2, resolvedBy: 'system:healing' });
    expect(Date.parse(resolved.resolvedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(resolved.lastFailedAt));
    expect(await service.settled(books.partner, 'to-north')).toMatchObject({ status: 'BOOKED', rejection: null });
    expect(codeOf(await replay(found.id))).toBe('409 ALREADY_RESOLVED');
    expect(codeOf(await discard(found.id))).toBe('409 ALREADY_RESOLVED');
    expect((await letter(found.id)).revision).toBe(2);
  });

  test('is booked once by concurrent replays', async () => {
    const found = await rejected('to-south', { branchCode: 'SOUTH', customer: { name: 'Sud Ice' } });
    await service.post('/api/branches', { code: 'SOUTH', name: 'South' }, books.tenant.token);
    const replies = await Promise.all(Array.from({ length: 10 }, () => replay(found.id)));
    // At most one replay succeeds. If the healing policy books the sale first, every replay fails.
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    expect(new Set(replies.map(codeOf))).toContain('409 ALREADY_RESOLVED');
    await service.settled(books.partner, 'to-south');
    const { items } = await service.transactions(books.tenant.token, 'search=Sud');
    expect(items.map(({ documentEffect }) => documentEffect)).toEqual(['INVOICE']);
  });

  test('stays resolved if another replica booked it and its event is redelivered', async () => {
    const found = await rejected('to-west', { branchCode: 'WEST' });
    const { engines, app } = service.service;
    const [tenantId, saleId] = [books.tenant.id, found.subject];
    const accounts = { sales: engines.ids.next(), tax: engines.ids.next(), byPayment: [] };
    const nobody = { customerId: engines.ids.next(), merchant: null, rules: { resolve: () => undefined } };
    const facts = { saleId, branchId: null, date: '2026-03-04', accounts, ...nobody };
    await elsewhere(engines, ({ runner }) => runner.execute(sale, { tenantId, id: saleId }, facts, bookSale), tenantId);
    const { events } = await engines.events.readStream(found.stream);
    const accepted = catalogue.decode(events[0] as RecordedEvent);
    await expect(app.get(BookingPolicy).react(accepted as never)).resolves.toBeUndefined();
    const { items: operators } = (await service.get('/api/platform/operators', operator)).body as {
      items: { id: string }[];
    };
    expect((await replay(found.id)).data).toMatchObject({ status: 'REPLAYED' });
    expect(await letter(found.id)).toMatchObject({ status: 'REPLAYED', resolvedBy: operators[0]?.id });
  });

  test('can be a return that arrives before its sale', async () => {
    const back = {
      type: 'RETURN',
      relatedExternalId: 'late',
      lines: [{ description: 'Back', quantity: 1, unitPrice: '1' }],
    };
    const found = await rejected('late-back', back);
    expect(found.reason.code).toBe('RELATED_SALE_UNKNOWN');
    await service.sell(books.partner, saleOf('late'));
    await until(async () => (await letter(found.id)).status === 'REPLAYED');
    expect((await service.settled(books.partner, 'late-back')).status).toBe('BOOKED');
  });

  test('is found by the external id and the id of the sale', async () => {
    const found = await rejected('to-be-found', { branchCode: 'NOWHERE' });
    for (const search of ['to-be-found', found.saleId])
      expect((await list(`search=${search}`)).items.map(({ id }) => id)).toEqual([found.id]);
  });

  test('is found in the same way if its events could not be published', async () => {
    const { saleId } = await service.sell(books.partner, saleOf('published'));
    const back = { lines: [{ description: 'Back', quantity: 1, unitPrice: '1' }], payments: [] };
    const returned = { type: 'RETURN', relatedExternalId: 'published', ...back };
    await service.sell(books.partner, saleOf('published-back', returned));
    const { events } = await service.service.engines.events.readStream(`sale-${books.tenant.id}_${saleId}`);
    const letters = service.service.app.get(DeadLetters);
    for (const event of events) await letters.park(letterOf('PUBLISH', 'none', event, new Error('Too large.')));
    await service.quiet();
    const found = async (search: string) =>
      Object.fromEntries((await list(`search=${search}`)).items.map((one) => [one.eventType, one]));
    expect(await found('published')).toEqual(await found(saleId));
    expect(await found(saleId)).toMatchObject({
      SaleAccepted: { saleId, externalId: 'published' },
      SaleBooked: { saleId, externalId: 'published' },
      ReturnBooked: { saleId, externalId: 'published-back' },
    });
  });

  test('can be discarded with a reason, and then not replayed', async () => {
    const found = await rejected('to-be-dropped', { branchCode: 'NOWHERE' });
    for (const body of [{}, { reason: '' }, { reason: 7 }, { reason: 'x', more: 1 }, { reason: 'x'.repeat(1001) }])
      expect((await discard(found.id, body)).status).toBe(400);
    expect((await discard(found.id, { reason: 'Sent by mistake.' })).status).toBe(201);
    expect(await letter(found.id)).toMatchObject({ status: 'DISCARDED', discardReason: 'Sent by mistake.' });
    expect(codeOf(await replay(found.id))).toBe('409 ALREADY_RESOLVED');
  });

  test('is one dead letter after a restart, and a resolved one stays resolved', async () => {
    const before = (await list('pageSize=100')).items;
    await service.restart();
    operator = await service.operator();
    await service.sell(books.partner, saleOf('after-restart'));
    expect((await list('pageSize=100')).items).toEqual(before);
  });
});

describe('Dead letters', () => {
  test('are listed newest first, and filtered by status, origin, tenant, text and date', async () => {
    const { items } = await list('pageSize=100');
    const dates = items.map(({ firstFailedAt }) => firstFailedAt);
    expect(dates).toEqual([...dates].sort().reverse());
    const count = async (query: string): Promise<number> => (await list(query)).totalCount;
    expect(await count('status=PARKED')).toBe(items.filter(({ status }) => status === 'PARKED').length);
    expect(await count('status=DISCARDED')).toBe(1);
    expect(await count('origin=SALE')).toBe(items.filter(({ origin }) => origin === 'SALE').length);
    expect(await count('origin=PUSH')).toBe(0);
    expect(await count(`tenantId=${books.tenant.id}`)).toBe(items.length);
    expect(await count('tenantId=nobody')).toBe(0);
    expect(await count('search=related_sale')).toBe(1);
    const middle = dates[1] ?? '';
    expect(await count(`dateFrom=${middle}`)).toBe(dates.filter((date) => date >= middle).length);
    expect(await count(`dateTo=${middle}`)).toBe(dates.filter((date) => date <= middle).length);
    expect(await count('dateFrom=2999-01-01')).toBe(0);
    expect(await count('pageNumber=9')).toBe(items.length);
  });
  test.each(['status=GONE', 'origin=sale', 'dateFrom=yesterday', 'pageSize=101', 'unknown=1'])(
    'are not listed for %s',
    async (query) => {
      expect((await service.get(`/api/platform/dead-letters?${query}`, operator)).status).toBe(400);
    },
  );
  test('are available to operators only; an unknown one is not found', async () => {
    const [first] = (await list()).items;
    const id = first?.id ?? '';
    for (const path of ['', `/${id}`])
      expect((await service.get(`/api/platform/dead-letters${path}`, books.tenant.token)).status).toBe(403);
    expect((await replay(id, books.tenant.token)).status).toBe(403);
    for (const unknown of ['x', service.service.engines.ids.next()]) {
      expect(codeOf(await replay(unknown))).toBe('404 NOT_FOUND');
      expect(codeOf(await discard(unknown))).toBe('404 NOT_FOUND');
      expect((await service.get(`/api/platform/dead-letters/${unknown}`, operator)).status).toBe(404);
    }
  });
});

describe('An event rejected by the broker', () => {
  test('becomes a dead letter without blocking others; a replay delivers it once with a new message id', async () => {
    const broker = choosy(service.service.engines.broker);
    const { id: refusedId } = await service.post('/api/customers', { name: 'Before' }, books.tenant.token);
    await until(async () => (await published()).find(({ event }) => event.subject === refusedId));
    broker.refuse(({ payload }) => payload.includes('Unwanted'));
    const { id } = await service.post('/api/customers', { name: 'Unwanted' }, books.tenant.token);
    const { id: next } = await service.post('/api/customers', { name: 'Welcome' }, books.tenant.token);
    const parked = await letterAbout(id);
    await until(async () => (await published()).find(({ event }) => event.subject === next));
    expect((await published()).filter(({ event }) => event.subject === id)).toEqual([]);
    expect(parked).toMatchObject({ origin: 'PUBLISH', subscriber: 'integration-events', eventType: 'CustomerCreated' });
    expect(parked.reason).toEqual({ code: 'PAYLOAD_REFUSED', message: 'The broker does not take this.' });
    expect(parked.payload).toEqual([expect.objectContaining({ type: 'kontor.customer.created.v1', subject: id })]);

    expect((await replay(parked.id)).data).toMatchObject({ status: 'PARKED' });
    expect(await letter(parked.id)).toMatchObject({ attempts: 2, status: 'PARKED' });

    broker.goAway();
    const away = await replay(parked.id);
    expect(codeOf(away)).toBe('503 UNAVAILABLE');
    expect(await letter(parked.id)).toMatchObject({ attempts: 2, status: 'PARKED' });

    broker.accept();
    const replies = await Promise.all([replay(parked.id), replay(parked.id), replay(parked.id)]);
    expect(replies.map(codeOf).sort()).toEqual(['201 -', '409 ALREADY_RESOLVED', '409 ALREADY_RESOLVED']);
    const delivered = (await published()).filter(({ event }) => event.subject === id);
    expect(delivered.map(({ id: messageId, event }) => [messageId, event.id, event.replayed])).toEqual([
      [`${parked.eventId}~${parked.id}.3`, parked.eventId, true],
    ]);
  });
});

describe('An event that a policy cannot handle', () => {
  const parked = async (subscriber: string): Promise<string> => {
    const events = await service.service.engines.events.readAll({ maxCount: 100_000 });
    const event = events.find(({ type }) => type === 'TenantCreated') as RecordedEvent;
    const reason = { code: 'FAILED', message: 'It failed.' };
    await service.service.app.get(DeadLetters).park({ origin: 'POLICY', subscriber, event, reason });
    const found = await until(async () =>
      (await list('origin=POLICY')).items.find((one) => one.subscriber === subscriber),
    );
    return found.id;
  };

  test('is replayed by the same policy', async () => {
    const id = await parked('tenant-seeding');
    // The event that creates a tenant contains the owner's password hash, so the service does not return its payload.
    expect((await letter(id)).payload).toBeNull();
    expect((await replay(id)).data).toMatchObject({ status: 'REPLAYED' });
  });
  test('stays parked if the policy no longer exists', async () => {
    const id = await parked('a-policy-of-old');
    expect((await replay(id)).data).toMatchObject({ status: 'PARKED' });
    expect(await letter(id)).toMatchObject({ attempts: 2, reason: { code: 'SUBSCRIBER_UNKNOWN' } });
  });
});

describe('A rewind', () => {
  const rewind = (body: unknown, name = 'integration-events', token = operator): Promise<Reply> =>
    service.post(`/api/platform/forwarders/${name}/rewind`, body, token);
  const stored = () => service.service.engines.events.readAll({ maxCount: 100_000 });
  /** Returns the id of the last rewind. Policies may record other events after it. */
  const lastRewind = async (): Promise<string> => {
    const found = (await stored()).findLast(({ type }) => type === 'ForwarderRewindRequested');
    return found?.id ?? 'none';
  };
  /**
   * Returns the ids of the messages that a rewind of these events sends. The order is significant only within each
   * record.
   */
  const expected = (events: readonly RecordedEvent[], rewindId: string): string[] =>
    events.flatMap((event) => messagesOf(catalogue.decode(event), { by: `rewind.${rewindId}` })).map(({ id }) => id);
  /** Resolves with a rewind's messages, in the broker's order, once the rewind is complete. */
  const sent = (rewindId: string, count: number): Promise<Published[]> =>
    until(async () => {
      const found = (await published()).filter(({ id }) => id.endsWith(`~rewind.${rewindId}`));
      return found.length >= count ? found : undefined;
    });
  async function carriedOut(body: unknown, due: (event: RecordedEvent) => boolean): Promise<Published[]> {
    const events = await stored();
    expect((await rewind(body)).status).toBe(201);
    const id = await lastRewind();
    const ids = expected(events.filter(due), id);
    expect(ids.length).toBeGreaterThan(3);
    const messages = await sent(id, ids.length);
    expect(messages.map((message) => message.id).sort()).toEqual([...ids].sort());
    const orderOf = (all: readonly { event: CloudEvent }[], subject: string): string[] =>
      all.filter(({ event }) => event.subject === subject).map(({ event }) => event.id);
    const first = (await published()).filter(({ event }) => event.replayed === undefined);
    const again = new Set(messages.map(({ event }) => event.id));
    for (const { event } of messages) {
      expect(event.replayed).toBe(true);
      const original = orderOf(first, event.subject).filter((known) => again.has(known));
      if (original.length > 0) expect(orderOf(messages, event.subject)).toEqual(original);
    }
    return messages;
  }

  test('republishes everything from a position, once each, in order per record', async () => {
    const position = (await stored()).find(({ type }) => type === 'SaleAccepted')?.position ?? 0;
    await carriedOut({ position }, (event) => event.position >= position);
  });

  test('republishes everything from an instant', async () => {
    const events = await stored();
    const middle = events[Math.floor(events.length / 2)];
    const { timestamp: instant } = middle?.metadata as { timestamp: string };
    await carriedOut({ instant }, ({ metadata }) => (metadata as { timestamp: string }).timestamp >= instant);
  });

  test('resumes where it was after a broker outage, while new events are published', async () => {
    const broker = choosy(service.service.engines.broker);
    let taken = 0;
    broker.letThrough(() => (taken += 1) <= 5);
    const wholeRewind = carriedOut({ position: 0 }, () => true);
    await until(() => Promise.resolve(taken > 5 ? true : undefined));
    await delay(100);
    broker.accept();
    await wholeRewind;
  });

  test('parks each message that the broker rejects permanently as a separate dead letter, and continues', async () => {
    const broker = choosy(service.service.engines.broker);
    broker.refuse(({ id, payload }) => id.includes('~rewind.') && payload.includes('Unwanted'));
    const events = await stored();
    expect((await rewind({ position: 0 })).status).toBe(201);
    const id = await lastRewind();
    const subscriber = `integration-events~rewind.${id}`;
    const parked = await until(async () =>
      (await list('search=rewind')).items.find((one) => one.subscriber === subscriber),
    );
    await sent(id, expected(events, id).length - 1);
    broker.accept();
    expect((await replay(parked.id)).data).toMatchObject({ status: 'REPLAYED' });
    const messages = await published();
    expect(messages.filter((message) => message.id === `${parked.eventId}~${parked.id}.2`)).toHaveLength(1);
  });

  test('requires an existing forwarder, a valid start and an operator', async () => {
    const asked = async () => (await stored()).filter(({ type }) => type === 'ForwarderRewindRequested').length;
    const before = await asked();
    expect(codeOf(await rewind({ position: 0 }, 'others'))).toBe('404 NOT_FOUND');
    for (const body of [
      {},
      { position: -1 },
      { position: 1.5 },
      { position: '1' },
      { instant: 'today' },
      { instant: 1 },
      [],
    ])
      expect((await rewind(body)).status).toBe(400);
    const wrong = (await rewind({ instant: 'today' })).body as { errors: { path: string }[] };
    expect(new Set(wrong.errors.map(({ path }) => path))).toEqual(new Set(['instant']));
    expect((await rewind({ position: 0, instant: '2026-01-01T00:00:00.000Z' })).status).toBe(400);
    expect((await rewind({ position: 0 }, 'integration-events', books.tenant.token)).status).toBe(403);
    expect(await asked()).toBe(before);
  });
});
