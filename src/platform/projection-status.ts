import type { EventStore, Position } from '../ports/event-store.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { EventCatalogue } from './event-catalogue.js';
import { projectionAggregate, type EndedRebuild, type Rebuild } from './projection-control.js';
import { checkpointKey } from './projection.js';
import type { Progress } from './progress.js';
import type { RecordReader } from './record-reader.js';
import { lastOwnEvent } from './stream-events.js';
import { PLATFORM_TENANT } from './stream-name.js';

type Model = AnyTable['model'];

/** How a projection is doing, as operators see it. */
export type ProjectionState = {
  readonly name: string;
  /** Of the model, in this replica's code. */
  readonly version: number;
  /** The one that is read. */
  readonly generation: number;
  /** Everything up to it is in the documents; −1 before the first event. */
  readonly position: Position;
  /** Of the last event of the service. */
  readonly head: Position;
  readonly isStopped: boolean;
  readonly rebuild: (Rebuild & { readonly position: Position }) | null;
  readonly lastRebuild: EndedRebuild | null;
};

/** Looks up how far projections and their rebuilds are, whichever replica does the work. */
export class ProjectionStatus {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly reader: RecordReader,
    private readonly progress: Progress,
    private readonly models: readonly Model[],
  ) {}

  /** The version of the projection in this replica's code; undefined where there is none of that name. */
  versionOf(name: string): number | undefined {
    return this.models.find((model) => model.name === name)?.version;
  }

  /** All of them, by name. @throws EventStoreUnavailable, ReadStoreUnavailable */
  async all(): Promise<readonly ProjectionState[]> {
    const head = await lastOwnEvent(this.events, this.catalogue);
    const states = await Promise.all(this.models.map((model) => this.stateOf(model, head)));
    return states.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  private async stateOf({ name, version }: Model, head: Position): Promise<ProjectionState> {
    const { state: control } = await this.reader.read(projectionAggregate, PLATFORM_TENANT, name);
    const generation = (await this.store.liveGeneration(name, version)) ?? 1;
    const position = await this.store.checkpoint(checkpointKey({ name, version }, generation));
    const { rebuild, last: lastRebuild } = control;
    const filled = rebuild?.generation
      ? await this.store.checkpoint(checkpointKey({ name, version: rebuild.version }, rebuild.generation))
      : -1;
    return {
      name,
      version,
      generation,
      position,
      head: Math.max(head, position),
      isStopped: this.progress.isStopped(name),
      rebuild: rebuild && { ...rebuild, position: filled },
      lastRebuild,
    };
  }
}
