import { BEFORE_ALL, type EventStore, type Position } from '../ports/event-store.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { lastOwnEvent } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { projectionAggregate, type EndedRebuild } from './projection-control.js';
import { quarantineOf } from './projection-quarantine.js';
import { checkpointKey } from './projection.js';
import type { Progress } from './progress.js';
import { modelPart, positionsIn } from '../eventsourcing/ranges.js';

type Model = AnyTable['model'];

/** The state of a projection, as displayed to operators. */
export type ProjectionState = {
  readonly name: string;
  /** Version of the read model in this replica's code. */
  readonly version: number;
  /** The live generation. */
  readonly generation: number;
  /** The documents contain every event up to and including this position; −1 before the first event. */
  readonly position: Position;
  /** Position of the service's last event. */
  readonly head: Position;
  /** Difference between `head` and `position`. */
  readonly lag: number;
  readonly status: 'LIVE' | 'CATCHING_UP' | 'REBUILDING' | 'STOPPED' | 'FAILED';
  /** Number of documents that are incomplete because one of their events cannot be applied. */
  readonly incompleteDocuments: number;
  readonly rebuild: {
    /** Progress of the rebuild in percent, 0–99. */
    readonly progress: number;
    readonly position: Position;
    /** Null until the new generation has been compared with the live one. */
    readonly changedDocuments: number | null;
    readonly requestedAt: string;
  } | null;
  readonly lastRebuild:
    | (Pick<EndedRebuild, 'status' | 'requestedAt' | 'endedAt' | 'reason'> & {
        readonly changedDocuments: number | null;
      })
    | null;
};

/** Looks up the progress of projections and rebuilds, whichever replica runs them. */
export class ProjectionStatus {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly reader: RecordReader,
    private readonly progress: Progress,
    private readonly models: readonly Model[],
  ) {}

  /** Returns the version of the projection in this replica's code; undefined if the projection does not exist. */
  versionOf(name: string): number | undefined {
    return this.models.find((model) => model.name === name)?.version;
  }

  /** Returns all projections, ordered by name. @throws EventStoreUnavailable, ReadStoreUnavailable */
  async all(): Promise<readonly ProjectionState[]> {
    const head = await lastOwnEvent(this.events, this.catalogue);
    const states = await Promise.all(this.models.map((model) => this.stateOf(model, head)));
    return states.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  private async stateOf({ name, version }: Model, head: Position): Promise<ProjectionState> {
    const { state } = await this.reader.read(projectionAggregate, PLATFORM_TENANT, name);
    const { rebuild, last } = state;
    const generation = (await this.store.liveGeneration(name, version)) ?? 1;
    const position = await this.positionOf({ name, version }, generation);
    const quarantined = await quarantineOf(this.store, checkpointKey({ name, version }, generation));
    const built = rebuild?.generation
      ? await this.positionOf({ name, version: rebuild.version }, rebuild.generation)
      : BEFORE_ALL;
    return {
      ...{ name, version, generation, position, head },
      lag: Math.max(0, head - position),
      status: this.statusOf(name, rebuild !== null, position < head),
      incompleteDocuments: quarantined.filter(({ kind }) => kind === 'document').length,
      rebuild: rebuild && {
        progress: progressOf(built, head),
        position: built,
        changedDocuments: rebuild.compared?.changedDocuments ?? null,
        requestedAt: rebuild.requestedAt,
      },
      lastRebuild: last && {
        status: last.status,
        changedDocuments: last.compared?.changedDocuments ?? null,
        requestedAt: last.requestedAt,
        endedAt: last.endedAt,
        reason: last.reason,
      },
    };
  }

  /** Returns the position that all ranges have reached. */
  private async positionOf(model: Pick<Model, 'name' | 'version'>, generation: number): Promise<Position> {
    return (await positionsIn(this.store, [checkpointKey(model, generation)], modelPart))[0] ?? BEFORE_ALL;
  }

  private statusOf(name: string, isRebuilding: boolean, isBehind: boolean): ProjectionState['status'] {
    const standing = this.progress.standing(name);
    if (standing === 'stopped') return 'STOPPED';
    if (standing === 'failed') return 'FAILED';
    if (isRebuilding) return 'REBUILDING';
    return isBehind ? 'CATCHING_UP' : 'LIVE';
  }
}

/** Capped at 99, because a rebuild is complete only after the cutover. */
const progressOf = (position: Position, head: Position): number =>
  head <= 0 ? 0 : Math.min(99, Math.max(0, Math.floor((100 * position) / head)));
