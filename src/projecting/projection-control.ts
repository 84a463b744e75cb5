import { z } from 'zod';
import { domain, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';

const Instant = z.iso.datetime();
const rebuildId = z.string();

const projectionEvents = {
  ProjectionRebuildRequested: domain(
    'OTHER',
    'projection',
    z.object({ rebuildId, version: z.int(), requestedAt: Instant }),
  ),
  /** A leader has started the rebuild. A generation is never used for two rebuilds. */
  ProjectionRebuildBegan: technical(z.object({ rebuildId, generation: z.int(), beganAt: Instant })),
  /** `changedDocuments`: number of documents that differ between the old and the new generation at `position`. */
  ProjectionRebuildCompared: technical(
    z.object({ rebuildId, position: z.int(), changedDocuments: z.int(), comparedAt: Instant }),
  ),
  ProjectionRebuilt: domain('OTHER', 'projection', z.object({ rebuildId, generation: z.int(), rebuiltAt: Instant })),
  ProjectionRebuildCancelled: domain('OTHER', 'projection', z.object({ rebuildId, cancelledAt: Instant })),
  ProjectionRebuildFailed: domain(
    'OTHER',
    'projection',
    z.object({ rebuildId, reason: z.string(), failedAt: Instant }),
  ),
};
/** Events about a read model's rebuilds. */
export type ProjectionEvent = EventOf<typeof projectionEvents>;

/** The position at which two generations were compared, and the number of differing documents. */
export type Comparison = { readonly position: number; readonly changedDocuments: number };
/** A rebuild, folded from its events. */
export type Rebuild = {
  readonly id: string;
  /** Version of the read model in the replica that received the request. */
  readonly version: number;
  readonly requestedAt: string;
  /** Null until a leader has started the rebuild. */
  readonly generation: number | null;
  readonly compared: Comparison | null;
};
/** A rebuild that has ended, successfully or not. */
export type EndedRebuild = Rebuild & {
  readonly status: 'DONE' | 'CANCELLED' | 'FAILED';
  readonly endedAt: string;
  readonly reason: string | null;
};

/** The rebuilds of one read model. */
export type ProjectionControl = {
  /** The rebuild in progress. */
  readonly rebuild: Rebuild | null;
  readonly last: EndedRebuild | null;
  /** The highest generation that any rebuild has used. */
  readonly lastGeneration: number;
};

/**
 * Operators' requests to rebuild a projection, and the outcomes of those rebuilds. Stream:
 * `projection-platform_<name>`.
 */
export const projectionAggregate: Aggregate<ProjectionControl, ProjectionEvent> = {
  name: 'projection',
  events: projectionEvents,
  initial: { rebuild: null, last: null, lastGeneration: 0 },
  evolve: (state, event) => {
    const { rebuild } = state;
    if (event.type === 'ProjectionRebuildRequested') {
      const { rebuildId: id, version, requestedAt } = event.data;
      return { ...state, rebuild: { id, version, requestedAt, generation: null, compared: null } };
    }
    if (rebuild?.id !== event.data.rebuildId) return state;
    switch (event.type) {
      case 'ProjectionRebuildBegan': {
        const { generation } = event.data;
        const lastGeneration = Math.max(state.lastGeneration, generation);
        return { ...state, rebuild: { ...rebuild, generation, compared: null }, lastGeneration };
      }
      case 'ProjectionRebuildCompared': {
        const { position, changedDocuments } = event.data;
        return { ...state, rebuild: { ...rebuild, compared: { position, changedDocuments } } };
      }
      case 'ProjectionRebuilt':
        return ended(state, rebuild, 'DONE', event.data.rebuiltAt);
      case 'ProjectionRebuildCancelled':
        return ended(state, rebuild, 'CANCELLED', event.data.cancelledAt);
      case 'ProjectionRebuildFailed':
        return ended(state, rebuild, 'FAILED', event.data.failedAt, event.data.reason);
    }
  },
};

const ended = (
  state: ProjectionControl,
  rebuild: Rebuild,
  status: EndedRebuild['status'],
  endedAt: string,
  reason: string | null = null,
): ProjectionControl => ({ ...state, rebuild: null, last: { ...rebuild, status, endedAt, reason } });

/** @throws DomainError conflict REBUILD_RUNNING */
export function requestRebuild(
  { rebuild }: ProjectionControl,
  data: { readonly rebuildId: string; readonly version: number },
  now: Date,
): ProjectionEvent[] {
  if (rebuild?.id === data.rebuildId) return [];
  if (rebuild)
    throw conflict(
      'REBUILD_RUNNING',
      'The projection is already being rebuilt. Wait for the rebuild to end, or cancel it.',
    );
  return [{ type: 'ProjectionRebuildRequested', data: { ...data, requestedAt: now.toISOString() } }];
}

/** @throws DomainError conflict NO_REBUILD; REBUILD_ENDING after the comparison, just before the cutover */
export function cancelRebuild({ rebuild }: ProjectionControl, _: object, now: Date): ProjectionEvent[] {
  if (!rebuild) throw conflict('NO_REBUILD', 'The projection is not being rebuilt.');
  if (rebuild.compared)
    throw conflict('REBUILD_ENDING', 'The rebuild is complete and about to cut over. It can no longer be cancelled.');
  return [{ type: 'ProjectionRebuildCancelled', data: { rebuildId: rebuild.id, cancelledAt: now.toISOString() } }];
}

/** A step of a rebuild. */
export type RebuildStep =
  | { readonly kind: 'began'; readonly generation: number }
  | ({ readonly kind: 'compared' } & Comparison)
  | { readonly kind: 'done'; readonly generation: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Records nothing if the rebuild was cancelled, or if another leader completed it. */
export function noteRebuild(
  { rebuild }: ProjectionControl,
  { rebuildId: id, step }: { readonly rebuildId: string; readonly step: RebuildStep },
  now: Date,
): ProjectionEvent[] {
  if (rebuild?.id !== id) return [];
  const at = now.toISOString();
  switch (step.kind) {
    case 'began':
      return [{ type: 'ProjectionRebuildBegan', data: { rebuildId: id, generation: step.generation, beganAt: at } }];
    case 'compared': {
      const { position, changedDocuments } = step;
      const data = { rebuildId: id, position, changedDocuments, comparedAt: at };
      return [{ type: 'ProjectionRebuildCompared', data }];
    }
    case 'done':
      return [{ type: 'ProjectionRebuilt', data: { rebuildId: id, generation: step.generation, rebuiltAt: at } }];
    case 'failed':
      return [{ type: 'ProjectionRebuildFailed', data: { rebuildId: id, reason: step.reason, failedAt: at } }];
  }
}
