import { catalogue } from '../../src/app/catalogue.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import type { Page } from '../../src/queries/query.js';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { bookingElsewhere } from '../support/booking-elsewhere.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

const PATIENCE_MS = 10_000;
/** Maximum time between the removal of a cause and the sale's booking. */
const HEALED_WITHIN_MS = 2_000;
/** Time after which a claim whose owner has not appended may be taken over. */
const CLAIM_PENDING_MS = 5_000;
const clock = new ShiftedClock();

let service: TestService;
let books: Books;
let store: FaultyEventStore;
beforeAll(async () => {
  service = await TestService.start({
    clock,
    between: (engines) => {
      store = new FaultyEventStore(engines.events);
      return { ...engines, events: store };
    },
  });
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const create = async (path: string, body: object): Promise<string> =>
  (await service.post(`/api/${path}`, body, books.tenant.token)).id;
const change = async (path: string, body: object): Promise<void> => {
  const { status, told } = await service.call('PATCH', `/api/${path}`, { token: books.tenant.token, body });
  if (status >= 300) throw new Error(told);
};
const push = async (externalId: string, facts: object = {}): Promise<string> => {
  const reply = await service.postSale(books.partner, saleOf(externalId, facts));
  expect(reply.status).toBe(202);
  const { status, rejection } = await service.settled(books.partner, externalId);
  return rejection?.code ?? status;
};
const paidTo = (accountCode: string) => ({ payments: [{ method: 'CARD', amount: '5', accountCode }] });
const line = (unitPrice: string, facts: object = {}) => [{ description: 'Goods', quantity: 1, unitPrice, ...facts }];
const returnOf = (relatedExternalId: string, facts: object = {}) => ({
  type: 'RETURN',
  relatedExternalId,
  lines: line('10'),
  ...facts,
});

const letters = async (query = ''): Promise<readonly DeadLetterRecord[]> => {
  const path = `/api/platform/dead-letters?pageSize=100&origin=SALE&tenantId=${books.tenant.id}&${query}`;
  return ((await service.get(path, await service.operator())).body as Page<DeadLetterRecord>).items;
};
const letterOf = (externalId: string): Promise<DeadLetterRecord> =>
  eventually(async () => (await letters()).find((letter) => letter.externalId === externalId), PATIENCE_MS);
/** Resolves with a sale's dead letter once the dead letter is resolved. */
const resolved = (externalId: string): Promise<DeadLetterRecord> =>
  eventually(
    async () => (await letters('status=REPLAYED')).find((letter) => letter.externalId === externalId),
    PATIENCE_MS,
    () => service.complaints.join('; '),
  );
const isBooked = async (externalId: string): Promise<boolean> =>
  (await service.saleStatus(books.partner, externalId)).status === 'BOOKED';
/** Returns the tenant's events of the given types. */
async function eventsOf(...types: readonly string[]): Promise<RecordedEvent[]> {
  const events = await store.inner.readAll({ maxCount: 100_000, filter: { on: 'type', prefixes: types } });
  return events.filter(({ stream, type }) => types.includes(type) && stream.includes(books.tenant.id));
}
/** Returns the external ids of the booked documents. Lists a document twice if it was booked twice. */
async function booked(): Promise<string[]> {
  const { items } = await service.transactions(books.tenant.token);
  return items.flatMap(({ documentEffect, externalId }) => (documentEffect === null ? [] : [externalId ?? ''])).sort();
}

type Cause = {
  readonly code: string;
  readonly facts: object;
  /** Creates the cause of the rejection and resolves with an action that removes the cause. */
  readonly prepare: () => Promise<() => Promise<unknown>>;
  /** Documents other than the sale's that the books contain after healing. */
  readonly others?: readonly string[];
};
const passive = async (): Promise<string> => create('customers', { name: 'Ada', code: 'ADA', status: 'PASSIVE' });

const causes: Readonly<Record<string, Cause>> = {
  'a branch is created': {
    code: 'BRANCH_UNKNOWN',
    facts: { branchCode: 'north', customer: { name: 'Nora', externalId: 'n-1' } },
    prepare: () => Promise.resolve(() => create('branches', { code: 'NORTH', name: 'North' })),
  },
  'a branch becomes active': {
    code: 'BRANCH_UNKNOWN',
    facts: { branchCode: 'NORTH' },
    prepare: async () => {
      const id = await create('branches', { code: 'NORTH', name: 'North', isActive: false });
      return () => change(`branches/${id}`, { isActive: true });
    },
  },
  'an account is created': {
    code: 'ACCOUNT_UNKNOWN',
    facts: paidTo('till-1'),
    prepare: () => Promise.resolve(() => create('accounts', { type: 'POS', name: 'Till', code: 'TILL-1' })),
  },
  'an account gets its code': {
    code: 'ACCOUNT_UNKNOWN',
    facts: paidTo('till-1'),
    prepare: async () => {
      const id = await create('accounts', { type: 'POS', name: 'Till' });
      return () => change(`accounts/${id}`, { code: 'TILL-1' });
    },
  },
  'an account becomes active': {
    code: 'ACCOUNT_UNKNOWN',
    facts: paidTo('till-1'),
    prepare: async () => {
      const id = await create('accounts', { type: 'POS', name: 'Till', code: 'TILL-1', isActive: false });
      return () => change(`accounts/${id}`, { isActive: true });
    },
  },
  'a default account is set': {
    code: 'ACCOUNT_UNKNOWN',
    facts: { payments: [{ method: 'CARD', amount: '5' }] },
    prepare: async () => {
      const id = await create('accounts', { type: 'POS', name: 'Till' });
      const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', books.tenant.token))
        .body as Page<{ id: string; name: string }>;
      const terminal = items.find(({ name }) => name === 'Card terminal');
      await change(`accounts/${terminal?.id ?? ''}`, { isDefault: false });
      return () => change(`accounts/${id}`, { isDefault: true });
    },
  },
  'the customer becomes active': {
    code: 'CUSTOMER_PASSIVE',
    facts: { customer: { name: 'Ada', code: 'ADA' } },
    prepare: async () => {
      const id = await passive();
      return () => change(`customers/${id}`, { status: 'ACTIVE' });
    },
  },
  'another customer is identified by the code': {
    code: 'CUSTOMER_PASSIVE',
    facts: { customer: { name: 'Ada', code: 'ADA' } },
    prepare: async () => {
      const id = await passive();
      return () => change(`customers/${id}`, { code: 'OTHER' });
    },
  },
  'the sale of a return arrives': {
    code: 'RELATED_SALE_UNKNOWN',
    facts: returnOf('sold'),
    prepare: () => Promise.resolve(() => push('sold')),
    others: ['sold'],
  },
  'the sale of a cancellation arrives': {
    code: 'RELATED_SALE_UNKNOWN',
    facts: { type: 'CANCELLATION', relatedExternalId: 'sold', lines: [] },
    prepare: () => Promise.resolve(() => push('sold')),
    others: ['sold'],
  },
  'the rejected sale of a return is booked': {
    code: 'RELATED_SALE_UNKNOWN',
    facts: returnOf('sold'),
    prepare: async () => {
      expect(await push('sold', { branchCode: 'NORTH' })).toBe('BRANCH_UNKNOWN');
      return () => create('branches', { code: 'NORTH', name: 'North' });
    },
    others: ['sold'],
  },
};

describe('A rejected sale is booked once, within two seconds, automatically', () => {
  test.each(Object.keys(causes))('when %s', async (name) => {
    const { code, facts, prepare, others = [] } = causes[name] as Cause;
    const remove = await prepare();
    expect(await push('waiting', facts)).toBe(code);
    expect(await letterOf('waiting')).toMatchObject({ status: 'PARKED', reason: { code } });
    const beganAtMs = Date.now();
    await remove();
    await eventually(() => isBooked('waiting'), PATIENCE_MS);
    expect(Date.now() - beganAtMs).toBeLessThan(HEALED_WITHIN_MS);
    expect(await resolved('waiting')).toMatchObject({ status: 'REPLAYED', attempts: 1, resolvedBy: 'system:healing' });
    expect(await booked()).toEqual([...others, 'waiting'].sort());
    expect(await eventsOf('DeadLetterReplayFailed')).toEqual([]);
  });

  test('when the second of two causes is removed', async () => {
    expect(await push('waiting', { branchCode: 'NORTH', ...paidTo('till-1') })).toBe('BRANCH_UNKNOWN');
    await letterOf('waiting');
    await create('branches', { code: 'NORTH', name: 'North' });
    const again = await eventually(async () => {
      const letter = await letterOf('waiting');
      return letter.reason.code === 'ACCOUNT_UNKNOWN' ? letter : undefined;
    }, PATIENCE_MS);
    expect(again).toMatchObject({ status: 'PARKED', attempts: 2 });
    expect((await service.saleStatus(books.partner, 'waiting')).rejection?.code).toBe('ACCOUNT_UNKNOWN');
    await create('accounts', { type: 'POS', name: 'Till', code: 'TILL-1' });
    await resolved('waiting');
    expect(await booked()).toEqual(['waiting']);
  });

  test('even if the cause is removed between the failed attempt and its record', async () => {
    const pause = store.pauseAppendTo(`dead-letter-${books.tenant.id}`);
    expect(await push('waiting', { branchCode: 'NORTH' })).toBe('BRANCH_UNKNOWN');
    await pause.reached;
    await create('branches', { code: 'NORTH', name: 'North' });
    await service.quiet();
    expect(await isBooked('waiting')).toBe(false);
    pause.resume();
    await resolved('waiting');
    expect(await booked()).toEqual(['waiting']);
  });

  test('before a later cancellation of the same sale, which is then rejected', async () => {
    expect(await push('sold', { branchCode: 'NORTH' })).toBe('BRANCH_UNKNOWN');
    expect(await push('back', returnOf('sold'))).toBe('RELATED_SALE_UNKNOWN');
    expect(await push('undone', returnOf('sold', { type: 'CANCELLATION', lines: undefined }))).toBe(
      'RELATED_SALE_UNKNOWN',
    );
    await eventually(async () => (await letters('status=PARKED')).length === 3, PATIENCE_MS);
    await create('branches', { code: 'NORTH', name: 'North' });
    await resolved('back');
    expect(await booked()).toEqual(['back', 'sold']);
    await eventually(
      async () => (await service.saleStatus(books.partner, 'undone')).rejection?.code === 'RETURN_EXCEEDS_SALE',
      PATIENCE_MS,
    );
  });

  test('together with many others', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `s-${index}`);
    await Promise.all(names.map((name) => push(name, { branchCode: 'NORTH' })));
    await eventually(async () => (await letters('status=PARKED')).length === names.length, PATIENCE_MS);
    const beganAtMs = Date.now();
    await create('branches', { code: 'NORTH', name: 'North' });
    await eventually(async () => (await eventsOf('SaleBooked')).length === names.length, PATIENCE_MS);
    expect(Date.now() - beganAtMs).toBeLessThan(HEALED_WITHIN_MS);
    await eventually(async () => (await letters('status=REPLAYED')).length === names.length, PATIENCE_MS);
    expect(await booked()).toEqual([...names].sort());
  });
});

