import type { Logger } from '../ports/log.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { Progress } from './progress.js';
import { checkpointKey, stoppedKey } from './projection.js';

/** A read model whose progress and live generation are followed. */
export type FollowedModel = AnyTable['model'];

/** While somebody waits for the read models: often enough that others' progress is known within 20 ms. */
const AWAITED_MS = 8;
const IDLE_MS = 250;
const WARN_EVERY_MS = 5_000;
/** What was live so long ago may not be fed any more; less than the time for which it is (see projection-swap.ts). */
const GENERATIONS_HOLD_MS = 2_000;

/**
 * Learns from a shared read store how far the read models have come by the work of another replica, and which
 * generation of each is live. Says nothing of progress while this process projects by itself: it knows better then.
 */
export class ModelFollower {
  private readonly stopping = new AbortController();
  private readonly generations = new Map<FollowedModel, number>();
  private running: Promise<void> = Promise.resolve();
  private awaken = new AbortController();
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private projectsHere = false;
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly models: readonly FollowedModel[],
    private readonly progress: Progress,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Told when a model is to be read from another generation; it is from when it resolves. */
    private readonly onTable: (table: AnyTable) => Promise<void>,
  ) {}

  /** The tables as they are live now; followed from then on. @throws ReadStoreUnavailable */
  async start(): Promise<readonly AnyTable[]> {
    await this.lookForGenerations();
    this.progress.onAwaited = () => {
      this.awaken.abort();
    };
    this.running = this.run();
    return this.models.map((model) => ({ model, generation: this.generationOf(model) }));
  }

  /** Resolves when it is known which generations are live now; undefined where it is. @throws ReadStoreUnavailable */
  whenKnown(): Promise<void> | undefined {
    if (this.clock.monotonicMs() - this.lookedAtMs <= GENERATIONS_HOLD_MS) return undefined;
    return (this.looking ??= this.lookForGenerations().finally(() => (this.looking = undefined)));
  }

  /** Tells whether the projector is in this process. */
  leads(projectsHere: boolean): void {
    this.projectsHere = projectsHere;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.awaken.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.awaken = new AbortController();
      const isUrgent = !this.projectsHere && this.progress.isAwaited;
      // Stopping awakens it, too. (A signal made of both would be kept by the longer one for ever, on Node 20.)
      const { signal } = isUrgent ? this.stopping : this.awaken;
      await this.clock.sleep(isUrgent ? AWAITED_MS : IDLE_MS, signal);
      try {
        if (!this.projectsHere) await this.lookForProgress();
        if (this.clock.monotonicMs() - this.lookedAtMs >= IDLE_MS) await this.lookForGenerations();
      } catch (error) {
        await this.complain(error);
      }
    }
  }

  private async lookForProgress(): Promise<void> {
    const keys = this.models.map((model) => checkpointKey(model, this.generationOf(model)));
    const positions = await this.store.checkpoints([...keys, ...keys.map(stoppedKey)]);
    for (const [index, { name }] of this.models.entries()) {
      const position = positions[index] ?? -1;
      const stoppedAt = positions[keys.length + index] ?? -1;
      this.progress.advance(name, position);
      if (stoppedAt > position) this.progress.stop(name);
    }
  }

  private async lookForGenerations(): Promise<void> {
    const beganAtMs = this.clock.monotonicMs();
    const live = await Promise.all(this.models.map(({ name, version }) => this.store.liveGeneration(name, version)));
    for (const [index, model] of this.models.entries()) {
      const generation = live[index] ?? 1;
      const known = this.generations.get(model);
      // Two looks may overlap: generations never go back.
      if (known !== undefined && known >= generation) continue;
      if (known !== undefined) await this.onTable({ model, generation });
      this.generations.set(model, generation);
    }
    this.lookedAtMs = beganAtMs;
  }

  private generationOf(model: FollowedModel): number {
    return this.generations.get(model) ?? 1;
  }

  private async complain(error: unknown): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = nowMs;
      this.logger.warn({ err: error }, 'the progress of the read models cannot be read');
    }
    await this.clock.sleep(IDLE_MS, this.stopping.signal);
  }
}
