import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { saleId } from '../../src/aggregates/sale-payload.js';
import { catalogue } from '../../src/app/catalogue.js';
import { streamName } from '../../src/eventsourcing/stream-name.js';
import { booksOf, type BooksSeen, recordings, store } from '../support/corpus.js';
import { noteCycles } from '../support/fault-row.js';
import { saleOf, TestService } from '../support/service.js';

const recorded = recordings();

/**
 * Removes `revision` and `updatedAt`. In earlier versions, revisions also counted other events, and opening balances
 * updated their customers (ADR 0059).
 */
const uncounted = (books: unknown): unknown =>
  JSON.parse(JSON.stringify(books), (name, value: unknown) =>
    name === 'revision' || name === 'updatedAt' ? undefined : value,
  );
/**
 * Sorts the transactions by id, because earlier versions did not guarantee their order within a millisecond. Other
 * tests cover the current order.
 */
const unordered = (books: BooksSeen) => ({
  accounts: uncounted(books.accounts),
  customers: uncounted(books.customers),
  transactions: uncounted(books.transactions.toSorted((a, b) => a.id.localeCompare(b.id))),
});

afterAll(() => {
  const events = recorded.reduce((sum, one) => sum + one.events.length, 0);
  noteCycles('old events', recorded.length, `${events} events from ${recorded.length} recordings`);
});

test.each(recorded.map((one) => [one.name, one] as const))(
  '%s folds to the books as they were when it was stored, and they can be continued',
  async (_, { email, books, events }) => {
    const service = await TestService.start({ environment: { RESTORE_FORWARD: 'all' } });
    try {
      await service.restart(async () => {
        for (const file of ['history', 'models'])
          for (const suffix of ['', '-wal', '-shm'])
            rmSync(join(service.directory, `${file}.sqlite${suffix}`), { force: true });
        const history = EmbeddedEventStore.open({ directory: service.directory, clock: service.clock });
        await store(history, events);
        await history.close();
      });
      const token = await service.signIn(email);
      const seen = await booksOf(service, token);
      // Ignores additional members, because later versions may add members to responses.
      expect(unordered(seen)).toMatchObject(unordered(books));
      expect(seen.transactions.map(({ date }) => date)).toEqual(books.transactions.map(({ date }) => date));
      const taken = await service.post('/api/customers', { name: 'Another', code: 'K-0' }, token);
      expect(taken.told).toBe('409 CUSTOMER_CODE_TAKEN');

      const elsewhere = await service.createTenant({ slug: 'elsewhere' });
      const person = { fullName: 'Same address', email, password: 'quite another one', role: 'USER' };
      expect((await service.post('/api/users', person, token)).told).toBe('409 EMAIL_TAKEN');
      const made = await service.post('/api/users', person, elsewhere.token);
      expect(made.told).toBe('201');
      await service.signIn(email);
      await service.signIn(email, person.password);
      expect((await service.call('DELETE', `/api/users/${made.id}`, { token: elsewhere.token })).status).toBe(200);

      const partner = await service.createKey({ id: '', slug: '', currency: 'EUR', email, token });
      await service.sell(partner, saleOf('after all that'));
      const { totalDebit, totalCredit } = await service.trialBalance(token);
      expect(totalDebit).toBe(totalCredit);
      expect(service.complaints).toEqual([]);
    } finally {
      await service.close();
    }
  },
);

test('Every version of every event type ever written is in a recording', () => {
  const held = new Set(
    recorded.flatMap(({ events }) => events.map(({ type, metadata }) => `${type} ${metadata.version}`)),
  );
  const written = [...catalogue.types].flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_, before) => `${type} ${before + 1}`),
  );
  expect(written.filter((one) => !held.has(one))).toEqual([]);
});

test('Every sale ever accepted is found again when it is sent again', () => {
  const accepted = recorded.flatMap(({ events }) => events.filter(({ type }) => type === 'SaleAccepted'));
  expect(accepted.length).toBeGreaterThan(60);
  for (const { stream, data, metadata } of accepted) {
    const { sourceId, externalId } = data as { sourceId: string; externalId: string };
    const id = saleId(metadata.tenantId, sourceId, externalId);
    expect(stream).toBe(streamName('sale', metadata.tenantId, id));
  }
});
