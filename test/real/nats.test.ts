import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import { parseAddresses } from '../../src/adapters/nats/broker.address.js';
import { NatsBroker, type NatsBrokerOptions } from '../../src/adapters/nats/broker.js';
import { covers } from '../../src/adapters/nats/broker.subjects.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { type BrokerMessage, BrokerRefused, BrokerUnavailable, type Published } from '../../src/ports/broker.js';
import { type Logger, silentLogger } from '../../src/ports/log.js';
import { brokerContract } from '../contracts/broker.contract.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { mulberry32 } from '../support/manual-clock.js';
import { natsRecipe } from '../support/nats-server.js';
import { messagesAt } from '../support/stored-messages.js';
import { ServerProcess } from '../support/server-process.js';
import { usedMemory } from '../support/used-memory.js';

/**
 * The tests use the server at NATS_URL, or start one. A subject can belong to only one stream, so the server at
 * NATS_URL must not have a stream for `kontor.>`. The tests' stream is deleted after each test.
 */
const PATIENCE_MS = 15_000;
const clock = new SystemClock();
let own: ServerProcess | undefined;
let url = process.env['NATS_URL'] ?? '';
const STREAM = `KONTOR-TEST-${randomUUID().slice(0, 8)}`;

const administer = async <T>(
  at: string,
  task: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
): Promise<T> => {
  const [address] = parseAddresses(at);
  const servers = `${address?.host ?? ''}:${address?.port ?? 0}`;
  const connection = await connect({ servers, ...address?.credentials, reconnect: false });
  try {
    return await task(await jetstreamManager(connection), connection);
  } finally {
    await connection.close();
  }
};
const remove = (at: string, stream: string): Promise<unknown> =>
  administer(at, (manager) => manager.streams.delete(stream));

beforeAll(async () => {
  if (url === '') {
    own = await ServerProcess.start(natsRecipe);
    url = own.url;
  }
  const version = await administer(url, (_manager, { info }) => Promise.resolve(info?.version ?? 'unknown'));
  process.stdout.write(`nats-server ${version} (${own ? 'started for the tests' : 'of NATS_URL'})\n`);
});
afterAll(() => own?.dispose());

