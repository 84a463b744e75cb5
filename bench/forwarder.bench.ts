import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager, StorageType, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { EmbeddedEventReader } from '../src/adapters/embedded/event-store.reader.js';
import { NatsBroker } from '../src/adapters/nats/broker.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { catalogue } from '../src/app/catalogue.js';
import { Attempts } from '../src/integration/publishing.js';
import { createLiveLane } from '../src/integration/live-lane.js';
import { silentLogger } from '../src/ports/log.js';
import { natsRecipe } from '../test/support/nats-server.js';
import { ServerProcess } from '../test/support/server-process.js';
import { historyAlone } from './history-store.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * B10: the forwarder translates a history from its first event, and publishes the messages to a dedicated NATS server,
 * which stores and acknowledges each message. Baseline: the official client, which publishes prepared strings of the
 * same length with the same number of messages in flight.
 */
const EVENTS = pick(200_000, 10_000);
const IN_FLIGHT = 256;
const LOOK_EVERY_MS = 5;
const clock = new SystemClock();

type Run = { readonly perSecond: number; readonly messages: number; readonly bytes: number; readonly parked: number };

/** Messages and bytes across all streams. */
async function stored(manager: JetStreamManager): Promise<{ messages: number; bytes: number }> {
  let [messages, bytes] = [0, 0];
  for await (const { state } of manager.streams.list()) {
    messages += state.messages;
    bytes += state.bytes;
  }
  return { messages, bytes };
}

async function forward(url: string, manager: JetStreamManager): Promise<Run> {
  const events = EmbeddedEventReader.open({ directory: history, clock });
  const head = await events.head();
  const broker = NatsBroker.open({ url, clock, logger: silentLogger });
  while (!broker.isReady) await clock.sleep(LOOK_EVERY_MS);
  let parked = 0;
  const checkpoints = {
    load: () => Promise.resolve(-1),
    loadRanges: () => Promise.resolve([]),
    save: () => Promise.resolve(),
  };
  const park = () => Promise.resolve(void (parked += 1));
  const marks = { load: () => Promise.resolve(-1), save: () => Promise.resolve() };
  const attempts = new Attempts({ broker, marks, clock, logger: silentLogger }, 'handed', {
    upTo: -1,
    mayBeMore: false,
  });
  const forwarder = createLiveLane({
    whenPaused: () => Promise.resolve(),
    events,
    catalogue,
    checkpoints,
    clock,
    logger: silentLogger,
    attempts,
    park,
  });
  const startedMs = performance.now();
  await forwarder.start();
  while (forwarder.position < head) await clock.sleep(LOOK_EVERY_MS);
  const seconds = (performance.now() - startedMs) / 1_000;
  await forwarder.stop();
  await broker.close();
  await events.close();
  const { messages, bytes } = await stored(manager);
  return { perSecond: messages / seconds, messages, bytes: bytes / messages, parked };
}

async function publishPlainly(connection: NatsConnection, manager: JetStreamManager, like: Run): Promise<number> {
  await manager.streams.add({ name: 'BARE', subjects: ['bare.>'], storage: StorageType.File });
  const js = jetstream(connection);
  const payload = 'x'.repeat(Math.round(like.bytes));
  let left = like.messages;
  const publisher = async (): Promise<void> => {
    for (left -= 1; left >= 0; left -= 1) await js.publish('bare.sale.booked', payload, { msgID: randomUUID() });
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, publisher));
  return like.messages / ((performance.now() - startedMs) / 1_000);
}

async function measure(): Promise<readonly [Run, number, string]> {
  const server = await ServerProcess.start(natsRecipe);
  pin('load', server.pid);
  const connection = await connect({ servers: server.url, noAsyncTraces: true });
  const manager = await jetstreamManager(connection);
  const run = await forward(server.url, manager);
  const plain = await publishPlainly(connection, manager, run);
  await connection.close();
  const { version } = server;
  await server.dispose();
  say(`${round(run.perSecond)} messages/s, plain publish ${round(plain)}/s, ${Math.round(run.bytes)} bytes each`);
  return [run, plain, version];
}

pin('measured', process.pid);
const history = await historyAlone(EVENTS, clock);
const runs: Awaited<ReturnType<typeof measure>>[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());
tell([
  {
    ...{ figure: 'B10', name: 'integration events forwarded to NATS, acknowledged', unit: '/s', events: EVENTS },
    runs: runs.map(([{ perSecond }]) => perSecond),
    operations: runs.reduce((sum, [{ messages }]) => sum + messages, 0),
    errors: runs.reduce((sum, [{ parked }]) => sum + parked, 0),
    concurrency: IN_FLIGHT,
    against: { name: 'JetStream publish alone', unit: '/s', runs: runs.map(([, plain]) => plain) },
    goal: { of: 'value', atLeast: 15_000 },
    details: { server: `nats-server ${runs[0]?.[2]}`, bytesOfMessage: Math.round(runs[0]?.[0].bytes ?? 0) },
  },
]);
