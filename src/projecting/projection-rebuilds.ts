import type { AnyTable } from '../ports/read-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { candidates, countChanged, countSettled } from './generation-comparison.js';
import type { GenerationFeed } from './generation-feed.js';
import {
  projectionAggregate,
  type ProjectionControl,
  type ProjectionEvent,
  type Rebuild,
  type RebuildStep,
} from './projection-control.js';
import {
  changeQuarantine,
  quarantineOf,
  type ProjectionQuarantine,
  type QuarantineEntry,
} from './projection-quarantine.js';
import type { ProjectionRunnerParts } from './projection-runner.js';
import { checkpointKey } from './projection.js';
import type { Projector } from './projector.js';
import { addNext, isFed, pausing, RebuildFollower } from './rebuild-follower.js';
import type { Portion } from '../eventsourcing/ranges.js';

/** Stores a step of a rebuild durably. Returns false without storing it if the rebuild has already ended. */
export type RebuildReport = (projection: string, rebuildId: string, step: RebuildStep) => Promise<boolean>;

type Parts = ProjectionRunnerParts & {
  readonly quarantine: ProjectionQuarantine;
  readonly feed: GenerationFeed;
  readonly stopping: AbortSignal;
  readonly portion: Portion;
};

/** Rebuilds start once no further request has arrived for this long, so that they share one pass over the history. */
const GATHER_MS = 250;
/**
 * Duration of updates to the old generation after the cutover. Every replica looks up the live generations up to twice
 * a second and uses no result older than 2 s.
 */
const FED_AFTER_CUTOVER_MS = 5_000;
const KEPT_AFTER_CUTOVER_MS = 10_000;
/** Number of earlier generations that may remain because a process ended before removing them. */
const MAX_LEFT_BEHIND = 3;

type Job = { readonly name: string; readonly rebuild: Rebuild; next?: Projector; isCancelled: boolean };
/** A started rebuild and its new generation. */
type Begun = { readonly job: Job; readonly old: Projector; readonly next: Projector };

/**
 * Builds new generations of projections alongside the live ones: building → catching up → following → live. Rebuilds
 * requested together share one pass over the history. Queries read the old generation until the cutover. If the process
 * ends, the next leader continues the rebuild from its checkpoint.
 */
export class ProjectionRebuilds {
  /** Open rebuilds, by id. */
  private readonly jobs = new Map<string, Job>();
  private running: Promise<void> | undefined;
  private readonly tasks = new Set<Promise<unknown>>();

  private readonly reader: RecordReader;
  private readonly follower: RebuildFollower;

  constructor(private readonly parts: Parts) {
    const reader = (this.reader = new RecordReader(parts.events, parts.catalogue, parts.clock));
    const later = this.later.bind(this);
    this.follower = new RebuildFollower({ ...parts, reader, later, retireLater: (old) => this.unfeed(old) });
  }

  /** Continues open rebuilds and removes generations left behind. */
  start(): void {
    const { feed, clock, stopping, portion } = this.parts;
    const live = feed.live();
    if (!portion.coordinates) {
      for (const { name } of live) this.follower.join(name);
      return;
    }
    this.later(async () => {
      for (const { name } of live) {
        const { rebuild } = await this.controlOf(name);
        await this.follower.catchUpOnCutover(name);
        if (rebuild) this.enqueue(name, rebuild);
      }
    });
    this.later(async () => {
      await clock.sleep(KEPT_AFTER_CUTOVER_MS, stopping);
      for (const { table } of live)
        for (let left = MAX_LEFT_BEHIND; left > 0; left -= 1)
          if (table.generation > left) await this.remove({ ...table, generation: table.generation - left });
    });
  }

  /** Handles rebuild requests and cancellations. */
  react(event: Recorded): void {
    if (event.entity !== projectionAggregate.name) return;
    const requested = event as unknown as ProjectionEvent;
    if (!this.parts.portion.coordinates) {
      this.follower.react(event.recordId, requested);
      return;
    }
    const { type, data } = requested;
    if (type === 'ProjectionRebuildRequested') {
      const { rebuildId: id, version, requestedAt } = data;
      this.enqueue(event.recordId, { id, version, requestedAt, generation: null, compared: null });
    }
    if (type !== 'ProjectionRebuildCancelled') return;
    const cancelled = this.jobs.get(data.rebuildId);
    if (!cancelled) return;
    cancelled.isCancelled = true;
    cancelled.next?.become('retired');
  }

