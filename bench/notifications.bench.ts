/*
 * Notifications of a large tenant, with the compiled service as a process of its own: a broadcast to all users and its
 * pushes to a push service on this machine (each encrypted, over TLS), then lists, counts and read-all with as many
 * unread broadcasts.
 *
 *   npm run build && node --import ./test/support/typescript.mjs bench/notifications.bench.ts [users] [broadcasts]
 */
import { createECDH, randomUUID } from 'node:crypto';
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { pushSubscriptionId } from '../src/aggregates/push-subscription.aggregate.js';
import { selfSigned } from '../test/support/self-signed.js';
import { startServer, type Server } from './processes.js';

const USERS = Number(process.argv[2] ?? 50_000);
const BROADCASTS = Number(process.argv[3] ?? 50_000);
const OPERATOR = { email: 'bench@kontor.example', password: 'bench-password-1' };
const OWNER = { fullName: 'Owner', email: 'owner@bench.example', password: 'owner-password-1' };
const DAY_MS = 24 * 60 * 60 * 1_000;
const IN_FLIGHT = 2_000;

const report: Record<string, unknown> = {
  users: USERS,
  broadcasts: BROADCASTS,
  node: process.version,
  cpus: cpus().length,
};
function note(name: string, value: unknown): void {
  report[name] = value;
  process.stdout.write(`${name} ${JSON.stringify(value)}\n`);
}