type Closable = { close(): Promise<void> };
const opened: Closable[] = [];
function open(given: Partial<NatsBrokerOptions> & { readonly url: string }): NatsBroker {
  const broker = NatsBroker.open({ clock, logger: silentLogger, ...given });
  opened.push(broker);
  return broker;
}
async function proxyTo({ port }: ServerProcess): Promise<FaultProxy> {
  const proxy = await FaultProxy.start({ port });
  opened.push(proxy);
  return proxy;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`${what} was not met in time`);
    await clock.sleep(10);
  }
}
async function ready(broker: NatsBroker): Promise<NatsBroker> {
  await until(() => broker.isReady, 'being connected');
  return broker;
}
const elapsedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
};
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );
/** Creates a logger that keeps its messages. */
function listener(): { logger: Logger; said: string[] } {
  const said: string[] = [];
  const say = (level: string) => (fields: object, message: string) => {
    said.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return { said, logger: { info: say('info'), warn: say('warn'), error: say('error') } };
}
const message = (id: string, given: Partial<BrokerMessage> = {}): BrokerMessage => ({
  id,
  subject: 'kontor.test',
  payload: '{}',
  ...given,
});
/** Publishes as a caller of the port does: retries the message with the same id until it is stored. */
async function publishAtLast(broker: NatsBroker, wanted: BrokerMessage): Promise<Published> {
  for (;;) {
    try {
      return await broker.publish(wanted);
    } catch (error) {
      if (!(error instanceof BrokerUnavailable)) throw error;
      await clock.sleep(20);
    }
  }
}
brokerContract('NATS JetStream', async () => {
  const broker = await ready(open({ url, stream: STREAM }));
  return {
    broker,
    stored: () => messagesAt(url, STREAM),
    dispose: () =>
      broker
        .close()
        .then(() => remove(url, STREAM))
        .then(() => undefined),
  };
});

describe('A NATS broker', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await ServerProcess.start(natsRecipe);
  });
  afterAll(() => server.dispose());
  afterEach(() =>
    administer(server.url, async (manager) => {
      for await (const name of manager.streams.names()) await manager.streams.delete(name);
    }),
  );
  const configOf = (stream: string): Promise<StreamConfig> =>
    administer(server.url, async (manager) => (await manager.streams.info(stream)).config);

  test('creates its stream: in files, with limits, discarding old messages first, with a duplicate window of two minutes', async () => {
    await ready(open({ url: server.url }));
    expect(await configOf('KONTOR')).toMatchObject({
      subjects: ['kontor.>'],
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      duplicate_window: nanos(120_000),
    });
  });

  test('uses an existing stream, reports what differs, and changes nothing in it', async () => {
    const made = await administer(server.url, async (manager) => {
      const { config } = await manager.streams.add({
        name: 'KONTOR',
        subjects: ['kontor.>', 'others.>'],
        storage: StorageType.Memory,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.New,
        duplicate_window: nanos(30_000),
        max_msgs_per_subject: 7,
      });
      return config;
    });
    const { logger, said } = listener();
    const broker = await ready(open({ url: server.url, logger }));
    await broker.publish(message('a'));
    expect(said.join()).toMatch(/warn .*memory, not file.*discards new.*30000 ms, not 120000 ms.*7 messages/);
    expect(await configOf('KONTOR')).toEqual(made);
  });

  test('does not publish to a stream without its subjects, reports it, and publishes once it is corrected', async () => {
    await administer(server.url, (manager) => manager.streams.add({ name: 'KONTOR', subjects: ['kontor.sales.>'] }));
    const { logger, said } = listener();
    const broker = open({ url: server.url, logger });
    await until(() => said.some((line) => line.startsWith('error')), 'saying so');
    expect(said.join()).toMatch(/KONTOR cannot be used: it does not include the subjects kontor\.>/);
    const error = await refusal(broker.publish(message('a')));
    expect(error).toBeInstanceOf(BrokerUnavailable);
    expect(String(error)).toMatch(/does not include/);
    await administer(server.url, (manager) => manager.streams.update('KONTOR', { subjects: ['kontor.>'] }));
    await ready(broker);
    expect(await broker.publish(message('a'))).toEqual({ sequence: 1, duplicate: false });
  });

  test('never writes to a foreign stream that has its subjects', async () => {
    await administer(server.url, (manager) => manager.streams.add({ name: 'OTHER', subjects: ['kontor.>'] }));
    const { logger, said } = listener();
    const broker = open({ url: server.url, logger });
    await until(() => said.some((line) => line.startsWith('error')), 'saying so');
    expect(said.join()).toMatch(/overlap/);
    expect(await refusal(broker.publish(message('a')))).toBeInstanceOf(BrokerUnavailable);
    const { messages } = await administer(server.url, async (manager) => (await manager.streams.info('OTHER')).state);
    expect(messages).toBe(0);
  });

  test('is unavailable without its stream, and creates it again', async () => {
    const broker = await ready(open({ url: server.url }));
    await broker.publish(message('a'));
    await remove(server.url, 'KONTOR');
    expect(await refusal(broker.publish(message('b')))).toBeInstanceOf(BrokerUnavailable);
    expect(await publishAtLast(broker, message('b'))).toEqual({ sequence: 1, duplicate: false });
  });

  test('does not follow its subjects into a foreign stream', async () => {
    const { logger, said } = listener();
    const broker = await ready(open({ url: server.url, logger }));
    await broker.publish(message('a'));
    await administer(server.url, async (manager) => {
      await manager.streams.delete('KONTOR');
      await manager.streams.add({ name: 'OTHER', subjects: ['kontor.>'] });
    });
    expect(await refusal(broker.publish(message('b')))).toBeInstanceOf(BrokerUnavailable);
    await until(() => said.some((line) => line.includes('overlap')), 'saying so');
    const { messages } = await administer(server.url, async (manager) => (await manager.streams.info('OTHER')).state);
    expect(messages).toBe(0);
    await remove(server.url, 'OTHER');
    await publishAtLast(broker, message('b'));
  });

  test('permanently refuses what the stream never accepts: other subjects, larger messages, reserved headers', async () => {
    const broker = await ready(open({ url: server.url, stream: 'SMALL' }));
    const codeOf = async (given: Partial<BrokerMessage>): Promise<unknown> => {
      const error = await refusal(broker.publish(message(`message-${Math.random()}`, given)));
      expect(error).toBeInstanceOf(BrokerRefused);
      return (error as BrokerRefused).code;
    };
    expect(await codeOf({ subject: 'other.subject' })).toBe('SUBJECT_NOT_TAKEN');
    expect(await codeOf({ subject: 'kontor' })).toBe('SUBJECT_NOT_TAKEN');
    expect(await codeOf({ payload: 'x'.repeat(1_048_500), headers: { a: 'b'.repeat(100) } })).toBe('PAYLOAD_TOO_LARGE');
    expect(await codeOf({ headers: { 'nats-expected-last-sequence': '5' } })).toBe('INVALID_HEADER');
    expect(await codeOf({ id: ' outer space' })).toBe('INVALID_ID');
    expect(await codeOf({ headers: { large: 'x'.repeat(70_000) } })).toBe('HEADERS_TOO_LARGE');
    await administer(server.url, (manager) => manager.streams.update('SMALL', { max_msg_size: 1_000 }));
    expect(await codeOf({ payload: 'x'.repeat(2_000) })).toBe('PAYLOAD_TOO_LARGE');
    expect(await broker.publish(message('small'))).toEqual({ sequence: 1, duplicate: false });
  });

  test('remembers an id for exactly the duplicate window', async () => {
    const broker = await ready(open({ url: server.url, duplicateWindowMs: 500 }));
    const startMs = performance.now();
    expect(await broker.publish(message('a'))).toEqual({ sequence: 1, duplicate: false });
    const again = await broker.publish(message('a'));
    if (performance.now() - startMs < 400) expect(again).toEqual({ sequence: 1, duplicate: true });
    await until(async () => {
      await clock.sleep(700);
      return !(await broker.publish(message('a'))).duplicate;
    }, 'forgetting it');
  });
});

