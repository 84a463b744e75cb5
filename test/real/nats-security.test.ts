import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeys } from '@nats-io/transport-node';
import { NatsBroker, type NatsBrokerOptions } from '../../src/adapters/nats/broker.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { silentLogger, type Logger } from '../../src/ports/log.js';
import { eventually } from '../support/eventually.js';
import { operatorMode } from '../support/nats-credentials.js';
import { natsRecipe } from '../support/nats-server.js';
import { selfSigned } from '../support/self-signed.js';
import { freePort, ServerProcess } from '../support/server-process.js';

const clock = new SystemClock();
const cleanUp: (() => Promise<unknown>)[] = [];
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-nats-security-'));
});
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
  await rm(directory, { recursive: true });
});

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

/** Waits until the assertions hold. */
async function holds(assert: () => void | Promise<void>, withinMs = 15_000): Promise<void> {
  let last: unknown;
  const look = async (): Promise<boolean> => {
    try {
      await assert();
      return true;
    } catch (error) {
      last = error;
      return false;
    }
  };
  await eventually(look, withinMs, () => String(last));
}

/** Starts a server, which is ready when its port accepts connections. The tests themselves check access rights. */
async function serve(configuration: string, more: readonly string[] = []): Promise<ServerProcess> {
  const config = await file(`server-${cleanUp.length}.conf`, configuration);
  const server = await ServerProcess.start({
    ...natsRecipe,
    args: (port, store) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store, '-c', config, ...more],
    probe: async (port) => {
      const socket = connectSocket({ port, host: '127.0.0.1' });
      try {
        const [greeting] = (await once(socket, 'data')) as [Buffer];
        return /"version":"([^"]+)"/.exec(greeting.toString())?.[1] ?? 'unknown';
      } finally {
        socket.destroy();
      }
    },
  });
  cleanUp.push(() => server.dispose());
  return server;
}

