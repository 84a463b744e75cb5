import { AsyncLocalStorage } from 'node:async_hooks';
import type { Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { readModelBehind } from './domain-error.js';
import type { Progress } from './progress.js';

/** How long a caller's read waits for a model that is being filled before it is refused, milliseconds. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

const reading = new AsyncLocalStorage<true>();

type Model = { readonly name: string; readonly version: number };
type Parts = {
  readonly models: readonly Model[];
  readonly progress: Progress;
  readonly store: Pick<ReadStore, 'checkpoints' | 'write'>;
  /** Position of the last event that a read model might want; asked once. */
  readonly lastStored: () => Promise<Position>;
  readonly clock: Clock;
};

/** Kept like a checkpoint: that a version of a read model once had everything, and up to where. */
const filledKey = ({ name, version }: Model): string => `filled:${name}:v${version}`;

/**
 * Which read models may be read. A version that is filled (it is new, or after a restore) lacks what is there until it once
 * has everything that was stored when a process started; that is kept beside the documents, so that a model which only lags
 * is read after a restart as before it. One that stands still may be read, too: it will not have more until somebody mends
 * it.
 */
export class FilledModels {
  private readonly readable = new Set<string>();
  private readonly kept = new Set<string>();
  private beginning: Promise<Position> | undefined;
  private startedAt: Position | undefined;
  private areAllReadable = false;
  private hasCaughtUp = false;
  private readonly stopping = new AbortController();
  private keeping: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  /**
   * Whether all models have, or once had, what was stored when this process began; those that stand still do not count.
   * @throws EventStoreUnavailable, ReadStoreUnavailable
   */
  async all(): Promise<boolean> {
    const startedAt = await this.begin();
    this.hasCaughtUp ||= this.parts.models.every(
      ({ name }) => this.isStopped(name) || this.position(name) >= startedAt,
    );
    return this.hasCaughtUp;
  }

  /** Begins to keep which models are filled, as soon as they are. */
  start(): void {
    this.keeping = this.keep();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.keeping;
  }

  /**
   * Runs `work` (and all that it awaits) as a caller's read, which is not answered from a model that is not filled. Once all
   * are, it just runs: a context of its own would cost every read some microseconds.
   */
  readonly asRead = (work: () => void): void => {
    if (this.look()) work();
    else reading.run(true, work);
  };

  /**
   * Resolves when the model is filled; undefined where it is, and for what is no caller's read: the service's own work
   * says by itself what it waits for.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  whenReadable(name: string): Promise<void> | undefined {
    return this.readable.has(name) || reading.getStore() === undefined ? undefined : this.whenFilled(name);
  }

  private async whenFilled(name: string): Promise<void> {
    const startedAt = await this.begin();
    if (this.readable.has(name)) return;
    if (!(await this.parts.progress.reached(startedAt, WAIT_MS, [name])) && !this.isStopped(name))
      throw readModelBehind();
    this.readable.add(name);
  }

  private begin(): Promise<Position> {
    this.beginning ??= this.findStart().catch((error: unknown) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  private async findStart(): Promise<Position> {
    const { models, store, lastStored } = this.parts;
    const kept = await store.checkpoints(models.map(filledKey));
    for (const [index, { name }] of models.entries())
      if ((kept[index] ?? -1) >= 0) {
        this.kept.add(name);
        this.readable.add(name);
      }
    this.startedAt = await lastStored();
    return this.startedAt;
  }

  private look(): boolean {
    if (this.areAllReadable || this.startedAt === undefined) return this.areAllReadable;
    for (const { name } of this.parts.models)
      if (this.isStopped(name) || this.position(name) >= this.startedAt) this.readable.add(name);
    this.areAllReadable = this.parts.models.every(({ name }) => this.readable.has(name));
    return this.areAllReadable;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && this.kept.size < this.parts.models.length) {
      // Where an engine is away it is kept later.
      await this.keepSome().catch(() => undefined);
      await this.parts.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  private async keepSome(): Promise<void> {
    const startedAt = await this.begin();
    const filled = this.parts.models.filter(({ name }) => !this.kept.has(name) && this.position(name) >= startedAt);
    if (filled.length === 0) return;
    const checkpoints = filled.map((model) => ({ key: filledKey(model), position: Math.max(0, startedAt) }));
    await this.parts.store.write({ tables: [], checkpoints });
    for (const { name } of filled) this.kept.add(name);
  }

  private isStopped(name: string): boolean {
    return this.parts.progress.isStopped(name);
  }

  private position(name: string): Position {
    return this.parts.progress.position(name);
  }
}
