import { createHash } from 'node:crypto';
import type { EventBatch, EventReader } from '../ports/event-store.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import type { Logger } from '../ports/log.js';
import { stoppedKey, type AnyProjection } from './projection.js';
import { PoisonEvent, project, Projector } from './projector.js';
import { parseStreamName } from './stream-name.js';

export type ProjectionRunnerOptions = {
  /** Events folded and stored at once. Small where requests share the thread. Default 100. */
  readonly batchSize?: number;
  /** Called after each stored batch, for each projection. */
  readonly onProgress: (name: string, position: number) => void;
  /** Called when a projection met an event that it cannot fold and stands still. */
  readonly onStopped: (name: string) => void;
};

type Offer = { readonly position: number; readonly decide: (isAdmitted: boolean) => void };

const MAX_PAUSE_MS = 5_000;

/**
 * Keeps all read models up to date from one catch-up subscription. A projection that is far behind (a new version, an
 * emptied store) is filled beside the others and joins them when it has caught up.
 */
export class ProjectionRunner {
  private readonly stopping = new AbortController();
  private active: Projector[] = [];
  /** What the active ones have, all of them. */
  private followed = -1;
  /** Projections that have filled up by themselves and ask to be taken in. */
  private readonly joining = new Map<Projector, Offer>();
  private readonly stopped = new Set<AnyProjection>();
  private readonly checkpointKeys = new Map<AnyProjection, string>();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly events: EventReader,
    private readonly store: ReadStore,
    private readonly catalogue: EventCatalogue,
    private readonly projections: readonly AnyProjection[],
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly options: ProjectionRunnerOptions,
  ) {}

  /** Prepares the tables and starts. Resolves when the projections have begun, not when they have caught up. */
  async start(): Promise<void> {
    const tables: AnyTable[] = [];
    for (const { model } of this.projections) tables.push({ model, generation: await this.generationOf(model) });
    await this.store.prepare(tables);
    for (const [index, table] of tables.entries()) {
      const projection = this.projections[index];
      if (projection) this.active.push(new Projector(this.store, { projection, table }));
    }
    for (const { target, checkpointKey } of this.active) this.checkpointKeys.set(target.projection, checkpointKey);
    const positions = await this.store.checkpoints(this.active.map(({ checkpointKey }) => checkpointKey));
    this.active.forEach(({ name }, index) => {
      this.options.onProgress(name, positions[index] ?? -1);
    });
    this.running = this.run(positions);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async generationOf(model: AnyProjection['model']): Promise<number> {
    const live = await this.store.liveGeneration(model.name, model.version);
    if (live !== undefined) return live;
    await this.store.setLiveGeneration(model.name, model.version, 1);
    return 1;
  }

  private async run(positions: readonly number[]): Promise<void> {
    const furthest = Math.max(...positions);
    const isBehind = (position: number): boolean => position < furthest;
    const starts = this.active.map((projector, index) => ({ projector, position: positions[index] ?? -1 }));
    const behind = starts.filter(({ position }) => isBehind(position));
    this.active = starts.filter(({ position }) => !isBehind(position)).map(({ projector }) => projector);
    const joined = this.active.map(({ name }) => name);
    const filling = behind.map(({ projector }) => projector.name);
    this.logger.info({ projections: joined, behind: filling, from: furthest }, 'projections start');
    await Promise.all([
      this.follow(furthest),
      ...behind.map(({ projector, position }) => this.catchUp(projector, position)),
    ]);
  }

  /** The one live subscription of all projections that have caught up. */
  private async follow(from: number): Promise<void> {
    const { signal } = this.stopping;
    let position = (this.followed = from);
    for (let pauseMs = 50; !signal.aborted; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      try {
        for await (const batch of this.subscribe(position)) {
          this.admit();
          await this.storeBatch(this.active, batch);
          position = this.followed = batch.position;
          // Who asked meanwhile may lack this batch by now, and there may be no next one to wait for.
          this.admit();
          pauseMs = 50;
        }
      } catch (error) {
        this.logger.error({ err: error }, 'projections broke off; they go on from their checkpoint');
      }
      await this.clock.sleep(pauseMs, signal);
    }
  }

  /** Between two batches of the others: takes in those that have everything so far, and sends the rest on. */
  private admit(): void {
    for (const [projector, { position, decide }] of this.joining) {
      this.joining.delete(projector);
      const isAdmitted = position >= this.followed;
      if (isAdmitted) this.active = [...this.active, projector];
      decide(isAdmitted);
    }
  }

  /**
   * Whether the others took the projection in; until they decide it does nothing, so that it never folds at two places.
   * They decide before their next batch. One that lacks what they have already need not ask.
   */
  private offer(projector: Projector, position: number): Promise<boolean> {
    const { signal } = this.stopping;
    if (position < this.followed || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const decide = (isAdmitted: boolean) => {
        signal.removeEventListener('abort', giveUp);
        resolve(isAdmitted);
      };
      const giveUp = () => {
        this.joining.delete(projector);
        resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.joining.set(projector, { position, decide });
    });
  }

  /** Fills one projection from its checkpoint until the others take it in. */
  private async catchUp(projector: Projector, from: number): Promise<void> {
    const { signal } = this.stopping;
    let position = from;
    for (let pauseMs = 50; !signal.aborted; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      try {
        for await (const batch of this.subscribe(position)) {
          await this.storeBatch([projector], batch);
          position = batch.position;
          if (this.stopped.has(projector.target.projection)) return;
          if (batch.caughtUp && (await this.offer(projector, position))) return;
        }
      } catch (error) {
        this.logger.error({ err: error, projection: projector.name }, 'catching up broke off; it goes on');
      }
      await this.clock.sleep(pauseMs, signal);
    }
  }

  private subscribe(after: number): AsyncIterable<EventBatch> {
    return this.events.subscribeToAll({
      after,
      filter: { on: 'stream', prefixes: this.catalogue.streamPrefixes },
      maxBatchSize: this.options.batchSize ?? 100,
      signal: this.stopping.signal,
    });
  }

  /** Stores a batch; a projection that cannot fold an event of it stops alone, the others go on. */
  private async storeBatch(projectors: readonly Projector[], batch: EventBatch): Promise<void> {
    const events = this.decode(batch, projectors);
    const isGoing = ({ target }: Projector): boolean => !this.stopped.has(target.projection);
    for (;;) {
      const going = projectors.filter(isGoing);
      try {
        if (going.length > 0) await project(this.store, going, events, batch.position);
        for (const { name } of going.filter(isGoing)) this.options.onProgress(name, batch.position);
        return;
      } catch (error) {
        if (!(error instanceof PoisonEvent)) throw error;
        this.halt(error.projection, error.cause, error.message, error.event.position);
      }
    }
  }

  private decode(batch: EventBatch, projectors: readonly Projector[]): Recorded[] {
    return batch.events.flatMap((event) => {
      try {
        return [this.catalogue.decode(event)];
      } catch (error) {
        const entity = parseStreamName(event.stream)?.entity;
        for (const { projection } of projectors.map(({ target }) => target))
          if (entity !== undefined && projection.sources.includes(entity) && !this.stopped.has(projection))
            this.halt(projection, error, `${projection.model.name} cannot read the event`, event.position);
        return [];
      }
    });
  }

  private halt(projection: AnyProjection, cause: unknown, message: string, position: number): void {
    const { name } = projection.model;
    this.stopped.add(projection);
    this.logger.error({ err: cause, projection: name, position }, message);
    this.options.onStopped(name);
    const key = this.checkpointKeys.get(projection);
    if (key === undefined) return;
    // Other replicas learn of it here; one that cannot be told waits as if the projection were slow.
    this.store.write({ tables: [], checkpoints: [{ key: stoppedKey(key), position }] }).catch((error: unknown) => {
      this.logger.warn({ err: error, projection: name }, 'others could not be told that the projection stands still');
    });
  }
}

