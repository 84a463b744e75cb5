import { catalogue } from '../../src/app/catalogue.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { BOOKING } from '../../src/policies/booking-facts.js';
import { bookingElsewhere } from '../support/booking-elsewhere.js';
import { eventually } from '../support/eventually.js';
import { FaultyEventStore, type Pause } from '../support/faulty-event-store.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const DOCUMENT = 'back';
const BRANCH = 'NORTH';
const PATIENCE_MS = 10_000;

let service: TestService;
let books: Books;
let store: FaultyEventStore;
beforeAll(async () => {
  service = await TestService.start({
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

const line = { description: 'Goods', quantity: 1, unitPrice: '10.00' };
const streamOf = (externalId: string): string =>
  streamName('sale', books.tenant.id, saleId(books.tenant.id, books.partner.sourceId, externalId));
const typesIn = async (externalId: string): Promise<string[]> =>
  (await store.inner.readStream(streamOf(externalId))).events.map(({ type }) => type);

/** Pauses the next append to a stream after the given number of appends. */
function pauseAppendTo(stream: string, after: number): Pause {
  for (let n = 0; n < after; n += 1) store.beforeAppendTo(stream, () => Promise.resolve());
  return store.pauseAppendTo(stream);
}

/** Redelivers the acceptance of the document to the next leader. */
async function takeOver(): Promise<void> {
  const { events } = await store.inner.readStream(streamOf(DOCUMENT));
  const accepted = events.find(({ type }) => type === 'SaleAccepted');
  if (!accepted) throw new Error('The document has not been accepted.');
  await bookingElsewhere(service, store.inner).booking.react(catalogue.decode(accepted) as never);
}

/** Resolves when the booking policy has handled the whole history. */
async function handled(): Promise<void> {
  const { checkpoints, events } = service.service.engines;
  const head = await events.head();
  await eventually(async () => (await checkpoints.load(BOOKING)) >= head, PATIENCE_MS);
  await service.quiet();
}

const documents = [
  { type: 'RETURN', lines: [line], booking: 'ReturnBooked' },
  { type: 'CANCELLATION', lines: [], booking: 'SaleCancelled' },
];
/** `after`: number of appends to the stream before the paused append. */
const moments = [
  { when: 'before recording the rejection on the sale', stream: 'sold', after: 0, rejections: 0 },
  { when: 'between recording it on the sale and on the document', stream: DOCUMENT, after: 1, rejections: 1 },
];

test.each(documents.flatMap((document) => moments.map((moment) => ({ ...document, ...moment }))))(
  'A leader that is replaced $when does not reject a $type that the next leader has booked',
  async ({ booking, when: _, stream, after, rejections, ...facts }) => {
    await service.sell(books.partner, saleOf('sold'));
    const pause = pauseAppendTo(streamOf(stream), after);
    const document = saleOf(DOCUMENT, { ...facts, relatedExternalId: 'sold', branchCode: BRANCH });
    expect((await service.postSale(books.partner, document)).status).toBe(202);
    await pause.reached;
    await service.post('/api/branches', { code: BRANCH, name: 'North' }, books.tenant.token);
    await takeOver();
    const [own, related] = [await typesIn(DOCUMENT), await typesIn('sold')];
    expect(own).toEqual(['SaleAccepted', ...Array<string>(rejections).fill('SaleRejected')]);
    expect(related.at(-1)).toBe(booking);

    pause.resume();
    await handled();
    expect([await typesIn(DOCUMENT), await typesIn('sold')]).toEqual([own, related]);
    expect((await service.settled(books.partner, DOCUMENT)).status).toBe('BOOKED');
  },
);
