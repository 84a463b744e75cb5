import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  call,
  invoices,
  KontorProcess,
  openBooks,
  pause,
  PLAIN,
  postSale,
  statusOf,
  trialBalance,
  until,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { ALL_RANGES } from '../../src/eventsourcing/ranges.js';
import { DIVIDED_WORK, isDividedEvenly } from '../support/divided-work.js';
import { Servers } from '../support/servers.js';

const SALES = Number(process.env['REPLICA_SALES'] ?? 5_000);
const CONNECTIONS = 32;
const NET = 100;
/**
 * Number of undivided tasks of each kind of work: the integrity tree, webhooks, two watches, pushes, and jobs.
 */
const UNDIVIDED = { projections: 1, forwarder: 1, policies: 3, jobs: 1 };
const TASKS = 6;

type Message = { readonly messageId: string; readonly event: CloudEvent };
type CloudEvent = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: string;
  readonly data: { readonly externalId?: string };
};

/** Returns all messages in JetStream, in storage order. */
async function messagesIn(url: string): Promise<Message[]> {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info('KONTOR');
    if (state.messages === 0) return [];
    const consumer = await jetstream(connection).consumers.get('KONTOR');
    const found: Message[] = [];
    for await (const message of await consumer.consume()) {
      const messageId = message.headers?.get('Nats-Msg-Id') ?? '';
      found.push({ messageId, event: message.json<CloudEvent>() });
      if (message.info.pending === 0) break;
    }
    return found;
  } finally {
    await connection.close();
  }
}