describe('A NATS broker whose server fails', () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start(natsRecipe);
  });
  afterEach(() => server.dispose());

  test('opens without the server, refuses at once, and works when the server starts', async () => {
    await server.stop();
    const broker = open({ url: server.url });
    const tookMs = await elapsedMs(async () => {
      expect(await refusal(broker.publish(message('a')))).toBeInstanceOf(BrokerUnavailable);
      const inOrder = broker.publishInOrder([message('a'), message('b')]);
      expect(await refusal(inOrder)).toBeInstanceOf(BrokerUnavailable);
    });
    expect(tookMs).toBeLessThan(250);
    await server.start();
    await ready(broker);
    expect(await broker.publish(message('a'))).toEqual({ sequence: 1, duplicate: false });
  });

  test.each<['stopped' | 'killed', () => Promise<void>]>([
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
  ])('fails pending publishes when the server is %s, and continues when it is back', async (_how, end) => {
    const broker = await ready(open({ url: server.url, ackTimeoutMs: 30_000 }));
    await broker.publish(message('first'));
    await server.hang();
    const underWay = Array.from({ length: 3_000 }, (_, index) => refusal(broker.publish(message(`m-${index}`))));
    const endedMs = await elapsedMs(async () => {
      await end();
      const outcomes = await Promise.all(underWay);
      expect(outcomes.filter((error) => !(error instanceof BrokerUnavailable) && error !== 'no error')).toEqual([]);
    });
    expect(endedMs).toBeLessThan(10_000);
    await until(() => !broker.isReady, 'being away');
    expect(await elapsedMs(() => refusal(broker.publish(message('x'))))).toBeLessThan(250);
    await server.start();
    await ready(broker);
    expect(await broker.publish(message('first'))).toEqual({ sequence: 1, duplicate: true });
  });

  test('waits for a hanging server no longer than its timeout, then rejects calls immediately until the server responds', async () => {
    const broker = await ready(open({ url: server.url, ackTimeoutMs: 500, heartbeatMs: 200 }));
    await server.hang();
    // The signal takes a moment to reach all of the server's threads.
    await clock.sleep(100);
    try {
      const firstMs = await elapsedMs(async () => {
        const many = Array.from({ length: 2_000 }, (_, index) => refusal(broker.publish(message(`m-${index}`))));
        for (const error of await Promise.all(many)) expect(error).toBeInstanceOf(BrokerUnavailable);
      });
      expect(firstMs).toBeLessThan(6_000);
      await until(() => !broker.isReady, 'giving it up');
      for (let call = 0; call < 5; call += 1) {
        // During this pause, the client keeps trying to reconnect.
        await clock.sleep(200);
        expect(await elapsedMs(() => refusal(broker.publish(message('y'))))).toBeLessThan(150);
      }
    } finally {
      server.resume();
    }
    await publishAtLast(broker, message('m-0'));
    const ids = (await messagesAt(server.url)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('detects a dead idle connection automatically', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `127.0.0.1:${proxy.port}`, ackTimeoutMs: 300, heartbeatMs: 100 }));
    proxy.hang();
    await until(() => !broker.isReady, 'noticing it');
    await proxy.pass();
    await ready(broker);
  });

  test('responds to a request for its identity within the timeout even if the server is silent', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}`, ackTimeoutMs: 300, heartbeatMs: 100 }));
    proxy.hang();
    const asking = refusal(broker.facts());
    await until(() => !broker.isReady, 'giving the connection up');
    expect(await Promise.race([asking, clock.sleep(1_000)])).toBeInstanceOf(BrokerUnavailable);
  });

  test('keeps no connection that was in progress when it was closed', async () => {
    const proxy = await proxyTo(server);
    for (let closedAfterMs = 0; closedAfterMs < 250; closedAfterMs += 25) {
      proxy.slow(20);
      const broker = open({ url: `nats://127.0.0.1:${proxy.port}` });
      await clock.sleep(closedAfterMs);
      await broker.close();
      await until(() => proxy.connections === 0, `being gone when it was closed after ${closedAfterMs} ms`);
    }
  });

  test('reports a republished message as a duplicate if its acknowledgement was lost', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}` }));
    // The connection breaks in the middle of this message's acknowledgement.
    proxy.cutAfter(20);
    expect(await refusal(broker.publish(message('a')))).toBeInstanceOf(BrokerUnavailable);
    expect(await publishAtLast(broker, message('a'))).toEqual({ sequence: 1, duplicate: true });
    // The connection breaks in the middle of this message, which is therefore not stored.
    proxy.cutAfter(100, 'client');
    expect(await refusal(broker.publish(message('b', { payload: 'x'.repeat(5_000) })))).toBeInstanceOf(
      BrokerUnavailable,
    );
    const again = await publishAtLast(broker, message('b', { payload: 'x'.repeat(5_000) }));
    expect(again).toEqual({ sequence: 2, duplicate: false });
    proxy.reset();
    expect(await publishAtLast(broker, message('c'))).toEqual({ sequence: 3, duplicate: false });
  });

  test('does not use a server without encryption if the address requires it', async () => {
    const { logger, said } = listener();
    const broker = open({ url: `tls://user:password@127.0.0.1:${server.port}`, logger });
    await until(() => said.length > 0, 'saying so');
    expect(said.join()).toMatch(/does not support 'tls'/);
    expect(await refusal(broker.publish(message('a')))).toBeInstanceOf(BrokerUnavailable);
  });

  test('is unavailable while connections are reset and refused, and recovers automatically', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}` }));
    await proxy.refuse();
    expect(await broker.publish(message('a'))).toEqual({ sequence: 1, duplicate: false });
    proxy.reset();
    await until(() => !broker.isReady, 'being away');
    expect(await refusal(broker.publish(message('b')))).toBeInstanceOf(BrokerUnavailable);
    await proxy.pass();
    expect(await publishAtLast(broker, message('b'))).toEqual({ sequence: 2, duplicate: false });
  });

  test('publishes over a slow connection, many at once', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}` }));
    proxy.slow(50);
    const tookMs = await elapsedMs(() =>
      Promise.all(Array.from({ length: 500 }, (_, index) => broker.publish(message(`m-${index}`)))),
    );
    expect(tookMs).toBeGreaterThanOrEqual(98);
    expect(tookMs).toBeLessThan(10_000);
  });

  /** Bytes in use on and off the heap after a garbage collection. */
  const held = (): number => usedMemory() + process.memoryUsage().external;

  test('rejects excess messages to keep its memory bounded while acknowledgements are missing', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}`, ackTimeoutMs: 10_000 }));
    proxy.hang();
    let refused = 0;
    const small = Array.from({ length: 50_000 }, (_, index) =>
      broker.publish(message(`m-${index}`)).catch(() => (refused += 1)),
    );
    await clock.sleep(50);
    expect(refused).toBeGreaterThan(25_000);
    proxy.reset();
    await Promise.all(small);
    await proxy.pass();
    await ready(broker);
    proxy.hang();
    const payload = 'x'.repeat(1_000_000);
    const before = held();
    let refusedLarge = 0;
    const large = Array.from({ length: 500 }, (_, index) =>
      broker.publish(message(`l-${index}`, { payload })).catch(() => (refusedLarge += 1)),
    );
    await clock.sleep(50);
    expect(refusedLarge).toBeGreaterThan(400);
    expect(held() - before).toBeLessThan(250_000_000);
    proxy.reset();
    await Promise.all(large);
  });

  test('gives up on connections to an unresponsive port, one after another', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    let accepted = 0;
    silent.on('connection', () => (accepted += 1));
    const { port } = silent.address() as AddressInfo;
    const broker = open({ url: `nats://127.0.0.1:${port}`, ackTimeoutMs: 100 });
    await until(() => accepted >= 5, 'connecting again and again');
    expect(await promisify(silent.getConnections.bind(silent))()).toBeLessThanOrEqual(2);
    expect(await elapsedMs(() => broker.close())).toBeLessThan(1_000);
    silent.close();
    await once(silent, 'close');
  });

  test('finds the available server among several', async () => {
    const broker = await ready(open({ url: `nats://127.0.0.1:1,127.0.0.1:2,${server.url}` }));
    await broker.publish(message('a'));
  });

  test('stores every message once, in order per subject, even if the server restarts under load', async () => {
    const seed = Number(process.env['SEED'] ?? 20_261_121);
    process.stdout.write(`seed ${seed}\n`);
    const random = mulberry32(seed);
    const broker = await ready(open({ url: server.url, ackTimeoutMs: 2_000, heartbeatMs: 500 }));
    const SUBJECTS = 40;
    const PER_SUBJECT = 150;
    let acknowledged = 0;
    const publisher = async (subject: string): Promise<void> => {
      for (let index = 0; index < PER_SUBJECT;) {
        const count = Math.min(PER_SUBJECT - index, 1 + Math.floor(random() * 3));
        const group = Array.from({ length: count }, (_, offset) =>
          message(`${subject}-${index + offset}`, { subject }),
        );
        try {
          await broker.publishInOrder(group);
          index += count;
          acknowledged += count;
        } catch (error) {
          if (!(error instanceof BrokerUnavailable)) throw error;
          await clock.sleep(10 + random() * 40);
        }
      }
    };
    const subjects = Array.from({ length: SUBJECTS }, (_, index) => `kontor.t-${index}.sale.booked`);
    const load = Promise.all(subjects.map(publisher));
    for (const [at, fault] of [
      [500, () => server.restart()],
      [2_000, () => server.kill().then(() => server.start())],
      [3_500, () => server.restart()],
    ] as const) {
      await until(() => acknowledged >= at, 'going on');
      await fault();
    }
    await load;
    const stored = await messagesAt(server.url);
    expect(stored).toHaveLength(SUBJECTS * PER_SUBJECT);
    for (const subject of subjects) {
      expect(stored.filter((each) => each.subject === subject).map(({ id }) => id)).toEqual(
        Array.from({ length: PER_SUBJECT }, (_, index) => `${subject}-${index}`),
      );
    }
  });

  test('closes in time even if the server hangs', async () => {
    const proxy = await proxyTo(server);
    const broker = await ready(open({ url: `nats://127.0.0.1:${proxy.port}`, ackTimeoutMs: 500 }));
    proxy.hang();
    const underWay = refusal(broker.publish(message('a')));
    expect(await elapsedMs(() => broker.close())).toBeLessThan(5_000);
    expect(await underWay).toBeInstanceOf(BrokerUnavailable);
  });
});

