import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, EventReader } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { AnyTable, DocumentKey, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import {
  projectionAggregate,
  type Comparison,
  type ProjectionControl,
  type ProjectionEvent,
  type Rebuild,
  type RebuildStep,
} from './projection-control.js';
import { clearMarks } from './projection-marks.js';
import type { ProjectionLetters, ProjectionQuarantine } from './projection-quarantine.js';
import { countDiffering, differing } from './projection-tables.js';
import { prefixesOf } from './projection.js';
import { Projector } from './projector.js';
import { eventsOf } from './stream-events.js';
import { PLATFORM_TENANT, streamName } from './stream-name.js';

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

type Parts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly letters: ProjectionLetters;
  readonly report: RebuildReport;
};

/** Every replica looks for live generations four times a second, and none answers from what it saw 2 s ago. */
const FED_AFTER_SWAP_MS = 5_000;
const KEPT_AFTER_SWAP_MS = 10_000;
const BATCH = 500;
/** Documents beyond these many that differ are counted without a second look. */
const MAX_SUSPECTS = 200_000;
const TRY_AGAIN_MS = 1_000;

type Job = { readonly name: string; readonly rebuild: Rebuild; readonly abort: AbortController };

/**
 * Builds new generations of projections beside the live ones, one after another: filled from the history, fed with the
 * live one until both have the same, compared, and swapped. Whoever reads sees the old documents until then, and the new
 * ones from then on. A rebuild outlives the process: the next leader goes on where its checkpoint is.
 */
