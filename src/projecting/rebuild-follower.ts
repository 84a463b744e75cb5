import type { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { modelPart, positionsIn } from '../eventsourcing/ranges.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { GenerationFeed } from './generation-feed.js';
import { readPositions } from './project.js';
import { projectionAggregate, type ProjectionEvent, type Rebuild } from './projection-control.js';
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

  /** Joins the open rebuild of a projection, if there is one, and catches up on a missed cutover. */
  join(name: string): void {
    const { feed, reader, later } = this.parts;
    // Within the turn, `react` cannot handle the end of the rebuild between reading its state and following it.
    later(() =>
      feed.turn(async () => {
        const { rebuild } = (await reader.read(projectionAggregate, PLATFORM_TENANT, name)).state;
        await this.cutOverIfMissed(name);
        if (rebuild) await this.follow(name, rebuild);
      }),
    );
  }

  /**
   * Cuts over if another process did so after this process had read the live generation. Call it after reading the state
   * of the rebuild: if the rebuild has ended by then, the store contains the new live generation.
   */
  catchUpOnCutover(name: string): Promise<void> {
    return this.parts.feed.turn(() => this.cutOverIfMissed(name));
  }

  react(name: string, { type, data }: ProjectionEvent): void {
    if (type === 'ProjectionRebuildBegan') this.join(name);
    const rebuild = this.followed.get(data.rebuildId);
    if (!rebuild) return;
    const { old, next } = rebuild;
    if (type === 'ProjectionRebuilt') this.cutOver(old, next);
    else if (type === 'ProjectionRebuildCancelled' || type === 'ProjectionRebuildFailed') next.become('retired');
    else return;
    this.followed.delete(data.rebuildId);
  }

  private async follow(name: string, { id, generation, version }: Rebuild): Promise<void> {
    const old = this.parts.feed.liveOf(name);
    if (!old || generation === null || version !== old.table.model.version) return;
    if (generation <= old.table.generation || this.hasGeneration(name, generation)) return;
    const next = await addNext(this.parts, old, generation);
    this.followed.set(id, { old, next });
    this.parts.later(() => this.feed(next));
  }

  private async cutOverIfMissed(name: string): Promise<void> {
    const { store, feed, later } = this.parts;
    const old = feed.liveOf(name);
    if (!old) return;
    const live = (await store.liveGeneration(name, old.table.model.version)) ?? 0;
    // If the feed already contains the generation, `react` will cut over to it.
    if (live <= old.table.generation || this.hasGeneration(name, live)) return;
    const next = await addNext(this.parts, old, live);
    this.cutOver(old, next);
    later(() => this.feed(next));
  }

  private hasGeneration(name: string, generation: number): boolean {
    return this.parts.feed.all().some((one) => one.name === name && one.table.generation === generation);
  }

  private cutOver(old: Projector, next: Projector): void {
    this.parts.feed.cutOver(old, next);
    this.parts.later(() => this.parts.retireLater(old));
  }

  private async feed(next: Projector): Promise<void> {
    const { feed } = this.parts;
    await feed.build([next]);
    await feed.catchUp([next]);
    if (next.phase === 'retired') await feed.retire(next);
  }
}
