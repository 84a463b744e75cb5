import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { NatsBroker } from '../src/adapters/nats/broker.js';
import { RedisCache } from '../src/adapters/redis/cache.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { silentLogger } from '../src/ports/log.js';
import { natsRecipe } from '../test/support/nats-server.js';
import { redisRecipe } from '../test/support/redis-server.js';
import { ServerProcess } from '../test/support/server-process.js';

/**
 * B10 and B11 of the speed goals, against servers of its own on this machine: publishes through the adapter against the
 * driver alone, and a counted hit against one round trip.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const IN_FLIGHT = 256;
const HITS = 20_000;
const SUBJECT = 'kontor.018f3c1e.sale.booked';
/** The size of a typical integration event. */
const PAYLOAD = JSON.stringify({ specversion: '1.0', data: 'x'.repeat(560) });
const clock = new SystemClock();
const round = (value: number): number => Number(value.toPrecision(4));

/** Acknowledged publishes per second with a constant number in flight. */
async function rate(publish: (id: string) => Promise<unknown>, seconds: number): Promise<number> {
  const run = randomUUID();
  const startMs = performance.now();
  let published = 0;
  let acknowledged = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - startMs < seconds * 1_000) {
      published += 1;
      await publish(`${run}-${published}`);
      acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (acknowledged * 1_000) / (performance.now() - startMs);
}

const best = (values: readonly number[]): number => round(Math.max(...values));

async function benchNats(): Promise<object> {
  const server = await ServerProcess.start(natsRecipe);
  const connection = await connect({ servers: server.url, noAsyncTraces: true });
  const manager = await jetstreamManager(connection);
  // The same file storage and window as the adapter's stream.
  await manager.streams.add({ name: 'BARE', subjects: ['bare.>'], storage: StorageType.File });
  const js = jetstream(connection);
  const headers = { 'content-type': 'application/cloudevents+json' };
  const broker = NatsBroker.open({ url: server.url, clock, logger: silentLogger });
  while (!broker.isReady) await clock.sleep(5);
  const bare = (id: string) => js.publish('bare.sale.booked', PAYLOAD, { msgID: id });
  const adapted = (id: string) => broker.publish({ id, subject: SUBJECT, headers, payload: PAYLOAD });
  await rate(bare, 1);
  await rate(adapted, 1);
  const bareRates: number[] = [];
  const adaptedRates: number[] = [];
  for (let index = 0; index < ROUNDS; index += 1) {
    bareRates.push(await rate(bare, SECONDS));
    adaptedRates.push(await rate(adapted, SECONDS));
  }
  await broker.close();
  await connection.close();
  const { version } = server;
  await server.dispose();
  const [bestBare, bestAdapted] = [best(bareRates), best(adaptedRates)];
  return { version, barePerSecond: bestBare, perSecond: bestAdapted, ratio: round(bestAdapted / bestBare) };
}

/** How long one call after another takes. */
async function latencies(call: () => Promise<unknown>): Promise<{ p50Ms: number; p99Ms: number }> {
  const taken: number[] = [];
  for (let index = 0; index < HITS; index += 1) {
    const startMs = performance.now();
    await call();
    taken.push(performance.now() - startMs);
  }
  taken.sort((a, b) => a - b);
  return { p50Ms: round(taken[HITS * 0.5] ?? 0), p99Ms: round(taken[HITS * 0.99] ?? 0) };
}

async function benchRedis(): Promise<object> {
  const server = await ServerProcess.start(redisRecipe);
  const redis = new Redis(server.url);
  redis.on('error', () => undefined);
  const cache = RedisCache.open({ url: server.url, clock, logger: silentLogger });
  while (!cache.isReady) await clock.sleep(5);
  const hit = () => cache.hit('rate:partner', 60_000).catch(() => undefined);
  for (let index = 0; index < 2_000; index += 1) await Promise.all([hit(), redis.ping()]);
  const ping = await latencies(() => redis.ping());
  const withRedis = await latencies(hit);
  redis.disconnect();
  await server.stop();
  const stopped = await latencies(hit);
  await cache.close();
  const { version } = server;
  await server.dispose();
  return { version, ping, hit: withRedis, hitWhenStopped: stopped };
}

process.stdout.write(`${JSON.stringify({ b10: await benchNats(), b11: await benchRedis() }, null, 1)}\n`);
