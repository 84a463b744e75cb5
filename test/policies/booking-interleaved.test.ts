import { saleId } from '../../src/aggregates/sale-payload.js';
import type { LedgerTransaction } from '../../src/aggregates/ledger.js';
import { PATIENCE_MS } from '../../src/integration/accepting-booking.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import type { StreamRead, StreamSlice } from '../../src/ports/event-store.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { PatientClock } from '../support/patient-clock.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/** A store that runs an action just before one of its next stream reads. */
class InterruptedEventStore extends FaultyEventStore {
  private readsLeft = 0;
  private act: (() => Promise<unknown>) | undefined;

  interruptBeforeRead(number: number, act: () => Promise<unknown>): void {
    [this.readsLeft, this.act] = [number, act];
  }

  /** Cancels the pending action. Returns true if the action never ran because there were too few reads. */
  stopInterrupting(): boolean {
    const isUnused = this.act !== undefined;
    this.act = undefined;
    return isUnused;
  }

  override async readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    const { act } = this;
    if (act && (this.readsLeft -= 1) < 0) {
      this.act = undefined;
      await act();
    }
    return super.readStream(stream, read);
  }
}

let service: TestService;
let books: Books;
let store: InterruptedEventStore;
beforeAll(async () => {
  service = await TestService.start({
    clock: new PatientClock(PATIENCE_MS),
    between: (engines) => {
      store = new InterruptedEventStore(engines.events);
      return { ...engines, events: store };
    },
  });
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const token = (): string => books.tenant.token;
const create = async (path: string, body: object): Promise<string> =>
  (await service.post(`/api/${path}`, body, token())).id;
const change = async (path: string, body: object): Promise<void> => {
  const { told } = await service.call('PATCH', `/api/${path}`, { token: token(), body });
  if (told !== '201') throw new Error(told);
};
const streamOf = (externalId: string): string =>
  streamName('sale', books.tenant.id, saleId(books.tenant.id, books.partner.sourceId, externalId));

type Race = {
  readonly facts: object;
  readonly change: () => Promise<unknown>;
  /** Derives a booked sale's outcome from its transactions. */
  readonly outcome: (transactions: readonly LedgerTransaction[]) => unknown;
};

async function outcomeOf(externalId: string, { facts, outcome }: Race): Promise<unknown> {
  expect((await service.postSale(books.partner, saleOf(externalId, facts))).status).toBe(202);
  const { status, rejection } = await service.settled(books.partner, externalId);
  const { events } = await store.inner.readStream(streamOf(externalId));
  const bookings = events.filter(({ type }) => type === 'SaleBooked');
  expect(bookings).toHaveLength(status === 'BOOKED' ? 1 : 0);
  if (rejection) return rejection.code;
  return outcome((bookings[0]?.data as { transactions: readonly LedgerTransaction[] }).transactions);
}

const MAX_READS = 40;
const externalId = 'raced';

/**
 * Runs the race several times. The change takes place before the sale, before each read that the sale makes, or just
 * before the sale's append is stored. Returns the outcomes in this order.
 */
async function outcomesOf(prepare: () => Promise<Race>): Promise<unknown[]> {
  const sequential = await prepare();
  await sequential.change();
  const outcomes = [await outcomeOf('after', sequential)];
  for (let read = 0; read < MAX_READS; read += 1) {
    books = await service.openBooks();
    const race = await prepare();
    await service.quiet();
    store.interruptBeforeRead(read, race.change);
    const outcome = await outcomeOf(externalId, race);
    if (store.stopInterrupting()) break;
    outcomes.push(outcome);
  }
  books = await service.openBooks();
  const race = await prepare();
  await service.quiet();
  store.beforeAppendTo(streamOf(externalId), race.change);
  outcomes.push(await outcomeOf(externalId, race));
  return outcomes;
}

const accountsOf = (transactions: readonly LedgerTransaction[]): string =>
  [...new Set(transactions.map(({ accountId }) => accountId).filter((id) => id !== null))].join(' ');

/** Expects that the change affects every sale decided after it, and no sale decided before it. */
function expectSerial(outcomes: readonly unknown[], before: unknown, after: unknown): void {
  expect(new Set(outcomes)).toEqual(new Set([before, after]));
  expect([outcomes[0], outcomes.at(-1)]).toEqual([after, before]);
}

test('A default account changed at any moment of a sale takes all of its payments or none', async () => {
  const named = new Map<string, string>();
  const outcomes = await outcomesOf(async () => {
    const id = await create('accounts', { type: 'POS', name: 'New terminal' });
    named.set(id, 'new');
    const payments = ['10.00', '20.00'].map((amount) => ({ method: 'CARD', amount }));
    return {
      facts: { payments },
      change: () => change(`accounts/${id}`, { isDefault: true }),
      outcome: (transactions) => named.get(accountsOf(transactions)) ?? accountsOf(transactions).split(' ').length,
    };
  });
  expectSerial(outcomes, 1, 'new');
});

test('An account deactivated at any moment of a sale takes its payment, or the sale is rejected', async () => {
  const outcomes = await outcomesOf(async () => {
    const id = await create('accounts', { type: 'BANK', name: 'Second bank', code: 'B-2' });
    const payments = [{ method: 'BANK', amount: '10.00', accountCode: 'B-2' }];
    return {
      facts: { payments },
      change: () => change(`accounts/${id}`, { isActive: false }),
      outcome: (transactions) => (accountsOf(transactions) === id ? 'booked' : 'elsewhere'),
    };
  });
  expectSerial(outcomes, 'booked', 'ACCOUNT_UNKNOWN');
});

test('A customer made passive at any moment of a sale has the sale, or the sale is rejected', async () => {
  const outcomes = await outcomesOf(async () => {
    const id = await create('customers', { name: 'Ada', code: 'ADA' });
    return {
      facts: { customer: { name: 'Ada', code: 'ADA' } },
      change: () => change(`customers/${id}`, { status: 'PASSIVE' }),
      outcome: (transactions) => (transactions.every(({ customerId }) => customerId === id) ? 'booked' : 'elsewhere'),
    };
  });
  expectSerial(outcomes, 'booked', 'CUSTOMER_PASSIVE');
});
