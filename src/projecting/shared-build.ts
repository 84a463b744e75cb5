import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, Position } from '../ports/event-store.js';
import type { ProjectionRunnerParts } from './projection-runner.js';
import { prefixesOf } from './projection.js';
import type { Projector } from './projector.js';

type BuildOptions = {
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Position up to which the history is read. Default: the end of the history. */
  readonly upTo?: Position;
  /** Stores a batch in generations. Must advance each projector's position. */
  readonly store: (building: readonly Projector[], batch: EventBatch) => Promise<unknown>;
};

/**
 * Reads the history once for several generations, starting at the position of the generation that is furthest behind.
 * Stores the events in the generations that are still in the `building` phase. Returns early when none are left, or
 * when the signal aborts.
 * @throws EventStoreUnavailable, and errors from `store`; stored batches are kept and not folded again
 */
export async function buildTogether(
  { events, catalogue }: Pick<ProjectionRunnerParts, 'events' | 'catalogue'>,
  projectors: readonly Projector[],
  { batchSize: maxBatchSize, signal, upTo = Number.POSITIVE_INFINITY, store }: BuildOptions,
): Promise<void> {
  const building = (): Projector[] => projectors.filter(({ phase }) => phase === 'building');
  if (building().length === 0) return;
  const prefixes = new Set(projectors.flatMap(({ projection }) => prefixesOf(projection, catalogue.streamPrefixes)));
  const filter = { on: 'stream', prefixes: [...prefixes] } as const;
  const after = Math.min(...building().map(({ position }) => position));
  for await (const batch of events.subscribeToAll({ after, filter, maxBatchSize, signal })) {
    const going = building();
    if (going.length === 0) return;
    await store(going, batch);
    if (batch.caughtUp || batch.position >= upTo) return;
    await nextTurn();
  }
}
