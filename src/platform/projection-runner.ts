import { setMaxListeners } from 'node:events';
import type { EventBatch, EventReader } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import { KeyedQueue } from './keyed-queue.js';
import { persistently } from './persistently.js';
import { fillInBulk } from './projection-filling.js';
import { MARKS_TABLE } from './projection-marks.js';
import { ProjectionQuarantine, type ProjectionLetters } from './projection-quarantine.js';
import { ProjectionRebuilds } from './projection-rebuilds.js';
import type { RebuildReport } from './projection-swap.js';
import { wants, type AnyProjection } from './projection.js';
import { emptyOf, startsOf } from './projection-starts.js';
import { PoisonEvent, project, type Projector } from './projector.js';

/** How projections are run, and who is told of it. */
export type ProjectionRunnerOptions = {
  /** A history of so many events is folded into empty read models in bulk, their indexes at the end. Default 5,000. */
  readonly bulkFrom?: number;
  /** Events folded and stored at once. Small where requests share the thread. Default 100. */
  readonly batchSize?: number;
  /** Called after each stored batch, for each projection. */
  readonly onProgress: (name: string, position: number) => void;
  /** Called after each stored batch with how many events of its kinds of records were in it, for each projection. */
  readonly onHandled?: (name: string, events: number, position: number) => void;
  /** Called when a projection met an event that it cannot fold and stands still. */
  readonly onStopped: (name: string) => void;
  readonly letters: ProjectionLetters;
  /** Keeps what becomes of a rebuild, durably. */
  readonly reportRebuild: RebuildReport;
};

const TURN = 'turn';

/**
 * Keeps all read models up to date from one catch-up subscription. A projection that is far behind (a new version, an
 * emptied store) is filled beside the others and joins them when it has caught up; so does a new generation of one.
 */
export class ProjectionRunner {
  private readonly stopping = new AbortController();
  private readonly queue = new KeyedQueue();
  private readonly quarantine: ProjectionQuarantine;
  private readonly rebuilds: ProjectionRebuilds;
  /** Those that the one live subscription feeds. */
  private active: Projector[] = [];
  /** Of each projection, the generation that is read. */
  private readonly live = new Map<string, Projector>();
  /** What the active ones have, all of them. */
  private position = -1;
  /** Letters of projections that were replayed, until what they are about was tried again. */
  private readonly asked = new Set<string>();
  private readonly tasks = new Set<Promise<void>>();

  constructor(
    private readonly events: EventReader,
    private readonly store: ReadStore,
    private readonly catalogue: EventCatalogue,
    private readonly projections: readonly AnyProjection[],
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: ProjectionRunnerOptions,
  ) {
    const { letters, onStopped } = options;
    // Every projector that is behind, and what follows each rebuild, listens for the end.
    setMaxListeners(0, this.stopping.signal);
    this.quarantine = new ProjectionQuarantine({ events, store, catalogue, logger, letters, onStopped });
    const parts = { events, store, catalogue, clock, logger, letters, report: options.reportRebuild };
    this.rebuilds = new ProjectionRebuilds(parts, this, this.quarantine, this.stopping.signal);
  }