describe('A NATS server with users', () => {
  let directory: string;
  let server: ServerProcess;
  const settings = (heardByLimited: string): string => `
    jetstream: { store_dir: ${JSON.stringify(directory)} }
    authorization { users = [
      { user: kontor, password: "s3cr:t/%" }
      { user: limited, password: limited, permissions: {
        publish: { allow: ["kontor.>", "$JS.API.>"], deny: ["kontor.secret.>"] }, subscribe: "${heardByLimited}" } }
      { user: narrow, password: narrow, permissions: { publish: ["kontor.>"], subscribe: "_INBOX.>" } }
    ] }`;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-nats-users-'));
    const file = join(directory, 'server.conf');
    await writeFile(file, settings('_INBOX.>'));
    // The probe sends no password. The server is ready when it rejects the probe for lack of authorization.
    server = await ServerProcess.start({
      ...natsRecipe,
      args: (port) => ['-a', '127.0.0.1', '-p', String(port), '-c', file],
      probe: async (port) => {
        const error = await refusal(connect({ servers: `127.0.0.1:${port}`, reconnect: false }));
        if (!/authorization/i.test(String(error))) throw new Error(String(error));
        return 'with users';
      },
    });
  });
  afterAll(async () => {
    await server.dispose();
    await rm(directory, { recursive: true });
  });
  const as = (user: string): string => `nats://${user}@127.0.0.1:${server.port}`;

  test('takes the user and the password from the URL', async () => {
    const broker = await ready(open({ url: as(`kontor:${encodeURIComponent('s3cr:t/%')}`) }));
    await broker.publish(message('a'));
  });

  test('is unavailable with a wrong password, and messages about it contain no password', async () => {
    const { logger, said } = listener();
    const broker = open({ url: as('kontor:wrong-secret'), logger });
    await until(() => said.length > 0, 'saying so');
    const error = await refusal(broker.publish(message('a')));
    expect(error).toBeInstanceOf(BrokerUnavailable);
    expect(said.join()).toMatch(/authorization/i);
    expect(said.join() + String(error) + JSON.stringify(error)).not.toMatch(/wrong-secret/);
  });

  test('permanently refuses subjects that the user may not publish, and accepts others', async () => {
    const broker = await ready(open({ url: as('limited:limited') }));
    const [taken, refused, other] = await Promise.all([
      broker.publish(message('b')),
      refusal(broker.publish(message('c', { subject: 'kontor.secret.plan' }))),
      broker.publish(message('d')),
    ]);
    expect(refused).toBeInstanceOf(BrokerRefused);
    expect(refused).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect([taken.duplicate, other.duplicate]).toEqual([false, false]);
  });

  test('is unavailable to a user who may no longer receive replies, and available once the user may', async () => {
    const serve = async (heard: string): Promise<void> => {
      await writeFile(join(directory, 'server.conf'), settings(heard));
      if (server.pid === undefined) throw new Error('The server does not run');
      process.kill(server.pid, 'SIGHUP');
    };
    const { logger, said } = listener();
    const broker = await ready(open({ url: as('limited:limited'), ackTimeoutMs: 500, heartbeatMs: 60_000, logger }));
    try {
      await serve('elsewhere.>');
      await until(() => !broker.isReady, 'being away');
      const error = await refusal(broker.publish(message('unheard')));
      expect(error).toBeInstanceOf(BrokerUnavailable);
      await until(() => /responses cannot be received: .*Permissions Violation/i.test(said.join()), 'saying why');
      await serve('_INBOX.>');
      await ready(broker);
      expect((await broker.publish(message('heard'))).duplicate).toBe(false);
    } finally {
      await serve('_INBOX.>');
    }
  });

  test("accepts messages from a user who may not read the stream's settings, and reports this", async () => {
    await ready(open({ url: as(`kontor:${encodeURIComponent('s3cr:t/%')}`) }));
    const { logger, said } = listener();
    const broker = await ready(open({ url: as('narrow:narrow'), logger }));
    expect((await broker.publish(message('e'))).duplicate).toBe(false);
    expect(said.join()).toMatch(/warn .*have no permission to read/);
  });
});

