// Checks how replicas on shared servers divide the tenants among themselves, and whether their read models are correct.
import { SystemClock } from '../../src/adapters/system-time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { openEventReader, openModels } from '../../src/app/stores.js';
import { ALL_RANGES } from '../../src/eventsourcing/ranges.js';
import { silentLogger } from '../../src/ports/log.js';
import { verifyProjections, type Verification } from '../../src/projecting/projection-verifier.js';
import { projections } from '../../src/projections/projections.js';
import type { KontorProcess } from '../e2e/kontor-process.js';
import type { Servers } from './servers.js';

/** Kinds of work that are divided by tenant. */
export const DIVIDED_WORK = ['projections', 'forwarder', 'policies'];

/**
 * Returns the number of ranges that each replica leads, by kind of work. Returns undefined unless every range has
 * exactly one leader.
 */
export function rangeShares(replicas: readonly KontorProcess[]): readonly (readonly number[])[] | undefined {
  const held = replicas.map((replica) => replica.ranges());
  const shares = DIVIDED_WORK.map((work) => held.map((ranges) => ranges[work] ?? []));
  const isComplete = shares.every(
    (some) =>
      some
        .flat()
        .toSorted((a, b) => a - b)
        .join() === ALL_RANGES.join(),
  );
  return isComplete ? shares.map((some) => some.map(({ length }) => length)) : undefined;
}

/** Whether every range has exactly one leader and the number of ranges per replica differs by at most one. */
export const isDividedEvenly = (replicas: readonly KontorProcess[]): boolean =>
  rangeShares(replicas)?.every((some) => Math.max(...some) - Math.min(...some) <= 1) ?? false;

/** Compares every document with its counterpart in a clean rebuild of the history. */
export async function compareWithRebuild(servers: Servers, directory: string): Promise<Verification> {
  const parts = { clock: new SystemClock(), logger: silentLogger };
  const stores = {
    directory,
    eventStoreUrl: servers.eventStore.url,
    mongoDbUrl: servers.mongo.url,
    natsUrl: undefined,
    redisUrl: undefined,
  };
  const { events } = await openEventReader(stores, parts);
  const { reads } = await openModels(stores, 'readonly', parts);
  try {
    return await verifyProjections(events, reads, catalogue, projections, {
      ...{ share: 1, seed: 1, most: 1_000_000, batchSize: 500 },
      signal: AbortSignal.timeout(120_000),
      report: () => undefined,
    });
  } finally {
    await Promise.all([events.close(), reads.close()]);
  }
}
