import 'reflect-metadata';
import { Redis } from 'ioredis';
import { RedisCache } from '../src/adapters/redis/cache.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { CacheRateLimiter } from '../src/http/rate-limiter.js';
import { silentLogger } from '../src/ports/log.js';
import { redisRecipe } from '../test/support/redis-server.js';
import { ServerProcess } from '../test/support/server-process.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { percentile, round, timeEach } from './statistics.js';

/**
 * B11: overhead of a partner's rate-limit check per request. Measured with one request at a time, with Redis running
 * and with Redis stopped. Without Redis, the check accepts every request. Baseline: one round trip to Redis.
 */
const CHECKS = pick(20_000, 4_000);
const LIMIT = 1_000_000;
const clock = new SystemClock();

type Run = {
  readonly ping: readonly number[];
  readonly checked: readonly number[];
  readonly stopped: readonly number[];
};
let refused = 0;
let server = '';

async function measure(): Promise<Run> {
  const redis = await ServerProcess.start(redisRecipe);
  pin('load', redis.pid);
  server = `redis-server ${redis.version}`;
  const plain = new Redis(redis.url);
  plain.on('error', () => undefined);
  const cache = RedisCache.open({ url: redis.url, clock, logger: silentLogger });
  while (!cache.isReady) await clock.sleep(5);
  const limiter = new CacheRateLimiter(cache, clock, silentLogger);
  const check = async (): Promise<void> => {
    const { allowed } = await limiter.hit('partner-key:bench', LIMIT);
    if (!allowed) refused += 1;
  };
  const ask = () => plain.ping();
  await timeEach(CHECKS / 10, check);
  await timeEach(CHECKS / 10, ask);
  const ping = await timeEach(CHECKS, ask);
  const checked = await timeEach(CHECKS, check);
  plain.disconnect();
  await redis.stop();
  const stopped = await timeEach(CHECKS, check);
  await cache.close();
  await redis.dispose();
  const p99 = (of: readonly number[]) => round(percentile(of, 0.99));
  say(`p99: a round trip ${p99(ping)} ms, a check ${p99(checked)} ms, with Redis stopped ${p99(stopped)} ms`);
  return { ping, checked, stopped };
}

pin('measured', process.pid);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());
const measurementOf = (name: string, of: (run: Run) => readonly number[]): Measurement => ({
  ...{ figure: 'B11', name: `rate-limit check, ${name}, p99`, unit: 'ms', concurrency: 1 },
  runs: runs.map((run) => percentile(of(run), 0.99)),
  ...{ operations: CHECKS * runs.length, errors: refused },
  against: { name: 'one round trip, p99', unit: 'ms', runs: runs.map(({ ping }) => percentile(ping, 0.99)) },
  goal: { of: 'value', atMost: 1.5 },
  details: { server, p50Ms: runs.map((run) => round(percentile(of(run), 0.5))) },
});
tell([measurementOf('with Redis', ({ checked }) => checked), measurementOf('Redis stopped', ({ stopped }) => stopped)]);
