import { project } from '../src/projecting/project.js';
import { Projector } from '../src/projecting/projector.js';
import type { EventReader } from '../src/ports/event-store.js';
import type { AnyTable, ReadStore } from '../src/ports/read-store.js';
import { projections } from '../src/projections/projections.js';
import { decoded, readHistory } from './history-store.js';

/** The same batch size as in the subscribers' thread. */
const BATCH = 1_000;

export type Rebuilt = { readonly tables: readonly AnyTable[]; readonly fillMs: number; readonly indexMs: number };

/** Rebuilds read models in one pass over the history: in bulk, with indexes built at the end. */
export async function rebuild(
  events: EventReader,
  reads: ReadStore,
  { upTo, generation = 1 }: { upTo: number; generation?: number },
): Promise<Rebuilt> {
  const pairs = projections.map((projection) => ({ projection, table: { model: projection.model, generation } }));
  const tables = pairs.map(({ table }) => table);
  await reads.prepare(tables, { bulk: true });
  const projectors = pairs.map((pair) => new Projector(reads, pair));
  const startedMs = performance.now();
  await readHistory(events, { upTo, batch: BATCH }, (batch, position) =>
    project(reads, projectors, decoded(batch), position),
  );
  const filledMs = performance.now();
  for (const table of tables) await reads.index(table);
  return { tables, fillMs: filledMs - startedMs, indexMs: performance.now() - filledMs };
}