describe('A rejected sale is not booked', () => {
  test('if its reason can never disappear', async () => {
    const taxed = { lines: line('100', { taxRate: 20 }) };
    expect(await push('sold', { ...taxed, branchCode: null })).toBe('BOOKED');
    expect(await push('undone')).toBe('BOOKED');
    expect(await push('undo', { type: 'CANCELLATION', relatedExternalId: 'undone', lines: [] })).toBe('BOOKED');
    expect(await push('a', returnOf('undone'))).toBe('ALREADY_CANCELLED');
    expect(await push('b', returnOf('sold', { lines: line('100.01') }))).toBe('RETURN_EXCEEDS_SALE');
    expect(await push('c', returnOf('sold', { lines: line('90', { taxRate: 25 }) }))).toBe('RETURN_EXCEEDS_SALE');
    expect(await push('d', returnOf('sold', { occurredAt: '2026-03-03T23:59:59Z' }))).toBe('RETURN_BEFORE_SALE');
    await eventually(async () => (await letters()).length === 4, PATIENCE_MS);
    await create('branches', { code: 'NORTH', name: 'North' });
    await push('more');
    await service.quiet();
    expect((await letters('status=PARKED')).map(({ externalId }) => externalId).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(await eventsOf('SaleAwaited', 'DeadLetterReplayFailed')).toEqual([]);
  });

  test('if an operator has discarded it, or if it waits for a different cause', async () => {
    await push('discarded', { branchCode: 'NORTH' });
    await push('elsewhere', { branchCode: 'SOUTH' });
    const [discarded] = [await letterOf('discarded'), await letterOf('elsewhere')];
    const path = `/api/platform/dead-letters/${discarded.id}/discard`;
    await service.post(path, { reason: 'A test.' }, await service.operator());
    await create('branches', { code: 'NORTH', name: 'North' });
    await push('marker', { branchCode: 'EAST' });
    await letterOf('marker');
    await create('branches', { code: 'EAST', name: 'East' });
    await resolved('marker');
    expect(await booked()).toEqual(['marker']);
    expect(await eventsOf('DeadLetterReplayFailed')).toEqual([]);
  });
});

test('Replays, retries and healing at the same time book a sale once, and resolve its letter once', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `s-${index}`);
  await Promise.all(
    names.map((name) => push(name, { branchCode: 'NORTH', customer: { name: 'Nora', externalId: 'n' } })),
  );
  const waiting = await Promise.all(names.map(letterOf));
  const operator = await service.operator();
  const replies = await Promise.all([
    create('branches', { code: 'NORTH', name: 'North' }),
    ...waiting.flatMap(({ id, saleId }) => [
      service.post(`/api/platform/dead-letters/${id}/replay`, undefined, operator),
      service.post(`/api/sales/${saleId ?? ''}/retry`, undefined, books.tenant.token),
      service.post(`/api/platform/dead-letters/${id}/replay`, undefined, operator),
    ]),
  ]);
  const statuses = replies.map((reply) => (typeof reply === 'string' ? 201 : reply.status));
  expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
  await Promise.all(names.map(resolved));
  expect(await booked()).toEqual([...names].sort());
  expect(await eventsOf('SaleBooked')).toHaveLength(names.length);
  expect(await eventsOf('DeadLetterReplayed')).toHaveLength(names.length);
  expect((await service.customers(books.tenant.token, 'search=nora')).totalCount).toBe(1);
});

