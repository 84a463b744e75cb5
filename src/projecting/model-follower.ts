import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { Progress } from './progress.js';
import { checkpointKey, stoppedKey } from './projection.js';
import { ALL_RANGES, modelPart } from '../eventsourcing/ranges.js';

/** A read model whose progress and live generation are followed. */
export type FollowedModel = AnyTable['model'];

/** Poll interval while a caller waits, so that progress on other replicas is visible within 20 ms. */
const AWAITED_MS = 8;
/** Polls take at most a fifth of the time, so that waiting for progress does not slow down a busy process further. */
const PAUSE_PER_POLL = 4;
const MOST_AWAITED_MS = 50;
const IDLE_MS = 500;
const WARN_EVERY_MS = 5_000;
/**
 * Maximum age of the known live generations. After a cutover, the previous generations soon stop being updated. Must be
 * less than FED_AFTER_CUTOVER_MS in projection-rebuilds.ts.
 */
const GENERATIONS_HOLD_MS = 2_000;

/**
 * Polls a shared read store for the progress made by another replica and for the live generation of each read model.
 * Reports no progress while the projections run in this process, which then has more recent information.
 */
export class ModelFollower {
  private readonly stopping = new AbortController();
  private readonly tables = new Map<string, AnyTable>();
  private running: Promise<void> = Promise.resolve();
  private awaken = new AbortController();
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Pause before the next poll while a caller waits. */
  private pauseMs = AWAITED_MS;
  private looking: Promise<void> | undefined;
  private followed: { readonly name: string; readonly keys: readonly string[] } | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly models: readonly FollowedModel[],
    private readonly progress: Progress,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Prepares another generation of a model. Queries read the new generation once the promise resolves. */
    private readonly prepare: (table: AnyTable) => Promise<void>,
  ) {}

  /** Returns the live tables and starts following them. @throws ReadStoreUnavailable */
  async start(): Promise<readonly AnyTable[]> {
    await this.lookForGenerations();
    this.progress.onAwaited = () => {
      this.awaken.abort();
    };
    this.running = this.run();
    return this.models.map((model) => ({ model, generation: this.generationOf(model) }));
  }

  /** Returns the table to read; undefined before the first lookup. */
  tableOf(name: string): AnyTable | undefined {
    return this.tables.get(name);
  }

  /** Resolves once the live generations are known; undefined if they already are. @throws ReadStoreUnavailable */
  whenKnown(): Promise<void> | undefined {
    if (this.clock.monotonicMs() - this.lookedAtMs <= GENERATIONS_HOLD_MS) return undefined;
    return (this.looking ??= this.lookForGenerations().finally(() => (this.looking = undefined)));
  }

  /** Resets every read model to its first generation, for a rebuild from scratch. */
  async forget(): Promise<void> {
    for (const model of this.models) {
      if (this.generationOf(model) > 1) await this.prepare({ model, generation: 1 });
      this.tables.set(model.name, { model, generation: 1 });
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.awaken.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.awaken = new AbortController();
      const { isReportedHere, isAwaited } = this.progress;
      const isUrgent = !isReportedHere && isAwaited;
      // `stop` also aborts `awaken`. On Node.js 20, combining both with AbortSignal.any() would leak memory in the
      // longer-lived signal.
      const { signal } = isUrgent ? this.stopping : this.awaken;
      await this.clock.sleep(isUrgent ? this.pauseMs : IDLE_MS, signal);
      const beganAtMs = this.clock.monotonicMs();
      try {
        if (!this.progress.isReportedHere) await this.lookForProgress();
        const tookMs = this.clock.monotonicMs() - beganAtMs;
        this.pauseMs = Math.min(Math.max(tookMs * PAUSE_PER_POLL, AWAITED_MS), MOST_AWAITED_MS);
        if (this.clock.monotonicMs() - this.lookedAtMs >= IDLE_MS) await this.lookForGenerations();
      } catch (error) {
        await this.complain(error);
      }
    }
  }

  private async lookForProgress(): Promise<void> {
    const keys = this.models.map((model) => checkpointKey(model, this.generationOf(model)));
    const isDivided = this.models.some(({ name }) => this.progress.isDivided(name));
    const parts = isDivided ? ALL_RANGES : [];
    const stored = await this.store.checkpoints(this.keysOf(keys, parts));
    for (const [index, { name }] of this.models.entries()) {
      const whole = stored[2 * index] ?? BEFORE_ALL;
      if (!this.progress.isDivided(name)) this.note(name, whole, stored[2 * index + 1] ?? BEFORE_ALL);
      else
        for (const range of parts) {
          const at = 2 * (keys.length * (range + 1) + index);
          const position = Math.max(whole, stored[at] ?? BEFORE_ALL);
          this.note(name, position, stored[at + 1] ?? BEFORE_ALL, [range]);
        }
    }
  }

  /** Returns the keys of positions and stops, for the whole history and for its ranges. These keys rarely change. */
  private keysOf(keys: readonly string[], parts: readonly number[]): readonly string[] {
    const name = `${parts.length} ${keys.join()}`;
    if (this.followed?.name === name) return this.followed.keys;
    const own = (part: (key: string) => string) => keys.flatMap((key) => [part(key), part(stoppedKey(key))]);
    const all = [...own((key) => key), ...parts.flatMap((range) => own((key) => modelPart(key, range)))];
    this.followed = { name, keys: all };
    return all;
  }

  private note(name: string, position: Position, stoppedAt: Position, ranges?: readonly number[]): void {
    this.progress.observe(name, position, ranges);
    if (stoppedAt > position) this.progress.stop(name, ranges);
  }

  private async lookForGenerations(): Promise<void> {
    const beganAtMs = this.clock.monotonicMs();
    const live = await Promise.all(this.models.map(({ name, version }) => this.store.liveGeneration(name, version)));
    for (const [index, model] of this.models.entries()) {
      const generation = live[index] ?? 1;
      const known = this.tables.get(model.name)?.generation;
      // Two lookups may overlap. Generations never decrease, so a lower one is outdated.
      if (known !== undefined && known >= generation) continue;
      if (known !== undefined) await this.prepare({ model, generation });
      this.tables.set(model.name, { model, generation });
    }
    this.lookedAtMs = beganAtMs;
  }

  private generationOf(model: FollowedModel): number {
    return this.tables.get(model.name)?.generation ?? 1;
  }

  private async complain(error: unknown): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = nowMs;
      this.logger.warn({ err: error }, 'the progress of the read models could not be read; retrying');
    }
    await this.clock.sleep(IDLE_MS, this.stopping.signal);
  }
}
