import { setMaxListeners } from 'node:events';
import { BEFORE_ALL, type EventReader, type Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from '../eventsourcing/event-catalogue.js';
import { retryForever } from '../eventsourcing/retry-forever.js';
import { GenerationFeed } from './generation-feed.js';
import { ProjectionQuarantine, QUARANTINE_TABLE, type ProjectionLetters } from './projection-quarantine.js';
import { ProjectionRebuilds, type RebuildReport } from './projection-rebuilds.js';
import type { AnyProjection } from './projection.js';
import { readPositions } from './project.js';
import { Projector } from './projector.js';
import { modelPart, positionsIn, WHOLE, type Portion } from '../eventsourcing/ranges.js';

export type ProjectionRunnerParts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly projections: readonly AnyProjection[];
  /**
   * Minimum number of events for a bulk build of empty read models. Such a build creates indexes last. Default: 5,000.
   */
  readonly bulkFrom?: number;
  /** Number of events folded and stored per batch. Keep it small if requests share the thread. Default: 100. */
  readonly batchSize?: number;
  /**
   * Number of events per write while read models are built. Default: 200. This value suits a thread that also serves
   * requests.
   */
  readonly buildBatchSize?: number;
  readonly letters: ProjectionLetters;
  readonly reportRebuild: RebuildReport;
  /** Portion of the history to project. Default: the whole history. */
  readonly portion?: Portion;
  /**
   * Called for each live generation after each stored batch. `ranges`: the portion's ranges; undefined for the whole
   * history.
   */
  readonly onProgress: (name: string, position: Position, ranges?: readonly number[]) => void;
  /** Like `onProgress`. `events`: number of the batch's events that belong to the projection's sources. */
  readonly onHandled?: (name: string, events: number, position: Position) => void;
  /** Called when projections fail and will be retried. */
  readonly onFailed?: (names: readonly string[]) => void;
  /** Called when a projection stops before an event that it cannot fold. */
  readonly onStopped: (name: string, ranges?: readonly number[]) => void;
};

const WHOLE_EVERY_MS = 1_000;

/** Keeps a set of projections up to date: their live generations, and the new generations that operators request. */
export class ProjectionRunner {
  private readonly stopping = new AbortController();
  private readonly quarantine: ProjectionQuarantine;
  private readonly feed: GenerationFeed;
  private readonly rebuilds: ProjectionRebuilds;
  /** Replayed dead letters whose events have not been retried yet. */
  private readonly replayed = new Set<string>();
  private readonly tasks = new Set<Promise<void>>();
  private readonly portion: Portion;

  constructor(private readonly parts: ProjectionRunnerParts) {
    const { signal: stopping } = this.stopping;
    // Each generation that is catching up and each task after a rebuild adds an abort listener.
    setMaxListeners(0, stopping);
    const portion = (this.portion = parts.portion ?? WHOLE);
    const quarantine = (this.quarantine = new ProjectionQuarantine(parts));
    const feed = (this.feed = new GenerationFeed({ batchSize: 100, ...parts, portion, quarantine, stopping }));
    this.rebuilds = new ProjectionRebuilds({ ...parts, portion, quarantine, feed, stopping });
  }

  /** Prepares the tables. Resolves once the projections have started, not once they have caught up. */
  async start(): Promise<void> {
    const { events, store, logger, onProgress } = this.parts;
    const all = await this.liveGenerations();
    const empty = await this.toBuild(all);
    const rest = all.filter((one) => !empty.includes(one));
    const tables = (some: readonly Projector[]) => some.map(({ table }) => table);
    await store.prepare([...tables(rest), QUARANTINE_TABLE]);
    if (empty.length > 0) await store.prepare(tables(empty), { bulk: true });
    const from = rest.length === 0 ? await events.head() : Math.max(...rest.map(({ position }) => position));
    for (const projector of rest) projector.become(projector.position < from ? 'catching-up' : 'following');
    for (const projector of all) {
      this.feed.add(projector);
      onProgress(projector.name, projector.position, projector.portion.ranges);
    }
    this.feed.position = from;
    logger.info(
      { from, phases: Object.fromEntries(all.map(({ name, phase }) => [name, phase])) },
      'starting the projections',
    );
    this.run(this.feedAll(rest, empty));
    this.run(this.feed.keepIdleRanges());
    this.run(this.keepWholeCheckpoints());
    this.rebuilds.start();
  }