/** Answers every push at once, and counts them. */
async function startPushService() {
  const { cert, key } = selfSigned([], ['127.0.0.1']);
  const counted = { pushes: 0, open: 0, mostOpen: 0 };
  const server = createServer({ cert, key }, (request, response) => {
    request.resume().on('end', () => {
      counted.pushes += 1;
      response.writeHead(201).end();
    });
  });
  server.on('connection', (socket) => {
    counted.open += 1;
    counted.mostOpen = Math.max(counted.mostOpen, counted.open);
    socket.on('close', () => (counted.open -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { counted, cert, origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

type Fact = { readonly entity: string; readonly id: string; readonly type: string; readonly data: object };

async function fill(directory: string, tenantId: string, atMs: number, facts: Iterable<Fact>): Promise<void> {
  const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  const timestamp = new Date(atMs).toISOString();
  let inFlight: Promise<unknown>[] = [];
  for (const { entity, id, type, data } of facts) {
    const commandId = randomUUID();
    const metadata = { tenantId, timestamp, version: 1, commandId, requestId: commandId, $correlationId: commandId };
    const stream = `${entity}-${tenantId}_${id}`;
    inFlight.push(store.append({ stream, expected: 'any', events: [{ id: randomUUID(), type, data, metadata }] }));
    if (inFlight.length === IN_FLIGHT) inFlight = (await Promise.all(inFlight)).slice(0, 0) as Promise<unknown>[];
  }
  await Promise.all(inFlight);
  await store.close();
}

function* people(origin: string): Generator<Fact> {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const keys = { p256dh: browser.getPublicKey('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') };
  for (let n = 0; n < USERS; n += 1) {
    const userId = randomUUID();
    const person = { fullName: `User ${n}`, email: `user-${n}@bench.example`, phone: null, role: 'USER' };
    const rest = { roleIds: [], branchId: null, branchIds: [], isActive: true, passwordHash: 'none' };
    yield { entity: 'user', id: userId, type: 'UserCreated', data: { ...person, ...rest } };
    const endpoint = `${origin}/push/${n}`;
    const data = { userId, endpoint, keys, userAgent: null };
    yield { entity: 'push-subscription', id: pushSubscriptionId(endpoint), type: 'PushSubscribed', data };
  }
}

function* broadcasts(): Generator<Fact> {
  for (let n = 0; n < BROADCASTS; n += 1) {
    const data = { title: `News ${n}`, body: 'Read them.', type: 'INFO', link: null, audience: { kind: 'everyone' } };
    yield { entity: 'notification', id: randomUUID(), type: 'NotificationSent', data };
  }
}

class Client {
  token: string | undefined;
  constructor(private readonly url: URL) {}

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<this> {
    const { data } = await this.call<{ data: { accessToken: string } }>('POST', '/api/auth/login', { email, password });
    this.token = data.accessToken;
    return this;
  }
}

type Queue = { readonly name: string; readonly lag: number | null; readonly inFlight: number };
const queuesOf = async (operator: Client): Promise<Queue[]> =>
  (await operator.call<{ data: { queues: Queue[] } }>('GET', '/api/platform/redis/queues')).data.queues;

async function caughtUp(operator: Client): Promise<void> {
  while (!(await queuesOf(operator)).every(({ lag }) => lag === 0)) await sleep(200);
}

const rssAnonMb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
};

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, Math.round((performance.now() - began) * 10) / 10];
}

/** Median and p99 of many calls one after another, milliseconds. */
async function spread(times: number, work: () => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) taken.push((await timed(work))[1]);
  taken.sort((a, b) => a - b);
  return { p50: taken[Math.floor(times / 2)] ?? 0, p99: taken[Math.floor(times * 0.99)] ?? 0 };
}

async function pushToAll(server: Server, owner: Client, operator: Client, counted: { pushes: number }): Promise<void> {
  const pid = server.process.pid ?? 0;
  const before = await rssAnonMb(pid);
  const body = { title: 'Hello', body: 'To everybody.', broadcast: true };
  const began = performance.now();
  const [sent, answeredMs] = await timed(() =>
    owner.call<{ data: object }>('POST', '/api/notifications/admin/send', body),
  );
  note('broadcast', { ...sent.data, answeredMs });
  const samples: number[] = [];
  const lags: (number | null)[] = [];
  while (counted.pushes < USERS) {
    await sleep(500);
    samples.push(await rssAnonMb(pid));
    const push = (await queuesOf(operator)).find(({ name }) => name === 'push');
    lags.push(push?.lag ?? null);
  }
  const seconds = (performance.now() - began) / 1_000;
  note('pushes', {
    count: counted.pushes,
    perSecond: Math.round(counted.pushes / seconds),
    seconds: Math.round(seconds),
  });
  note('lag while pushing', {
    least: Math.min(...lags.map((lag) => lag ?? -1)),
    most: Math.max(...lags.map((lag) => lag ?? -1)),
  });
  await caughtUp(operator);
  const quarter = Math.ceil(samples.length / 4);
  note('RssAnon MB', {
    before,
    early: Math.max(...samples.slice(0, quarter)),
    late: Math.max(...samples.slice(-quarter)),
    after: await rssAnonMb(pid),
  });
}

async function readAll(owner: Client): Promise<void> {
  const count = () => owner.call<{ data: { count: number } }>('GET', '/api/notifications/unread-count');
  const page =
    (number: number, more = '') =>
    () =>
      owner.call('GET', `/api/notifications?pageNumber=${number}&pageSize=20${more}`);
  note('unread', (await count()).data.count);
  note('unread-count ms', await spread(200, count));
  note('page 1 ms', await spread(100, page(1)));
  note('page 1, unread, ms', await spread(100, page(1, '&isRead=false')));
  note('page 2,000 ms', await spread(30, page(2_000)));
  const [done, ms] = await timed(() => owner.call<{ data: object }>('PATCH', '/api/notifications/read-all'));
  note('read-all', { ...done.data, ms });
  note('unread after', (await count()).data.count);
  note('page 1, read, ms', await spread(100, page(1, '&isRead=true')));
}

const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
const pushes = await startPushService();
await writeFile(join(directory, 'ca.pem'), pushes.cert);
const main = new URL('../dist/main.js', import.meta.url).pathname;
const environment = {
  ...{ DATA_DIR: directory, PORT: '0', SEED_DEMO: 'false' },
  ...{ OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password },
  ...{ WEB_PUSH_ALLOW_PRIVATE: 'true', WEB_PUSH_CA_FILE: join(directory, 'ca.pem') },
};
const first = await startServer([main], environment);
const maker = await new Client(first.url).signIn(OPERATOR);
const tenant = { name: 'Bench', slug: 'bench', currency: 'EUR', timeZone: 'UTC', owner: OWNER };
const { id: tenantId } = (await maker.call<{ data: { id: string } }>('POST', '/api/platform/tenants', tenant)).data;
await first.stop();
await fill(directory, tenantId, Date.now(), people(pushes.origin));

const second = await startServer([main], environment);
const operator = await new Client(second.url).signIn(OPERATOR);
const owner = await new Client(second.url).signIn(OWNER);
await caughtUp(operator);
await pushToAll(second, owner, operator, pushes.counted);
note('most connections', pushes.counted.mostOpen);
await second.stop();

// So old that nobody is pushed to.
await fill(directory, tenantId, Date.now() - 2 * DAY_MS, broadcasts());
const third = await startServer([main], environment);
await caughtUp(await new Client(third.url).signIn(OPERATOR));
await readAll(await new Client(third.url).signIn(OWNER));
await third.stop();
pushes.server.closeAllConnections();
pushes.server.close();
await rm(directory, { recursive: true });
const file = `bench/results/${new Date().toISOString().slice(0, 10)}-notifications.json`;
await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
