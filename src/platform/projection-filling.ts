import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, EventReader, Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import { persistently } from './persistently.js';
import { prefixesOf } from './projection.js';
import type { Projector } from './projector.js';

/** A projector that lacks a long history: it has all up to `position`, which moves on, and wants more while `goesOn`. */
export type Filling = {
  readonly projector: Projector;
  position: Position;
  readonly goesOn: () => boolean;
};

type Parts = {
  readonly events: EventReader;
  readonly catalogue: EventCatalogue;
  /** Stores a batch, with whatever has to be left out. */
  readonly storeBatch: (projectors: readonly Projector[], batch: EventBatch) => Promise<readonly Recorded[]>;
};

/** The live generations wait for so many events of the history, folded into all that is filled: some 40 ms. */
const BATCH = 200;

/**
 * Folds the history into several projectors, read once for all of them: what one of them has already, it passes over.
 * Answers the position up to which, which is the end of the history unless none of them goes on or the signal aborts.
 * @throws EventStoreUnavailable, ReadStoreUnavailable; what is stored by then stays, and is not folded again
 */
export async function fillTogether(
  { events, catalogue, storeBatch }: Parts,
  fillings: readonly Filling[],
  signal: AbortSignal,
): Promise<Position> {
  const wanted = fillings.map(({ projector }) => prefixesOf(projector.projection, catalogue.streamPrefixes));
  const filter = { on: 'stream', prefixes: [...new Set(wanted.flat())] } as const;
  let position = Math.min(...fillings.map((one) => one.position));
  if (!fillings.some(({ goesOn }) => goesOn())) return position;
  for await (const batch of events.subscribeToAll({ after: position, filter, maxBatchSize: BATCH, signal })) {
    const going = fillings.filter(({ goesOn }) => goesOn());
    if (going.length === 0) break;
    await storeBatch(
      going.map(({ projector }) => projector),
      batch,
    );
    position = batch.position;
    for (const one of going) one.position = Math.max(one.position, position);
    if (batch.caughtUp) break;
    await nextTurn();
  }
  return position;
}

type BulkParts = Parts & { readonly store: ReadStore; readonly clock: Clock; readonly logger: Logger };

/**
 * Fills empty read models in one reading of the history, then builds their indexes; again and again where an engine is
 * away. Answers the position up to which they are filled; undefined where the signal aborts before.
 */
export async function fillInBulk(
  { store, clock, logger, ...parts }: BulkParts,
  projectors: readonly Projector[],
  signal: AbortSignal,
): Promise<Position | undefined> {
  const isOver = (): boolean => signal.aborted;
  const fillings = projectors.map((projector): Filling => {
    const goesOn = (): boolean => !isOver() && projector.halted === undefined;
    return { projector, position: -1, goesOn };
  });
  const attempt = async (): Promise<Position | undefined> => {
    const filled = await fillTogether(parts, fillings, signal);
    for (const { target } of projectors) if (!isOver()) await store.index(target.table);
    return isOver() ? undefined : filled;
  };
  return persistently(clock, signal, attempt, (error) => {
    logger.error({ err: error }, 'filling the read models broke off; it goes on');
  });
}
