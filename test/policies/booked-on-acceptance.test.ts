import { saleId } from '../../src/aggregates/sale-payload.js';
import { linkClaim } from '../../src/aggregates/customer-keys.js';
import { catalogue } from '../../src/app/catalogue.js';
import { Claims } from '../../src/eventsourcing/claims.js';
import type { Recorded } from '../../src/eventsourcing/event-catalogue.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { GRACE_MS, PATIENCE_MS } from '../../src/integration/accepting-booking.js';
import { BookingPolicy } from '../../src/policies/booking.policy.js';
import { EventTooLarge, type RecordedEvent } from '../../src/ports/event-store.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { elsewhere } from '../support/elsewhere.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import type { Reply } from '../support/reply.js';
import { PatientClock } from '../support/patient-clock.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let store: FaultyEventStore;
/** While true, the read models used by the serving thread are unavailable. */
let isModelsAway = false;
/** While set, reads from those models finish only after this promise resolves. */
let modelsHang: Promise<void> | undefined;
const clock = new PatientClock(PATIENCE_MS);

beforeAll(async () => {
  service = await TestService.start({
    clock,
    between: (engines) => {
      store = new FaultyEventStore(engines.events);
      const get: typeof engines.reads.get = async (...given) => {
        if (isModelsAway) throw new ReadStoreUnavailable('away');
        await modelsHang;
        return engines.reads.get(...given);
      };
      const reads = new Proxy(engines.reads, {
        get: (target, key) => {
          if (key === 'get') return get;
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
        },
      });
      return { ...engines, events: store, reads };
    },
  });
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const customer = { externalId: 'c-1', name: 'Ada' };
const card = (amount: string, facts: object = {}): object => ({ method: 'CARD', amount, ...facts });
const push = (externalId: string, facts: object = {}, key?: string): Promise<Reply> =>
  service.postSale(books.partner, saleOf(externalId, facts), key);
const streamOf = (externalId: string): string =>
  streamName('sale', books.tenant.id, saleId(books.tenant.id, books.partner.sourceId, externalId));
const eventsOf = async (externalId: string): Promise<readonly RecordedEvent[]> =>
  (await store.inner.readStream(streamOf(externalId))).events;
const typesOf = async (externalId: string): Promise<string[]> => (await eventsOf(externalId)).map(({ type }) => type);
/** Returns the event types in each append to the sale's stream. */
const appendsTo = (externalId: string): string[] =>
  store.appends
    .filter(({ stream }) => stream === streamOf(externalId))
    .map(({ events }) => events.map(({ type }) => type).join(' '));
const booked = ['SaleAccepted', 'SaleBooked'];
const together = [booked.join(' ')];
const apart = ['SaleAccepted', 'SaleBooked'];

async function letCustomerBeKnown(): Promise<void> {
  await service.sell(books.partner, saleOf('known', { customer }));
}
async function redeliver(externalId: string): Promise<void> {
  const [accepted] = await eventsOf(externalId);
  if (!accepted) throw new Error('The sale was not accepted.');
  await service.service.app.get(BookingPolicy).react(catalogue.decode(accepted) as Recorded as never);
}

describe('A sale is booked in the append that accepts it', () => {
  test('if its customer is linked', async () => {
    await letCustomerBeKnown();
    expect((await push('linked', { customer, payments: [card('100.00')] })).status).toBe(202);
    expect(appendsTo('linked')).toEqual(together);
    const [known, linked] = await Promise.all([eventsOf('known'), eventsOf('linked')]);
    const customerOf = (events: readonly RecordedEvent[]): unknown =>
      (events.find(({ type }) => type === 'SaleBooked')?.data as { customerId?: string }).customerId;
    expect(customerOf(linked)).toBe(customerOf(known));
  });

  test('if it has no customer', async () => {
    await push('walk-in');
    expect(appendsTo('walk-in')).toEqual(together);
  });

  test('if its customer is found by a code and has no id of the partner', async () => {
    await service.post('/api/customers', { name: 'Ada', code: 'ADA' }, books.tenant.token);
    await push('by-code', { customer: { name: 'Ada', code: 'ADA' } });
    expect(appendsTo('by-code')).toEqual(together);
  });

  test('and the response is the same as for any other sale', async () => {
    const [first, other] = [await push('one'), await push('other', { customer })];
    const { saleId: id, acceptedAt } = first.body as { saleId: string; acceptedAt: string };
    expect(appendsTo('one')).toEqual(together);
    expect(appendsTo('other')[0]).toBe('SaleAccepted');
    const bytes = { saleId: id, externalId: 'one', sourceId: 'shop', status: 'ACCEPTED', acceptedAt };
    expect([first.status, first.text]).toEqual([202, JSON.stringify(bytes)]);
    expect(Object.keys(first.body as object)).toEqual(Object.keys(other.body as object));
  });

  test('and the booking is recorded like a booking by the policy: by the service, caused by the acceptance', async () => {
    await letCustomerBeKnown();
    await push('same', { customer });
    const [accepted, booking] = await eventsOf('same');
    const [, , byPolicy] = await eventsOf('known');
    const shown = ({ metadata }: RecordedEvent) => metadata as Record<string, unknown>;
    if (!accepted || !booking || !byPolicy) throw new Error('A sale is not booked.');
    expect(Object.keys(shown(booking)).sort()).toEqual(Object.keys(shown(byPolicy)).sort());
    expect(shown(booking)).toMatchObject({
      system: shown(byPolicy)['system'],
      $causationId: accepted.id,
      commandId: accepted.id,
      requestId: shown(accepted)['requestId'],
      $correlationId: shown(accepted)['$correlationId'],
    });
  });
});

describe('A sale that differs from the previous one only in its id', () => {
  const post = (path: string, body: object): Promise<Reply> => service.post(path, body, books.tenant.token);
  const change = (path: string, body: object): Promise<Reply> =>
    service.call('PATCH', path, { body, token: books.tenant.token });
  type Books = { readonly branchId: string; readonly customerId: string };
  type Booking = { date: string; transactions: { accountId: string | null }[] };

  /** Pushes two sales, so that the next sale can be decided from facts in memory. */
  async function sellTwice(): Promise<Books> {
    const branchId = (await post('/api/branches', { code: 'HARBOUR', name: 'Harbour' })).id;
    await letCustomerBeKnown();
    for (const externalId of ['first', 'second']) await sellAgain(externalId);
    const [, { data } = { data: {} }] = await eventsOf('second');
    return { branchId, customerId: (data as { customerId: string }).customerId };
  }
  const sellAgain = (externalId: string): Promise<Reply> =>
    push(externalId, { customer, branchCode: 'HARBOUR', payments: [card('100.00')] });
  async function bookingOf(externalId: string): Promise<Booking> {
    expect(appendsTo(externalId)).toEqual(together);
    return (await eventsOf(externalId))[1]?.data as Booking;
  }

  test('is booked to another account if the default account has changed', async () => {
    await sellTwice();
    const { id } = await post('/api/accounts', { type: 'POS', name: 'Terminal 2', isDefault: true });
    await sellAgain('third');
    expect((await bookingOf('third')).transactions[1]?.accountId).toBe(id);
  });

  test('is booked on the first open day if its period has been closed', async () => {
    await sellTwice();
    await post('/api/periods/close', { through: '2026-03-31' });
    await sellAgain('third');
    expect((await bookingOf('third')).date).toBe('2026-04-01');
  });

  test.each<[string, (known: Books) => Promise<Reply>]>([
    ['its branch', ({ branchId }) => change(`/api/branches/${branchId}`, { isActive: false })],
    ['its customer', ({ customerId }) => change(`/api/customers/${customerId}`, { status: 'PASSIVE' })],
  ])('is rejected by the policy if %s has been deactivated', async (_, deactivate) => {
    const known = await sellTwice();
    expect((await deactivate(known)).status).toBeLessThan(300);
    await sellAgain('third');
    await service.settled(books.partner, 'third');
    expect(appendsTo('third')).toEqual(['SaleAccepted', 'SaleRejected']);
  });

  test('is left to the policy while the policy is paused', async () => {
    await sellTwice();
    const control = async (action: string): Promise<void> => {
      const path = `/api/platform/policies/booking/${action}`;
      expect((await service.post(path, undefined, await service.operator())).status).toBeLessThan(300);
    };
    await control('pause');
    await sellAgain('third');
    expect(appendsTo('third')).toEqual(['SaleAccepted']);
    await control('resume');
    await service.settled(books.partner, 'third');
    expect(await typesOf('third')).toEqual(booked);
  });
});

describe('A sale is accepted only, and then booked by the policy,', () => {
  const settles = async (externalId: string, status = 'BOOKED'): Promise<void> => {
    expect((await service.settled(books.partner, externalId)).status).toBe(status);
  };

  test('if its customer is new', async () => {
    await push('new', { customer });
    expect(appendsTo('new')[0]).toBe('SaleAccepted');
    await settles('new');
    expect(await typesOf('new')).toEqual(['SaleAccepted', 'SaleCustomerChosen', 'SaleBooked']);
  });

  test('if the id of the partner must be linked to its customer first', async () => {
    await service.post('/api/customers', { name: 'Ada', code: 'ADA' }, books.tenant.token);
    await push('unlinked', { customer: { ...customer, code: 'ADA' } });
    await settles('unlinked');
    expect(appendsTo('unlinked')).toEqual(apart);
  });

  test.each([
    ['its branch is unknown', { branchCode: 'NOWHERE' }, 'BRANCH_UNKNOWN'],
    ['an account is unknown', { payments: [card('1.00', { accountCode: '999' })] }, 'ACCOUNT_UNKNOWN'],
  ])('or rejected by it, if %s', async (_, facts, code) => {
    await push('wrong', facts);
    await settles('wrong', 'REJECTED');
    expect(appendsTo('wrong')).toEqual(['SaleAccepted', 'SaleRejected']);
    expect((await service.saleStatus(books.partner, 'wrong')).rejection?.code).toBe(code);
  });

  test('or rejected by it, if its customer is passive', async () => {
    const { id } = await service.post('/api/customers', { name: 'Ada', code: 'ADA' }, books.tenant.token);
    const status = { body: { status: 'PASSIVE' }, token: books.tenant.token };
    expect((await service.call('PATCH', `/api/customers/${id}`, status)).status).toBe(201);
    await push('passive', { customer: { name: 'Ada', code: 'ADA' } });
    await settles('passive', 'REJECTED');
    expect(appendsTo('passive')).toEqual(['SaleAccepted', 'SaleRejected']);
  });

  test('if a claim on its customer is pending', async () => {
    const { engines } = service.service;
    const tenantId = books.tenant.id;
    const owner = { stream: streamName('customer', tenantId, engines.ids.next()), revision: -1 };
    const claim = linkClaim(tenantId, { sourceId: 'shop', externalId: 'c-1' });
    await elsewhere(engines, () => service.service.app.get(Claims).acquire(claim, owner), tenantId);
    const before = store.appends.length;
    await push('pending', { customer });
    // The intake must not have fenced the pending claims of other records.
    expect(store.appends.slice(before).filter(({ stream }) => stream === owner.stream)).toEqual([]);
    expect(appendsTo('pending')[0]).toBe('SaleAccepted');
    await settles('pending');
  });

  test('if the rules cannot be read', async () => {
    isModelsAway = true;
    try {
      expect((await push('no-rules')).status).toBe(202);
      expect(appendsTo('no-rules')).toEqual(['SaleAccepted']);
    } finally {
      isModelsAway = false;
    }
    await settles('no-rules');
    expect(await typesOf('no-rules')).toEqual(booked);
  });

  test('if acceptance and booking together are too large for one append', async () => {
    // Simulates a server with an append limit that is lower than the size of a permitted payload.
    store.beforeAppendTo(streamOf('large'), () => Promise.reject(new EventTooLarge(streamOf('large'), 2, 1)));
    expect((await push('large', {}, 'large')).status).toBe(202);
    await settles('large');
    expect(appendsTo('large')).toEqual([...together, ...apart]);
    expect((await push('large', {}, 'large')).status).toBe(200);
    expect(await typesOf('large')).toEqual(booked);
  });

  test('if the history is not read in this process', async () => {
    const inner = store.hasLocalReads;
    Object.assign(store, { hasLocalReads: false });
    try {
      await push('remote');
      await settles('remote');
      expect(appendsTo('remote')).toEqual(apart);
    } finally {
      Object.assign(store, { hasLocalReads: inner });
    }
  });
});

describe('A sale booked with its acceptance', () => {
  test('is not booked again when its acceptance is redelivered', async () => {
    await push('once');
    await service.quiet();
    await redeliver('once');
    expect(await typesOf('once')).toEqual(booked);
  });

  test('is not booked again when redelivered to another process, or after a later change', async () => {
    await push('changed', { payments: [card('100.00')] });
    const back = saleOf('back', { type: 'RETURN', relatedExternalId: 'changed' });
    await service.sell(books.partner, back);
    await service.restart();
    await redeliver('changed');
    expect(await typesOf('changed')).toEqual([...booked, 'ReturnBooked']);
  });

  test('is not read by the policy, even in another process', async () => {
    await push('marked');
    await service.restart();
    const before = store.streamReads.length;
    await redeliver('marked');
    expect(store.streamReads.slice(before).map(({ stream }) => stream)).not.toContain(streamOf('marked'));
  });

  test.each([
    ['with the same key', 'at-once'],
    ['without a key', undefined],
  ])('twenty requests at once %s have one effect and the same bytes', async (_, key) => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => push('twenty', { payments: [card('1.00')] }, key)),
    );
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    await service.quiet();
    expect(await typesOf('twenty')).toEqual(booked);
    expect((await service.transactions(books.tenant.token)).items).toHaveLength(2);
  });

  test('keeps its key: another payload under it is rejected, and books nothing', async () => {
    await push('bound', {}, 'bound');
    expect((await push('unbound', {}, 'bound')).told).toBe('409 IDEMPOTENCY_CONFLICT externalId');
    expect(await typesOf('unbound')).toEqual([]);
    expect(await typesOf('bound')).toEqual(booked);
  });

  test('is stored once if the response of the append is lost', async () => {
    store.answersToLose = 1;
    const reply = await push('lost', {}, 'lost');
    expect(reply.status).toBe(202);
    expect(await typesOf('lost')).toEqual(booked);
    expect((await push('lost', {}, 'lost')).status).toBe(200);
  });

  test('is readable as booked at the position of the response', async () => {
    const reply = await push('readable');
    const [, booking] = await eventsOf('readable');
    expect(Number(reply.headers['x-event-position'])).toBe(booking?.position);
  });
});