/**
 * Folds the whole history, up to and including `upTo`, into a generation of a projection's table that nothing else
 * writes. Secondary indexes are built at the end. Answers how many events were folded.
 */
export async function rebuild(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projection: AnyProjection,
  generation: number,
  upTo: number,
): Promise<number> {
  const table: AnyTable = { model: projection.model, generation };
  await store.drop(table);
  await store.prepare([table], { bulk: true });
  const projector = new Projector(store, { projection, table }, 100_000);
  const filter = { on: 'stream', prefixes: projection.sources.map((source) => `${source}-`) } as const;
  const stop = new AbortController();
  let count = 0;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: 1_000, signal: stop.signal })) {
    const wanted = batch.events.filter(({ position }) => position <= upTo).map((event) => catalogue.decode(event));
    count += wanted.length;
    await project(store, [projector], wanted, Math.min(batch.position, upTo));
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  stop.abort();
  await store.index(table);
  return count;
}

/** SHA-256 over all documents of a table with their positions, tombstones included: equal for equal contents. */
export async function hashOf(store: ReadStore, table: AnyTable): Promise<string> {
  const hash = createHash('sha256');
  for await (const { scope, id, json, position } of store.scan(table))
    hash.update(`${scope}\n${id}\n${position}\n${json ?? '-'}\n`);
  return hash.digest('hex');
}
