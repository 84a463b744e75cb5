import { BEFORE_ALL, type EventBatch, type Position } from '../ports/event-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { ownStreams } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { ProjectionQuarantine } from './projection-quarantine.js';
import type { ProjectionRunnerParts } from './projection-runner.js';
import { counted, countWanted } from './projection.js';
import { checkpointsOf, project } from './project.js';
import { PoisonEvent, type Projector } from './projector.js';
import { buildTogether } from './shared-build.js';
import { narrowedTo, rangeOfStream, type Portion } from '../eventsourcing/ranges.js';

type Parts = ProjectionRunnerParts & {
  readonly quarantine: ProjectionQuarantine;
  readonly batchSize: number;
  readonly stopping: AbortSignal;
  readonly portion: Portion;
};

/**
 * Number of events per build batch. Requests on the same thread wait while a batch is folded, which takes about 40 ms
 * at this size.
 */
const BUILD_BATCH = 200;
const TURN = 'turn';
const PLATFORM_STREAM = `-${PLATFORM_TENANT}_`;
/** Interval for storing the checkpoints of ranges without events. Readers on other replicas may wait this long. */
const IDLE_RANGES_MS = 100;

/**
 * Feeds each generation according to its phase: through a shared build, through a separate catch-up subscription, or
 * through the subscription that all caught-up generations share.
 */
export class GenerationFeed {
  private readonly queue = new KeyedQueue();
  private readonly generations = new Set<Projector>();
  /** All generations in the `following` phase contain every event up to and including this position. */
  position: Position = BEFORE_ALL;
  /** The checkpoints of all ranges are at or beyond this position. */
  private stored: Position = BEFORE_ALL;
  private storedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {}

  /** Adds a generation. Its phase determines how it is fed. */
  add(projector: Projector): void {
    this.generations.add(projector);
  }

  /** Returns the live generation of a projection. */
  liveOf(name: string): Projector | undefined {
    return this.live().find((one) => one.name === name);
  }

  all(): readonly Projector[] {
    return [...this.generations];
  }

  live(): readonly Projector[] {
    return [...this.generations].filter(({ isLive }) => isLive);
  }

  /** Runs a task between two batches from the shared subscription. */
  turn<T>(task: () => Promise<T> | T): Promise<T> {
    return this.queue.run(TURN, async () => await task());
  }

  /**
   * Returns the position up to which another reader must fold the history to include every event in the feed. The feed
   * itself may have passed records that the engine wrote after the last event. Other subscriptions may not report these
   * records.
   */
  async containedUpTo(position = this.position): Promise<Position> {
    return Math.min(position, await this.parts.events.head());
  }

  /** Makes `next`, which may still have to catch up, the live generation. Must run inside `turn`. */
  cutOver(old: Projector, next: Projector): void {
    old.isLive = false;
    next.isLive = true;
    const position = next.phase === 'following' ? this.position : next.position;
    this.parts.onProgress(next.name, position, next.portion.ranges);
  }

  /** Removes a generation. Nothing is written to it after the promise resolves. */
  retire(projector: Projector): Promise<void> {
    return this.turn(() => {
      projector.become('retired');
      this.generations.delete(projector);
    });
  }

  /**
   * Builds empty generations up to the end of the history, then creates their indexes. Ends early for generations that
   * stop or are retired.
   */
  async build(projectors: readonly Projector[]): Promise<void> {
    const { store, stopping: signal, buildBatchSize: batchSize = BUILD_BATCH } = this.parts;
    const options = {
      batchSize,
      signal,
      store: (some: readonly Projector[], batch: EventBatch) => this.store(some, batch),
    };
    await this.retry(projectors, 'building read models failed; retrying', async () => {
      await buildTogether(this.parts, projectors, options);
      // A stopped live generation is still read, so it needs its indexes.
      for (const projector of projectors.filter(({ phase, isLive }) => phase === 'building' || isLive)) {
        if (signal.aborted) return;
        await store.index(projector.table);
        if (projector.phase === 'building') projector.become('catching-up');
      }
    });
  }

  /**
   * Feeds generations with one subscription until they enter the `following` phase. Generations that start from the
   * same position must share it, because reading and storing the events separately takes many times as long. Returns
   * false if a generation stops or is retired first, or if the process ends.
   */
  async catchUp(projectors: readonly Projector[]): Promise<boolean> {
    const message = 'catching up failed; retrying';
    const behind = (): readonly Projector[] => projectors.filter(({ phase }) => phase === 'catching-up');
    const isFollowing = await this.retry(projectors, message, async (gotOn) => {
      if (behind().length === 0) return false;
      for await (const batch of this.subscribe(Math.min(...behind().map(({ position }) => position)))) {
        await this.store(behind(), batch);
        gotOn();
        if (batch.caughtUp) await this.join(behind());
        if (behind().length === 0) return projectors.every(({ phase }) => phase === 'following');
      }
      return this.ended();
    });
    return isFollowing ?? false;
  }

  /** Runs the shared subscription. `after` is called within each batch's turn. */
  async follow(after: (events: readonly Recorded[]) => Promise<void>): Promise<void> {
    const { clock } = this.parts;
    const message = 'projections failed; they continue from their checkpoint';
    await this.retry(undefined, message, async (gotOn) => {
      for await (const batch of this.subscribe(this.position)) {
        await this.turn(async () => {
          const isDue = clock.monotonicMs() - this.storedAtMs >= IDLE_RANGES_MS;
          const events = await this.store(this.following(), batch, isDue ? undefined : 'touched');
          this.position = batch.position;
          if (isDue) this.noteStored(clock.monotonicMs());
          await after(events);
        });
        gotOn();
      }
      this.ended();
    });
  }

