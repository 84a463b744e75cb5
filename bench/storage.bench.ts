import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { BSON, MongoClient } from 'mongodb';
import { SystemClock } from '../src/adapters/system-time.js';
import { openEventReader } from '../src/app/stores.js';
import { silentLogger } from '../src/ports/log.js';
import type { Measurement } from './figure.js';
import { pick } from './options.js';
import { load, pin } from './processes.js';
import { say, tell } from './report.js';
import { toService } from './sale.js';
import { BenchService } from './service-client.js';
import { SharedServers } from './shared-servers.js';
import { round } from './statistics.js';

/**
 * This benchmark has no goal. It measures the data that a sale adds to the servers: the content of its events, its
 * documents, and the files that store its messages. On EventStoreDB and MongoDB, the content of events and documents
 * has this size too. The files of both servers also contain indexes and format overhead.
 */
const SECONDS = pick(60, 4);
const CONNECTIONS = 16;
const PAGE = 1_000;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
type Size = { readonly count: number; readonly bytes: number };

/** Events with their metadata as JSON, and the names of their streams and types. */
async function eventsAt(eventStoreUrl: string): Promise<Size> {
  const settings = {
    ...{ directory: '', eventStoreUrl, mongoDbUrl: undefined, natsUrl: undefined, redisUrl: undefined },
  };
  const { events } = await openEventReader(settings, { clock: new SystemClock(), logger: silentLogger });
  let [count, bytes] = [0, 0];
  for (let from: number | undefined; ;) {
    const page = await events.readAll({ maxCount: PAGE, ...(from !== undefined && { from }) });
    count += page.length;
    for (const { stream, type, data, metadata } of page)
      bytes += Buffer.byteLength(stream + type + JSON.stringify(data) + JSON.stringify(metadata));
    if (page.length < PAGE) break;
    from = page.at(-1)?.position;
  }
  await events.close();
  return { count, bytes };
}

/** Documents in MongoDB's own format, without compression and without indexes. */
async function documentsAt(url: string): Promise<Size> {
  const client = new MongoClient(url);
  const db = client.db();
  let [count, bytes] = [0, 0];
  for (const { name } of await db.listCollections().toArray())
    for await (const document of db.collection(name).find()) {
      count += 1;
      bytes += BSON.calculateObjectSize(document);
    }
  await client.close();
  return { count, bytes };
}

async function messagesAt(url: string): Promise<Size> {
  const connection = await connect({ servers: url });
  const { state } = await (await jetstreamManager(connection)).streams.info('KONTOR');
  await connection.close();
  return { count: state.messages, bytes: state.bytes };
}

async function filesIn(directory: string): Promise<Size> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return { count: files.length, bytes: sumOf(sizes) };
}

pin('load', process.pid);
const servers = await SharedServers.start();
const { EVENTSTORE_URL = '', MONGODB_URL = '', NATS_URL = '' } = servers.environment;
const service = await BenchService.start({ env: servers.environment });
const plan = { ...toService((await service.createTenant()).key), connections: CONNECTIONS };
const look = async () => ({
  'EventStoreDB: events': await eventsAt(EVENTSTORE_URL),
  'MongoDB: documents': await documentsAt(MONGODB_URL),
  'NATS: messages': await messagesAt(NATS_URL),
  'NATS: files': await filesIn(servers.natsDirectory),
});

await load(service, { ...plan, prefix: 'warm', seconds: pick(20, 2) });
await service.settled();
const before = await look();
const { requests, errors } = await load(service, { ...plan, prefix: 'measured', seconds: SECONDS });
await service.settled();
const after = await look();
await service.stop();
await servers.stop();

const figures = (Object.keys(before) as (keyof typeof before)[]).map((what): Measurement => {
  const count = (after[what].count - before[what].count) / requests;
  const bytes = (after[what].bytes - before[what].bytes) / requests;
  say(`${what}: ${round(bytes)} bytes per sale (${round(count)} per sale)`);
  return {
    ...{ figure: 'storage', name: what, unit: 'bytes per sale', runs: [bytes], operations: requests, errors },
    ...{ concurrency: CONNECTIONS, details: { perSale: round(count) } },
  };
});
tell(figures);
