import type { Logger } from '../ports/log.js';
import type { AnyTable, DocumentKey, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventBatch } from '../ports/event-store.js';
import type { Recorded } from './event-catalogue.js';
import type { Comparison, RebuildStep } from './projection-control.js';
import { persistently } from './persistently.js';
import { clearMarks, marksOf, type ProjectionMark } from './projection-marks.js';
import type { ProjectionLetters } from './projection-quarantine.js';
import { countDiffering, differing } from './projection-tables.js';
import { checkpointKey } from './projection.js';
import type { Projector } from './projector.js';

/** Keeps a step of a rebuild durably; answers false where the rebuild is over by now: nothing of it counts then. */
export type RebuildReport = (projection: string, rebuildId: string, step: RebuildStep) => Promise<boolean>;

/** What feeds the live generations. */
export type RebuildHost = {
  readonly followed: number;
  liveOf(name: string): Projector | undefined;
  storeBatch(projectors: readonly Projector[], batch: EventBatch): Promise<readonly Recorded[]>;
  catchUp(projector: Projector, from: number, signal: AbortSignal): Promise<number | undefined>;
  turn<T>(task: () => Promise<T>): Promise<T>;
  replace(next: Projector): void;
  retire(projector: Projector): void;
};

/** What a swap needs of the runner's. */
export type SwapParts = {
  readonly store: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly letters: ProjectionLetters;
  readonly report: RebuildReport;
};

/** Every replica looks for live generations four times a second, and none answers from what it saw 2 s ago. */
const FED_AFTER_SWAP_MS = 5_000;
const KEPT_AFTER_SWAP_MS = 10_000;
/** Documents beyond these many that differ are counted without a second look. */
const MAX_SUSPECTS = 200_000;

/** Takes a projector out of the batches; nothing is written by it afterwards. */
export const retire = (host: RebuildHost, projector: Projector): Promise<void> =>
  host.turn(() => {
    host.retire(projector);
    return Promise.resolve();
  });

/** How a new generation that has everything takes the place of the live one, and what becomes of that one. */
export class ProjectionSwap {
  private readonly after = new Set<Promise<unknown>>();

  constructor(
    private readonly parts: SwapParts,
    private readonly host: RebuildHost,
    private readonly stopping: AbortSignal,
  ) {}

  /** Compares at one position, tells, swaps. False where it was halted or ended before. */
  async finish(
    live: Projector,
    projector: Projector,
    rebuildId: string,
    joinedAt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, clock, report } = this.parts;
    const { name, target } = projector;
    const suspects: DocumentKey[] = [];
    let unchecked = 0;
    for await (const key of differing(store, live.target.table, target.table)) {
      if (signal.aborted || projector.halted) return false;
      if (suspects.length < MAX_SUSPECTS) suspects.push(key);
      else unchecked += 1;
    }
    for (;;) {
      const swapped = await this.host.turn(async () => {
        if (signal.aborted || projector.halted) return false;
        // It may have begun a little ahead of the others.
        if (this.host.followed < joinedAt) return undefined;
        const differ = await countDiffering(store, live.target.table, target.table, suspects);
        const compared: Comparison = { position: this.host.followed, changedDocuments: differ + unchecked };
        if (!(await report(name, rebuildId, { kind: 'compared', ...compared }))) return false;
        if (!(await this.makeLive(target.table))) return false;
        this.host.replace(projector);
        return true;
      });
      if (swapped !== undefined) {
        if (swapped) await this.swapped(live, projector, rebuildId);
        return swapped;
      }
      await clock.sleep(20, signal);
    }
  }

  /** Until its answer comes: it may be live though none came. Whether it is, only the end of the process leaves open. */
  private async makeLive({ model, generation }: AnyTable): Promise<boolean | undefined> {
    const { store, clock, logger } = this.parts;
    const attempt = async (): Promise<true> => {
      await store.setLiveGeneration(model.name, model.version, generation);
      return true;
    };
    return persistently(clock, this.stopping, attempt, (error) => {
      logger.warn({ err: error, projection: model.name }, 'a rebuild could not be made live; it is tried again');
    });
  }

  private async swapped(old: Projector, projector: Projector, rebuildId: string): Promise<void> {
    const { clock, logger, report } = this.parts;
    const { name, target } = projector;
    const { generation } = target.table;
    logger.info({ projection: name, generation }, 'a rebuild is live');
    // Before it is told, which may fail.
    this.later(async () => {
      await this.clear(old.target.table, generation);
      await clock.sleep(FED_AFTER_SWAP_MS, this.stopping);
      await retire(this.host, old);
      await clock.sleep(KEPT_AFTER_SWAP_MS, this.stopping);
      if (!this.stopping.aborted) await this.remove(old.target.table);
    });
    await report(name, rebuildId, { kind: 'done', generation });
  }

  /** Settles the letters of what a generation lacked and the live one has, and forgets what it lacked. */
  private async clear({ model, generation }: AnyTable, live: number): Promise<void> {
    const { store, letters } = this.parts;
    const own = checkpointKey(model, generation);
    const left = await marksOf(store, own);
    if (left.length === 0) return;
    const lacking = await marksOf(store, checkpointKey(model, live));
    const lacks = ({ eventId, position }: ProjectionMark): boolean =>
      lacking.some((mark) => mark.eventId === eventId || (mark.kind === 'projection' && mark.position <= position));
    for (const mark of left) if (!lacks(mark)) await letters.settle(model.name, mark);
    await clearMarks(store, own);
  }

  /** Removes a generation with all that speaks of it; never the one that is read. */
  private async remove(table: AnyTable): Promise<void> {
    const { store } = this.parts;
    const live = await store.liveGeneration(table.model.name, table.model.version);
    if (live === undefined || live === table.generation) return;
    await this.clear(table, live);
    await store.drop(table);
  }

  /** Removes a generation that nobody has read yet. */
  giveUp(table: AnyTable): void {
    this.later(() => this.remove(table));
  }

  /** Removes generations that were left behind. */
  dropOld(projectors: readonly Projector[]): void {
    this.later(async () => {
      await this.parts.clock.sleep(KEPT_AFTER_SWAP_MS, this.stopping);
      for (const { target } of projectors) await this.dropBefore(target.table);
    });
  }

  /**
   * Generations that no reader looks at any more, where the process that was to remove them did not come to it. One that
   * is being filled has a higher number than the live one.
   */
  private async dropBefore({ model, generation }: AnyTable): Promise<void> {
    for (let old = Math.max(1, generation - 3); old < generation && !this.stopping.aborted; old += 1)
      await this.remove({ model, generation: old });
  }

  /** Does something beside the rebuilds; from its beginning again where it fails. */
  later(work: () => Promise<void>): void {
    const { clock, logger } = this.parts;
    const task = persistently(clock, this.stopping, work, (error) => {
      logger.warn({ err: error }, 'what goes with rebuilds failed; it is tried again');
    });
    this.after.add(task);
    void task.then(() => this.after.delete(task));
  }

  /** When nothing of it goes on any more. */
  async settled(): Promise<void> {
    await Promise.all(this.after);
  }
}