export class ProjectionRebuilds {
  private readonly jobs = new Map<string, Job>();
  private readonly waiting: Job[] = [];
  private readonly after = new Set<Promise<void>>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly host: RebuildHost,
    private readonly quarantine: ProjectionQuarantine,
    private readonly stopping: AbortSignal,
  ) {}

  /** Takes up what was asked for before, and removes generations that were left behind. */
  start(projectors: readonly Projector[]): void {
    this.later(async () => {
      for (const { name } of projectors) {
        const { rebuild } = await this.controlOf(name);
        if (rebuild) this.enqueue(name, rebuild);
      }
    });
    this.later(async () => {
      await this.parts.clock.sleep(KEPT_AFTER_SWAP_MS, this.stopping);
      for (const { target } of projectors) await this.dropBefore(target.table);
    });
  }

  /** Hears what operators ask. */
  react(event: Recorded): void {
    if (event.entity !== projectionAggregate.name) return;
    const { type, data } = event as unknown as ProjectionEvent;
    if (type === 'ProjectionRebuildRequested') {
      const { rebuildId: id, version, requestedAt } = data;
      this.enqueue(event.recordId, { id, version, requestedAt, generation: null, compared: null });
    }
    if (type === 'ProjectionRebuildCancelled') this.jobs.get(data.rebuildId)?.abort.abort();
  }

  async stop(): Promise<void> {
    await this.running;
    await Promise.all(this.after);
  }

  private enqueue(name: string, rebuild: Rebuild): void {
    if (this.jobs.has(rebuild.id) || this.stopping.aborted) return;
    // A replica with another version of the model has a leader of its own.
    if (this.host.liveOf(name)?.target.table.model.version !== rebuild.version) return;
    const job = { name, rebuild, abort: new AbortController() };
    this.jobs.set(rebuild.id, job);
    this.waiting.push(job);
    this.running ??= this.work().finally(() => (this.running = undefined));
  }

  private async work(): Promise<void> {
    for (let job = this.waiting.shift(); job && !this.stopping.aborted; job = this.waiting.shift())
      await this.keep(job);
  }

  /** Does it, again and again where an engine is away, until it is done, refused or cancelled. */
  private async keep(job: Job): Promise<void> {
    const signal = AbortSignal.any([this.stopping, job.abort.signal]);
    const { name, rebuild } = job;
    while (!signal.aborted)
      try {
        await this.build(job, signal);
        break;
      } catch (error) {
        this.parts.logger.warn({ err: error, projection: name }, 'the rebuild is tried again');
        await this.parts.clock.sleep(TRY_AGAIN_MS, signal);
      }
    this.jobs.delete(rebuild.id);
  }

  private async build({ name, rebuild, abort }: Job, signal: AbortSignal): Promise<void> {
    const { store, logger, report } = this.parts;
    const live = this.host.liveOf(name);
    if (!live) return;
    const control = await this.controlOf(name);
    if (control.rebuild?.id !== rebuild.id) return;
    const generation = control.rebuild.generation ?? Math.max(live.target.table.generation, control.lastGeneration) + 1;
    if (!(await report(name, rebuild.id, { kind: 'began', generation }))) return;
    const table: AnyTable = { model: live.target.table.model, generation };
    logger.info({ projection: name, generation }, 'a rebuild begins');
    await store.prepare([table], { bulk: true });
    const projector = new Projector(store, { projection: live.projection, table }, 50_000, true);
    const joinedAt = await this.fill(projector, signal);
    if (joinedAt !== undefined && (await this.finish(live, projector, rebuild.id, joinedAt, signal))) return;
    await this.retire(projector);
    if (projector.halted) {
      const { eventId, stream } = projector.halted;
      const reason = `The event ${eventId} of ${stream} cannot be folded.`;
      await report(name, rebuild.id, { kind: 'failed', reason });
    } else if (!abort.signal.aborted) return;
    // Refused or cancelled; one that the end of the process interrupts stays, for the next leader.
    await store.drop(table);
    logger.info({ projection: name, generation }, 'the rebuild is given up');
  }

  /** Answers the position from which on it is fed with the others; undefined where it does not come so far. */
  private async fill(projector: Projector, signal: AbortSignal): Promise<number | undefined> {
    const { events, store, catalogue } = this.parts;
    const prefixes = prefixesOf(projector.projection, catalogue.streamPrefixes);
    let position = await store.checkpoint(projector.checkpointKey);
    await this.quarantine.open(projector, position);
    const filter = { on: 'stream', prefixes } as const;
    for await (const batch of events.subscribeToAll({ after: position, filter, maxBatchSize: BATCH, signal })) {
      await this.host.storeBatch([projector], batch);
      position = batch.position;
      if (projector.halted || batch.caughtUp) break;
      await nextTurn();
    }
    if (projector.halted || signal.aborted) return undefined;
    projector.keepFew();
    await store.index(projector.target.table);
    return this.host.catchUp(projector, position, signal);
  }

  /** Compares at one position, tells, swaps. False where it was halted or ended before. */
  private async finish(
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
        await store.setLiveGeneration(name, target.table.model.version, target.table.generation);
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

  private async swapped(old: Projector, projector: Projector, rebuildId: string): Promise<void> {
    const { store, clock, letters, logger, report } = this.parts;
    const { name, target } = projector;
    const { generation } = target.table;
    logger.info({ projection: name, generation }, 'a rebuild is live');
    await report(name, rebuildId, { kind: 'done', generation });
    const missing = new Set(projector.staleMarks.map(({ eventId }) => eventId));
    const healed = [...old.staleMarks, ...(old.halted ? [old.halted] : [])];
    for (const mark of healed.filter(({ eventId }) => !missing.has(eventId))) await letters.settle(name, mark);
    this.later(async () => {
      await clock.sleep(FED_AFTER_SWAP_MS, this.stopping);
      await this.retire(old);
      await clock.sleep(KEPT_AFTER_SWAP_MS, this.stopping);
      if (!this.stopping.aborted) await store.drop(old.target.table);
      await clearMarks(store, old.checkpointKey);
    });
  }

  private retire(projector: Projector): Promise<void> {
    return this.host.turn(() => {
      this.host.retire(projector);
      return Promise.resolve();
    });
  }

  /**
   * Generations that no reader looks at any more, where the process that was to remove them did not come to it. One that
   * is being filled has a higher number than the live one.
   */
  private async dropBefore({ model, generation }: AnyTable): Promise<void> {
    for (let old = Math.max(1, generation - 3); old < generation && !this.stopping.aborted; old += 1)
      await this.parts.store.drop({ model, generation: old });
  }

  private async controlOf(name: string): Promise<ProjectionControl> {
    const { events, catalogue } = this.parts;
    const stream = streamName(projectionAggregate.name, PLATFORM_TENANT, name);
    let state = projectionAggregate.initial;
    for await (const event of eventsOf(events, stream))
      state = projectionAggregate.evolve(state, catalogue.decode(event) as unknown as ProjectionEvent, event.revision);
    return state;
  }

  private later(work: () => Promise<void>): void {
    const task = work().catch((error: unknown) => {
      this.parts.logger.warn({ err: error }, 'what follows a rebuild failed');
    });
    this.after.add(task);
    void task.then(() => this.after.delete(task));
  }
}