/** Pushes sales as partners do. Retries each sale until a replica accepts it. */
async function pushAll(urls: () => readonly string[], books: Books, run: string): Promise<string[]> {
  const sales = Array.from({ length: SALES }, (_, n) => `${run}-${n}`);
  let next = 0;
  const partner = async () => {
    for (let n = next++; n < SALES; n = next++) {
      const externalId = sales[n] ?? '';
      for (let attempt = 0; ; attempt += 1) {
        const replicas = urls();
        const url = replicas[(n + attempt) % replicas.length] ?? '';
        const status = await postSale(url, books, externalId).then(
          (answered) => answered.status,
          () => 0,
        );
        if (status === 200 || status === 202) break;
        if (attempt > 200) throw new Error(`${externalId} is never taken: ${status}`);
        await pause(50);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, partner));
  return sales;
}

const countOf = async (url: string, { token }: Books): Promise<number> =>
  (await call<{ totalCount: number }>(`${url}/api/transactions?type=INVOICE&pageNumber=1&pageSize=1`, { token }))
    .totalCount;

describe('replicas on shared servers', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  });
  afterAll(() => servers.dispose());

  test(`book ${SALES} sales once each, even if one of them is killed halfway through and restarted`, async () => {
    await withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings };
      const first = await KontorProcess.ready(directory, settings);
      const second = await KontorProcess.ready(directory, settings);
      const urls = [await first.url(), await second.url()];
      const books = await openBooks(urls[0] ?? '');

      const pushing = pushAll(() => urls, books, 'shared');
      const [url = ''] = urls;
      await until(
        () => countOf(url, books),
        (count) => count > SALES / 4,
        120_000,
      );
      // Kills the replica that leads the most tasks. The first replica to start may lead all of them.
      await first.stop('SIGKILL');
      urls[0] = urls[1] ?? '';
      await pause(1_000);
      const again = await KontorProcess.ready(directory, settings);
      urls[0] = await again.url();
      const sales = await pushing;

      for (const replica of urls) {
        await until(
          () => countOf(replica, books),
          (count) => count === SALES,
          120_000,
        );
        expect((await invoices(replica, books)).toSorted()).toEqual(sales.toSorted());
      }
      expect(await statusOf(urls[0], books, sales[0] ?? '')).toBe('BOOKED');
      const { totalDebit, totalCredit, rows } = await trialBalance(urls[0], books);
      expect(totalDebit).toBe(totalCredit);
      expect(rows.find(({ type }) => type === 'INCOME')?.balance).toBe(`-${(SALES * NET).toFixed(2)}`);

      const messages = await until(
        () => messagesIn(servers.nats.url),
        (all) => all.filter(({ event }) => event.type.includes('booked')).length >= SALES,
        60_000,
      );
      expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(messages.length);
      expect(messages.filter(({ messageId, event }) => messageId !== event.id)).toEqual([]);
      expect(outOfOrder(messages.map(({ event }) => event))).toEqual([]);
      await second.stopCleanly();
      await again.stopCleanly();
    });
  }, 400_000);

  const withReplicas = (
    count: number,
    use: (replicas: readonly KontorProcess[], urls: readonly string[], books: Books) => Promise<void>,
  ): Promise<void> =>
    withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings };
      const replicas: KontorProcess[] = [];
      for (let n = 0; n < count; n += 1) replicas.push(await KontorProcess.ready(directory, settings));
      const urls = await Promise.all(replicas.map((replica) => replica.url()));
      for (const url of urls)
        await until(
          () => fetch(`${url}/readyz`),
          ({ status }) => status === 200,
        );
      await until(
        () => Promise.resolve(leadersOf(replicas)),
        (leads) => leads.length === TASKS,
      );
      await until(() => Promise.resolve(isDividedEvenly(replicas)), Boolean, 15_000);
      await use(replicas, urls, await openBooks(urls[0] ?? ''));
      for (const replica of replicas) if (replica.isRunning) await replica.stopCleanly();
    });

  test(
    'rebuild read models on request while all of them are read: no response shows less than before',
    () =>
      withReplicas(2, async (_, urls, books) => {
        const [a = '', b = ''] = urls;
        type Row = { name: string; generation: number; lastRebuild: { changedDocuments: number } | null };
        const rows = async (url: string): Promise<Row[]> =>
          (await call<{ data: Row[] }>(`${url}/api/platform/projections`, { token: books.operator })).data;
        const names = ['transactions', 'customers'];
        let sold = 0;
        const sell = async (count: number): Promise<void> => {
          for (let n = 0; n < count; n += 1, sold += 1)
            expect((await postSale(n % 2 === 0 ? a : b, books, `rebuilt-${sold}`)).status).toBe(202);
        };
        await sell(150);
        for (const url of urls)
          await until(
            () => countOf(url, books),
            (count) => count === sold,
          );
        const state = { reading: true };
        const readers = urls.map(async (url) => {
          const seen: number[] = [];
          while (state.reading) {
            seen.push(await countOf(url, books));
            await pause(20);
          }
          return seen;
        });
        for (const name of names)
          await call(`${b}/api/platform/projections/${name}/rebuild`, { method: 'POST', token: books.operator });
        await sell(150);
        for (const url of urls) {
          const rebuilt = await until(
            () => rows(url),
            (all) => all.filter(({ name, lastRebuild }) => names.includes(name) && lastRebuild !== null).length === 2,
            30_000,
          );
          for (const row of rebuilt.filter(({ name }) => names.includes(name)))
            expect(row).toMatchObject({ generation: 2, lastRebuild: { changedDocuments: 0 } });
        }
        // Keeps selling after the cutover until the old generation is no longer maintained.
        const untilMs = Date.now() + 8_000;
        while (Date.now() < untilMs) await sell(1);
        for (const url of urls)
          await until(
            () => countOf(url, books),
            (count) => count === sold,
          );
        state.reading = false;
        for (const seen of await Promise.all(readers)) {
          expect(seen.every((count, at) => count >= (seen[at - 1] ?? 0))).toBe(true);
          expect(seen.length).toBeGreaterThan(20);
        }
      }),
    300_000,
  );

  test('show the writes of one on all others at once', () =>
    withReplicas(2, async (_, [a = '', b = ''], books) => {
      let behind = 0;
      for (let n = 0; n < 50; n += 1) {
        const [from, to] = n % 2 === 0 ? [a, b] : [b, a];
        const { id, status, position, readModel } = await createCustomer(from, books, `Customer ${n}`);
        expect(status).toBe(201);
        if (readModel === 'behind') behind += 1;
        const headers = { authorization: `Bearer ${books.token}`, 'x-min-position': position };
        const response = await until(
          () => fetch(`${to}/api/customers/${id}`, { headers }),
          (answered) => readModel === null || answered.status !== 503,
        );
        expect(response.status).toBe(200);
        expect(((await response.json()) as { data: Customer }).data.name).toBe(`Customer ${n}`);
      }
      // A replica falls behind only when the machine is busy with other work.
      expect(behind).toBeLessThan(5);
    }));

  test("count a partner's requests together, and apply a new limit within a second", () =>
    withReplicas(2, async (_, [a = '', b = ''], books) => {
      await setLimit(a, books, 40);
      await pause(1_000);
      await until(
        () => ratesOf(b, books),
        ({ remaining }) => remaining > 35,
        90_000,
      );
      const answers: number[] = [];
      for (let n = 0; n < 50; n += 1) answers.push((await ratesOf(n % 2 === 0 ? a : b, books)).status);
      expect(answers.filter((status) => status !== 429).length).toBeLessThan(40);
      expect(answers.slice(-10).every((status) => status === 429)).toBe(true);
      expect((await ratesOf(b, books)).limit).toBe(40);
    }));

  test('have one leader per task and range; when it dies, another takes over its ranges within six seconds', () =>
    withReplicas(3, async (replicas, urls, books) => {
      const names = leadersOf(replicas);
      expect(names.length).toBe(new Set(names).size);
      expect(names.length).toBe(TASKS);
      const [first, ...others] = replicas as [KontorProcess, ...KontorProcess[]];
      expect(first.leads().length).toBeGreaterThan(0);
      await first.stop('SIGKILL');
      const [, url = ''] = urls;
      const { status } = await postSale(url, books, 'after-the-crash');
      expect(status).toBe(202);
      await until(
        () => invoices(url, books),
        (all) => all.includes('after-the-crash'),
        6_000,
      );
      expect(await statusOf(url, books, 'after-the-crash')).toBe('BOOKED');
      await until(() => Promise.resolve(isDividedEvenly(others)), Boolean, 15_000);
      // The log reports a leader change with a short delay.
      await until(
        () => Promise.resolve(leadersOf(others).toSorted()),
        (leaders) => leaders.join() === names.toSorted().join(),
      );
    }));

  test('do nothing twice while two of them lead because a paused one resumes', () =>
    withReplicas(2, async ([first, second], [, url = ''], books) => {
      first?.send('SIGSTOP');
      await until(
        () => Promise.resolve(second?.leads().length),
        (count) => count === TASKS,
      );
      await until(() => Promise.resolve(isDividedEvenly([second as KontorProcess])), Boolean);
      const sales = Array.from({ length: 200 }, (_, n) => `paused-${n}`);
      const pushing = Promise.all(sales.map((externalId) => postSale(url, books, externalId)));
      first?.send('SIGCONT');
      expect((await pushing).map(({ status }) => status)).toEqual(sales.map(() => 202));
      await until(
        () => countOf(url, books),
        (count) => count === sales.length,
      );
      expect((await invoices(url, books)).toSorted()).toEqual(sales.toSorted());
      await until(
        () => Promise.resolve(first?.leads()),
        (leads) => leads?.length === 0,
      );
      await until(
        () => Promise.resolve(isDividedEvenly([first as KontorProcess, second as KontorProcess])),
        Boolean,
        15_000,
      );
    }));

  test('can start before their servers, and wait for them', () =>
    withDirectory(async (directory) => {
      const all = [servers.eventStore, servers.mongo, servers.nats, servers.redis];
      for (const server of all) await server.stop();
      const kontor = new KontorProcess(directory, { ...PLAIN, ...servers.settings });
      await pause(3_000);
      expect(kontor.isRunning).toBe(true);
      for (const server of all) await server.start();
      await until(
        async () => (await fetch(`${await kontor.url()}/readyz`)).status,
        (status) => status === 200,
      );
      await kontor.stopCleanly();

      for (const server of all) await server.stop();
      const other = new KontorProcess(directory, { ...PLAIN, ...servers.settings });
      await pause(2_000);
      expect(await other.stop()).toEqual({ code: 0, signal: null });
      for (const server of all) await server.start();
    }));

  test('can each run a single task', () =>
    withDirectory(async (directory) => {
      const settings = { ...PLAIN, ...servers.settings };
      const roles = ['http', 'projections', 'forwarder', 'policies', 'jobs'];
      const processes: KontorProcess[] = [];
      for (const role of roles) processes.push(await KontorProcess.ready(directory, { ...settings, ROLES: role }));
      const [url = '', ...others] = await Promise.all(processes.map((one) => one.url()));
      const books = await openBooks(url);
      expect((await postSale(url, books, 'divided')).status).toBe(202);
      await until(
        () => invoices(url, books),
        (all) => all.includes('divided'),
      );
      await until(
        () => messagesIn(servers.nats.url),
        (all) => all.some(({ event }) => event.data.externalId === 'divided'),
      );
      for (const other of others) {
        expect((await fetch(`${other}/readyz`)).status).toBe(200);
        const headers = { authorization: `Bearer ${books.token}` };
        expect((await fetch(`${other}/api/customers?pageNumber=1&pageSize=1`, { headers })).status).toBe(404);
      }
      const wanted = [0, ...Object.values(UNDIVIDED)];
      await until(
        () => Promise.resolve(processes.map((one) => one.leads().length)),
        (leads) => leads.join() === wanted.join(),
      );
      for (const [at, work] of DIVIDED_WORK.entries())
        await until(
          () => Promise.resolve(processes[at + 1]?.ranges()[work]),
          (ranges) => ranges?.join() === ALL_RANGES.join(),
        );
      for (const one of processes) await one.stopCleanly();
    }));
});

