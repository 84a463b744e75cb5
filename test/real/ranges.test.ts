import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RANGES } from '../../src/eventsourcing/ranges.js';
import {
  call,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  postSale,
  until,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { compareWithRebuild, isDividedEvenly, rangeShares } from '../support/divided-work.js';
import { mulberry32 } from '../support/manual-clock.js';
import { MetricsText } from '../support/metrics-text.js';
import { Servers } from '../support/servers.js';
import { outOfOrder } from '../support/suspended-replica.js';

/**
 * Least number of rounds. In each round, one replica is killed, one is suspended for a while, and one is added. Further
 * rounds follow if overloaded cores delayed most takeovers so far.
 */
const ROUNDS = Number(process.env['RANGE_ROUNDS'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const REPLICAS = 4;
const TENANTS = 12;
/** Delay between two sales of the same partner. The replicas must be under load, but not saturated. */
const SALE_EVERY_MS = 150;
const MAX_ROUNDS = ROUNDS + 2;
/** Time after which the ranges of a lost replica have leaders, unless the cores are overloaded. */
const LED_WITHIN_MS = 6_000;
/** Time after which the ranges are evenly divided, even on overloaded cores. */
const EVEN_WITHIN_MS = 15_000;

/** Of an even number of values, the lower one in the middle. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Infinity;

const ask =
  <T>(value: () => T) =>
  () =>
    Promise.resolve(value());

/** One partner for each tenant. Each partner sells until stopped, and retries a sale until a replica accepts it. */
class Partners {
  readonly sold = new Map<Books, string[]>();
  private isStopped = false;
  private isAbandoned = false;
  private readonly selling: Promise<unknown>;

  constructor(urls: () => readonly string[], tenants: readonly Books[]) {
    this.selling = Promise.all(tenants.map((books, n) => this.sell(urls, books, n)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.selling;
  }

  /** Stops the partners without waiting for pending sales to be accepted. */
  async abandon(): Promise<void> {
    this.isAbandoned = true;
    await this.stop();
  }

  private async sell(urls: () => readonly string[], books: Books, tenant: number): Promise<void> {
    const sold: string[] = [];
    this.sold.set(books, sold);
    for (let n = 0; !this.isStopped; n += 1) {
      const externalId = `${tenant}-${n}`;
      for (let attempt = 0; ; attempt += 1) {
        const some = urls();
        const status = await postSale(some[(n + attempt) % some.length] ?? '', books, externalId).then(
          (answered) => answered.status,
          () => 0,
        );
        if (status === 200 || status === 202) break;
        if (this.isAbandoned) return;
        if (attempt > 500) throw new Error(`${externalId} is never accepted: ${status}`);
        await pause(50);
      }
      sold.push(externalId);
      await pause(SALE_EVERY_MS);
    }
  }
}

type CloudEvent = { readonly id: string; readonly type: string; readonly subject: string; readonly sequence: string };

/** Returns all messages in JetStream in storage order, without duplicates. */
async function messagesIn(url: string): Promise<CloudEvent[]> {
  const connection = await connect({ servers: url });
  try {
    const { state } = await (await jetstreamManager(connection)).streams.info('KONTOR');
    if (state.messages === 0) return [];
    const consumer = await jetstream(connection).consumers.get('KONTOR');
    const found = new Map<string, CloudEvent>();
    for await (const message of await consumer.consume()) {
      const event = message.json<CloudEvent>();
      if (!found.has(event.id)) found.set(event.id, event);
      if (message.info.pending === 0) break;
    }
    return [...found.values()];
  } finally {
    await connection.close();
  }
}

/** Returns the total number of ranges that the replicas report for each divided subscriber. */
async function sharesOf(urls: readonly string[]): Promise<[string, number][]> {
  const shares = new Map<string, number>();
  for (const url of urls) {
    const metrics = new MetricsText(await (await fetch(`${url}/metrics`)).text());
    for (const { labels, value } of metrics.all('kontor_subscriber_ranges'))
      shares.set(labels.subscriber ?? '', (shares.get(labels.subscriber ?? '') ?? 0) + value);
  }
  return [...shares];
}

describe(`four replicas that share the tenants (seed ${SEED})`, () => {
  const random = mulberry32(SEED);
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  });
  afterAll(() => servers.dispose());

  test(
    `lose and repeat nothing while one is killed, one hangs and one joins, ${ROUNDS} times`,
    () =>
      withDirectory(async (directory) => {
        const settings = { ...PLAIN, ...servers.settings };
        const replicas: { all: KontorProcess[]; hung: KontorProcess[] } = { all: [], hung: [] };
        const running = (): readonly KontorProcess[] =>
          replicas.all.filter((replica) => replica.isRunning && !replicas.hung.includes(replica));
        const add = async (): Promise<void> => void replicas.all.push(await KontorProcess.ready(directory, settings));
        while (replicas.all.length < REPLICAS) await add();
        const urls = new Map<KontorProcess, string>();
        const told = async (): Promise<void> => {
          for (const replica of running()) urls.set(replica, await replica.url());
        };
        await told();
        const anyUrl = (): string => urls.get(running()[0] as KontorProcess) ?? '';
        const even = () =>
          until(
            ask(() => isDividedEvenly(running())),
            Boolean,
            EVEN_WITHIN_MS,
          );
        /**
         * After a change, waits until all ranges have leaders, and then until the ranges are evenly divided. Prints
         * both durations. Returns the first one.
         */
        const settled = async (change: string): Promise<number> => {
          const beganMs = performance.now();
          const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
          await until(
            ask(() => rangeShares(running())),
            (shares) => shares !== undefined,
            EVEN_WITHIN_MS,
          );
          const ledAfterMs = performance.now() - beganMs;
          await even();
          process.stderr.write(
            `ranges, one replica ${change}: all led after ${seconds(ledAfterMs)} s, ` +
              `even after ${seconds(performance.now() - beganMs)} s\n`,
          );
          return ledAfterMs;
        };
        await even();
        await until(
          () => sharesOf([...urls.values()]),
          (shares) => shares.length > 0 && shares.every(([, share]) => share === RANGES),
        );
        const tenants: Books[] = [];
        while (tenants.length < TENANTS) tenants.push(await openBooks(anyUrl()));
        const partners = new Partners(() => running().flatMap((replica) => urls.get(replica) ?? []), tenants);
        const pick = (): KontorProcess => running()[Math.floor(random() * running().length)] as KontorProcess;

        const disturb = async (): Promise<void> => {
          const takeovers: number[] = [];
          for (let round = 0; round < MAX_ROUNDS; round += 1) {
            if (round >= ROUNDS && median(takeovers) <= LED_WITHIN_MS) break;
            await pause(1_000 + random() * 2_000);
            await pick().stop('SIGKILL');
            const killedMs = await settled('killed');

            const hung = pick();
            hung.send('SIGSTOP');
            replicas.hung.push(hung);
            takeovers.push(Math.max(killedMs, await settled('suspended')));
            hung.send('SIGCONT');
            replicas.hung.pop();
            await settled('continued');

            await add();
            await told();
            await settled('added');
          }
          expect(median(takeovers)).toBeLessThanOrEqual(LED_WITHIN_MS);
        };
        await disturb().catch(async (error: unknown) => {
          await partners.abandon();
          throw error;
        });
        await pause(1_000);
        await partners.stop();

        for (const [books, sold] of partners.sold) {
          // Pages shift while invoices are still being added, so an invoice may appear on two pages.
          const booked = await until(
            () => invoices(anyUrl(), books),
            (all) => new Set(all).size >= sold.length,
            60_000,
          );
          expect(booked.toSorted()).toEqual(sold.toSorted());
        }
        const count = [...partners.sold.values()].flat().length;
        expect(count).toBeGreaterThan(50 * ROUNDS);
        const booked = await until(
          async () => (await messagesIn(servers.nats.url)).filter(({ type }) => type.includes('booked')),
          (all) => all.length >= count,
          60_000,
        );
        expect(booked.length).toBe(count);
        expect(outOfOrder(await messagesIn(servers.nats.url))).toEqual([]);

        const { ranges } = (
          await call<{ data: { ranges: { work: string; leaders: (string | null)[] }[] } }>(
            `${anyUrl()}/api/system/health/system`,
            { token: tenants[0]?.operator ?? '' },
          )
        ).data;
        expect(ranges.map(({ work }) => work)).toEqual(['projections', 'policies', 'forwarder']);
        for (const { leaders } of ranges) expect(new Set(leaders).size).toBe(running().length);

        for (const replica of running()) await replica.stopCleanly();
        const verification = await compareWithRebuild(servers, directory);
        expect(verification.differences).toEqual([]);
        expect(verification.leftOut).toEqual([]);
        expect(verification.compared).toBeGreaterThan(500);
      }),
    120_000 + MAX_ROUNDS * 120_000,
  );
});