  async stop(): Promise<void> {
    await this.running;
    await Promise.all(this.tasks);
  }

  private enqueue(name: string, rebuild: Rebuild): void {
    if (this.jobs.has(rebuild.id) || this.parts.stopping.aborted) return;
    // Replicas that run another version of the model elect a separate leader.
    if (this.parts.feed.liveOf(name)?.table.model.version !== rebuild.version) return;
    this.jobs.set(rebuild.id, { name, rebuild, isCancelled: false });
    this.running ??= this.work().finally(() => (this.running = undefined));
  }

  private async work(): Promise<void> {
    const { clock, stopping } = this.parts;
    while (this.jobs.size > 0 && !stopping.aborted) {
      for (let known = 0; this.jobs.size > known;) {
        known = this.jobs.size;
        await clock.sleep(GATHER_MS, stopping);
      }
      await this.retry('rebuilds failed; retrying', () => this.rebuild([...this.jobs.values()]));
    }
  }

  /** Runs each job to its end: live, failed or cancelled. Jobs interrupted by a shutdown remain open. */
  private async rebuild(jobs: readonly Job[]): Promise<void> {
    const { feed } = this.parts;
    const begun: Begun[] = [];
    try {
      for (const job of jobs) {
        const one = await this.begin(job);
        if (one) begun.push(one);
        else this.jobs.delete(job.rebuild.id);
      }
      await feed.build(begun.map(({ next }) => next));
      for (const one of begun) await this.complete(one);
    } finally {
      for (const { next } of begun) if (!next.isLive) await feed.retire(next);
    }
  }

  /** Starts or resumes a rebuild. Returns undefined if it has ended. */
  private async begin(job: Job): Promise<Begun | undefined> {
    const { logger, reportRebuild, feed } = this.parts;
    const { name, rebuild } = job;
    const control = await this.controlOf(name);
    await this.follower.catchUpOnCutover(name);
    const old = feed.liveOf(name);
    if (!old || control.rebuild?.id !== rebuild.id) return undefined;
    const live = old.table.generation;
    if (control.rebuild.generation === live) {
      // The previous leader ended after the cutover but before reporting it.
      await reportRebuild(name, rebuild.id, { kind: 'done', generation: live });
      return undefined;
    }
    const generation = control.rebuild.generation ?? Math.max(live, control.lastGeneration) + 1;
    if (!(await reportRebuild(name, rebuild.id, { kind: 'began', generation }))) return undefined;
    logger.info({ projection: name, generation }, 'a rebuild started');
    const next = await addNext(this.parts, old, generation);
    job.next = next;
    if (job.isCancelled) next.become('retired');
    return { job, old, next };
  }

  private async complete(one: Begun): Promise<void> {
    const { feed, logger, reportRebuild } = this.parts;
    const { job, next } = one;
    const { name, rebuild, isCancelled } = job;
    if (!((await feed.catchUp([next])) && (await this.cutOver(one)))) {
      if (next.stoppedAt) {
        const reason = `The event ${next.stoppedAt.eventId} of ${next.stoppedAt.stream} cannot be folded.`;
        await reportRebuild(name, rebuild.id, { kind: 'failed', reason });
      } else if (!job.isCancelled) return;
      await feed.retire(next);
      this.later(() => this.remove(next.table));
      logger.info({ projection: name, generation: next.table.generation, isCancelled }, 'a rebuild was abandoned');
    }
    this.jobs.delete(rebuild.id);
  }