type Customer = { readonly id: string; readonly name: string };

/** Creates a customer. Returns its id and the position in the response. */
async function createCustomer(url: string, { token }: Books, name: string) {
  const response = await fetch(`${url}/api/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { id } = ((await response.json()) as { data: { id: string } }).data;
  const { headers, status } = response;
  return { id, status, position: headers.get('x-event-position') ?? '', readModel: headers.get('x-read-model') };
}

async function setLimit(url: string, { operator, keyId }: Books, rateLimit: number): Promise<void> {
  const path = `${url}/api/platform/integration-keys/${keyId}`;
  await call(path, { method: 'PATCH', token: operator, body: { rateLimit } });
}

async function ratesOf(url: string, { key }: Books) {
  const { status, headers } = await fetch(`${url}/api/integrations/v1/sales/nothing`, {
    headers: { 'x-integration-key': key },
  });
  const [limit, remaining] = ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  return { status, limit, remaining: remaining ?? 0 };
}

const leadersOf = (replicas: readonly KontorProcess[]): string[] => replicas.flatMap((replica) => replica.leads());

/** Returns the subjects with a message whose sequence is not greater than that of the preceding message. */
function outOfOrder(events: readonly CloudEvent[]): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ subject, sequence }) => {
    const isNext = Number(sequence) > (last.get(subject) ?? -1);
    last.set(subject, Number(sequence));
    return isNext ? [] : [subject];
  });
}
