import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { PushService } from '../support/push-service.js';
import { TestService } from '../support/service.js';
import { Team } from '../support/team.js';

const PATIENCE_MS = 20_000;
const DEAD_ENDPOINTS = 20;
const NOTIFICATIONS = 20;

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
  const directory = await mkdtemp(join(tmpdir(), 'kontor-ca-'));
  const pushes = await PushService.start();
  const file = join(directory, 'ca.pem');
  await writeFile(file, pushes.ca);
  const dead = await Promise.all(Array.from({ length: DEAD_ENDPOINTS }, deadServer));
  const environment = {
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    WEB_PUSH_CA_FILE: file,
    VAPID_SUBJECT: 'mailto:me@kontor.test',
  };
  const service = await TestService.start({ environment });
  try {
    const [bad, good] = [await Team.of(service), await Team.of(service)];
    const subscribe = async (team: Team, subscription: object): Promise<void> => {
      const { token } = await team.signedIn();
      const reply = await service.post('/api/notifications/push-subscriptions', subscription, token);
      expect(reply.status).toBe(201);
    };
    const send = (team: Team) =>
      service.post('/api/notifications/admin/send', { title: 'Hello', body: 'There.', broadcast: true }, team.token);
    // Half of the endpoints are on separate hosts, so that the failure of one reveals nothing about the others.
    for (const [index, { port }] of dead.entries()) {
      const host = index % 2 === 0 ? '127.0.0.1' : `127.0.0.${index + 1}`;
      await subscribe(bad, { ...pushes.browser().subscription, endpoint: `https://${host}:${port}/${index}` });
    }
    const browser = pushes.browser();
    await subscribe(good, browser.subscription);
    for (let n = 0; n < NOTIFICATIONS; n += 1) expect((await send(bad)).status).toBe(201);
    await eventually(() => dead.some(({ connections }) => connections.length > 0), PATIENCE_MS);
    const sentAtMs = performance.now();
    expect((await send(good)).status).toBe(201);
    await eventually(() => pushes.pushesTo(browser).length > 0, PATIENCE_MS);
    const tookMs = performance.now() - sentAtMs;
    process.stderr.write(`delivered after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(1_000);
  } finally {
    for (const { connections, server } of dead) {
      for (const socket of connections) socket.destroy();
      server.close();
    }
    await service.close();
    await pushes.close();
    await rm(directory, { recursive: true });
  }
}, 60_000);