test('Two replicas that heal the same sales at the same time book each of them once', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `s-${index}`);
  const facts = { branchCode: 'NORTH', customer: { name: 'Nora', externalId: 'n' } };
  await Promise.all(names.map((name) => push(name, facts)));
  await Promise.all(names.map(letterOf));
  const pause = store.pauseAppendTo(`sale-${books.tenant.id}`);
  await create('branches', { code: 'NORTH', name: 'North' });
  // The service has decided to book a sale, but has not stored it yet.
  await pause.reached;
  clock.pass(CLAIM_PENDING_MS);
  const [created] = await eventsOf('BranchCreated').then((events) => events.slice(-1));
  const event = catalogue.decode(created as RecordedEvent) as never;
  const stopping = new AbortController().signal;
  const healers = [1, 2].map(() => bookingElsewhere(service, store.inner).healing);
  await Promise.all(healers.map((healer) => healer.react(event, stopping)));
  pause.resume();
  await Promise.all(names.map(resolved));
  await service.quiet();
  expect(await booked()).toEqual([...names].sort());
  expect(await eventsOf('SaleBooked')).toHaveLength(names.length);
  expect(await eventsOf('DeadLetterReplayed')).toHaveLength(names.length);
  expect((await service.customers(books.tenant.token, 'search=nora')).totalCount).toBe(1);
});

