import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { ReadStore, WriteBatch } from '../ports/read-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { DocumentStore, FoldedWrite, Projector } from './projector.js';
import { modelPart, partsOf, positionsIn } from '../eventsourcing/ranges.js';

const MAX_REFOLDS = 20;

/**
 * Folds one batch into several tables and stores all documents and checkpoints in one write. If a faster process causes
 * a conflict, loads and folds everything again.
 * @param events the events of each projector's portion; empty for a projector that folds none of them
 * @param ranges ranges whose checkpoints are stored; default: the ranges of each projector
 * @throws PoisonEvent, ReadStoreUnavailable
 */
export async function project(
  store: Pick<DocumentStore, 'write'>,
  projectors: readonly Projector[],
  events: readonly Recorded[] | ((projector: Projector) => readonly Recorded[]),
  position: Position,
  ranges?: readonly number[],
): Promise<void> {
  const eventsOf = typeof events === 'function' ? events : () => events;
  for (let attempt = 0; ; attempt += 1) {
    const folded: { projector: Projector; writes: readonly FoldedWrite[] }[] = [];
    for (const projector of projectors) {
      const own = eventsOf(projector);
      folded.push({ projector, writes: own.length > 0 ? await projector.fold(own) : [] });
    }
    const { conflicts } = await store
      .write({
        tables: folded
          .filter(({ writes }) => writes.length > 0)
          .map(({ projector: { table, platformUpTo }, writes }) => ({
            ...{ table, writes },
            ...(platformUpTo !== undefined && { platformUpTo }),
          })),
        checkpoints: checkpointsOf(projectors, position, ranges),
      })
      .catch((error: unknown) => {
        // The stored state is unknown, so the next fold must load it.
        for (const projector of projectors) projector.forget();
        throw error;
      });
    if (conflicts.length === 0) {
      for (const { projector, writes } of folded) projector.remember(writes);
      return;
    }
    for (const projector of projectors) projector.forget();
    if (attempt === MAX_REFOLDS) throw new Error(`Projections keep conflicting at position ${position}`);
  }
}

/** Returns the projectors' checkpoints at a position, for the given ranges or for all ranges in their portions. */
export const checkpointsOf = (
  projectors: readonly Projector[],
  position: Position,
  ranges?: readonly number[],
): WriteBatch['checkpoints'] =>
  projectors.flatMap(({ checkpointKey, portion }) =>
    partsOf(checkpointKey, modelPart, ranges && portion.ranges ? { ranges } : portion).map((key) => ({
      key,
      position,
    })),
  );

/**
 * Sets each projector's position to the one up to which its table contains its portion. @throws ReadStoreUnavailable
 */
export async function readPositions(store: ReadStore, projectors: readonly Projector[]): Promise<void> {
  const divided = projectors.filter(({ portion }) => portion.ranges !== undefined);
  const whole = projectors.filter(({ portion }) => portion.ranges === undefined);
  for (const some of [divided, whole]) {
    const keys = some.map(({ checkpointKey }) => checkpointKey);
    const positions = await positionsIn(store, keys, modelPart, some[0]?.portion.ranges ?? []);
    for (const [index, projector] of some.entries()) projector.position = positions[index] ?? BEFORE_ALL;
  }
}
