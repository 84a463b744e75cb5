import type { QueueState } from '../../src/observability/queue-board.js';
import {
  call,
  KontorProcess,
  openBooks,
  PLAIN,
  postSale,
  statusOf,
  until,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { MetricsText } from '../support/metrics-text.js';
import { Servers } from '../support/servers.js';

/** Roles of the three processes. The process that serves HTTP also reports the state of the other two. */
const ROLES = ['projections,forwarder', 'policies', 'http'];

type System = {
  readonly status: string;
  readonly engines: readonly { readonly name: string; readonly engine: string; readonly version: string | null }[];
};
type Readiness = {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly status: string }[];
};

describe('processes that share the work', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  });
  afterAll(() => servers.dispose());

  const get = async <T>(url: string, path: string, { operator }: Books): Promise<T> =>
    (await call<{ data: T }>(`${url}${path}`, { token: operator })).data;
  const queuesAt = async (url: string, books: Books): Promise<QueueState[]> =>
    (await get<{ queues: QueueState[] }>(url, '/api/platform/redis/queues', books)).queues;
  const scrape = async (url: string): Promise<MetricsText> =>
    new MetricsText(await (await fetch(`${url}/metrics`)).text());

  test('share the state of their queues through the cache, publish their own metrics and report a missing server', () =>
    withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings };
      const processes: KontorProcess[] = [];
      for (const role of ROLES) processes.push(await KontorProcess.ready(directory, { ...settings, ROLES: role }));
      const urls = await Promise.all(processes.map((one) => one.url()));
      const [, , url = ''] = urls;
      const books = await openBooks(url);
      await postSale(url, books, 'operated');
      await until(
        () => statusOf(url, books, 'operated'),
        (status) => status === 'BOOKED',
      );

      // Each process shares its readings only every two seconds. For a queue of another process, `lag` may therefore
      // reach 0 before `perMinute` counts the events.
      const BUSY = ['booking', 'integration-events', 'transactions'];
      const queues = await until(
        () => queuesAt(url, books),
        (all) => all.every(({ lag, perMinute, name }) => lag === 0 && (perMinute > 0 || !BUSY.includes(name))),
      );
      const queue = (name: string): QueueState | undefined => queues.find((one) => one.name === name);
      expect(queue('booking')).toMatchObject({ perMinute: 1, inFlight: 0, failures: 0 });

      const subscribers = await Promise.all(
        urls.map(async (one) => {
          const positions = (await scrape(one)).all('kontor_subscriber_position');
          return [...new Set(positions.map(({ labels }) => labels['kind']))].toSorted();
        }),
      );
      expect(subscribers).toEqual([['forwarder', 'integrity', 'projection', 'push'], ['policy', 'push'], []]);

      const { status, engines } = await get<System>(url, '/api/system/health/system', books);
      expect([status, engines.map(({ engine }) => engine)]).toEqual([
        'up',
        ['eventstoredb', 'mongodb', 'nats', 'redis'],
      ]);
      for (const { name, version } of engines) expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\./)]);

      await servers.redis.kill();
      await servers.nats.kill();
      const degraded = await until(
        () => get<Readiness>(url, '/api/system/health/ready', books),
        (report) => report.checks.filter((check) => check.status === 'down').length === 2,
      );
      expect(degraded.status).toBe('degraded');
      expect((await queuesAt(url, books)).find(({ name }) => name === 'booking')).toMatchObject({ perMinute: 0 });
      expect((await scrape(url)).value('kontor_engine_up', { engine: 'cache' })).toBe(0);
      await servers.redis.start();
      await servers.nats.start();
      await until(
        () => get<Readiness>(url, '/api/system/health/ready', books),
        (report) => report.status === 'ready',
      );
      for (const one of processes) await one.stopCleanly();
    }));
});