  /** Prepares the tables and starts. Resolves when the projections have begun, not when they have caught up. */
  async start(): Promise<void> {
    const starts = await startsOf(this.store, this.projections);
    const empty = await emptyOf(starts, this.events, this.options.bulkFrom);
    const rest = starts.filter(({ projector }) => !empty.includes(projector));
    const tables = (some: readonly Projector[]): AnyTable[] => some.map(({ target }) => target.table);
    await this.store.prepare([...tables(rest.map(({ projector }) => projector)), MARKS_TABLE]);
    if (empty.length > 0) await this.store.prepare(tables(empty), { bulk: true });
    for (const { projector, position } of starts) {
      this.live.set(projector.name, projector);
      this.options.onProgress(projector.name, position);
    }
    // Where all are filled there is nobody to follow what they are filled with.
    const furthest = rest.length === 0 ? await this.events.head() : Math.max(...rest.map(({ position }) => position));
    this.position = furthest;
    const behind = rest.filter(({ position }) => position < furthest);
    this.active = rest.filter(({ position }) => position >= furthest).map(({ projector }) => projector);
    const names = (some: readonly Projector[]): string[] => some.map(({ name }) => name);
    const late = names(behind.map(({ projector }) => projector));
    const all = { projections: names(this.active), behind: late, filled: names(empty), from: furthest };
    this.logger.info(all, 'projections start');
    this.run(this.follow(furthest));
    for (const { projector, position } of behind) this.run(this.begin(projector, position));
    if (empty.length > 0) this.run(this.fill(empty));
    this.rebuilds.start([...this.live.values()]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.rebuilds.stop();
    while (this.tasks.size > 0) await Promise.all(this.tasks);
  }

  /** What the projections that have caught up have, all of them. */
  get followed(): number {
    return this.position;
  }

  liveOf(name: string): Projector | undefined {
    return this.live.get(name);
  }

  /** Does something between two batches of the active projections. */
  turn<T>(task: () => Promise<T>): Promise<T> {
    return this.queue.run(TURN, task);
  }

  /** From now on `next` is the generation that is read. In a turn. */
  replace(next: Projector): void {
    const old = this.live.get(next.name);
    if (old) old.isAside = true;
    next.isAside = false;
    this.live.set(next.name, next);
    this.options.onProgress(next.name, this.position);
  }

  /** Feeds it no longer. In a turn. */
  retire(projector: Projector): void {
    this.active = this.active.filter((one) => one !== projector);
  }

  /**
   * Feeds a projector from a position on until it is one of the active ones: answers whether it is, and from where. Not
   * where it halts, or where `signal` or the runner's end comes first.
   */
  catchUp(projector: Projector, from: number, signal = this.stopping.signal): Promise<number | undefined> {
    let position = from;
    const attempt = async (gotOn: () => void): Promise<number | undefined> => {
      for await (const batch of this.subscribe(position, signal)) {
        await this.storeBatch([projector], batch);
        position = batch.position;
        gotOn();
        if (projector.halted) return undefined;
        if (batch.caughtUp && (await this.join(projector, position, signal))) return position;
      }
      mustBeOver(signal);
      return undefined;
    };
    return persistently(this.clock, signal, attempt, (error) => {
      this.logger.error({ err: error, projection: projector.name }, 'catching up broke off; it goes on');
    });
  }

  /** Stores a batch, with whatever has to be left out. Answers its events. */
  async storeBatch(projectors: readonly Projector[], batch: EventBatch): Promise<readonly Recorded[]> {
    const events: Recorded[] = [];
    for (const event of batch.events)
      try {
        events.push(this.catalogue.decode(event));
      } catch (error) {
        await this.quarantine.isolateUnreadable(projectors, event, error);
      }
    for (;;) {
      const going = projectors.filter(({ halted }) => halted === undefined);
      try {
        if (going.length > 0) await project(this.store, going, events, batch.position);
        for (const projector of going) await this.tell(projector, events, batch.position);
        return events;
      } catch (error) {
        if (!(error instanceof PoisonEvent)) throw error;
        await this.quarantine.isolate(error);
      }
    }
  }

  private async tell(projector: Projector, events: readonly Recorded[], position: number): Promise<void> {
    const { name } = projector;
    if (this.live.get(name) === projector) {
      this.options.onProgress(name, position);
      if (this.options.onHandled) {
        const { projection } = projector;
        this.options.onHandled(name, events.filter(({ entity }) => wants(projection, entity)).length, position);
      }
    }
    await this.quarantine.passed(projector, position);
  }

  private run(task: Promise<unknown>): void {
    const running = task.then(
      () => undefined,
      (error: unknown) => {
        this.logger.error({ err: error }, 'a projection ended');
      },
    );
    this.tasks.add(running);
    void running.then(() => this.tasks.delete(running));
  }

  /** Takes up what a projector lacks, in its own time. */
  private async open(projector: Projector, position: number): Promise<void> {
    const attempt = (): Promise<void> => this.quarantine.open(projector, position);
    await persistently(this.clock, this.stopping.signal, attempt, (error) => {
      this.logger.warn({ err: error, projection: projector.name }, 'what a projection lacks cannot be read');
    });
  }

  private async begin(projector: Projector, position: number): Promise<void> {
    await this.open(projector, position);
    await this.catchUp(projector, position);
  }

  private async fill(projectors: readonly Projector[]): Promise<void> {
    const { events, catalogue, store, clock, logger } = this;
    const { signal } = this.stopping;
    for (const projector of projectors) await this.open(projector, -1);
    const storeBatch = this.storeBatch.bind(this);
    const filled = await fillInBulk({ events, catalogue, store, clock, logger, storeBatch }, projectors, signal);
    if (filled === undefined) return;
    for (const projector of projectors) if (!projector.halted) this.run(this.catchUp(projector, filled));
  }

  /** The one live subscription of all projections that have caught up. */
  private async follow(from: number): Promise<void> {
    const { signal } = this.stopping;
    for (const projector of this.active) await this.open(projector, from);
    let position = from;
    const attempt = async (gotOn: () => void): Promise<void> => {
      for await (const batch of this.subscribe(position, signal)) {
        await this.turn(async () => {
          const events = await this.storeBatch(this.active, batch);
          this.position = position = batch.position;
          for (const event of events) this.react(event);
          await this.retryAsked();
        });
        gotOn();
      }
      mustBeOver(signal);
    };
    await persistently(this.clock, signal, attempt, (error) => {
      this.logger.error({ err: error }, 'projections broke off; they go on from their checkpoint');
    });
  }

  /** Takes a projector in that has everything the others have; until then it is fed by itself, and never at two places. */
  private join(projector: Projector, position: number, signal: AbortSignal): Promise<boolean> {
    return this.turn(() => {
      const isTaken = position >= this.position && !signal.aborted;
      if (isTaken) this.active = [...this.active, projector];
      return Promise.resolve(isTaken);
    });
  }

  /** What operators ask of projections stands in the history, too. */
  private react(event: Recorded): void {
    this.rebuilds.react(event);
    const letter = this.options.letters.replayedBy(event);
    if (letter !== undefined) this.asked.add(letter);
  }

  /** Tries again what letters that were replayed are about; those that fail with the store are kept for the next batch. */
  private async retryAsked(): Promise<void> {
    for (const letter of this.asked) {
      for (const projector of this.live.values()) await this.retry(projector, letter);
      this.asked.delete(letter);
    }
  }

  private async retry(projector: Projector, letter: string): Promise<void> {
    const isMeant = ({ eventId }: { eventId: string }): boolean =>
      this.options.letters.idOf(projector.name, eventId) === letter;
    for (const mark of projector.staleMarks.filter(isMeant)) await this.quarantine.mend(projector, mark, this.position);
    if (!projector.halted || !isMeant(projector.halted)) return;
    const from = await this.store.checkpoint(projector.checkpointKey);
    this.retire(projector);
    this.quarantine.retry(projector);
    this.run(this.catchUp(projector, from));
  }

  private subscribe(after: number, signal: AbortSignal): AsyncIterable<EventBatch> {
    return this.events.subscribeToAll({
      after,
      filter: { on: 'stream', prefixes: this.catalogue.streamPrefixes },
      maxBatchSize: this.options.batchSize ?? 100,
      signal,
    });
  }
}

/** A subscription ends by itself only then. */
function mustBeOver(signal: AbortSignal): void {
  if (!signal.aborted) throw new Error('the subscription ended');
}
