import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { catalogue } from '../../src/app/catalogue.js';
import type { CloudEvent } from '../../src/integration/contracts-fields.js';
import { messagesOf } from '../../src/integration/event-messages.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import { natsRecipe, natsRecipeWith } from '../support/nats-server.js';
import type { Reply } from '../support/reply.js';
import { ServerProcess } from '../support/server-process.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { messagesAt, type StoredMessage } from '../support/stored-messages.js';

/** Duration of the NATS outage under load. */
const AWAY_MS = Number(process.env['NATS_AWAY_MS'] ?? 30_000);
const PATIENCE_MS = 30_000;
/** NATS payload limit that one of the messages exceeds. */
const SMALL_PAYLOAD = 3_000;

type Published = StoredMessage & { readonly event: CloudEvent };

let server: ServerProcess;
let service: TestService;
let books: Books;
let operator: string;

async function open(recipe: Parameters<typeof ServerProcess.start>[0]): Promise<void> {
  server = await ServerProcess.start(recipe);
  process.stderr.write(`nats-server ${server.version}\n`);
  service = await TestService.start({ environment: { NATS_URL: server.url } });
  books = await service.openBooks();
  operator = await service.operator();
}
async function close(): Promise<void> {
  await service.close();
  await server.dispose();
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (performance.now() > deadlineMs) throw new Error('It never came.');
    await delay(50);
  }
}
const published = async (): Promise<Published[]> => {
  const messages = await messagesAt(server.url);
  return messages.map((message) => ({ ...message, event: JSON.parse(message.payload) as CloudEvent }));
};
/** Resolves with all messages in the broker once every stored event has been published. */
const complete = (): Promise<Published[]> =>
  until(async () => {
    const messages = await published();
    return messages.length >= (await publicMessages()) ? messages : undefined;
  });
/**
 * Returns the number of messages expected for the history: one per public event, and one per transaction of a booked
 * sale or return.
 */
async function publicMessages(): Promise<number> {
  const events = await service.service.engines.events.readAll({ maxCount: 1_000_000 });
  const rides = ({ transactions = [] }: { transactions?: unknown[] }): number => 1 + transactions.length;
  const single = ['SaleAccepted', 'CustomerCreated', 'AccountCreated', 'BranchCreated', 'UserCreated'];
  return events.reduce(
    (sum, { type, data }) =>
      sum + (['SaleBooked', 'ReturnBooked'].includes(type) ? rides(data) : Number(single.includes(type))),
    0,
  );
}
async function returns(): Promise<{ readonly saleId: string }[]> {
  const filter = { on: 'type', prefixes: ['ReturnBooked'] } as const;
  const events = await service.service.engines.events.readAll({ filter, maxCount: 100_000 });
  expect(events.length).toBeGreaterThan(0);
  return events.map(({ data }) => data as { saleId: string });
}
const letters = async (query: string): Promise<DeadLetterRecord[]> => {
  const reply = await service.get(`/api/platform/dead-letters?pageSize=100&${query}`, operator);
  return (reply.body as { items: DeadLetterRecord[] }).items;
};
const replay = (id: string): Promise<Reply> =>
  service.post(`/api/platform/dead-letters/${id}/replay`, undefined, operator);

describe('A forwarder whose NATS server stops under load', () => {
  beforeAll(() => open(natsRecipe));
  afterAll(close);

  test(
    'publishes every event after the outage, once each, in order per record, and parks none',
    async () => {
      const sold: string[] = [];
      let isSelling = true;
      const sellers = Array.from({ length: 4 }, async (_, seller) => {
        for (let n = 0; isSelling; n += 1) {
          const externalId = `s-${seller}-${n}`;
          expect((await service.postSale(books.partner, saleOf(externalId))).status).toBe(202);
          sold.push(externalId);
          await delay(50);
          if (n % 3 !== 0) continue;
          const back = saleOf(`${externalId}-back`, { type: 'RETURN', relatedExternalId: externalId });
          expect((await service.postSale(books.partner, back)).status).toBe(202);
          sold.push(back.externalId);
        }
      });
      await delay(1_000);
      await server.kill();
      await delay(AWAY_MS);
      await server.start();
      await delay(2_000);
      isSelling = false;
      await Promise.all(sellers);
      for (const externalId of sold) expect((await service.settled(books.partner, externalId)).status).toBe('BOOKED');
      const messages = await complete();
      expect(messages).toHaveLength(await publicMessages());
      expect(new Set(messages.map(({ event }) => event.id)).size).toBe(messages.length);
      const accepted = messages.filter(({ event }) => event.type === 'kontor.sale.accepted.v1');
      expect(accepted).toHaveLength(sold.length);
      const told = messages.filter(({ subject }) => /\.sale\.(?:accepted|booked)$/.test(subject));
      for (const { saleId } of await returns())
        expect(told.filter(({ event }) => event.subject === saleId).map(({ event }) => event.type)).toEqual([
          'kontor.sale.accepted.v1',
          'kontor.sale.booked.v1',
        ]);
      const last = new Map<string, number>();
      for (const { event } of messages.filter(({ subject }) => subject.includes('.sale.'))) {
        const sequence = Number(event.sequence);
        expect(sequence).toBeGreaterThan(last.get(event.subject) ?? -1);
        last.set(event.subject, sequence);
      }
      expect(await letters('')).toEqual([]);
    },
    AWAY_MS + 120_000,
  );

  test('stores the last thousand events again in a rewind within the duplicate window', async () => {
    const events = (await service.service.engines.events.readAll({ maxCount: 1_000_000 })).slice(-1_000);
    const body = { position: events[0]?.position ?? 0 };
    expect((await service.post('/api/platform/forwarders/integration-events/rewind', body, operator)).status).toBe(201);
    const filter = { on: 'type', prefixes: ['ForwarderRewindRequested'] } as const;
    const [rewind] = await service.service.engines.events.readAll({ direction: 'backwards', filter, maxCount: 1 });
    const by = `rewind.${rewind?.id ?? ''}`;
    const due = events.flatMap((event) => messagesOf(catalogue.decode(event), { by }).map(({ id }) => id));
    expect(due.length).toBeGreaterThan(100);
    const again = await until(async () => {
      const found = (await published()).filter(({ event }) => event.replayed);
      return found.length >= due.length ? found : undefined;
    });
    expect(again.map(({ id }) => id).sort()).toEqual(due.sort());
  });
});

