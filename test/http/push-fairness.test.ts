import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notification, sendNotification } from '../../src/aggregates/notification.aggregate.js';
import { CommandRunner } from '../../src/eventsourcing/command-runner.js';
import { asService } from '../../src/eventsourcing/context.js';
import type { DeadLetterRecord } from '../../src/queries/dead-letter.queries.js';
import { eventually } from '../support/eventually.js';
import { PushService, type Browser } from '../support/push-service.js';
import { TestService } from '../support/service.js';
import { Team } from '../support/team.js';

const PATIENCE_MS = 20_000;
const DEAD_ENDPOINTS = 20;
const NOTIFICATIONS = 20;
/** Number of notifications, which exceeds the capacity of the queue. */
const FLOOD = 5_200;

let directory: string;
let pushes: PushService;
let service: TestService;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-ca-'));
  pushes = await PushService.start();
  const file = join(directory, 'ca.pem');
  await writeFile(file, pushes.ca);
  const environment = {
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    WEB_PUSH_CA_FILE: file,
    VAPID_SUBJECT: 'mailto:me@kontor.test',
  };
  service = await TestService.start({ environment });
});
afterEach(async () => {
  await service.close();
  await pushes.close();
  await rm(directory, { recursive: true });
});

async function subscribe(team: Team, subscription: object): Promise<void> {
  const { token } = await team.signedIn();
  const reply = await service.post('/api/notifications/push-subscriptions', subscription, token);
  expect(reply.status).toBe(201);
}
async function send({ token }: Team): Promise<void> {
  const content = { title: 'Hello', body: 'There.', broadcast: true };
  expect((await service.post('/api/notifications/admin/send', content, token)).status).toBe(201);
}
const arrived = (browser: Browser): Promise<boolean> =>
  eventually(() => pushes.pushesTo(browser).length > 0, PATIENCE_MS);

/** Starts a server that accepts connections and never responds. */
async function deadServer(): Promise<{
  readonly port: number;
  readonly connections: Socket[];
  readonly server: Server;
}> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    connections.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, connections, server };
}

test('A tenant with dead endpoints delays pushes of another tenant by less than a second', async () => {
  const dead = await Promise.all(Array.from({ length: DEAD_ENDPOINTS }, deadServer));
  try {
    const [bad, good] = [await Team.of(service), await Team.of(service)];
    // Half of the endpoints are on separate hosts, so that the failure of one host does not reveal the failure of
    // another.
    for (const [index, { port }] of dead.entries()) {
      const host = index % 2 === 0 ? '127.0.0.1' : `127.0.0.${index + 1}`;
      await subscribe(bad, { ...pushes.browser().subscription, endpoint: `https://${host}:${port}/${index}` });
    }
    const browser = pushes.browser();
    await subscribe(good, browser.subscription);
    for (let n = 0; n < NOTIFICATIONS; n += 1) await send(bad);
    await eventually(() => dead.some(({ connections }) => connections.length > 0), PATIENCE_MS);
    const sentAtMs = performance.now();
    await send(good);
    await arrived(browser);
    const tookMs = performance.now() - sentAtMs;
    process.stderr.write(`delivered after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(1_000);
  } finally {
    for (const { connections, server } of dead) {
      for (const socket of connections) socket.destroy();
      server.close();
    }
  }
});

/** Sends many notifications to all users of a tenant, faster than the rate limits allow. */
async function flood({ tenant: { id: tenantId } }: Team): Promise<void> {
  const { app, engines } = service.service;
  const runner = app.get(CommandRunner);
  const content = { title: 'Hello', body: 'There.', type: 'INFO', audience: { kind: 'everyone' }, link: null } as const;
  const sendOne = (): Promise<unknown> => {
    const id = engines.ids.next();
    return asService({ tenantId, name: 'flood', commandId: id }, () =>
      runner.execute(notification, { tenantId, id }, content, sendNotification),
    );
  };
  for (let sent = 0; sent < FLOOD; sent += 200) await Promise.all(Array.from({ length: 200 }, sendOne));
}

test('A tenant with slow endpoints and thousands of notifications does not delay the pushes of another tenant', async () => {
  const [bad, good] = [await Team.of(service), await Team.of(service)];
  // The response body never ends, so each push to this browser takes ten seconds.
  const slow = pushes.browser(...Array.from({ length: 100 }, () => ({ status: 201, isEndless: true }) as const));
  await subscribe(bad, slow.subscription);
  const browser = pushes.browser();
  await subscribe(good, browser.subscription);
  await flood(bad);
  await send(good);
  await arrived(browser);

  const operator = await service.operator();
  const letters = `/api/platform/dead-letters?origin=PUSH&tenantId=${bad.tenant.id}`;
  const letter = await eventually(
    async () => ((await service.get(letters, operator)).body as { items: DeadLetterRecord[] }).items[0],
    PATIENCE_MS,
  );
  expect(letter.reason.code).toBe('TOO_MANY_PUSHES');
  const before = pushes.pushesTo(slow).length;
  pushes.answer(slow);
  const replay = await service.post(`/api/platform/dead-letters/${letter.id}/replay`, undefined, operator);
  expect(replay.data).toMatchObject({ status: 'REPLAYED' });
  const topic = letter.subject.replaceAll('-', '');
  expect(
    pushes
      .pushesTo(slow)
      .slice(before)
      .some(({ headers }) => headers.topic === topic),
  ).toBe(true);
});
