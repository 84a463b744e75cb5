import type { EventReader, Position } from '../ports/event-store.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { AnyProjection } from './projection.js';
import { Projector } from './projector.js';

/** A projection's live generation, and what it has. */
export type Start = { readonly projector: Projector; readonly position: Position };

const BULK_FROM = 5_000;

/** Where each projection goes on: its live generation, the first one where there is none, and its checkpoint. */
export async function startsOf(store: ReadStore, projections: readonly AnyProjection[]): Promise<readonly Start[]> {
  const projectors: Projector[] = [];
  for (const projection of projections) {
    const table = { model: projection.model, generation: await generationOf(store, projection.model) };
    projectors.push(new Projector(store, { projection, table }));
  }
  const positions = await store.checkpoints(projectors.map(({ checkpointKey }) => checkpointKey));
  return projectors.map((projector, index) => ({ projector, position: positions[index] ?? -1 }));
}

async function generationOf(store: ReadStore, model: AnyTable['model']): Promise<number> {
  const live = await store.liveGeneration(model.name, model.version);
  if (live !== undefined) return live;
  await store.setLiveGeneration(model.name, model.version, 1);
  return 1;
}

/** Those that have nothing yet, where the history has at least `bulkFrom` events (positions tell no number). */
export async function emptyOf(
  starts: readonly Start[],
  events: EventReader,
  bulkFrom = BULK_FROM,
): Promise<readonly Projector[]> {
  const empty = starts.filter(({ position }) => position === -1).map(({ projector }) => projector);
  if (empty.length === 0) return [];
  // Whatever cannot be read stops those that meet it, each at its place, and not the start of all.
  const first = await events.readAll({ from: -1, maxCount: bulkFrom }).catch(() => []);
  return first.length < bulkFrom ? [] : empty;
}