describe('A NATS address', () => {
  test('can list several servers, with the credentials of the first or their own', () => {
    expect(parseAddresses('nats://user:p%40ss@one:4223, tls://two,token@[::1]:4,three')).toEqual([
      { host: 'one', port: 4_223, tls: false, credentials: { user: 'user', pass: 'p@ss' } },
      { host: 'two', port: 4_222, tls: true, credentials: { user: 'user', pass: 'p@ss' } },
      { host: '::1', port: 4, tls: false, credentials: { token: 'token' } },
      { host: 'three', port: 4_222, tls: false, credentials: { user: 'user', pass: 'p@ss' } },
    ]);
  });

  test.each([
    '',
    'http://hidden@host',
    'nats://u:hidden@',
    'nats://u:hidden@host:port',
    'nats://u:hid%den@host',
    'a,,b',
  ])('cannot be %j, and the error does not repeat it', (wrong) => {
    expect(() => parseAddresses(wrong)).toThrow(/^Address \d of NATS_URL/);
    expect(() => parseAddresses(wrong)).not.toThrow(/hid/);
  });
});

describe('A subject pattern', () => {
  test.each<[string, string, boolean]>([
    ['kontor.>', 'kontor.a', true],
    ['kontor.>', 'kontor.a.b', true],
    ['kontor.>', 'kontor', false],
    ['kontor.>', 'kontor.>', true],
    ['kontor.>', 'kontor.*', true],
    ['kontor.*', 'kontor.>', false],
    ['kontor.*', 'kontor.a', true],
    ['kontor.*', 'kontor.a.b', false],
    ['kontor.a', 'kontor.*', false],
    ['*.a', 'kontor.a', true],
    ['>', 'anything.at.all', true],
    ['kontor.a', 'kontor.a', true],
    ['kontor.a', 'kontor.a.b', false],
  ])('%s covers %s: %s', (wider, narrower, expected) => {
    expect(covers(wider, narrower)).toBe(expected);
  });
});