  /**
   * Keeps the checkpoints of ranges without events close to the checkpoints of other ranges. Does nothing if the
   * history is not divided.
   */
  async keepIdleRanges(): Promise<void> {
    const { clock, stopping, portion, logger } = this.parts;
    while (portion.ranges && !stopping.aborted) {
      await clock.sleep(IDLE_RANGES_MS, stopping);
      await this.turn(() => this.storeIdleRanges()).catch((err: unknown) => {
        logger.warn({ err }, 'the checkpoints of ranges without events could not be stored; retrying');
      });
    }
  }

  private async storeIdleRanges(): Promise<void> {
    const { position } = this;
    if (position === this.stored || this.parts.stopping.aborted) return;
    const following = this.following();
    await this.parts.store.write({ tables: [], checkpoints: checkpointsOf(following, position) });
    for (const projector of following) await this.advance(projector, 0, position);
    this.noteStored(this.parts.clock.monotonicMs());
  }

  private noteStored(nowMs: number): void {
    this.stored = this.position;
    this.storedAtMs = nowMs;
  }

  /**
   * Stores a batch in generations, isolating poison events. Returns the decoded events. `touched`: stores only the
   * checkpoints of ranges with events.
   */
  private async store(
    projectors: readonly Projector[],
    batch: EventBatch,
    checkpoints?: 'touched',
  ): Promise<readonly Recorded[]> {
    const { store, quarantine, portion } = this.parts;
    const events = await this.decode(projectors, batch);
    const all = counted(events);
    const own = portion.ranges ? counted(events.filter(({ stream }) => portion.has(stream))) : all;
    const shareOf = (projector: Projector) => (projector.portion === portion ? own : all);
    const wantedBy = (projector: Projector) => countWanted(projector.projection, shareOf(projector));
    const eventsOf = (projector: Projector) => (wantedBy(projector) > 0 ? shareOf(projector).events : []);
    const ranges = checkpoints && touchedBy(own.events, portion);
    // Only projections across tenants fold events of other portions. The next checkpoint to be stored covers these
    // events.
    const concerned = ranges?.length === 0 ? projectors.filter((one) => one.portion !== portion) : projectors;
    for (;;) {
      const going = concerned.filter(({ phase }) => phase !== 'stopped' && phase !== 'retired');
      try {
        if (going.length > 0) await project(store, going, eventsOf, batch.position, ranges);
        for (const projector of going) await this.advance(projector, wantedBy(projector), batch.position);
        return events;
      } catch (error) {
        if (!(error instanceof PoisonEvent)) throw error;
        await quarantine.isolate(error);
      }
    }
  }

  /** Decodes the events that the feed needs, isolating those that this release cannot decode. */
  private async decode(projectors: readonly Projector[], batch: EventBatch): Promise<readonly Recorded[]> {
    const { catalogue, quarantine } = this.parts;
    const events: Recorded[] = [];
    for (const event of batch.events)
      try {
        if (this.isMeant(event.stream)) events.push(catalogue.decode(event));
      } catch (error) {
        const meant = projectors.filter((one) => one.portion.has(event.stream));
        await quarantine.isolateUnreadable(meant, event, error);
      }
    return events;
  }

  /** Whether the feed needs a stream's events. Platform streams contain operators' requests. */
  private isMeant(stream: string): boolean {
    const { portion } = this.parts;
    return portion.coordinates || portion.has(stream) || stream.includes(PLATFORM_STREAM);
  }

  private async advance(projector: Projector, handled: number, position: Position): Promise<void> {
    const { onProgress, onHandled, quarantine } = this.parts;
    const { name } = projector;
    projector.position = Math.max(projector.position, position);
    if (projector.isLive) {
      onProgress(name, position, projector.portion.ranges);
      onHandled?.(name, handled, position);
    }
    await quarantine.passed(projector);
  }

  /**
   * A generation joins only once it contains everything that the others contain. Until then, it is fed separately, so
   * that it receives no event twice.
   */
  private join(projectors: readonly Projector[]): Promise<void> {
    return this.turn(async () => {
      const upTo = await this.containedUpTo();
      for (const projector of projectors)
        if (projector.phase === 'catching-up' && projector.position >= upTo) projector.become('following');
    });
  }

  private following(): readonly Projector[] {
    return [...this.generations].filter(({ phase }) => phase === 'following');
  }

  private retry<T>(
    projectors: readonly Projector[] | undefined,
    message: string,
    attempt: (gotOn: () => void) => Promise<T>,
  ): Promise<T | undefined> {
    const { clock, logger, stopping, onFailed } = this.parts;
    const names = (): string[] =>
      (projectors ?? this.following()).filter(({ isLive }) => isLive).map(({ name }) => name);
    const complain = (err: unknown): void => {
      logger.error({ err, projections: projectors?.map(({ name }) => name) }, message);
    };
    return retryForever(clock, stopping, attempt, complain, { failed: () => onFailed?.(names()) });
  }

  private subscribe(after: Position): AsyncIterable<EventBatch> {
    const { events, catalogue, batchSize: maxBatchSize, stopping: signal, portion } = this.parts;
    const filter = { ...ownStreams(catalogue), ...narrowedTo(portion.ranges) };
    return events.subscribeToAll({ after, filter, maxBatchSize, signal });
  }

  /** The subscription must not end before shutdown. */
  private ended(): false {
    if (!this.parts.stopping.aborted) throw new Error('the subscription ended');
    return false;
  }
}

/** Returns the ranges of the events; undefined if the history is not divided. */
const touchedBy = (events: readonly Recorded[], { ranges }: Portion): readonly number[] | undefined =>
  ranges && [...new Set(events.map(({ stream }) => rangeOfStream(stream)))];
