import {
  call,
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  until,
  withDirectory,
} from '../e2e/kontor-process.js';
import { memoryOf, Partners } from '../support/partners.js';
import type { ServerProcess } from '../support/server-process.js';
import { Servers } from '../support/servers.js';

/** Duration of an outage, and maximum response time during the outage. */
const AWAY_MS = 6_000;
const ANSWER_WITHIN_MS = 12_000;
/** Maximum growth of the process's memory during one fault. */
const GROWTH_BYTES = 150 * 1024 * 1024;

type Fault = {
  readonly what: string;
  readonly engine: (servers: Servers) => ServerProcess;
  readonly begin: (server: ServerProcess) => Promise<void>;
  readonly end: (server: ServerProcess) => Promise<void>;
  /** Status codes that the intake may return during a fault. */
  readonly allowed: readonly number[];
};

const ways = [
  {
    way: 'stopped and started again',
    begin: (server: ServerProcess) => server.kill(),
    end: (server: ServerProcess) => server.start(),
  },
  {
    way: 'hung for a while',
    begin: (server: ServerProcess) => server.hang(),
    end: (server: ServerProcess) => {
      server.resume();
      return Promise.resolve();
    },
  },
] as const;

const engines = [
  { name: 'EventStoreDB', engine: (servers: Servers) => servers.eventStore, allowed: [200, 202, 503] },
  { name: 'MongoDB', engine: (servers: Servers) => servers.mongo, allowed: [200, 202] },
  { name: 'NATS', engine: (servers: Servers) => servers.nats, allowed: [200, 202] },
  { name: 'Redis', engine: (servers: Servers) => servers.redis, allowed: [200, 202] },
] as const;

const faults: readonly Fault[] = engines.flatMap(({ name, engine, allowed }) =>
  ways.map(({ way, begin, end }) => ({ what: `${name} is ${way}`, engine, begin, end, allowed })),
);

describe('a service whose engine fails under load', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  });
  afterAll(() => servers.dispose());

  test.each(faults)(
    '$what: bounded response times, permitted statuses, bounded memory, and complete catch-up',
    async ({ what, engine, begin, end, allowed }) => {
      await withDirectory(async (directory) => {
        const kontor = await KontorProcess.ready(directory, { ...PLAIN, ...servers.settings });
        const url = await kontor.url();
        const books = await openBooks(url);
        const partners = new Partners(url, books, what.replaceAll(/\W+/g, '-'));
        await until(
          () => Promise.resolve(partners.taken.length),
          (count) => count > 100,
          60_000,
        );
        const memory = await memoryOf(kontor.pid);

        const server = engine(servers);
        await begin(server);
        await pause(AWAY_MS);
        const ready = await fetch(`${url}/livez`);
        expect(ready.status).toBe(200);
        await end(server);
        const before = partners.taken.length;
        await until(
          () => Promise.resolve(partners.taken.length),
          (count) => count > before + 100,
          60_000,
        );
        await partners.stop();

        const statuses = new Set(partners.answers.map(({ status }) => status));
        expect([...statuses].filter((status) => !allowed.includes(status))).toEqual([]);
        const refusals = partners.answers.filter(({ status }) => status === 503);
        for (const { body } of refusals) expect(body).toMatch(/^\{"error":\{"code":"UNAVAILABLE","message":".+"/);
        expect(Math.max(...partners.answers.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWER_WITHIN_MS);
        expect((await memoryOf(kontor.pid)) - memory).toBeLessThan(GROWTH_BYTES);

        await caughtUp(url, books, 120_000);
        expect((await invoices(url, books)).toSorted()).toEqual(partners.taken.toSorted());
        expect((await call<{ status: string }>(`${url}/readyz`)).status).toBe('ready');
        await kontor.stopCleanly();
      });
    },
    400_000,
  );
});
