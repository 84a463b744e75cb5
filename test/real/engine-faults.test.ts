import { readFile } from 'node:fs/promises';
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
  type Answered,
  type Books,
} from '../e2e/kontor-process.js';
import type { ServerProcess } from '../support/server-process.js';
import { Servers } from '../support/servers.js';

/** How long an engine is away, and how long an answer may take meanwhile. */
const AWAY_MS = 6_000;
const ANSWER_WITHIN_MS = 12_000;
const PARTNERS = 8;
/** Growth of the process's memory over one fault. */
const GROWTH_BYTES = 150 * 1024 * 1024;

type Fault = {
  readonly what: string;
  readonly engine: (servers: Servers) => ServerProcess;
  readonly begin: (server: ServerProcess) => Promise<void>;
  readonly end: (server: ServerProcess) => Promise<void>;
  /** What the intake may answer while it lasts. */
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
    begin: (server: ServerProcess) => {
      server.hang();
      return Promise.resolve();
    },
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

/** Partners who send one sale after another, each until it is taken. */
class Partners {
  readonly taken: string[] = [];
  readonly answers: { status: number; body: string; tookMs: number }[] = [];
  private stopped = false;
  private readonly running: Promise<unknown>;

  constructor(url: string, books: Books, run: string) {
    this.running = Promise.all(
      Array.from({ length: PARTNERS }, async (_, partner) => {
        for (let n = 0; !this.stopped; n += 1) await this.push(url, books, `${run}-${partner}-${n}`);
      }),
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async push(url: string, books: Books, externalId: string): Promise<void> {
    for (;;) {
      const { status, body } = await this.timed(() => postSale(url, books, externalId));
      if (status === 200 || status === 202) break;
      // A partner who gets a 503 tries the same again; one whose run is over does so until it is taken.
      await pause(100);
      if (status !== 503) throw new Error(`${externalId}: ${status} ${body}`);
    }
    this.taken.push(externalId);
    await pause(20);
  }

  private async timed(send: () => Promise<Answered>): Promise<Answered> {
    const beganAtMs = performance.now();
    const answered = await send();
    this.answers.push({ status: answered.status, body: answered.body, tookMs: performance.now() - beganAtMs });
    return answered;
  }
}

const memoryOf = async (pid: number): Promise<number> =>
  Number(/RssAnon:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe('a service whose engine is away under load', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  }, 60_000);
  afterAll(() => servers.dispose());

  test.each(faults)(
    '$what: bounded answers of the right kind, bounded memory, and everything is caught up with',
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

        await until(
          () =>
            invoices(url, books).then(
              (all) => all.length,
              () => -1,
            ),
          (count) => count >= partners.taken.length,
          60_000,
        );
        expect((await invoices(url, books)).toSorted()).toEqual(partners.taken.toSorted());
        expect((await call<{ status: string }>(`${url}/readyz`)).status).toBe('ready');
        await kontor.stopCleanly();
      });
    },
    200_000,
  );
});