  /**
   * Compares both generations at one position, reports the result and cuts over. Returns false if the rebuild ends
   * before the cutover.
   */
  private async cutOver({ job, old, next }: Begun): Promise<boolean> {
    const { store, clock, logger, reportRebuild, feed, stopping } = this.parts;
    const { name, rebuild } = job;
    const [one, other] = [old.table, next.table];
    const isOver = (): boolean => stopping.aborted || next.phase !== 'following';
    const pause = pausing(clock, stopping, isOver);
    if (!(await isFed(store, next, await feed.containedUpTo(), pause))) return false;
    // When the new generation joined, it may have been slightly ahead of the shared subscription.
    const joinedAt = await feed.containedUpTo(next.position);
    const { keys, more } = await candidates(store, one, other, () => !isOver());
    // Other processes are writing to their ranges, so differences may be temporary.
    const isDivided = next.portion.ranges !== undefined;
    const settled = isDivided ? more + (await countSettled(store, one, other, keys, pause)) : 0;
    while (!isOver()) {
      const isLive = await feed.turn(async () => {
        if (isOver()) return false;
        if (feed.position < joinedAt) return undefined;
        const changedDocuments = isDivided ? settled : more + (await countChanged(store, one, other, keys));
        const compared = { kind: 'compared', position: feed.position, changedDocuments } as const;
        if (!(await reportRebuild(name, rebuild.id, compared)) || !(await this.makeLive(next))) return false;
        feed.cutOver(old, next);
        return true;
      });
      if (isLive === false) return false;
      if (isLive === undefined) {
        await clock.sleep(20, stopping);
        continue;
      }
      const { generation } = next.table;
      logger.info({ projection: name, generation }, 'a rebuild has cut over');
      // Schedule the removal first, because the report may fail.
      this.later(() => this.retire(old, generation));
      await reportRebuild(name, rebuild.id, { kind: 'done', generation });
      return true;
    }
    return false;
  }

  private async unfeed(old: Projector): Promise<void> {
    const { clock, feed, stopping } = this.parts;
    await clock.sleep(FED_AFTER_CUTOVER_MS, stopping);
    await feed.retire(old);
  }

  /** Retries until the call succeeds, because a failed call may nevertheless have taken effect. */
  private async makeLive({ table }: Projector): Promise<boolean> {
    const { model, generation } = table;
    const isLive = await this.retry('the cutover of a rebuild failed; retrying', async () => {
      await this.parts.store.setLiveGeneration(model.name, model.version, generation);
      return true;
    });
    return isLive ?? false;
  }

  private async retire(old: Projector, live: number): Promise<void> {
    const { clock, stopping } = this.parts;
    await this.release(old.table, live);
    await this.unfeed(old);
    await clock.sleep(KEPT_AFTER_CUTOVER_MS, stopping);
    if (!stopping.aborted) await this.remove(old.table);
  }

  /** Settles the letters for events that only the live generation contains. Clears the old generation's quarantine. */
  private async release({ model, generation }: AnyTable, live: number): Promise<void> {
    const { store, letters } = this.parts;
    const own = checkpointKey(model, generation);
    const entries = await quarantineOf(store, own);
    if (entries.length === 0) return;
    const lacking = await quarantineOf(store, checkpointKey(model, live));
    const isLacking = ({ eventId, position }: QuarantineEntry): boolean =>
      lacking.some((entry) => entry.eventId === eventId || (entry.kind === 'projection' && entry.position <= position));
    for (const entry of entries) if (!isLacking(entry)) await letters.settle(model.name, entry);
    await changeQuarantine(store, own, () => []);
  }

  /** Removes a generation and its quarantine, unless it is live. */
  private async remove(table: AnyTable): Promise<void> {
    const { store, stopping } = this.parts;
    const live = await store.liveGeneration(table.model.name, table.model.version);
    if (live === undefined || live === table.generation || stopping.aborted) return;
    await this.release(table, live);
    await store.drop(table);
  }

  private retry<T>(message: string, work: () => Promise<T>): Promise<T | undefined> {
    const { clock, logger, stopping } = this.parts;
    return retryForever(clock, stopping, work, (err) => {
      logger.warn({ err, projections: [...this.jobs.values()].map(({ name }) => name) }, message);
    });
  }

  /** Runs a task in the background, restarting it from the beginning on failure. */
  private later(work: () => Promise<void>): void {
    const task = this.retry('a task after a rebuild failed; retrying', work);
    this.tasks.add(task);
    void task.then(() => this.tasks.delete(task));
  }

  private async controlOf(name: string): Promise<ProjectionControl> {
    return (await this.reader.read(projectionAggregate, PLATFORM_TENANT, name)).state;
  }
}