describe('A forwarder whose NATS server refuses some messages', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-nats-'));
    const config = join(directory, 'nats.conf');
    const [user, password] = [randomUUID(), randomUUID()];
    await writeFile(
      config,
      `max_payload: ${SMALL_PAYLOAD}
       no_auth_user: "${user}"
       accounts { KONTOR { jetstream: enabled, users: [
         { user: "${user}", password: "${password}", permissions: { publish: { deny: ["kontor.*.branch.>"] } } }
       ] } }`,
    );
    await open(natsRecipeWith(['-c', config]));
  });
  afterAll(async () => {
    await close();
    await rm(directory, { recursive: true, force: true });
  });

  test('parks one that is too large and one whose subject is denied, and publishes the others', async () => {
    const { token } = books.tenant;
    const { id: large } = await service.post(
      '/api/customers',
      { name: 'Large', notes: 'x'.repeat(2_000), address: 'y'.repeat(490), city: 'z'.repeat(120) },
      token,
    );
    const { id: branch } = await service.post('/api/branches', { code: 'DENIED', name: 'Denied' }, token);
    const { id: fine } = await service.post('/api/customers', { name: 'Fine' }, token);
    await until(async () => (await published()).find(({ event }) => event.subject === fine));
    const parked = await until(async () => {
      const found = await letters('origin=PUBLISH');
      const about = [large, branch].map((subject) => found.find((one) => one.subject === subject));
      return about.every((one) => one !== undefined) ? about : undefined;
    });
    expect(parked.map((one) => one.reason.code)).toEqual(['PAYLOAD_TOO_LARGE', 'PERMISSION_DENIED']);
    expect(parked.map((one) => one.status)).toEqual(['PARKED', 'PARKED']);
    for (const one of parked) expect((await replay(one.id)).data).toMatchObject({ status: 'PARKED' });
  });

  test('delivers a dead letter once, under a new message id, when NATS accepts it', async () => {
    const [letter] = (await letters('origin=PUBLISH')).filter(({ eventType }) => eventType === 'CustomerCreated');
    if (!letter) throw new Error('There is no letter.');
    const config = join(directory, 'nats.conf');
    await writeFile(
      config,
      'max_payload: 1048576\naccounts { KONTOR { jetstream: enabled, users: [{ user: "u", password: "p" }] } }\nno_auth_user: "u"',
    );
    await server.restart();
    // Replays are answered 503 until the forwarder is connected again, which may happen between two of them.
    const statuses: number[] = [];
    await until(async () => {
      const both = await Promise.all([replay(letter.id), replay(letter.id)]);
      statuses.push(...both.map(({ status }) => status).filter((status) => status !== 503));
      return statuses.length >= 2 ? statuses : undefined;
    });
    const [first, ...later] = statuses.sort();
    expect(first).toBe(201);
    expect(new Set(later)).toEqual(new Set([409]));
    const delivered = (await published()).filter(({ event }) => event.subject === letter.subject);
    expect(delivered.map(({ id, event }) => [id, event.replayed])).toEqual([
      [`${letter.eventId}~${letter.id}.3`, true],
    ]);
    const [resolved] = await letters('status=REPLAYED');
    expect(resolved).toMatchObject({ id: letter.id, resolvedBy: expect.any(String) as string });
  });
});
