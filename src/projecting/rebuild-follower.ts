import type { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { modelPart, positionsIn } from '../eventsourcing/ranges.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { GenerationFeed } from './generation-feed.js';
import { readPositions } from './project.js';
import { projectionAggregate, type ProjectionEvent } from './projection-control.js';
import type { ProjectionQuarantine } from './projection-quarantine.js';
import type { ProjectionRunnerParts } from './projection-runner.js';
import { Projector } from './projector.js';

type Parts = Pick<ProjectionRunnerParts, 'store'> & {
  readonly quarantine: ProjectionQuarantine;
  readonly feed: GenerationFeed;
  readonly reader: RecordReader;
  /** Runs a task in the background and retries it until it succeeds. */
  readonly later: (task: () => Promise<void>) => void;
  /** Stops feeding a generation some time after the cutover. */
  readonly retireLater: (old: Projector) => Promise<void>;
};

/** Prepares a new generation alongside the live one and adds it to the feed. */
export async function addNext(
  { store, quarantine, feed }: Pick<Parts, 'store' | 'quarantine' | 'feed'>,
  { projection, portion, table: { model } }: Projector,
  generation: number,
): Promise<Projector> {
  const table = { model, generation };
  await store.prepare([table], { bulk: true });
  const next = new Projector(store, { projection, table, portion });
  next.isLive = false;
  await readPositions(store, [next]);
  await quarantine.open(next);
  feed.add(next);
  return next;
}

const LOOK_EVERY_MS = 100;

/** Creates a function that waits briefly and then resolves to whether the rebuild is still in progress. */
export const pausing = (clock: Clock, stopping: AbortSignal, isOver: () => boolean) => async (): Promise<boolean> => {
  await clock.sleep(LOOK_EVERY_MS, stopping);
  return !isOver();
};

/**
 * Resolves to true once every range of a generation contains the history up to a position. Resolves to false once
 * `pause` resolves to false.
 */
export async function isFed(
  store: ReadStore,
  { checkpointKey, portion }: Projector,
  position: Position,
  pause: () => Promise<boolean>,
): Promise<boolean> {
  const positionOf = async () => (await positionsIn(store, [checkpointKey], modelPart))[0] ?? BEFORE_ALL;
  while (portion.ranges && (await positionOf()) < position) if (!(await pause())) return false;
  return true;
}

/**
 * In rebuilds coordinated by another process, builds this process's ranges, and cuts over after the coordinator does.
 */
export class RebuildFollower {
  /** New generations of open rebuilds, by the id of the rebuild. */
  private readonly followed = new Map<string, { readonly old: Projector; readonly next: Projector }>();

  constructor(private readonly parts: Parts) {}

  /** Joins the open rebuild of a projection, if there is one. */
  join(name: string): void {
    this.parts.later(() => this.follow(name));
  }

  react(name: string, { type, data }: ProjectionEvent): void {
    if (type === 'ProjectionRebuildBegan') this.join(name);
    const rebuild = this.followed.get(data.rebuildId);
    if (!rebuild) return;
    const { old, next } = rebuild;
    if (type === 'ProjectionRebuilt') {
      this.parts.feed.cutOver(old, next);
      this.parts.later(() => this.parts.retireLater(old));
    } else if (type === 'ProjectionRebuildCancelled' || type === 'ProjectionRebuildFailed') next.become('retired');
    else return;
    this.followed.delete(data.rebuildId);
  }

  private async follow(name: string): Promise<void> {
    const { feed, reader } = this.parts;
    const { rebuild } = (await reader.read(projectionAggregate, PLATFORM_TENANT, name)).state;
    const old = feed.liveOf(name);
    if (!old || !rebuild || rebuild.generation === null || rebuild.version !== old.table.model.version) return;
    if (rebuild.generation === old.table.generation) return;
    const known = this.followed.get(rebuild.id)?.next;
    const next = known ?? (await addNext(this.parts, old, rebuild.generation));
    this.followed.set(rebuild.id, { old, next });
    await feed.build([next]);
    await feed.catchUp([next]);
    if (next.phase === 'retired') await feed.retire(next);
  }
}
