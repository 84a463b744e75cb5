import { load, startBare, type Load } from './processes.js';
import { pick } from './options.js';
import { say } from './report.js';

export const CONNECTIONS = 64;
const SATURATED = 0.95;

/** Measures the requests per second of bare Fastify. @param file path of a file with the response body of GET /bytes */
export async function bareRate(plan: Omit<Load, 'connections' | 'seconds'>, file?: string): Promise<number> {
  const bare = await startBare(file);
  await load(bare, { ...plan, connections: CONNECTIONS, seconds: pick(2, 1) });
  const { perSecond, errors, generatorBusy } = await load(bare, {
    ...plan,
    connections: CONNECTIONS,
    seconds: pick(5, 2),
  });
  await bare.stop();
  if (errors > 0) throw new Error(`${errors} errors of bare Fastify`);
  if (generatorBusy > SATURATED)
    say(`the load generator was ${generatorBusy} busy: bare Fastify may be faster than this`);
  return perSecond;
}
