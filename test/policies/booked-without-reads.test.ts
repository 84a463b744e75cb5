import { saleId } from '../../src/aggregates/sale-payload.js';
import { RecordReader } from '../../src/eventsourcing/record-reader.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { PATIENCE_MS } from '../../src/integration/accepting-booking.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore } from '../support/faulty-event-store.js';
import { PatientClock } from '../support/patient-clock.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/** A store that, like one on a server, does not support local reads. */
class ServerEventStore extends FaultyEventStore {
  override readonly hasLocalReads = false;
}

const WITHIN_MS = 20_000;
const customer = { externalId: 'c-1', name: 'Ada' };
let service: TestService;
let books: Books;
let store: ServerEventStore;

beforeAll(async () => {
  service = await TestService.start({
    clock: new PatientClock(PATIENCE_MS),
    between: (engines) => {
      store = new ServerEventStore(engines.events);
      return { ...engines, events: store };
    },
  });
  books = await service.openBooks();
  await eventually(() => service.service.app.get(RecordReader).isFollowing(1_000), WITHIN_MS);
});
afterAll(() => service.close());

/**
 * Returns the number of reads from the streams of the tenant and its records. Excludes reads by jobs and forwarders.
 */
const reads = (): number => store.streamReads.filter(({ stream }) => stream.includes(books.tenant.id)).length;
const appendsTo = (externalId: string): string[] => {
  const stream = streamName('sale', books.tenant.id, saleId(books.tenant.id, books.partner.sourceId, externalId));
  const appends = store.appends.filter((append) => append.stream === stream);
  return appends.map(({ events }) => events.map(({ type }) => type).join(' '));
};

test('On a server, sales of known customers need one append and no stream read', async () => {
  await service.sell(books.partner, saleOf('first', { customer }));
  await service.sell(books.partner, saleOf('second', { customer }));
  const before = reads();
  const ids = Array.from({ length: 20 }, (_, number) => `sale-${number}`);
  for (const id of ids) await service.postSale(books.partner, saleOf(id, { customer }));
  await service.quiet();
  expect(ids.map(appendsTo)).toEqual(ids.map(() => ['SaleAccepted SaleBooked']));
  expect(reads() - before).toBe(0);
});