test('Healing that a crash interrupts at any step is completed after the restart, exactly once', async () => {
  let crashes = 0;
  for (let appends = 0; ; appends += 1) {
    books = await service.openBooks();
    await push('waiting', { branchCode: 'NORTH', customer: { name: 'Nora', externalId: 'n', email: 'n@a.test' } });
    await push('back', returnOf('waiting'));
    await Promise.all([letterOf('waiting'), letterOf('back')]);
    const crashed = store;
    // The store accepts the creation of the branch and this many appends by the healing policy, and then becomes
    // unavailable.
    crashed.beforeAppendTo(`branch-${books.tenant.id}`, () => {
      crashed.appendsUntilAway = appends + 1;
      return Promise.resolve();
    });
    await service.post('/api/branches', { code: 'NORTH', name: 'North' }, books.tenant.token);
    const isHealed = async (): Promise<boolean> => (await eventsOf('DeadLetterReplayed')).length === 2;
    await eventually(async () => crashed.away || (await isHealed()), PATIENCE_MS);
    if (!crashed.away) break;
    crashes += 1;
    clock.pass(CLAIM_PENDING_MS);
    await service.restart();
    await Promise.all([resolved('waiting'), resolved('back')]);
    expect(await booked()).toEqual(['back', 'waiting']);
    expect(await eventsOf('SaleBooked')).toHaveLength(1);
    expect(await eventsOf('ReturnBooked')).toHaveLength(1);
    expect(await eventsOf('DeadLetterReplayed')).toHaveLength(2);
    expect((await service.customers(books.tenant.token, 'search=nora')).totalCount).toBe(1);
  }
  expect(crashes).toBeGreaterThan(4);
});
