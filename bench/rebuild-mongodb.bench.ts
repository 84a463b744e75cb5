import { MongoClient } from 'mongodb';
import { EmbeddedEventReader } from '../src/adapters/embedded/event-store.reader.js';
import { openMongoDb } from '../src/adapters/mongodb/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { silentLogger } from '../src/ports/log.js';
import { mongoRecipeWith } from '../test/support/mongo-server/recipe.js';
import { ServerProcess } from '../test/support/server-process.js';
import { historyAlone } from './history-store.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { copyDocuments } from './raw-documents.js';
import { rebuild } from './rebuilding.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * B4 on MongoDB: builds all read models with their indexes in one pass over an embedded history. Baseline: plain bulk
 * inserts of the same documents under the same keys. Uses the server at MONGODB_URL and drops its `kontor_bench_*`
 * databases. Without MONGODB_URL, uses the test server, whose indexes are not representative.
 */
const EVENTS = pick(50_000, 2_000);
const TIMEOUT_MS = 120_000;
const clock = new SystemClock();

type Run = { readonly rebuilt: number; readonly raw: number; readonly documents: number };

async function measure(address: string, run: number): Promise<Run> {
  const name = `kontor_bench_${process.pid}_${run}`;
  const url = new URL(address);
  url.pathname = `/${name}`;
  const events = EmbeddedEventReader.open({ directory: history, clock });
  const mongo = openMongoDb({ url: url.href, clock, logger: silentLogger, timeoutMs: TIMEOUT_MS });
  const driver = await MongoClient.connect(url.href);
  const { tables, fillMs, indexMs } = await rebuild(events, mongo.reads, { upTo: await events.head() });
  const plain = driver.db(name).collection<{ _id: string }>('plain');
  const copied = await copyDocuments(mongo.reads, tables, async (documents) => {
    const inserted = documents.map(({ scope, id, document }) => ({ _id: `${scope} ${id}`, document }));
    await plain.bulkWrite(
      inserted.map((document) => ({ insertOne: { document } })),
      { ordered: false },
    );
  });
  await driver.db(name).dropDatabase();
  await Promise.all([driver.close(), mongo.close(), events.close()]);
  const rate = (ms: number) => EVENTS / (ms / 1_000);
  const done = { rebuilt: rate(fillMs + indexMs), raw: rate(copied.ms), documents: copied.documents };
  say(`rebuilt ${round(done.rebuilt)}/s, plain bulk inserts ${round(done.raw)}/s`);
  return done;
}

const history = await historyAlone(EVENTS, clock);
const given = process.env['MONGODB_URL'];
const server = given === undefined ? await ServerProcess.start(mongoRecipeWith()) : undefined;
pin('measured', process.pid);
if (server) pin('load', server.pid);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure(given ?? server?.url ?? '', n));
await server?.dispose();
tell([
  {
    ...{ figure: 'B4', name: 'all read models rebuilt on MongoDB, with indexes', unit: 'events/s', events: EVENTS },
    runs: runs.map(({ rebuilt }) => rebuilt),
    ...{ operations: EVENTS * runs.length, errors: 0, concurrency: 1 },
    against: { name: 'plain bulk inserts of the same documents', unit: 'events/s', runs: runs.map(({ raw }) => raw) },
    goal: { of: 'ratio', atLeast: 0.7 },
    notes: [
      server
        ? `On the test server, which implements MongoDB's protocol ${server.version}; not a real MongoDB.`
        : 'On the server of MONGODB_URL.',
    ],
    details: { documents: runs[0]?.documents },
  },
]);
