import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { tenantScope, type ReadModel } from '../../src/ports/read-store.js';
import { transactions } from '../../src/projections/ledger.projection.js';
import { chanceFor, cyclesOf, noteCycles, SEED } from '../support/fault-row.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const CYCLES = cyclesOf(4, 100);
const SALES = ['before', 'damaged', 'after'] as const;

const descriptionOf = (externalId: string): string => `goods of ${externalId}, ${'w'.repeat(40)}`;

type Found = {
  readonly service: TestService;
  readonly books: Books;
  readonly flipped: string;
  readonly position: number;
};

/** Starts a service with three sales. Damages one byte in the stored text of one sale. */
async function withDamage(random: () => number, use: (found: Found) => Promise<void>): Promise<void> {
  const service = await TestService.start();
  try {
    const books = await service.openBooks();
    for (const externalId of SALES) {
      const lines = [{ description: descriptionOf(externalId), quantity: 1, unitPrice: '100.00' }];
      await service.sell(books.partner, saleOf(externalId, { lines }));
    }
    await service.quiet();
    const stream = `sale-${books.tenant.id}_${saleId(books.tenant.id, books.partner.sourceId, 'damaged')}`;
    const { events } = await service.service.engines.events.readStream(stream);
    const position = events[0]?.position ?? -1;
    let flipped = '';
    await service.restart(() => {
      flipped = flipIn(join(service.directory, 'history.sqlite'), descriptionOf('damaged'), random);
      return Promise.resolve();
    });
    await use({ service, books, flipped, position });
  } finally {
    await service.close();
  }
}

/** Changes one letter of a string in a file and returns the new string. */
function flipIn(file: string, text: string, random: () => number): string {
  const bytes = readFileSync(file);
  const begin = bytes.indexOf(text);
  if (begin < 0) throw new Error('The history does not hold the sale');
  const at = begin + Math.floor(random() * text.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 3));
  writeFileSync(file, bytes);
  return bytes.subarray(begin, begin + text.length).toString();
}

const told = (service: TestService, position: number): boolean =>
  service.complaints.some((line) => line.includes(`The event at position ${position} does not match its checksum`));

/**
 * Expects the service to refuse all writes once it has detected the damage, and readiness to report the reason.
 */
async function expectNoWrites(service: TestService, books: Books, position: number): Promise<void> {
  const refused = [
    await service.postSale(books.partner, saleOf('new')),
    await service.post('/api/customers', { name: 'New' }, books.tenant.token),
    await service.get('/readyz'),
  ];
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(service.service.engines.history.fault).toContain(`damaged at position ${position}`);
}

test(`A flipped byte is detected over HTTP, reported with its position, and never served, ${CYCLES} times (seed ${SEED})`, async () => {
  const random = chanceFor('flipped byte');
  for (let cycle = 0; cycle < CYCLES; cycle += 1)
    await withDamage(random, async ({ service, books, flipped, position }) => {
      const id = saleId(books.tenant.id, books.partner.sourceId, 'damaged');
      const operator = await service.operator();
      const path = `/api/platform/streams/sale/${id}`;
      const asked = [
        await service.get(`${path}/events?tenantId=${books.tenant.id}&pageNumber=1&pageSize=10`, operator),
        await service.get(`${path}/state?tenantId=${books.tenant.id}`, operator),
        await service.call('GET', '/api/integrations/v1/sales/damaged', { key: books.partner.key }),
        await service.postSale(books.partner, saleOf('damaged')),
        await service.postSale(books.partner, saleOf('back', { type: 'RETURN', relatedExternalId: 'damaged' })),
      ];
      // Once it has detected the damage, the service must accept no sales, because restoring an earlier backup would
      // lose them.
      expect(asked.map(({ status }) => status)).toEqual([500, 500, 500, 503, 503]);
      for (const { text } of asked) {
        expect(text).not.toContain(flipped);
        expect(text).not.toContain('goods of');
      }
      expect(told(service, position)).toBe(true);

      // Requests that do not need the damaged record must succeed, such as those for other records and for read models.
      for (const externalId of ['before', 'after'])
        expect((await service.saleStatus(books.partner, externalId)).status).toBe('BOOKED');
      expect((await service.transactions(books.tenant.token, 'type=INVOICE')).items).toHaveLength(3);
      await expectNoWrites(service, books, position);
    });
  noteCycles('flipped byte', CYCLES, 'in the text of a sale, read in five ways');
}, 240_000);

test('Rebuilt read models stop before it, report that, and show none of its data', async () => {
  await withDamage(chanceFor('rebuild'), async ({ service, books, flipped, position }) => {
    await service.restart(() => {
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(service.directory, `models.sqlite${suffix}`), { force: true });
      return Promise.resolve();
    });
    await eventually(() => told(service, position), 10_000);
    const { reads } = service.service.engines;
    const table = { model: transactions as unknown as ReadModel, generation: 1 };
    const held = async (): Promise<string> =>
      (await reads.list(table, tenantScope(books.tenant.id), { offset: 0, limit: 100 })).items.join();
    await eventually(async () => (await held()).includes('"before"'), 10_000);
    for (const absent of ['"damaged"', '"after"', flipped]) expect(await held()).not.toContain(absent);
    // The service cannot read the events after the damaged record, so no list would be complete.
    const replies = [
      await service.get('/api/transactions?pageNumber=1&pageSize=100', books.tenant.token),
      await service.get('/api/platform/projections', await service.operator()),
    ];
    expect(replies.map(({ status }) => status)).toEqual([503, 200]);
    for (const { text } of replies) expect(text).not.toContain(flipped);
    await expectNoWrites(service, books, position);
  });
});
