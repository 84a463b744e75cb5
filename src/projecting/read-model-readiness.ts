import { AsyncLocalStorage } from 'node:async_hooks';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import type { Progress } from './progress.js';
import { subscriberKey, type Checkpoints } from './checkpoints.js';

/** Maximum time for which a caller's query waits for a model that is being built. The query is then rejected. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

const reading = new AsyncLocalStorage<true>();

type Model = { readonly name: string; readonly version: number };
type Parts = {
  readonly models: readonly Model[];
  readonly progress: Progress;
  readonly store: Pick<ReadStore, 'checkpoints'>;
  /** Saves checkpoints through the thread that writes to the read store. */
  readonly checkpoints: Pick<Checkpoints, 'save'>;
  /** Returns the position of the last event that a read model may fold. Called once per start. */
  readonly lastStored: () => Promise<Position>;
  readonly clock: Clock;
};

/** Name of the checkpoint that records the position up to which this version of a read model was complete. */
const filledName = ({ name, version }: Model): string => `filled:${name}:v${version}`;
/** Key of the model's completeness checkpoint in the read store. */
export const filledKey = (model: Model): string => subscriberKey(filledName(model));

/**
 * Determines which read models may be read. A model version is built when it is new, and again after a restore. It is
 * incomplete until it reaches the position at which the history ended when the process started. Completeness is stored
 * with the documents, so a model that merely lags is readable immediately after a restart. A stopped model is also
 * readable, because rejecting queries would not repair it.
 */
export class ReadModelReadiness {
  private readonly readable = new Set<string>();
  /** Models recorded in the store as complete. */
  private readonly kept = new Set<string>();
  private beginning: Promise<Position> | undefined;
  /** End of the history when this process started; undefined until known. */
  private startedAt: Position | undefined;
  private readonly stopping = new AbortController();
  private keeping: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  /**
   * Whether every model has caught up with the end of the history at process start. Stopped models are ignored.
   * @throws EventStoreUnavailable, ReadStoreUnavailable
   */
  async all(): Promise<boolean> {
    await this.begin();
    return this.areAllReadable();
  }

  /** Resets all state because the read models are rebuilt in a store that is ready once `reopened` resolves. */
  forget(reopened: Promise<void>): void {
    for (const known of [this.readable, this.kept]) known.clear();
    this.startedAt = this.beginning = undefined;
    // Waiting callers receive the error. If there are none, the error must not become an unhandled rejection.
    this.begin(reopened).catch(() => undefined);
    this.keeping = this.keeping.then(() => this.keep());
  }

  /** Starts recording models as soon as they are complete. */
  start(): void {
    this.keeping = this.keep();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.keeping;
  }

  /**
   * Runs `work` and everything that it awaits as a caller's query. Such a query waits for models that are being built.
   * Once all models are readable, runs `work` without the async context, which would cost every query a few
   * microseconds.
   */
  readonly asRead = (work: () => void): void => {
    if (this.areAllReadable()) work();
    else reading.run(true, work);
  };

  /**
   * Resolves once the model is readable. Returns undefined if the model is readable already. Also returns undefined
   * outside a caller's query, because internal work waits for the models itself.
   * @throws DomainError unavailable READ_MODEL_BEHIND
   */
  whenReadable(name: string): Promise<void> | undefined {
    return this.readable.has(name) || reading.getStore() === undefined ? undefined : this.whenComplete(name);
  }

  private async whenComplete(name: string): Promise<void> {
    const startedAt = await this.begin();
    if (this.readable.has(name)) return;
    const { progress } = this.parts;
    if (!(await progress.reached(startedAt, WAIT_MS, [name])) && !progress.isStopped(name)) throw readModelBehind();
    this.readable.add(name);
  }

  private begin(reopened = Promise.resolve()): Promise<Position> {
    const findStart = () => this.findStart();
    this.beginning ??= reopened.then(findStart).catch((error: unknown) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  private async findStart(): Promise<Position> {
    const { models, store, lastStored } = this.parts;
    const kept = await store.checkpoints(models.map(filledKey));
    for (const { name } of models.filter((_, index) => (kept[index] ?? BEFORE_ALL) > BEFORE_ALL))
      for (const known of [this.kept, this.readable]) known.add(name);
    this.startedAt = await lastStored();
    return this.startedAt;
  }

  private areAllReadable(): boolean {
    const { models } = this.parts;
    if (this.readable.size < models.length)
      for (const { name } of models) if (this.isComplete(name)) this.readable.add(name);
    return this.readable.size === models.length;
  }

  private async keep(): Promise<void> {
    const { clock, models } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted && this.kept.size < models.length) {
      // If an engine is unavailable, the next iteration retries.
      await this.keepComplete().catch(() => undefined);
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  private async keepComplete(): Promise<void> {
    const { models, progress, checkpoints } = this.parts;
    const startedAt = await this.begin();
    for (const model of models) {
      if (this.kept.has(model.name) || progress.position(model.name) < startedAt) continue;
      await checkpoints.save(filledName(model), Math.max(0, startedAt));
      this.kept.add(model.name);
    }
  }

  private isComplete(name: string): boolean {
    const { progress } = this.parts;
    return this.startedAt !== undefined && (progress.isStopped(name) || progress.position(name) >= this.startedAt);
  }
}