  /** Opens every generation's quarantine, then feeds each generation according to its phase. */
  private async feedAll(rest: readonly Projector[], empty: readonly Projector[]): Promise<void> {
    const { clock, logger } = this.parts;
    for (const projector of [...rest, ...empty]) {
      const open = () => this.quarantine.open(projector);
      await retryForever(clock, this.stopping.signal, open, (err) => {
        logger.warn({ err, projection: projector.name }, 'the quarantine of a projection cannot be read');
      });
    }
    this.run(this.feed.follow((events) => this.react(events)));
    const behind = rest.filter(({ phase }) => phase === 'catching-up');
    for (const from of new Set(behind.map(({ position }) => position)))
      this.run(this.feed.catchUp(behind.filter(({ position }) => position === from)));
    await this.feed.build(empty);
    this.run(this.feed.catchUp(empty));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.rebuilds.stop();
    while (this.tasks.size > 0) await Promise.all(this.tasks);
  }

  private async liveGenerations(): Promise<readonly Projector[]> {
    const { store, projections } = this.parts;
    const projectors: Projector[] = [];
    for (const projection of projections) {
      const { model } = projection;
      let generation = await store.liveGeneration(model.name, model.version);
      if (generation === undefined) await store.setLiveGeneration(model.name, model.version, (generation = 1));
      projectors.push(new Projector(store, { projection, table: { model, generation }, portion: this.portion }));
    }
    await readPositions(store, projectors);
    return projectors;
  }

  /**
   * Keeps every generation's undivided checkpoint at the minimum across its ranges. A release without ranges continues
   * from this checkpoint, and platform-wide totals are settled up to it.
   */
  private async keepWholeCheckpoints(): Promise<void> {
    const { clock, logger } = this.parts;
    const { signal } = this.stopping;
    while (this.portion.ranges && !signal.aborted) {
      await clock.sleep(WHOLE_EVERY_MS, signal);
      await this.storeWhole().catch((err: unknown) => {
        logger.warn({ err }, 'the checkpoints of the ranges could not be combined; retrying');
      });
    }
  }

  private async storeWhole(): Promise<void> {
    const { store } = this.parts;
    const divided = this.feed.all().filter(({ portion }) => portion.ranges !== undefined);
    const keys = divided.map(({ checkpointKey }) => checkpointKey);
    const positions = await positionsIn(store, keys, modelPart);
    for (const [index, projector] of divided.entries()) projector.platformUpTo = positions[index] ?? BEFORE_ALL;
    if (!this.portion.coordinates) return;
    const checkpoints = keys.map((key, index) => ({ key, position: positions[index] ?? BEFORE_ALL }));
    await store.write({ tables: [], checkpoints: checkpoints.filter(({ position }) => position > BEFORE_ALL) });
  }

  /**
   * Returns the empty projections if the history is long enough for a bulk build. Counts events, because positions have
   * gaps.
   */
  private async toBuild(all: readonly Projector[]): Promise<readonly Projector[]> {
    const { events, bulkFrom = 5_000 } = this.parts;
    const empty = all.filter(({ position }) => position === BEFORE_ALL);
    if (empty.length === 0) return [];
    // An unreadable event may stop the projections that fold it, but must not prevent the others from starting.
    const first = await events.readAll({ from: BEFORE_ALL, maxCount: bulkFrom }).catch(() => []);
    return first.length < bulkFrom ? [] : empty;
  }

  /** Handles operators' requests, which are also events. */
  private async react(events: readonly Recorded[]): Promise<void> {
    for (const event of events) {
      this.rebuilds.react(event);
      const letter = this.parts.letters.replayedBy(event);
      if (letter !== undefined) this.replayed.add(letter);
    }
    // If the store is unavailable, the letters are retried after the next batch.
    for (const letter of this.replayed) {
      for (const projector of this.feed.live()) await this.retry(projector, letter);
      this.replayed.delete(letter);
    }
  }

  private async retry(projector: Projector, letter: string): Promise<void> {
    const isMeant = ({ eventId }: { eventId: string }): boolean =>
      this.parts.letters.idOf(projector.name, eventId) === letter;
    const entries = projector.quarantined.filter(isMeant);
    for (const entry of entries) await this.quarantine.mend(projector, entry, this.feed.position);
    if (!projector.stoppedAt || !isMeant(projector.stoppedAt)) return;
    this.quarantine.retry(projector);
    this.run(this.feed.catchUp([projector]));
  }

  private run(task: Promise<unknown>): void {
    const running = task.then(
      () => undefined,
      (error: unknown) => {
        this.parts.logger.error({ err: error }, 'a projection ended unexpectedly');
      },
    );
    this.tasks.add(running);
    void running.then(() => this.tasks.delete(running));
  }
}
