import type { Logger } from '../ports/log.js';
import type { AnyTable, ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { Progress } from './progress.js';
import { checkpointKey, stoppedKey } from './projection.js';

export type FollowedModel = AnyTable['model'];

/** While somebody waits for the read models: often enough that others' progress is known within 20 ms. */
const AWAITED_MS = 8;
const IDLE_MS = 250;
const WARN_EVERY_MS = 5_000;

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

  constructor(
    private readonly store: ReadStore,
    private readonly models: readonly FollowedModel[],
    private readonly progress: Progress,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Told when a model is to be read from another generation. */
    private readonly onTable: (table: AnyTable) => void,
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
    let lookedAtMs = this.clock.monotonicMs();
    while (!this.stopping.signal.aborted) {
      this.awaken = new AbortController();
      const isUrgent = !this.projectsHere && this.progress.isAwaited;
      const signal = isUrgent ? this.stopping.signal : AbortSignal.any([this.stopping.signal, this.awaken.signal]);
      await this.clock.sleep(isUrgent ? AWAITED_MS : IDLE_MS, signal);
      try {
        if (!this.projectsHere) await this.lookForProgress();
        if (this.clock.monotonicMs() - lookedAtMs < IDLE_MS) continue;
        lookedAtMs = this.clock.monotonicMs();
        await this.lookForGenerations();
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
    const live = await Promise.all(this.models.map(({ name, version }) => this.store.liveGeneration(name, version)));
    for (const [index, model] of this.models.entries()) {
      const generation = live[index] ?? 1;
      const known = this.generations.get(model);
      this.generations.set(model, generation);
      if (known !== undefined && known !== generation) this.onTable({ model, generation });
    }
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
