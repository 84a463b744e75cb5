import { createECDH, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../src/adapters/system-time.js';
import { pushSubscriptionId } from '../src/aggregates/push-subscription.aggregate.js';
import type { Append } from '../src/ports/event-store.js';
import { selfSigned } from '../test/support/self-signed.js';
import type { Measurement } from './figure.js';
import { appendAll } from './history-store.js';
import { folder, options, pick } from './options.js';
import { pin, rssAnonMiB } from './processes.js';
import { say, tell } from './report.js';
import { BenchService } from './service-client.js';
import { percentile, round, timeEach } from './statistics.js';

/**
 * This benchmark has no goal. It measures a large tenant's notifications. First, it measures a broadcast to all users,
 * with encrypted pushes over TLS to a local push service. It then measures list, count and read-all requests, with a
 * large number of unread broadcasts.
 */
const USERS = options.sizes?.[0] ?? pick(50_000, 1_000);
const BROADCASTS = USERS;
const DAY_MS = 24 * 60 * 60 * 1_000;
const clock = new SystemClock();

/** A push service that accepts and counts every push. */
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

function* appendsOf(tenantId: string, atMs: number, facts: Iterable<Fact>): Generator<Append> {
  const timestamp = new Date(atMs).toISOString();
  for (const { entity, id, type, data } of facts) {
    const commandId = randomUUID();
    const metadata = { tenantId, timestamp, version: 1, commandId, requestId: commandId, $correlationId: commandId };
    const stream = `${entity}-${tenantId}_${id}`;
    yield { stream, expected: 'no_stream', events: [{ id: randomUUID(), type, data, metadata }] };
  }
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

type Pushed = {
  readonly answeredMs: number;
  readonly perSecond: number;
  readonly mostLag: number;
  readonly memoryMiB: Readonly<Record<'before' | 'early' | 'late' | 'after', number>>;
};

async function pushToAll(service: BenchService, counted: { pushes: number }): Promise<Pushed> {
  const before = await rssAnonMiB(service.pid);
  const body = { title: 'Hello', body: 'To everybody.', broadcast: true };
  const beganMs = performance.now();
  const { ms: answeredMs, status } = await service.owner.ask('POST', '/api/notifications/admin/send', body);
  if (status >= 300) throw new Error(`The response to a broadcast was ${status}`);
  const samples: number[] = [];
  let mostLag = 0;
  while (counted.pushes < USERS) {
    await sleep(500);
    samples.push(await rssAnonMiB(service.pid));
    const push = (await service.operator.queues()).find(({ name }) => name === 'push');
    mostLag = Math.max(mostLag, push?.lag ?? 0);
  }
  const perSecond = counted.pushes / ((performance.now() - beganMs) / 1_000);
  await service.settled();
  const quarter = Math.ceil(samples.length / 4);
  const memoryMiB = {
    ...{ before, early: Math.max(...samples.slice(0, quarter)), late: Math.max(...samples.slice(-quarter)) },
    after: await rssAnonMiB(service.pid),
  };
  return { answeredMs: round(answeredMs), perSecond, mostLag, memoryMiB };
}

/** Takes measurements while all notifications are unread, and again after all have been read. */
async function readAll({ owner }: BenchService): Promise<Measurement[]> {
  const read = async (name: string, path: string, times: number): Promise<Measurement> => {
    const taken = await timeEach(times, () => owner.json('GET', path));
    return {
      ...{ figure: 'notifications', name: `${name}, p99`, unit: 'ms', runs: [percentile(taken, 0.99)] },
      ...{ operations: times, errors: 0, concurrency: 1, details: { p50Ms: round(percentile(taken, 0.5)) } },
    };
  };
  const page = (n: number, more = '') => `/api/notifications?pageNumber=${n}&pageSize=20${more}`;
  const last = Math.min(2_000, BROADCASTS / 20);
  const unread = [
    await read('how many are unread', '/api/notifications/unread-count', 200),
    await read('page 1', page(1), 100),
    await read('page 1 of the unread', page(1, '&isRead=false'), 100),
    await read(`page ${last}`, page(last), 30),
  ];
  const { ms, status, body } = await owner.ask('PATCH', '/api/notifications/read-all');
  say(`read-all: ${status} ${body} in ${round(ms)} ms`);
  const all: Measurement = {
    ...{ figure: 'notifications', name: 'all read at once', unit: 'ms', runs: [ms] },
    ...{ operations: 1, errors: status === 200 ? 0 : 1, concurrency: 1 },
  };
  return [...unread, all, await read('page 1 of the read', page(1, '&isRead=true'), 100)];
}

/** This process also acts as the push service until all pushes are sent. */
pin('load', process.pid);
const directory = await mkdtemp(join(folder, 'notifications-'));
const pushes = await startPushService();
const authority = join(directory, 'ca.pem');
await writeFile(authority, pushes.cert);
const settings = { directory, env: { WEB_PUSH_ALLOW_PRIVATE: 'true', WEB_PUSH_CA_FILE: authority } };
const first = await BenchService.start(settings);
const { tenantId } = await first.createTenant();
await first.stop();
await appendAll(directory, appendsOf(tenantId, Date.now(), people(pushes.origin)), clock);

const second = await BenchService.start(settings);
await second.signIn();
await second.settled();
const { answeredMs, perSecond, ...pushed } = await pushToAll(second, pushes.counted);
say(`${round(perSecond)} pushes/s, ${JSON.stringify(pushed)}`);
await second.stop();

// Appends notifications that are too old to be pushed.
await appendAll(directory, appendsOf(tenantId, Date.now() - 2 * DAY_MS, broadcasts()), clock);
const third = await BenchService.start(settings);
await third.signIn();
await third.settled();
await third.signIn();
const reads = await readAll(third);
await third.stop();
pushes.server.closeAllConnections();
pushes.server.close();
await rm(directory, { recursive: true });
const shared = { figure: 'notifications', errors: 0, events: USERS } as const;
tell([
  { ...shared, name: 'response to a broadcast', unit: 'ms', runs: [answeredMs], operations: 1, concurrency: 1 },
  {
    ...{ ...shared, name: 'pushes of a broadcast', unit: '/s', runs: [perSecond], operations: USERS },
    ...{ concurrency: pushes.counted.mostOpen, details: pushed },
  },
  ...reads,
]);