test('Slow look-ups of facts do not delay sales, which then use only facts in memory for a while', async () => {
  let release: () => void = () => undefined;
  modelsHang = new Promise((resolve) => (release = resolve));
  clock.isPatient = false;
  try {
    expect((await push('slow')).status).toBe(202);
    // From now on, the deadline never passes, so a sale that waited for it would never be accepted.
    clock.isPatient = true;
    expect((await push('soon')).status).toBe(202);
  } finally {
    modelsHang = undefined;
    clock.isPatient = true;
    release();
  }
  for (const name of ['slow', 'soon']) expect(appendsTo(name)[0]).toBe('SaleAccepted');
  await push('then');
  expect(appendsTo('then')).toEqual(together);
  clock.pass(2_000);
  await push('later');
  expect(appendsTo('later')).toEqual(together);
  for (const name of ['slow', 'soon']) expect((await service.settled(books.partner, name)).status).toBe('BOOKED');
});

test('Facts that arrived while the process could not run still count', async () => {
  let release: () => void = () => undefined;
  modelsHang = new Promise((resolve) => (release = resolve));
  clock.isPatient = false;
  clock.onSleep = (ms) => {
    if (ms === GRACE_MS) release();
  };
  try {
    expect((await push('stalled')).status).toBe(202);
  } finally {
    modelsHang = undefined;
    clock.isPatient = true;
    clock.onSleep = () => undefined;
    release();
  }
  expect(appendsTo('stalled')).toEqual(together);
});
