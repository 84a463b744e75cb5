import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import {
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  SaleLoad,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { compareWithRebuild, isDividedEvenly, rangeShares } from '../support/divided-work.js';
import { Servers } from '../support/servers.js';
import { messagesAt } from '../support/stored-messages.js';
import {
  continueAmong,
  eventIn,
  EVEN_WITHIN_MS,
  holds,
  leads,
  LED_WITHIN_MS,
  outOfOrder,
  READY_WITHIN_MS,
  repeatedIn,
  SUSPENDABLE,
} from '../support/suspended-replica.js';

const TENANTS = 8;
const SALE_EVERY_MS = 500;
/**
 * The stream's duplicate window. It is longer than a takeover, so that JetStream recognizes the next leader's repeats.
 * It is shorter than Kontor's default window, so that the test does not take minutes.
 */
const WINDOW_MS = 20_000;

async function createStream(servers: Servers): Promise<void> {
  const connection = await connect({ servers: servers.nats.url });
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name: 'KONTOR', subjects: ['kontor.>'], duplicate_window: nanos(WINDOW_MS) });
  await connection.close();
}

describe('A leader that is suspended, replaced and continued', () => {
  let servers: Servers;
  beforeEach(async () => {
    servers = await Servers.start();
    await createStream(servers);
  });
  afterEach(() => servers.dispose());

  test.each([
    { point: 'acknowledgement', when: 'between publishing a message and its acknowledgement', beyondMs: WINDOW_MS },
    { point: 'checkpoint', when: 'between writing documents and their checkpoint', beyondMs: 0 },
  ])(
    '$when changes nothing',
    ({ point, beyondMs }) =>
      withDirectory(async (directory) => {
        const settings = { ...PLAIN, ...servers.settings };
        const armed = join(directory, 'armed');
        const stops = { STOP_AT: point, STOP_WHEN: armed };
        const first = new KontorProcess(directory, { ...settings, ...stops }, SUSPENDABLE);
        await first.url(READY_WITHIN_MS);
        const second = new KontorProcess(directory, settings);
        const url = await second.url(READY_WITHIN_MS);
        const both = [first, second];
        await holds(() => isDividedEvenly(both), EVEN_WITHIN_MS);
        const tenants: Books[] = [];
        while (tenants.length < TENANTS || !tenants.some((books) => leads(first, books)))
          tenants.push(await openBooks(url));
        const loads = tenants.map((books, n) => new SaleLoad(url, books, `tenant-${n}`, 1, SALE_EVERY_MS));

        await writeFile(armed, '');
        await holds(() => !existsSync(armed), 30_000);
        await holds(() => rangeShares([second]) !== undefined, LED_WITHIN_MS);
        await pause(beyondMs + 2_000);
        for (const load of loads) await load.stop();
        await caughtUp(url, tenants[0] as Books);
        const { checkpoints, lowered } = await continueAmong(first, both, servers);
        expect(lowered).toEqual([]);
        expect(checkpoints).toBeGreaterThan(100);

        for (const [n, load] of loads.entries()) {
          expect([load.refused, load.unanswered]).toEqual([[], []]);
          expect((await invoices(url, tenants[n] as Books)).toSorted()).toEqual(load.accepted.toSorted());
        }
        for (const replica of both) await replica.stopCleanly();
        const messages = await messagesAt(servers.nats.url);
        const sold = loads.flatMap(({ accepted }) => accepted);
        expect(sold.length).toBeGreaterThan(50);
        expect(repeatedIn(messages)).toEqual([]);
        const events = messages.map(eventIn);
        for (const type of ['accepted', 'booked'])
          expect(events.filter((event) => event.type === `kontor.sale.${type}.v1`)).toHaveLength(sold.length);
        expect(events.filter(({ type }) => type === 'kontor.transaction.recorded.v1')).toHaveLength(sold.length);
        expect(outOfOrder(events)).toEqual([]);
        const { compared, differences, leftOut } = await compareWithRebuild(servers, directory);
        expect([differences, leftOut]).toEqual([[], []]);
        expect(compared).toBeGreaterThan(sold.length);
      }),
    200_000,
  );
});