function open(given: Partial<NatsBrokerOptions> & { readonly url: string }): NatsBroker {
  const broker = NatsBroker.open({ clock, logger: silentLogger, ackTimeoutMs: 2_000, ...given });
  cleanUp.push(() => broker.close());
  return broker;
}
async function publishes(broker: NatsBroker): Promise<void> {
  await holds(() => {
    expect(broker.fault()).toBeUndefined();
  });
  const published = await broker.publish({ id: 'a', subject: 'kontor.test', payload: '{}' });
  expect(published).toEqual({ sequence: 1, duplicate: false });
}
function listener(): { readonly logger: Logger; readonly said: string[] } {
  const said: string[] = [];
  const say = (level: string) => (_fields: object, message: string) => said.push(`${level} ${message}`);
  return { said, logger: { info: say('info'), warn: say('warn'), error: say('error') } };
}
/** Opens a broker. After several connection attempts, returns its fault and its log lines. */
async function faultOf(url: string, given: Partial<NatsBrokerOptions>, attempts: { readonly count: () => number }) {
  const { logger, said } = listener();
  const broker = open({ url, logger, ...given });
  await holds(() => {
    expect(attempts.count()).toBeGreaterThanOrEqual(3);
    expect(said.length).toBeGreaterThan(0);
  });
  return { fault: broker.fault(), said };
}
/** Starts a proxy that counts the connections to the server. */
async function counted(server: ServerProcess): Promise<{ readonly port: number; readonly count: () => number }> {
  let connections = 0;
  const proxy = createServer((client) => {
    connections += 1;
    const inner = connectSocket({ port: server.port, host: '127.0.0.1' });
    for (const socket of [client, inner]) socket.on('error', () => undefined);
    client.pipe(inner).pipe(client);
    client.on('close', () => inner.destroy());
    inner.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanUp.push(() => Promise.resolve(proxy.close()));
  return { port: (proxy.address() as AddressInfo).port, count: () => connections };
}

async function certificate(name: string) {
  const { cert, key } = selfSigned(['localhost'], ['127.0.0.1']);
  return { cert, key, certFile: await file(`${name}.pem`, cert), keyFile: await file(`${name}.key`, key) };
}

describe('A NATS server with TLS', () => {
  test('is verified with the certificate authorities in a file', async () => {
    const { certFile, keyFile } = await certificate('server');
    const server = await serve(`tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
    await publishes(open({ url: `tls://127.0.0.1:${server.port}`, security: { caFile: certFile } }));
  });

  test('with an untrusted certificate is reported once, with the setting to correct', async () => {
    const { certFile, keyFile } = await certificate('server');
    const server = await serve(`tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
    const line = await counted(server);
    const { fault, said } = await faultOf(`tls://127.0.0.1:${line.port}`, {}, line);
    expect(fault).toMatchObject({
      setting: 'NATS_TLS_CA_FILE',
      reason: expect.stringMatching(/self-signed/) as string,
    });
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(
      /^warn NATS: NATS_TLS_CA_FILE: the server's certificate is not trusted: .* \(127\.0\.0\.1:\d+\)/,
    );
  });

  test('that requires a client certificate gets the configured one', async () => {
    const own = await certificate('server');
    const client = await certificate('client');
    const tls = `cert_file: "${own.certFile}", key_file: "${own.keyFile}", ca_file: "${client.certFile}", verify: true`;
    const server = await serve(`tls { ${tls} }`);
    const url = `tls://127.0.0.1:${server.port}`;
    const security = { caFile: own.certFile, certFile: client.certFile, keyFile: client.keyFile };
    await publishes(open({ url, security }));
    const line = await counted(server);
    const without = await faultOf(`tls://127.0.0.1:${line.port}`, { security: { caFile: own.certFile } }, line);
    expect(without.fault?.setting).toBe('NATS_TLS_CERT_FILE');
    expect(without.said).toHaveLength(1);
  });

  test('may expect TLS before its greeting', async () => {
    const { cert, key, certFile } = await certificate('server');
    const server = await serve('');
    const first = createTlsServer({ cert, key }, (client) => {
      const inner = connectSocket({ port: server.port, host: '127.0.0.1' });
      for (const socket of [client, inner]) socket.on('error', () => undefined);
      client.pipe(inner);
      inner.once('data', (greeting: Buffer) => {
        // A server with `handshake_first` also sends this field.
        client.write(greeting.toString().replace('INFO {', 'INFO {"tls_required":true,'));
        inner.pipe(client);
      });
      client.on('close', () => inner.destroy());
      inner.on('close', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(first, 'listening');
    cleanUp.push(() => Promise.resolve(first.close()));
    const { port } = first.address() as AddressInfo;
    await publishes(open({ url: `nats://127.0.0.1:${port}`, security: { caFile: certFile, handshakeFirst: true } }));
  });
});

describe('A NATS user', () => {
  test('signs in with an NKey seed', async () => {
    const [user, stranger] = [nkeys.createUser(), nkeys.createUser()];
    const server = await serve(`authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`);
    const seedFile = (pair: typeof user, name: string) => file(name, `${new TextDecoder().decode(pair.getSeed())}\n`);
    const url = `nats://127.0.0.1:${server.port}`;
    await publishes(open({ url, security: { nkeyFile: await seedFile(user, 'user.nk') } }));
    const line = await counted(server);
    const nkeyFile = await seedFile(stranger, 'stranger.nk');
    const { fault, said } = await faultOf(`nats://127.0.0.1:${line.port}`, { security: { nkeyFile } }, line);
    expect(fault).toMatchObject({
      setting: 'NATS_NKEY_FILE',
      reason: expect.stringMatching(/rejects the user/) as string,
    });
    expect(said).toHaveLength(1);
  });

  test('signs in with a credentials file, which is read again for each connection', async () => {
    const [{ configuration, creds }, other] = [operatorMode(), operatorMode()];
    const server = await serve(configuration);
    const credsFile = await file('kontor.creds', other.creds);
    const broker = open({ url: `nats://127.0.0.1:${server.port}`, security: { credsFile } });
    await holds(() => {
      expect(broker.fault()).toMatchObject({ setting: 'NATS_CREDS_FILE' });
    });
    await file('kontor.creds', creds);
    await publishes(broker);
  });

  test('whose file is missing gets an error that names the setting', async () => {
    const server = await serve('');
    const broker = open({ url: `nats://127.0.0.1:${server.port}`, security: { credsFile: join(directory, 'none') } });
    await holds(() => {
      expect(broker.fault()).toEqual({
        setting: 'NATS_CREDS_FILE',
        reason: 'the file named by NATS_CREDS_FILE cannot be read: ENOENT',
      });
    });
  });

  test('with a wrong password gets an error that names the setting, without the password', async () => {
    const server = await serve('authorization { user: kontor, password: right }');
    const line = await counted(server);
    const { fault, said } = await faultOf(`nats://kontor:wrong-secret@127.0.0.1:${line.port}`, {}, line);
    expect(fault).toMatchObject({ setting: 'NATS_URL', reason: expect.stringMatching(/rejects the user/) as string });
    expect(said).toHaveLength(1);
    expect(JSON.stringify([fault, said])).not.toMatch(/wrong-secret/);
  });
});

describe('A NATS cluster of three servers', () => {
  const startCluster = async (): Promise<readonly ServerProcess[]> => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`).join(',');
    return Promise.all(
      ports.map((port, index) =>
        serve('', [
          ...['-n', `server-${index}`, '--cluster_name', 'test'],
          ...['--cluster', `nats://127.0.0.1:${port}`, '--routes', routes],
        ]),
      ),
    );
  };

  test("keeps three replicas of every message, and continues without the stream's leader", async () => {
    const servers = await startCluster();
    const broker = open({ url: servers.map(({ port }) => `127.0.0.1:${port}`).join(',') });
    await publishes(broker);
    const leader = await leaderOf(servers);
    await servers[leader]?.kill();
    await holds(async () => {
      const published = await broker.publish({ id: 'b', subject: 'kontor.test', payload: '{}' });
      expect(published.sequence).toBe(2);
    }, 30_000);
  });

  test('logs a warning if the stream has fewer replicas', async () => {
    const servers = await startCluster();
    const { logger, said } = listener();
    const url = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    await publishes(open({ url, logger, limits: { replicas: 1 } }));
    await holds(() => {
      expect(said.join('\n')).toMatch(/warn .*1 replica in a cluster of 3 servers/);
    });
  });

  async function leaderOf(servers: readonly ServerProcess[]): Promise<number> {
    const connection = await connect({ servers: `127.0.0.1:${servers[0]?.port ?? 0}`, reconnect: false });
    try {
      const { cluster, config } = await (await jetstreamManager(connection)).streams.info('KONTOR');
      expect(config.num_replicas).toBe(3);
      return Number(cluster?.leader?.replace('server-', ''));
    } finally {
      await connection.close();
    }
  }
});

test('A stream is created with the configured age and size limits, and differences are reported', async () => {
  const server = await serve('');
  const url = `nats://127.0.0.1:${server.port}`;
  const limits = { maxAgeMs: 3_600_000, maxBytes: 10_000_000 };
  await publishes(open({ url, limits }));
  const { logger, said } = listener();
  open({ url, logger, limits: { maxAgeMs: 7_200_000, maxBytes: 20_000_000, replicas: 3 } });
  await holds(() => {
    expect(said.join('\n')).toMatch(/keeps messages for 3600000 ms, not 7200000 ms \(NATS_STREAM_MAX_AGE_HOURS\)/);
    expect(said.join('\n')).toMatch(/keeps 10000000 bytes, not 20000000 \(NATS_STREAM_MAX_BYTES\)/);
    expect(said.join('\n')).toMatch(/has 1 replicas, not NATS_STREAM_REPLICAS=3/);
  });
});
