import { createHash } from 'node:crypto';
import type { EventCatalogue } from '../../src/eventsourcing/event-catalogue.js';
import { prefixesOf, type AnyProjection } from '../../src/projecting/projection.js';
import { project } from '../../src/projecting/project.js';
import { Projector } from '../../src/projecting/projector.js';
import type { EventReader } from '../../src/ports/event-store.js';
import type { AnyTable, ReadStore } from '../../src/ports/read-store.js';

/**
 * Folds the history, up to and including `upTo`, into one generation of a projection's table. The generation must have
 * no other writer. Builds secondary indexes at the end. Returns the number of events folded.
 */
export const rebuild = (
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projection: AnyProjection,
  generation: number,
  upTo: number,
): Promise<number> => rebuildAll(events, store, catalogue, [projection], generation, upTo);

/** Like `rebuild`, but reads the history once for all projections. Returns the number of events read. */
export async function rebuildAll(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projections: readonly AnyProjection[],
  generation: number,
  upTo: number,
): Promise<number> {
  const tables = projections.map(({ model }): AnyTable => ({ model, generation }));
  for (const table of tables) await store.drop(table);
  await store.prepare(tables, { bulk: true });
  const projectors = projections.map(
    (projection) => new Projector(store, { projection, table: { model: projection.model, generation } }),
  );
  const prefixes = projections.flatMap((projection) => prefixesOf(projection, catalogue.streamPrefixes));
  const filter = { on: 'stream', prefixes: [...new Set(prefixes)] } as const;
  const stop = new AbortController();
  let count = 0;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: 1_000, signal: stop.signal })) {
    const wanted = batch.events.filter(({ position }) => position <= upTo).map((event) => catalogue.decode(event));
    count += wanted.length;
    await project(store, projectors, wanted, Math.min(batch.position, upTo));
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  stop.abort();
  for (const table of tables) await store.index(table);
  return count;
}

/**
 * Returns the SHA-256 hash of all documents in a table with their positions, including tombstones. Tables with the same
 * contents have the same hash.
 */
export async function hashOf(store: ReadStore, table: AnyTable): Promise<string> {
  const hash = createHash('sha256');
  for await (const { scope, id, json, position } of store.scan(table))
    hash.update(`${scope}\n${id}\n${position}\n${json ?? '-'}\n`);
  return hash.digest('hex');
}
