import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreServer } from '../support/eventstore-server/event-store-server.js';
import type { Like } from '../support/eventstore-server/server-version.js';
import { saleOf, TestService } from '../support/service.js';

const SALES = 600;
const WRITERS = 40;

describe('The service on EventStoreDB', () => {
  let directory: string;
  let server: EventStoreServer;
  let service: TestService;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);

  async function begin(like: Like): Promise<void> {
    server = await EventStoreServer.start({ directory, like, systemEvents: true });
    service = await TestService.start({ environment: { EVENTSTORE_URL: server.url } });
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-service-'));
    process.on('unhandledRejection', note);
  });
  afterEach(async () => {
    await service.close();
    await server.stop();
    await rm(directory, { recursive: true });
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toEqual([]);
  });

  test.each(['23.10', '24.10'] as const)('starts on an empty server like %s and books a sale', async (like) => {
    await begin(like);
    const { partner, tenant } = await service.openBooks();
    const { status } = await service.sell(partner, saleOf('first'));
    expect(status).toBe('BOOKED');
    await service.quiet();
    expect(await service.balancesByCode(tenant.token)).toMatchObject({ '600': '-100.00' });
    expect(service.complaints).toEqual([]);
  });

  test('rejects a rewind to a number that is not the position of an event', async () => {
    await begin('23.10');
    await service.openBooks();
    const [event] = await service.service.engines.events.readAll({ direction: 'backwards', maxCount: 1 });
    const position = event?.position ?? 0;
    const token = await service.operator();
    const rewind = (to: number) =>
      service.post('/api/platform/forwarders/integration-events/rewind', { position: to }, token);
    expect((await rewind(position - 1)).told).toBe('400 VALIDATION_FAILED position');
    expect((await rewind(position)).status).toBe(201);
  });

  test('books every sale exactly once and without warnings while its subscriptions are dropped continuously', async () => {
    await begin('23.10');
    const { partner, tenant } = await service.openBooks();
    const before = { ...server.asked };
    const isOver = new AbortController();
    // While sales are being stored, drops every subscription twice a second. Buffer overflows drop further
    // subscriptions.
    let appends = -1;
    const dropping = setInterval(() => {
      if (appends === server.asked.append) return;
      appends = server.asked.append;
      server.faults.abortSubscriptions();
    }, 500);
    isOver.signal.addEventListener('abort', () => {
      clearInterval(dropping);
    });
    let next = 0;
    const writer = async (): Promise<void> => {
      for (let n = next++; n < SALES; n = next++) {
        const reply = await service.postSale(partner, saleOf(`sale-${n}`));
        if (n % 5 === 0) server.faults.abortSubscriptions();
        if (reply.status !== 202)
          throw new Error(`${reply.told}: ${JSON.stringify(reply.body)} ${service.complaints.join('; ')}`);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    for (let n = 0; n < SALES; n += 1) expect((await service.settled(partner, `sale-${n}`)).status).toBe('BOOKED');
    await service.quiet();
    isOver.abort();
    const [subscriptions, reads] = [server.asked.subscription - before.subscription, server.asked.read - before.read];
    process.stderr.write(`${SALES} sales: ${subscriptions} subscriptions, ${reads} reads\n`);
    expect(await service.balancesByCode(tenant.token)).toMatchObject({ '600': `-${SALES}00.00` });
    expect(service.complaints).toEqual([]);
    // The consumers of the process share one subscription, which is reopened after every drop.
    expect(subscriptions).toBeGreaterThan(1);
    // A sale requires at most six stream reads. Reopening a subscription requires one or two page reads and one head
    // read.
    expect(reads).toBeLessThan(10 * SALES + 10 * subscriptions);
  });
});
